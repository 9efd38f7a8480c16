//! HTTP, as far as a registry needs it: bounded in time and size, with TLS, and with redirects that do not pass credentials on.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use ureq::http::{Method, Request, Response, Uri};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body, Proxy};

use super::Error;
use crate::reference::is_loopback;

/// The most redirects of a download.
const MAX_REDIRECTS: u8 = 5;
/// The most bytes that are read of the text of an error.
const ERROR_BYTES: u64 = 4096;

pub(crate) struct Http {
    agent: Agent,
    plain_http: bool,
    timeout: Duration,
}

/// A request.
#[derive(Clone)]
pub(crate) struct HttpRequest<'a> {
    pub(crate) method: Method,
    pub(crate) url: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    /// The credentials. Only the server of the request receives them, and no other server that it redirects to.
    pub(crate) authorization: Option<String>,
    pub(crate) body: Option<&'a [u8]>,
}

/// An answer.
pub(crate) struct HttpResponse {
    pub(crate) host: String,
    response: Response<Body>,
    timeout: Duration,
}

impl Http {
    /// Makes a client whose requests, each with its full answer, take at most this time. Certificates are judged as this machine judges them. A
    /// registry of this machine (`local`) is used without a proxy.
    pub(crate) fn new(timeout: Duration, plain_http: bool, local: bool) -> Http {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::PlatformVerifier)
            .unversioned_rustls_crypto_provider(provider)
            .build();
        let proxy = if local { None } else { Proxy::try_from_env() };
        let config = Agent::config_builder()
            .tls_config(tls)
            .proxy(proxy)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_global(Some(timeout))
            .user_agent(concat!("lictor/", env!("CARGO_PKG_VERSION")))
            .build();
        Http { agent: config.into(), plain_http, timeout }
    }

    /// Sends a request, and follows redirects of reading requests.
    ///
    /// # Errors
    /// A redirect leads to a server without TLS, to no valid address, or to one redirect too many.
    pub(crate) fn send(&self, ask: &HttpRequest<'_>) -> Result<HttpResponse, Error> {
        let mut ask = ask.clone();
        for _ in 0..=MAX_REDIRECTS {
            let answer = self.send_once(&ask)?;
            let moved = matches!(answer.status(), 301 | 302 | 303 | 307 | 308);
            if !moved || !matches!(ask.method, Method::GET | Method::HEAD) {
                return Ok(answer);
            }
            let to = answer.header("location").unwrap_or_default();
            let next =
                joined(&ask.url, &to).ok_or_else(|| Error::Redirected { host: answer.host.clone(), to: to.clone() })?;
            if ask.url.starts_with("https:") && !next.starts_with("https:") && !self.plain_http {
                return Err(Error::WithoutTls { url: next });
            }
            if origin(&next) != origin(&ask.url) {
                ask.authorization = None;
            }
            ask.url = next;
        }
        Err(Error::Redirected { host: host(&ask.url), to: ask.url })
    }

    fn send_once(&self, ask: &HttpRequest<'_>) -> Result<HttpResponse, Error> {
        let host = host(&ask.url);
        if !ask.url.starts_with("https://") && !self.plain_http && !is_loopback(&host) {
            return Err(Error::WithoutTls { url: ask.url.clone() });
        }
        let mut request = Request::builder().method(ask.method.clone()).uri(&ask.url);
        for (name, value) in &ask.headers {
            request = request.header(*name, value);
        }
        if let Some(authorization) = &ask.authorization {
            request = request.header("authorization", authorization);
        }
        let unreachable = |why: String| Error::Unreachable { host: host.clone(), why };
        let response = match ask.body {
            Some(body) => request.body(body).map_err(ureq::Error::from).and_then(|request| self.agent.run(request)),
            None => request.body(()).map_err(ureq::Error::from).and_then(|request| self.agent.run(request)),
        };
        match response {
            Ok(response) => Ok(HttpResponse { host, response, timeout: self.timeout }),
            Err(ureq::Error::Timeout(_)) => Err(Error::Timeout { host, after: self.timeout }),
            Err(error) => Err(unreachable(error.to_string())),
        }
    }
}

impl HttpResponse {
    pub(crate) fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// Returns a header. `None`: the header is missing or no text.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    }

    /// Returns the media type, without its parameters.
    pub(crate) fn media_type(&self) -> String {
        let stated = self.header("content-type").unwrap_or_default();
        stated.split(';').next().unwrap_or_default().trim().to_owned()
    }

    /// Reads the content, at most `limit` bytes.
    ///
    /// # Errors
    /// The content is larger, breaks off or takes too long. No more than one byte beyond the limit is read.
    pub(crate) fn read(self, what: &str, limit: u64) -> Result<Vec<u8>, Error> {
        let too_large = |bytes| Error::TooLarge { what: what.to_owned(), bytes, limit };
        if let Some(stated) = self.response.body().content_length().filter(|stated| *stated > limit) {
            return Err(too_large(stated));
        }
        let mut bytes = Vec::new();
        let body = self.response.into_body().into_reader();
        let read = body.take(limit.saturating_add(1)).read_to_end(&mut bytes);
        let length = size(&bytes);
        match read {
            Ok(_) if length > limit => Err(too_large(length)),
            Ok(_) => Ok(bytes),
            Err(error) if is_timeout(&error) => Err(Error::Timeout { host: self.host, after: self.timeout }),
            Err(error) => {
                let why = format!("it broke off after {length} bytes: {error}");
                Err(Error::Malformed { host: self.host, what: what.to_owned(), why })
            }
        }
    }

    /// Returns the message of an error answer: one line, without characters that could confuse a terminal.
    pub(crate) fn error_message(self) -> String {
        let mut text = Vec::new();
        if self.response.into_body().into_reader().take(ERROR_BYTES).read_to_end(&mut text).is_err() {
            return String::new();
        }
        let json: Option<serde_json::Value> = serde_json::from_slice(&text).ok();
        let message =
            json.as_ref().and_then(|json| json.pointer("/errors/0/message")).and_then(|message| message.as_str());
        let plain = message.unwrap_or_default().chars().filter(|it| !it.is_control());
        plain.take(200).collect()
    }
}

/// Returns the number of bytes.
pub(crate) fn size(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

fn is_timeout(error: &io::Error) -> bool {
    let wrapped = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>());
    matches!(wrapped, Some(ureq::Error::Timeout(_))) || error.kind() == io::ErrorKind::TimedOut
}

/// Returns the scheme, and the host with its port, of an address. `None`: the address is not valid.
pub(crate) fn origin(url: &str) -> Option<(String, String)> {
    let uri: Uri = url.parse().ok()?;
    Some((uri.scheme_str()?.to_owned(), uri.authority()?.as_str().to_owned()))
}

fn host(url: &str) -> String {
    origin(url).map(|(_, host)| host).unwrap_or_default()
}

/// Returns the address that a redirect leads to: an address, or a path of the same server. `None`: the redirect is not valid, or has credentials in
/// it.
pub(crate) fn joined(from: &str, to: &str) -> Option<String> {
    if to.starts_with("https://") || to.starts_with("http://") {
        let (_, authority) = origin(to)?;
        // A name and a password in an address would be sent to that server.
        return (!authority.contains('@')).then(|| to.to_owned());
    }
    let (scheme, authority) = origin(from)?;
    (to.starts_with('/') && !to.starts_with("//")).then(|| format!("{scheme}://{authority}{to}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_may_refer_to_an_address_or_a_path() {
        let from = "https://r.io:5000/v2/a/blobs/x";
        for (to, whole) in [
            ("/v2/b?c=d", Some("https://r.io:5000/v2/b?c=d")),
            ("https://s.io/x", Some("https://s.io/x")),
            ("http://s.io/x", Some("http://s.io/x")),
            ("//s.io/x", None),
            ("x", None),
            ("", None),
            ("https://me:secret@s.io/x", None),
            ("file:///etc/passwd", None),
        ] {
            assert_eq!(joined(from, to).as_deref(), whole, "{to}");
        }
    }
}
