//! `/healthz`, `/livez`, `/readyz` and `/metrics` over HTTP. Only the request line is read, and the number of connections is small.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tracing::{debug, info};

use super::{Health, Status};

/// The number of connections at a time; others wait to be accepted.
const CONNECTIONS: usize = 32;
/// How long a request may take, from the first byte.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// The text format of OpenMetrics.
const METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

/// Serves until `stop` becomes true. The caller binds the listener, and so learns at once when the port is taken.
pub async fn serve(listener: TcpListener, status: Arc<Status>, mut stop: watch::Receiver<bool>) {
    if let Ok(address) = listener.local_addr() {
        info!(address = %address, "serves health and metrics");
    }
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(seat) = room.clone().acquire_owned().await else { return };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            changed = stop.wait_for(|stop| *stop) => {
                drop(changed);
                return;
            }
        };
        let Ok((stream, _)): Result<(_, SocketAddr), _> = accepted else {
            // The file descriptors are used up, or the peer is gone already.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let status = status.clone();
        tokio::spawn(async move {
            let answers = service_fn(move |request: Request<Incoming>| {
                let answer = respond(request.method(), request.uri().path(), &status);
                async move { Ok::<_, Infallible>(answer) }
            });
            let served = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(REQUEST_TIMEOUT)
                .max_buf_size(16 * 1024)
                .keep_alive(false)
                .serve_connection(TokioIo::new(stream), answers);
            match tokio::time::timeout(REQUEST_TIMEOUT, served).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => debug!(error = %error, "a connection broke"),
                Err(_) => debug!("a connection took too long"),
            }
            drop(seat);
        });
    }
}

/// Returns the answer to a request.
pub(super) fn respond(method: &Method, path: &str, status: &Status) -> Response<Full<Bytes>> {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return text(StatusCode::METHOD_NOT_ALLOWED, TEXT, "only GET\n".to_owned());
    }
    match path {
        "/healthz" | "/livez" => health(status.health()),
        "/readyz" => health(status.readiness()),
        "/metrics" => match status.metrics.text() {
            Ok(metrics) => text(StatusCode::OK, METRICS, metrics),
            Err(error) => text(StatusCode::INTERNAL_SERVER_ERROR, TEXT, format!("{error}\n")),
        },
        _ => text(StatusCode::NOT_FOUND, TEXT, "there are /healthz, /livez, /readyz and /metrics\n".to_owned()),
    }
}

fn health(health: Health) -> Response<Full<Bytes>> {
    match health {
        Health::Healthy(said) => text(StatusCode::OK, TEXT, format!("{said}\n")),
        Health::Unhealthy(wrong) => text(StatusCode::SERVICE_UNAVAILABLE, TEXT, format!("{wrong}\n")),
    }
}

fn text(code: StatusCode, kind: &'static str, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = code;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
