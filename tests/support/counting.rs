//! A go-between in front of a server that counts connections and round trips, and what it listens with. Loopback only.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// Who spoke last, and how often the client spoke after the server (or first).
#[derive(Debug, Default)]
pub(crate) struct Count {
    client_spoke: bool,
    pub(crate) connections: usize,
    pub(crate) round_trips: usize,
}

/// Listens, and gives every connection to `serve` in a thread of its own. Returns the port.
pub(crate) fn listen(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let port = listener.local_addr().expect("it has an address").port();
    let serve = Arc::new(serve);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = Arc::clone(&serve);
            thread::spawn(move || serve(stream));
        }
    });
    port
}

/// Passes everything on to a port and counts.
pub(crate) fn counting(to: u16) -> (u16, Arc<Mutex<Count>>) {
    let count = Arc::new(Mutex::new(Count::default()));
    let shared = Arc::clone(&count);
    let port = listen(move |client| {
        let server = TcpStream::connect((Ipv4Addr::LOCALHOST, to)).expect("the server is there");
        shared.lock().expect("no panic").connections += 1;
        let (client_out, server_out) = (
            client.try_clone().expect("a handle"),
            server.try_clone().expect("a handle"),
        );
        let answers = Arc::clone(&shared);
        thread::spawn(move || {
            pass(server, client_out, || {
                answers.lock().expect("no panic").client_spoke = false;
            });
        });
        pass(client, server_out, || {
            let mut count = shared.lock().expect("no panic");
            if !count.client_spoke {
                count.round_trips += 1;
            }
            count.client_spoke = true;
        });
    });
    (port, count)
}

fn pass(mut from: TcpStream, mut to: TcpStream, spoke: impl Fn()) {
    let mut buffer = vec![0; 65_536];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        spoke();
        if to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}
