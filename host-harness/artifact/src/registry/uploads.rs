//! Writing to a repository.

use ureq::http::Method;

use super::Error;
use super::challenge::encoded;
use super::client::Registry;
use super::http::{HttpRequest, joined};
use crate::{Descriptor, Digest, Manifest, media_type};

impl Registry {
    /// Uploads content, in one piece, unless the registry already has it.
    pub(crate) fn put_blob(&self, what: &str, digest: &Digest, bytes: &[u8]) -> Result<(), Error> {
        let blob = self.url(&format!("blobs/{digest}"));
        let ask = |method, url, body| HttpRequest { method, url, headers: Vec::new(), authorization: None, body };
        if self.send(ask(Method::HEAD, blob, None))?.status() == 200 {
            return Ok(());
        }
        let begun = self.url("blobs/uploads/");
        let answer = self.send(ask(Method::POST, begun.clone(), Some(b"")))?;
        let answer = self.expect(answer, &[202], &format!("an upload of {what}"))?;
        let to = answer.header("location").unwrap_or_default();
        let unclear = || Error::Redirected { host: self.host().to_owned(), to: to.clone() };
        let mut url = joined(&begun, &to).ok_or_else(unclear)?;
        if begun.starts_with("https:") && !url.starts_with("https:") {
            return Err(Error::WithoutTls { url });
        }
        url.push(if url.contains('?') { '&' } else { '?' });
        url.push_str(&format!("digest={}", encoded(digest.as_str())));
        let octets = vec![("content-type", "application/octet-stream".to_owned())];
        let answer = self.send(HttpRequest { headers: octets, ..ask(Method::PUT, url, Some(bytes)) })?;
        self.expect(answer, &[201, 204], &format!("an upload of {what}")).map(drop)
    }

    /// Writes a manifest under a tag or its digest. Returns whether the registry lists it among the referrers of its subject.
    pub(crate) fn put_manifest(&self, name: &str, kind: &str, bytes: &[u8]) -> Result<bool, Error> {
        let url = self.url(&format!("manifests/{name}"));
        let headers = vec![("content-type", kind.to_owned())];
        let answer =
            self.send(HttpRequest { method: Method::PUT, url, headers, authorization: None, body: Some(bytes) })?;
        let answer = self.expect(answer, &[201], &format!("an upload of the manifest `{name}`"))?;
        Ok(answer.header("oci-subject").is_some())
    }

    /// Writes a manifest that refers to another one, with its contents.
    pub(crate) fn refer(&self, subject: &Descriptor, kind: &str, bytes: &[u8]) -> Result<Descriptor, Error> {
        let (empty, layer) = (Descriptor::of(media_type::EMPTY, b"{}"), Descriptor::of(kind, bytes));
        self.put_blob("an empty configuration", &empty.digest, b"{}")?;
        self.put_blob(kind, &layer.digest, bytes)?;
        let (artifact_type, subject) = (Some(kind.to_owned()), Some(subject.clone()));
        let manifest =
            json(&Manifest { artifact_type, subject: subject.clone(), ..Manifest::new(empty, vec![layer]) })?;
        let described = Descriptor::of(media_type::MANIFEST, &manifest);
        let listed = self.put_manifest(described.digest.as_str(), media_type::MANIFEST, &manifest)?;
        if let (false, Some(subject)) = (listed, subject) {
            let entry = Descriptor { artifact_type: Some(kind.to_owned()), ..described.clone() };
            self.list_below(&subject.digest, entry)?;
        }
        Ok(described)
    }

    /// Lists a manifest under the tag that replaces the referrers of another one.
    fn list_below(&self, subject: &Digest, entry: Descriptor) -> Result<(), Error> {
        let mut index = self.tagged_referrers(subject)?;
        if index.manifests.iter().any(|known| known.digest == entry.digest) {
            return Ok(());
        }
        index.manifests.push(entry);
        self.put_manifest(&subject.tag(""), media_type::INDEX, &json(&index)?).map(drop)
    }
}

/// Returns a document as it is uploaded.
pub(crate) fn json(document: &impl serde::Serialize) -> Result<Vec<u8>, Error> {
    let bad = |error: serde_json::Error| Error::Wit(error.to_string());
    serde_json::to_vec(document).map_err(bad)
}
