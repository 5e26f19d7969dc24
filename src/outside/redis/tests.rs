//! How many connections are kept, and for how long; the rest is tested against real servers.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};

use super::*;

/// A listener that agrees to everything with one reply; gives its address.
fn agreeing() -> StoreAddress {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut buffer = [0; 4096];
                while matches!(stream.read(&mut buffer), Ok(1..)) {
                    if stream.write_all(b"+OK\r\n+QUEUED\r\n*1\r\n:0\r\n").is_err() {
                        break;
                    }
                }
            });
        }
    });
    StoreAddress {
        namespace: "crawls".to_owned(),
        job: "news".to_owned(),
        ip: Ipv4Addr::LOCALHOST.into(),
        port,
    }
}

async fn write(stores: &RedisStores, address: &StoreAddress) {
    stores.write(address, &[StoreWrite::DeleteIdle]).await.unwrap();
}

#[tokio::test]
async fn beyond_the_most_the_longest_idle_connection_goes() {
    let stores = RedisStores {
        most: 2,
        ..RedisStores::new(Duration::from_secs(2))
    };
    let addresses = [agreeing(), agreeing(), agreeing()];
    for address in &addresses {
        write(&stores, address).await;
    }
    let kept: Vec<u16> = stores.lock().connections.keys().map(SocketAddr::port).collect();
    assert_eq!(kept.len(), 2);
    assert!(!kept.contains(&addresses[0].port));
}

#[tokio::test]
async fn a_connection_that_idles_too_long_goes_when_another_is_used() {
    let stores = RedisStores {
        idle: Duration::ZERO,
        ..RedisStores::new(Duration::from_secs(2))
    };
    write(&stores, &agreeing()).await;
    write(&stores, &agreeing()).await;
    assert_eq!(stores.kept(), 0);
}
