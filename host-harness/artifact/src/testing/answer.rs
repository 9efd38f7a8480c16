//! The answers of a sound registry.

use serde_json::json;

use super::wire::{ReceivedRequest, ServedResponse};
use super::{AuthenticationMode, FakeRegistry};
use crate::{Digest, media_type};

/// `me:secret` in base 64.
const BASIC: &str = "Basic bWU6c2VjcmV0";
const BEARER: &str = "Bearer let-me-in";

impl FakeRegistry {
    pub(crate) fn reply(&self, asked: &ReceivedRequest) -> ServedResponse {
        if let Some(refused) = self.refused(asked) {
            return refused;
        }
        let path = asked.target.split('?').next().unwrap_or_default();
        let Some((repository, kind, name)) = split(path) else { return ServedResponse::error(404, "no such path") };
        match (asked.method.as_str(), kind) {
            ("GET" | "HEAD", "manifests") => self.manifest_of(repository, name),
            ("PUT", "manifests") => self.take_manifest(repository, name, asked),
            ("GET" | "HEAD", "blobs") => self.blob_of(name),
            ("POST", "uploads") => {
                ServedResponse::new(202).with("location", &format!("/v2/{repository}/blobs/uploads/1?state=x"))
            }
            ("PUT", "uploads") => self.take_blob(asked),
            ("GET", "referrers") if self.state().referrers => self.referrers_of(repository, name),
            _ => ServedResponse::error(404, "not known"),
        }
    }

    fn refused(&self, asked: &ReceivedRequest) -> Option<ServedResponse> {
        let (guarded, stated) = (self.state().authentication, asked.header("authorization"));
        if asked.target.starts_with("/token") {
            let body = json!({"token": BEARER.trim_start_matches("Bearer ")}).to_string().into_bytes();
            let reply = if stated == Some(BASIC) {
                ServedResponse { body, ..ServedResponse::new(200) }
            } else {
                ServedResponse::error(401, "who?")
            };
            return Some(reply);
        }
        let challenge = match guarded {
            AuthenticationMode::Open => return None,
            AuthenticationMode::Basic if stated == Some(BASIC) => return None,
            AuthenticationMode::Token if stated == Some(BEARER) => return None,
            AuthenticationMode::Basic => "Basic realm=\"it\"".to_owned(),
            AuthenticationMode::Token => format!("Bearer realm=\"http://{}/token\",service=\"it\"", self.host()),
        };
        Some(ServedResponse::error(401, "authentication required").with("www-authenticate", &challenge))
    }

    fn manifest_of(&self, repository: &str, name: &str) -> ServedResponse {
        match self.state().manifests.get(&(repository.to_owned(), name.to_owned())) {
            Some((kind, bytes)) => {
                ServedResponse { body: bytes.clone(), ..ServedResponse::new(200) }.with("content-type", kind)
            }
            None => ServedResponse::error(404, "manifest unknown"),
        }
    }

    fn take_manifest(&self, repository: &str, name: &str, asked: &ReceivedRequest) -> ServedResponse {
        let (digest, mut state) = (Digest::of(&asked.body), self.state());
        if Digest::parse(name).is_some_and(|named| named != digest) {
            return ServedResponse::error(400, "digest invalid");
        }
        let manifest: serde_json::Value = serde_json::from_slice(&asked.body).unwrap();
        let layers = manifest["layers"].as_array().into_iter().flatten();
        let known = |it: &serde_json::Value| Digest::parse(it["digest"].as_str().unwrap()).unwrap();
        if layers.chain(manifest.get("config")).any(|it| !state.blobs.contains_key(&known(it))) {
            return ServedResponse::error(400, "blob unknown");
        }
        let kind = asked.header("content-type").unwrap_or_default().to_owned();
        for name in [name, digest.as_str()] {
            state.manifests.insert((repository.to_owned(), name.to_owned()), (kind.clone(), asked.body.clone()));
        }
        let reply = ServedResponse::new(201);
        match manifest.pointer("/subject/digest").and_then(|subject| subject.as_str()) {
            Some(subject) if state.referrers => reply.with("oci-subject", subject),
            _ => reply,
        }
    }

    fn blob_of(&self, name: &str) -> ServedResponse {
        let known = Digest::parse(name).and_then(|digest| self.state().blobs.get(&digest).cloned());
        known.map_or_else(
            || ServedResponse::error(404, "blob unknown"),
            |body| ServedResponse { body, ..ServedResponse::new(200) },
        )
    }

    fn take_blob(&self, asked: &ReceivedRequest) -> ServedResponse {
        let stated = asked.target.split("digest=").nth(1).unwrap_or_default().replace("%3A", ":");
        if stated != self.write_blob(&asked.body).as_str() {
            return ServedResponse::error(400, "digest invalid");
        }
        ServedResponse::new(201)
    }

    pub(crate) fn referrers_of(&self, repository: &str, name: &str) -> ServedResponse {
        let mut found = Vec::new();
        for ((of, key), (kind, bytes)) in &self.state().manifests {
            let manifest: serde_json::Value = serde_json::from_slice(bytes).unwrap();
            if of == repository && Digest::parse(key).is_some() && manifest["subject"]["digest"] == name {
                let artifact = &manifest["artifactType"];
                found.push(json!({"mediaType": kind, "digest": key, "size": bytes.len(), "artifactType": artifact}));
            }
        }
        let index = json!({"schemaVersion": 2, "mediaType": media_type::INDEX, "manifests": found});
        ServedResponse { body: index.to_string().into_bytes(), ..ServedResponse::new(200) }
            .with("content-type", media_type::INDEX)
    }
}

/// Splits a path into repository, kind and name: `/v2/team/policy/manifests/1`. `None`: the path has another form.
fn split(path: &str) -> Option<(&str, &str, &str)> {
    let path = path.strip_prefix("/v2/")?;
    for (text, kind) in [
        ("/blobs/uploads/", "uploads"),
        ("/manifests/", "manifests"),
        ("/blobs/", "blobs"),
        ("/referrers/", "referrers"),
    ] {
        if let Some((repository, name)) = path.split_once(text) {
            return Some((repository, kind, name));
        }
    }
    None
}
