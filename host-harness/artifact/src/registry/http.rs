//! HTTP, as far as a registry needs it: bounded in time and size, with TLS, and with redirects that do not carry credentials away.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use ureq::http::{Method, Request, Response, Uri};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body, Proxy};

use super::Error;
use crate::reference::is_loopback;

/// How often a download may move.
const MOVES: u8 = 5;
/// What is shown of the text of an error, and read of one.
const SAID: u64 = 4096;

pub(crate) struct Http {
    agent: Agent,
    plain_http: bool,
    timeout: Duration,
}

/// One question.
#[derive(Clone)]
pub(crate) struct Ask<'a> {
    pub(crate) method: Method,
    pub(crate) url: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    /// The credentials. Told only to the place that is asked, and to no other that it refers to.
    pub(crate) authorization: Option<String>,
    pub(crate) body: Option<&'a [u8]>,
}

/// One answer.
pub(crate) struct Answer {
    pub(crate) host: String,
    response: Response<Body>,
    timeout: Duration,
}

impl Http {
    /// Every question, with its answer in full, takes at most this time. Certificates are judged as this machine judges them. A registry
    /// of this machine is behind no proxy.
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

    /// Asks, and follows where the answer is elsewhere.
    pub(crate) fn send(&self, ask: &Ask<'_>) -> Result<Answer, Error> {
        let mut ask = ask.clone();
        for _ in 0..=MOVES {
            let answer = self.send_once(&ask)?;
            let moved = matches!(answer.status(), 301 | 302 | 303 | 307 | 308);
            if !moved || !matches!(ask.method, Method::GET | Method::HEAD) {
                return Ok(answer);
            }
            let to = answer.header("location").unwrap_or_default();
            let next =
                joined(&ask.url, &to).ok_or_else(|| Error::Redirected { host: answer.host.clone(), to: to.clone() })?;
            if ask.url.starts_with("https:") && !next.starts_with("https:") && !self.plain_http {
                return Err(Error::Plain { url: next });
            }
            if origin(&next) != origin(&ask.url) {
                ask.authorization = None;
            }
            ask.url = next;
        }
        Err(Error::Redirected { host: host(&ask.url), to: ask.url })
    }

    fn send_once(&self, ask: &Ask<'_>) -> Result<Answer, Error> {
        let host = host(&ask.url);
        if !ask.url.starts_with("https://") && !self.plain_http && !is_loopback(&host) {
            return Err(Error::Plain { url: ask.url.clone() });
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
            Ok(response) => Ok(Answer { host, response, timeout: self.timeout }),
            Err(ureq::Error::Timeout(_)) => Err(Error::Late { host, after: self.timeout }),
            Err(error) => Err(unreachable(error.to_string())),
        }
    }
}

impl Answer {
    pub(crate) fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// A header; none where it is no text.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    }

    /// The media type, without its parameters.
    pub(crate) fn media_type(&self) -> String {
        let stated = self.header("content-type").unwrap_or_default();
        stated.split(';').next().unwrap_or_default().trim().to_owned()
    }

    /// The contents, of which there may be so many bytes; not one more is kept.
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
            Err(error) if is_timeout(&error) => Err(Error::Late { host: self.host, after: self.timeout }),
            Err(error) => {
                let why = format!("it broke off after {length} bytes: {error}");
                Err(Error::Malformed { host: self.host, what: what.to_owned(), why })
            }
        }
    }

    /// What an answer that is none says: one line of it, without what could confuse a terminal.
    pub(crate) fn said(self) -> String {
        let mut text = Vec::new();
        if self.response.into_body().into_reader().take(SAID).read_to_end(&mut text).is_err() {
            return String::new();
        }
        let json: Option<serde_json::Value> = serde_json::from_slice(&text).ok();
        let message =
            json.as_ref().and_then(|json| json.pointer("/errors/0/message")).and_then(|message| message.as_str());
        let plain = message.unwrap_or_default().chars().filter(|it| !it.is_control());
        plain.take(200).collect()
    }
}

/// The size of bytes.
pub(crate) fn size(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

fn is_timeout(error: &io::Error) -> bool {
    let wrapped = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>());
    matches!(wrapped, Some(ureq::Error::Timeout(_))) || error.kind() == io::ErrorKind::TimedOut
}

/// Scheme, host and port of an address.
pub(crate) fn origin(url: &str) -> Option<(String, String)> {
    let uri: Uri = url.parse().ok()?;
    Some((uri.scheme_str()?.to_owned(), uri.authority()?.as_str().to_owned()))
}

fn host(url: &str) -> String {
    origin(url).map(|(_, host)| host).unwrap_or_default()
}

/// Where an answer refers to: an address, or a path of the same place.
pub(crate) fn joined(from: &str, to: &str) -> Option<String> {
    if to.starts_with("https://") || to.starts_with("http://") {
        let (_, authority) = origin(to)?;
        // A name and a password in an address would be told to that place.
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
