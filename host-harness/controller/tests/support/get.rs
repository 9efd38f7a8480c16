//! A request of health, metrics or rights to a process on this machine.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};

/// Returns an address at which no process listens.
pub fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// Returns the whole answer, with its head; nothing where no process listens.
pub fn get(address: impl ToSocketAddrs, path: &str) -> String {
    let Ok(mut stream) = TcpStream::connect(address) else { return String::new() };
    let mut text = String::new();
    let _broken =
        write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").and_then(|()| stream.read_to_string(&mut text));
    text
}
