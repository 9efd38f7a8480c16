//! The authentication that a registry demands: RFC 7235 challenges and the token protocol of the distribution project.

use serde::Deserialize;

use super::Error;
use super::credentials::Login;
use super::http::{Http, HttpRequest};
use ureq::http::Method;

/// The most bytes of an answer with a token.
const TOKEN: u64 = 1 << 20;

/// The demand of a registry.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Challenge {
    /// A name and a password.
    Basic,
    /// A token, which another server issues.
    Bearer { realm: String, service: Option<String>, scope: Option<String> },
}

#[derive(Deserialize)]
struct Token {
    token: Option<String>,
    access_token: Option<String>,
}

impl Challenge {
    /// Reads the header `WWW-Authenticate`. `None`: the header demands another kind of authentication.
    pub(crate) fn read(header: &str) -> Option<Challenge> {
        let (scheme, rest) = header.trim().split_once(' ').unwrap_or((header.trim(), ""));
        if scheme.eq_ignore_ascii_case("basic") {
            return Some(Challenge::Basic);
        }
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let (mut realm, mut service, mut scope) = (None, None, None);
        for (name, value) in parameters(rest) {
            match name {
                "realm" => realm = Some(value),
                "service" => service = Some(value),
                "scope" => scope = Some(value),
                _ => {}
            }
        }
        Some(Challenge::Bearer { realm: realm?, service, scope })
    }

    /// Returns the header that answers the challenge, which may require a token from another server. `None`: credentials are needed, and there are
    /// none. A registry that is used with TLS must not send credentials elsewhere without it.
    pub(crate) fn answer(
        &self,
        http: &Http,
        secure: bool,
        login: Option<&Login>,
        scope: &str,
    ) -> Result<Option<String>, Error> {
        let (realm, service, stated) = match self {
            Challenge::Basic => return Ok(login.map(Login::basic)),
            Challenge::Bearer { realm, service, scope } => (realm, service, scope),
        };
        let mut url = realm.clone();
        if secure && !url.starts_with("https:") {
            return Err(Error::WithoutTls { url });
        }
        let scope = stated.as_deref().unwrap_or(scope);
        for (name, value) in [("service", service.as_deref()), ("scope", Some(scope))] {
            let Some(value) = value else { continue };
            url.push(if url.contains('?') { '&' } else { '?' });
            url.push_str(&format!("{name}={}", encoded(value)));
        }
        let authorization = login.map(Login::basic);
        let answer =
            http.send(&HttpRequest { method: Method::GET, url, headers: Vec::new(), authorization, body: None })?;
        let (host, status) = (answer.host.clone(), answer.status());
        if status != 200 {
            return Err(Error::Denied { host, status, said: answer.error_message() });
        }
        let bytes = answer.read("the token", TOKEN)?;
        let bad = |why: &str| Error::Malformed { host: host.clone(), what: "token".to_owned(), why: why.to_owned() };
        // The message of the parser could show a part of the token.
        let token: Token = serde_json::from_slice(&bytes).map_err(|_| bad("it is not JSON with a `token`"))?;
        let token = token.token.or(token.access_token).ok_or_else(|| bad("it has no `token`"))?;
        Ok(Some(format!("Bearer {token}")))
    }
}

/// Reads the parameters of a header: `name="value"` and `name=value`, separated by commas.
fn parameters(text: &str) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((name, after)) = rest.split_once('=') {
        let name = name.trim_matches([' ', ',']);
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(',').unwrap_or((after, "")),
        };
        found.push((name, value.to_owned()));
        rest = after;
    }
    found
}

/// Encodes a value for the query of an address.
pub(crate) fn encoded(value: &str) -> String {
    let one = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    value.bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_are_read() {
        // This is the example of the distribution project's page on token authentication.
        let header = r#"Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:a/b:pull,push""#;
        let expected = Challenge::Bearer {
            realm: "https://auth.docker.io/token".to_owned(),
            service: Some("registry.docker.io".to_owned()),
            scope: Some("repository:a/b:pull,push".to_owned()),
        };
        assert_eq!(Challenge::read(header), Some(expected));
        assert_eq!(Challenge::read("basic realm=x"), Some(Challenge::Basic));
        for header in ["", "Negotiate", "Bearer", "Bearer service=\"x\"", "Bearer realm"] {
            assert_eq!(Challenge::read(header), None, "{header}");
        }
    }

    #[test]
    fn values_are_encoded() {
        assert_eq!(encoded("repository:a/b-1:pull,push"), "repository%3Aa%2Fb-1%3Apull%2Cpush");
    }
}
