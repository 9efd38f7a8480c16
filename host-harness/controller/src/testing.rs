//! Servers for tests of requests.

use std::net::TcpListener;

use kube::{Client, Config};

fn client(listener: &TcpListener) -> Client {
    let address = format!("http://{}", listener.local_addr().unwrap());
    Client::try_from(Config::new(address.parse().unwrap())).unwrap()
}

/// Returns a client of a server that takes connections and never answers, as long as the listener is held.
pub(crate) fn silent() -> (Client, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    (client(&listener), listener)
}
