//! Listeners that are no Redis.

use std::io::{Read, Write};

use crate::counting::listen;

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
