//! Serves the page on the loopback address.

use std::net::{Ipv4Addr, SocketAddr};

use tiny_http::{Header, Method, Request, Response, Server};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::screen::print;

/// Serves until it is interrupted.
pub(super) fn serve(page: &str, port: u16, open: bool) -> Result<Exit, Failure> {
    let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let unserved = |error: &dyn std::fmt::Display| Failure::Unserved { address: wanted, error: error.to_string() };
    let server = Server::http(wanted).map_err(|error| unserved(&error))?;
    let address = server.server_addr().to_ip().ok_or_else(|| unserved(&"it has no address"))?;
    let url = format!("http://{address}/");
    print(&format!("{url}\n"))?;
    anstream::eprintln!("the page is there until Ctrl-C");
    if open && let Err(error) = open::that_detached(&url) {
        anstream::eprintln!("no browser could be opened ({error}); open the address above");
    }
    for request in server.incoming_requests() {
        // A browser that went away needs no answer.
        let _gone = answer(request, page, address);
    }
    Ok(Exit::Done)
}

/// Answers a request. Another site, whose name leads to this address, gets nothing: what is shown is private.
fn answer(request: Request, page: &str, address: SocketAddr) -> std::io::Result<()> {
    let host = request.headers().iter().find(|header| header.field.equiv("Host")).map(|header| header.value.as_str());
    let ours = [address.to_string(), format!("localhost:{}", address.port())];
    if !host.is_some_and(|host| ours.iter().any(|our| our == host)) {
        return request.respond(Response::from_string("not served under this name\n").with_status_code(403));
    }
    let is_asked = matches!(request.method(), Method::Get | Method::Head) && request.url() == "/";
    if !is_asked {
        return request.respond(Response::from_string("there is only /\n").with_status_code(404));
    }
    let headers = [
        ("Content-Type", "text/html; charset=utf-8"),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
    ];
    let headers = headers.into_iter().filter_map(|(name, value)| Header::from_bytes(name, value).ok());
    request.respond(headers.fold(Response::from_string(page), Response::with_header))
}
