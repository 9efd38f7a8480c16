//! Servers for tests of requests.

use std::convert::Infallible;
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use kube::{Client, Config};
use serde_json::Value;

fn client(listener: &TcpListener) -> Client {
    let address = format!("http://{}", listener.local_addr().unwrap());
    Client::try_from(Config::new(address.parse().unwrap())).unwrap()
}

/// Returns a client of a server that takes connections and never answers. The server lives as long as the listener.
pub(crate) fn silent() -> (Client, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    (client(&listener), listener)
}

/// Returns a client of a server that answers a method, a path with its parameters and a body with a status and a body, until the runtime ends.
pub(crate) fn serving(answers: impl FnMut(&str, &str, Value) -> (u16, Value) + Send + 'static) -> Client {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = client(&listener);
    listener.set_nonblocking(true).unwrap();
    let (listener, answers) = (tokio::net::TcpListener::from_std(listener).unwrap(), Arc::new(Mutex::new(answers)));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let answers = answers.clone();
            let answer = service_fn(move |request: Request<Incoming>| {
                let answers = answers.clone();
                async move {
                    let (head, body) = request.into_parts();
                    let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
                    let body = serde_json::from_slice(&body).unwrap_or_default();
                    let path = head.uri.to_string();
                    let (code, said) = answers.lock().unwrap()(head.method.as_str(), &path, body);
                    let mut response = Response::new(Full::new(Bytes::from(said.to_string())));
                    *response.status_mut() = code.try_into().unwrap();
                    Ok::<_, Infallible>(response)
                }
            });
            tokio::spawn(
                async move { drop(http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await) },
            );
        }
    });
    client
}
