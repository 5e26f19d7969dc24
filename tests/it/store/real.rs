//! Against a real redis-server: kept connections, round trips, refusals.

use std::net::Ipv6Addr;

use rollcall::outside::Stores;
use rollcall::outside::redis::RedisStores;
use rollcall::outside::store::{Mark, StoreAddress, StoreWrite, Unreachable};

use super::{DEADLINE, JOB, address, question, reachable, stores, unreachable};
use crate::counting::counting;
use crate::server::Server;
use crate::tested::say_not_tested;

#[tokio::test]
async fn one_read_and_one_write_are_two_round_trips_on_one_connection() {
    let Some(server) = Server::start(JOB) else { return };
    let (port, count) = counting(server.port);
    let stores = stores();
    for call in 1..=5 {
        reachable(stores.read(&address(port), &question()).await);
        stores
            .write(
                &address(port),
                &[StoreWrite::SetMark(Mark::First), StoreWrite::DeleteIdle],
            )
            .await
            .unwrap();
        stores.write(&address(port), &[]).await.unwrap();
        let count = count.lock().unwrap();
        assert_eq!(
            (count.round_trips, count.connections),
            (2 * call, 1),
            "the first call says no more than the others"
        );
    }
}

#[tokio::test]
async fn calls_at_the_same_time_do_not_mix_and_leave_one_connection() {
    let Some(server) = Server::start(JOB) else { return };
    let redis = RedisStores::new(DEADLINE);
    let stores = Stores::Redis(redis.clone());
    let mut calls = tokio::task::JoinSet::new();
    for index in 0..20 {
        let stores = stores.clone();
        let port = server.port;
        calls.spawn(async move {
            stores
                .write(&address(port), &[StoreWrite::SetStopOne(index)])
                .await
                .unwrap();
            assert!(
                reachable(stores.read(&address(port), &question()).await)
                    .flags
                    .stop_one
                    .contains(&index)
            );
        });
    }
    while let Some(call) = calls.join_next().await {
        call.unwrap();
    }
    assert_eq!(redis.kept(), 1);
}

#[tokio::test]
async fn a_connection_killed_between_calls_costs_one_call_at_most() {
    let Some(server) = Server::start(JOB) else { return };
    let stores = stores();
    reachable(stores.read(&address(server.port), &question()).await);
    let killed: u64 = redis::cmd("CLIENT")
        .arg(&["KILL", "TYPE", "normal"])
        .query(&mut server.connect())
        .unwrap();
    assert_eq!(killed, 1);
    let next = stores.read(&address(server.port), &question()).await;
    if !matches!(next, rollcall::outside::store::StoreReading::Reachable(_)) {
        assert_eq!(unreachable(next), Unreachable::Refused);
    }
    reachable(stores.read(&address(server.port), &question()).await);
}

#[tokio::test]
async fn a_server_that_is_gone_refuses_until_it_is_back() {
    let Some(server) = Server::start(JOB) else { return };
    let stores = stores();
    let port = server.port;
    stores
        .write(&address(port), &[StoreWrite::SetMark(Mark::First)])
        .await
        .unwrap();
    drop(server);
    assert_eq!(
        unreachable(stores.read(&address(port), &question()).await),
        Unreachable::Refused
    );
    let Some(_server) = Server::start_at(port, JOB) else {
        return;
    };
    assert_eq!(reachable(stores.read(&address(port), &question()).await).mark, None);
}

#[tokio::test]
async fn the_store_of_another_job_is_not_read() {
    let Some(server) = Server::start("sports") else { return };
    assert_eq!(
        unreachable(stores().read(&address(server.port), &question()).await),
        Unreachable::OtherJob
    );
}

#[tokio::test]
async fn a_password_we_do_not_have_is_an_error_answer() {
    let Some(server) = Server::start(JOB) else { return };
    let set: String = redis::cmd("CONFIG")
        .arg(&["SET", "requirepass", "x"])
        .query(&mut server.connect())
        .unwrap();
    assert_eq!(set, "OK");
    assert_eq!(
        unreachable(stores().read(&address(server.port), &question()).await),
        Unreachable::ErrorAnswer
    );
}

#[tokio::test]
async fn an_address_of_the_newer_protocol_works() {
    let Some(server) = Server::start(JOB) else { return };
    if std::net::TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_err() {
        say_not_tested("this machine has no IPv6 loopback");
        return;
    }
    let address = StoreAddress {
        ip: Ipv6Addr::LOCALHOST.into(),
        ..address(server.port)
    };
    reachable(stores().read(&address, &question()).await);
}

#[tokio::test]
async fn a_line_beyond_all_bounds_makes_the_store_unreadable_and_harms_nothing_else() {
    let Some(server) = Server::start(JOB) else { return };
    let stores = stores();
    let mut crawler = server.connect();
    let () = redis::cmd("RPUSH")
        .arg("crawls-done")
        .arg("x".repeat(100_000))
        .query(&mut crawler)
        .unwrap();
    assert_eq!(
        reachable(stores.read(&address(server.port), &question()).await)
            .files
            .lines,
        [None]
    );
    let () = redis::cmd("RPUSH")
        .arg("crawls-done")
        .arg("x".repeat(9_000_000))
        .query(&mut crawler)
        .unwrap();
    assert_eq!(
        unreachable(stores.read(&address(server.port), &question()).await),
        Unreachable::Garbage
    );
    stores
        .write(&address(server.port), &[StoreWrite::SetStopping])
        .await
        .unwrap();
}
