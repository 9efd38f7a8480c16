//! The name of an artifact.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use crate::Digest;

/// The name of an artifact in a registry: `oci://registry[:port]/repository[:tag][@sha256:digest]`. With a digest, the tag is for readers: the
/// artifact of the digest is fetched, wherever the tag points by then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactReference {
    /// The registry, with its port where it has one.
    pub host: String,
    /// The repository in the registry.
    pub repository: String,
    /// The tag.
    pub tag: Option<String>,
    /// The digest of the manifest.
    pub digest: Option<Digest>,
}

/// A name that is not the name of an artifact.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not the name of an artifact: {why}")]
pub struct BadReference {
    /// The text that was given.
    pub text: String,
    /// The mistake in the text.
    pub why: &'static str,
}

impl ArtifactReference {
    /// The prefix of a name of an artifact, where the name could be that of a file as well.
    pub const SCHEME: &'static str = "oci://";

    /// Reads a name, with or without `oci://` before it. There is no default registry and no default tag.
    ///
    /// # Errors
    ///
    /// A part is missing, or has characters that it may not have (the grammar is that of the OCI distribution specification).
    pub fn parse(text: &str) -> Result<ArtifactReference, BadReference> {
        let bad = |why| BadReference { text: text.to_owned(), why };
        let name = text.strip_prefix(ArtifactReference::SCHEME).unwrap_or(text);
        let (name, digest) = match name.split_once('@') {
            None => (name, None),
            Some((name, digest)) => {
                let parsed = Digest::parse(digest).ok_or(bad("the digest is `sha256:` and 64 hexadecimal digits"))?;
                (name, Some(parsed))
            }
        };
        let (host, path) = name.split_once('/').ok_or(bad("it has no repository"))?;
        if !is_host(host) {
            return Err(bad("it begins with a registry, such as `ghcr.io` or `localhost:5000`"));
        }
        let (repository, tag) = match path.split_once(':') {
            None => (path, None),
            Some((repository, tag)) => (repository, Some(tag.to_owned())),
        };
        if !is_repository(repository) {
            return Err(bad("a repository has lower-case letters, digits, `.`, `_`, `-` and `/`"));
        }
        if tag.as_deref().is_some_and(|tag| !is_tag(tag)) {
            return Err(bad("a tag has at most 128 letters, digits, `.`, `_` and `-`"));
        }
        if tag.is_none() && digest.is_none() {
            return Err(bad("it has neither a tag nor a digest"));
        }
        Ok(ArtifactReference { host: host.to_owned(), repository: repository.to_owned(), tag, digest })
    }

    /// Returns this name, pinned to a digest.
    pub fn pinned(&self, digest: &Digest) -> ArtifactReference {
        ArtifactReference { digest: Some(digest.clone()), ..self.clone() }
    }

    /// Returns the name without tag and digest, as a signature states it.
    pub fn name(&self) -> String {
        format!("{}/{}", self.host, self.repository)
    }

    /// Returns whether the registry is on this machine. Such a registry is used without TLS.
    pub fn is_local(&self) -> bool {
        is_loopback(&self.host)
    }
}

impl fmt::Display for ArtifactReference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}/{}", ArtifactReference::SCHEME, self.host, self.repository)?;
        if let Some(tag) = &self.tag {
            write!(out, ":{tag}")?;
        }
        if let Some(digest) = &self.digest {
            write!(out, "@{digest}")?;
        }
        Ok(())
    }
}

/// Returns whether a host, with its port or without, is this machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let v4 = name.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback());
    let v6 = name.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback());
    name == "localhost" || v4 || v6
}

/// Returns whether the first part of a name is a host: it has a dot or a port, or is `localhost`, as everywhere. Otherwise it is the first part of a
/// path.
fn is_host(host: &str) -> bool {
    if let Some(rest) = host.strip_prefix('[') {
        let Some((address, port)) = rest.split_once(']') else { return false };
        let is_port = port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
        return address.parse::<Ipv6Addr>().is_ok() && is_port;
    }
    let (name, port) = host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port)));
    let is_label =
        |label: &str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_known = port.is_some() || name.contains('.') || name == "localhost";
    is_known && name.split('.').all(is_label) && port.is_none_or(|port| port.parse::<u16>().is_ok())
}

fn is_repository(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_part = |part: &str| {
        let mut bytes = part.bytes();
        let ends = [bytes.next(), part.bytes().next_back()].iter().all(|end| end.is_some_and(is_plain));
        ends && part.bytes().all(|byte| is_plain(byte) || matches!(byte, b'.' | b'_' | b'-'))
            && !part.contains("..")
            && !part.contains("___")
    };
    name.len() <= 255 && name.split('/').all(is_part)
}

fn is_tag(tag: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    tag.len() <= 128
        && tag.bytes().next().is_some_and(is_word)
        && tag.bytes().all(|byte| is_word(byte) || matches!(byte, b'.' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_and_written_alike() {
        let digest = Digest::of(b"it");
        for name in
            ["oci://ghcr.io/a/b:1.0", "oci://localhost:5000/b:v_1", "oci://[::1]:5000/a-b/c.d:x", "oci://r:1/b:t"]
        {
            let read = ArtifactReference::parse(name).unwrap();
            assert_eq!(read.to_string(), name);
            assert_eq!(ArtifactReference::parse(name.trim_start_matches("oci://")), Ok(read.clone()));
            let pinned = read.pinned(&digest).to_string();
            assert_eq!(pinned, format!("{name}@{digest}"));
            assert_eq!(ArtifactReference::parse(&pinned).unwrap().digest, Some(digest.clone()));
        }
    }

    #[test]
    fn what_is_no_name_is_refused_with_what_is_wrong() {
        for (name, why) in [
            ("policy.wasm", "no repository"),
            ("a/b:1", "begins with a registry"),
            ("ghcr.io/b", "neither a tag nor a digest"),
            ("ghcr.io/B:1", "lower-case"),
            ("ghcr.io/a/../b:1", "lower-case"),
            ("ghcr.io/a//b:1", "lower-case"),
            ("ghcr.io/a?x=1:1", "lower-case"),
            ("ghcr.io/b:", "a tag has"),
            ("ghcr.io/b:.x", "a tag has"),
            ("ghcr.io/b:1/2", "a tag has"),
            ("ghcr.io/b@sha256:12", "64 hexadecimal digits"),
            ("ghcr.io:99999/b:1", "begins with a registry"),
            ("user@ghcr.io/b:1", "64 hexadecimal digits"),
            ("gh cr.io/b:1", "begins with a registry"),
        ] {
            let error = ArtifactReference::parse(name).unwrap_err();
            assert!(error.why.contains(why), "{name}: {error}");
        }
    }

    #[test]
    fn this_machine_is_known_by_its_names() {
        for host in ["localhost", "localhost:5000", "127.0.0.1", "127.8.8.8:1", "[::1]:5000"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["ghcr.io", "localhost.example.com", "127.0.0.1.example.com:80", "[::2]:5000", "10.0.0.1"] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
