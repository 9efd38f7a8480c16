//! A repository of a registry: manifests and blobs, by the OCI distribution specification.

use std::cell::RefCell;
use std::time::Duration;

use serde::de::DeserializeOwned;
use ureq::http::Method;

use super::Error;
use super::challenge::Challenge;
use super::credentials::{Credentials, Login};
use super::http::{Http, HttpRequest, HttpResponse, origin, size};
use crate::{ArtifactReference, Descriptor, Digest, ImageIndex, media_type};

/// The most bytes of a manifest: the specification lets registries refuse larger ones.
pub(crate) const MANIFEST_BYTES: u64 = 4 << 20;

/// The settings for requests to a registry.
#[derive(Debug, Clone)]
pub struct RegistrySettings {
    /// The names and passwords.
    pub credentials: Credentials,
    /// Whether registries of other machines may be used without TLS. Those of this machine always are.
    pub plain_http: bool,
    /// The longest time of one request with its answer: 60 s by default.
    pub timeout: Duration,
}

impl Default for RegistrySettings {
    fn default() -> RegistrySettings {
        RegistrySettings { credentials: Credentials::default(), plain_http: false, timeout: Duration::from_secs(60) }
    }
}

/// A repository of a registry.
pub(crate) struct Registry {
    http: Http,
    host: String,
    base: String,
    scope: String,
    login: Option<Login>,
    /// The answer to the last challenge.
    authorization: RefCell<Option<String>>,
}

/// A manifest as it was received.
pub(crate) struct FetchedManifest {
    pub(crate) media_type: String,
    pub(crate) bytes: Vec<u8>,
}

impl Registry {
    /// Makes a client for the repository of a reference, to read, and with `write` to write, too.
    pub(crate) fn of(reference: &ArtifactReference, access: &RegistrySettings, write: bool) -> Registry {
        // People write another name than that of the machine that answers.
        let host = if reference.host == "docker.io" { "registry-1.docker.io" } else { &reference.host };
        let plain = access.plain_http || reference.is_local();
        let scheme = if plain { "http" } else { "https" };
        let allowed = if write { "pull,push" } else { "pull" };
        Registry {
            http: Http::new(access.timeout, access.plain_http, reference.is_local()),
            host: reference.host.clone(),
            base: format!("{scheme}://{host}/v2/{}", reference.repository),
            scope: format!("repository:{}:{allowed}", reference.repository),
            login: access.credentials.of(&reference.host).cloned(),
            authorization: RefCell::default(),
        }
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Returns the address of a path below the repository.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.base)
    }

    /// Sends a request, and authenticates where the registry demands it. Only the registry itself receives credentials, and no other server that it
    /// refers to.
    pub(crate) fn send(&self, ask: HttpRequest<'_>) -> Result<HttpResponse, Error> {
        let own = origin(&self.base);
        if origin(&ask.url) != own {
            return self.http.send(&ask);
        }
        let authorization = self.authorization.borrow().clone();
        let answer = self.http.send(&HttpRequest { authorization, ..ask.clone() })?;
        if answer.status() != 401 || own.is_none_or(|(_, host)| answer.host != host) {
            return Ok(answer);
        }
        let challenge = answer.header("www-authenticate").as_deref().and_then(Challenge::read);
        let Some(challenge) = challenge else { return Ok(answer) };
        let secure = ask.url.starts_with("https:");
        let Some(authorization) = challenge.answer(&self.http, secure, self.login.as_ref(), &self.scope)? else {
            return Ok(answer);
        };
        self.authorization.replace(Some(authorization.clone()));
        self.http.send(&HttpRequest { authorization: Some(authorization), ..ask })
    }

    /// Checks that an answer has one of these statuses.
    ///
    /// # Errors
    /// The error that the status means. `what`: the requested content, for the message.
    pub(crate) fn expect(&self, answer: HttpResponse, statuses: &[u16], what: &str) -> Result<HttpResponse, Error> {
        let (host, what, status) = (self.host.clone(), what.to_owned(), answer.status());
        match status {
            _ if statuses.contains(&status) => Ok(answer),
            401 | 403 => Err(Error::Denied { host, status, said: answer.error_message() }),
            404 => Err(Error::NotFound { host, what }),
            _ => Err(Error::Failed { host, status, what, said: answer.error_message() }),
        }
    }

    pub(crate) fn get(&self, url: String, accept: &[&str], what: &str) -> Result<HttpResponse, Error> {
        let headers = accept.iter().map(|kind| ("accept", (*kind).to_owned())).collect();
        let answer = self.send(HttpRequest { method: Method::GET, url, headers, authorization: None, body: None })?;
        self.expect(answer, &[200], what)
    }

    /// Returns a manifest by tag or digest. With a digest, the manifest is checked against it.
    pub(crate) fn manifest(&self, name: &str) -> Result<FetchedManifest, Error> {
        let what = format!("manifest `{name}`");
        let accept = [media_type::MANIFEST, media_type::INDEX];
        let answer = self.get(self.url(&format!("manifests/{name}")), &accept, &what)?;
        let media_type = answer.media_type();
        let bytes = answer.read(&what, MANIFEST_BYTES)?;
        if let Some(expected) = Digest::parse(name) {
            check(&what, &expected, &bytes)?;
        }
        Ok(FetchedManifest { media_type, bytes })
    }

    /// Returns a manifest. `None`: the registry does not have it.
    pub(crate) fn find_manifest(&self, name: &str) -> Result<Option<FetchedManifest>, Error> {
        match self.manifest(name) {
            Err(Error::NotFound { .. }) => Ok(None),
            found => found.map(Some),
        }
    }

    /// Returns content by its descriptor, which states the size and the digest. Both are checked.
    pub(crate) fn layer(&self, what: &str, layer: &Descriptor, limit: u64) -> Result<Vec<u8>, Error> {
        if layer.size > limit {
            return Err(Error::TooLarge { what: what.to_owned(), bytes: layer.size, limit });
        }
        let wrong = |bytes| Error::Size { what: what.to_owned(), bytes, expected: layer.size };
        let bytes = match self.raw_blob(what, &layer.digest, layer.size) {
            Err(Error::TooLarge { bytes, .. }) => return Err(wrong(bytes)),
            read => read?,
        };
        if size(&bytes) != layer.size {
            return Err(wrong(size(&bytes)));
        }
        check(what, &layer.digest, &bytes)?;
        Ok(bytes)
    }

    /// Returns content by its digest alone, which is checked.
    pub(crate) fn blob(&self, what: &str, digest: &Digest, limit: u64) -> Result<Vec<u8>, Error> {
        let bytes = self.raw_blob(what, digest, limit)?;
        check(what, digest, &bytes)?;
        Ok(bytes)
    }

    fn raw_blob(&self, what: &str, digest: &Digest, limit: u64) -> Result<Vec<u8>, Error> {
        self.get(self.url(&format!("blobs/{digest}")), &[], &format!("{what}, {digest}"))?.read(what, limit)
    }

    /// Returns the manifests that refer to one: by the referrers of OCI 1.1, or by the tag that replaces them where a registry does not support them.
    pub(crate) fn referrers(&self, subject: &Digest) -> Result<ImageIndex, Error> {
        let what = format!("list of referrers of {subject}");
        match self.get(self.url(&format!("referrers/{subject}")), &[media_type::INDEX], &what) {
            Ok(answer) => self.parse(&what, &answer.read(&what, MANIFEST_BYTES)?),
            Err(Error::NotFound { .. } | Error::Failed { status: 400 | 405 | 501, .. }) => {
                self.tagged_referrers(subject)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the manifests that refer to one, by the tag that replaces the referrers. Empty: the registry does not have the tag.
    pub(crate) fn tagged_referrers(&self, subject: &Digest) -> Result<ImageIndex, Error> {
        match self.find_manifest(&subject.tag(""))? {
            None => Ok(ImageIndex::default()),
            Some(found) => self.parse("list of referrers", &found.bytes),
        }
    }

    /// Reads a document of the registry.
    pub(crate) fn parse<T: DeserializeOwned>(&self, what: &str, bytes: &[u8]) -> Result<T, Error> {
        let bad = |error: serde_json::Error| {
            let (host, what) = (self.host.clone(), what.to_owned());
            Error::Malformed { host, what, why: error.to_string() }
        };
        serde_json::from_slice(bytes).map_err(bad)
    }
}

/// Checks that the bytes are those that the digest names.
fn check(what: &str, expected: &Digest, bytes: &[u8]) -> Result<(), Error> {
    let found = Digest::of(bytes);
    if found == *expected {
        return Ok(());
    }
    Err(Error::DigestMismatch { what: what.to_owned(), expected: expected.clone(), found })
}
