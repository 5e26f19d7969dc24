//! Listeners that are no Redis, and a go-between that counts.

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

/// Answers each piece it reads with what `answer` makes of it, until that is nothing.
pub(crate) fn answering(answer: impl Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync + 'static) -> u16 {
    listen(move |mut stream| {
        let mut buffer = vec![0; 65_536];
        while let Ok(read @ 1..) = stream.read(&mut buffer) {
            match answer(&buffer[..read]) {
                Some(bytes) if stream.write_all(&bytes).is_ok() => {}
                _ => break,
            }
        }
    })
}

/// Takes connections and never says a word.
pub(crate) fn silent() -> u16 {
    listen(|mut stream| {
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    })
}

/// How many commands are in what a client sent: each starts with `*` on a line of its own.
pub(crate) fn commands(sent: &[u8]) -> usize {
    sent.split(|byte| *byte == b'\n')
        .filter(|line| line.starts_with(b"*"))
        .count()
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
