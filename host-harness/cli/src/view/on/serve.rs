//! Serves the page on the loopback address, and the recording that the page follows.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::thread;

use lictor_decide::Problem;
use tiny_http::{Header, Method, Request, Response, Server};

use super::live::FollowedRecording;
use crate::exit::Exit;
use crate::failure::CommandError;
use crate::screen::print;

/// The number of requests that are answered at a time: a browser that reads slowly must not block the others.
const AT_A_TIME: usize = 4;

/// The path of the page's requests, followed by the number of a byte.
const MORE: &str = "/recording?from=";

/// The page and the recording that are served.
pub(super) struct ServedPage {
    pub(super) page: String,
    /// The recording that the page follows. `None`: the page follows none.
    pub(super) live: Option<FollowedRecording>,
}

/// Serves until the process is interrupted.
pub(super) fn serve(served: &ServedPage, port: u16, open: bool) -> Result<Exit, CommandError> {
    let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let unserved =
        |error: &dyn std::fmt::Display| CommandError::PageUnserved { address: wanted, error: error.to_string() };
    let server = Server::http(wanted).map_err(|error| unserved(&error))?;
    let address = server.server_addr().to_ip().ok_or_else(|| unserved(&"it has no address"))?;
    let url = format!("http://{address}/");
    print(&format!("{url}\n"))?;
    anstream::eprintln!("the page is there until Ctrl-C");
    if open && let Err(error) = open::that_detached(&url) {
        anstream::eprintln!("no browser could be opened ({error}); open the address above");
    }
    let answer_all = || {
        for request in server.incoming_requests() {
            // A browser that has left needs no answer.
            let _gone = respond_to_request(request, served, address);
        }
    };
    thread::scope(|scope| (0..AT_A_TIME).for_each(|_| drop(scope.spawn(answer_all))));
    Ok(Exit::Success)
}

/// Answers a request. A request for another host name is refused, although the name leads to this address: the page is private.
fn respond_to_request(request: Request, served: &ServedPage, address: SocketAddr) -> io::Result<()> {
    let host = request.headers().iter().find(|header| header.field.equiv("Host")).map(|header| header.value.as_str());
    let ours = [address.to_string(), format!("localhost:{}", address.port())];
    if !host.is_some_and(|host| ours.iter().any(|our| our == host)) {
        return request.respond(Response::from_string("not served under this name\n").with_status_code(403));
    }
    let (is_get, url) = (*request.method() == Method::Get, request.url().to_owned());
    let is_read = is_get || *request.method() == Method::Head;
    match (url.strip_prefix(MORE), &served.live) {
        _ if is_read && url == "/" => respond(request, 200, "text/html; charset=utf-8", served.page.as_bytes()),
        (Some(from), Some(live)) if is_get => respond_with_recording(request, live, from),
        _ => request.respond(
            Response::from_string("there is only /, and /recording?from=N where a recording is followed\n")
                .with_status_code(404),
        ),
    }
}

/// Answers with the recording from a byte on, or with the problems, as JSON, why there is nothing more.
fn respond_with_recording(request: Request, live: &FollowedRecording, from: &str) -> io::Result<()> {
    let no_number = || Problem::error(format!("`{from}` is no number of a byte")).remedy("name one, from 0 on");
    let (code, more) = match from.parse().map_err(|_| no_number()) {
        Err(problem) => (400, Err(problem)),
        Ok(from) => (410, live.bytes_from(from)),
    };
    match more {
        Ok(bytes) => respond(request, 200, "application/octet-stream", &bytes),
        Err(problem) => respond(request, code, "application/json", serde_json::to_string(&[problem])?.as_bytes()),
    }
}

fn respond(request: Request, code: u16, content: &str, bytes: &[u8]) -> io::Result<()> {
    let headers = [
        ("Content-Type", content),
        ("Cache-Control", "no-store"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
    ];
    let headers = headers.into_iter().filter_map(|(name, value)| Header::from_bytes(name, value).ok());
    request.respond(headers.fold(Response::from_data(bytes).with_status_code(code), Response::with_header))
}
