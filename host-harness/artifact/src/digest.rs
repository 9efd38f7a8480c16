//! The digest that names content.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest as registries write it: `sha256:` and 64 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(String);

const ALGORITHM: &str = "sha256:";

impl Digest {
    /// Returns the digest of these bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(format!("{ALGORITHM}{:x}", Sha256::digest(bytes)))
    }

    /// Reads a digest. `None`: the digest is one of another algorithm, or not 64 lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Option<Digest> {
        let hex = text.strip_prefix(ALGORITHM)?;
        let is_hex = hex.len() == 64 && hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_hex.then(|| Digest(text.to_owned()))
    }

    /// Returns the digest with its prefix, `sha256:...`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the tag that stands for this digest where only tags can be looked up: `sha256-...` and an ending.
    pub fn tag(&self, ending: &str) -> String {
        format!("{}{ending}", self.0.replace(':', "-"))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl TryFrom<String> for Digest {
    type Error = String;

    fn try_from(text: String) -> Result<Digest, String> {
        Digest::parse(&text).ok_or_else(|| format!("`{text}` is no digest: `sha256:` and 64 hexadecimal digits"))
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SHA-256 of no bytes, from FIPS 180-4's examples.
    const EMPTY: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn a_digest_is_written_and_read_as_registries_do() {
        assert_eq!(Digest::of(b"").as_str(), EMPTY);
        assert_eq!(Digest::parse(EMPTY), Some(Digest::of(b"")));
        assert_eq!(Digest::of(b"").tag(".sig"), EMPTY.replace(':', "-") + ".sig");
    }

    #[test]
    fn what_is_no_digest_is_not_taken() {
        let upper = EMPTY.replace("e3b0", "E3B0");
        for text in
            ["", "sha256:", "sha512:00", "latest", &upper, &EMPTY.replace("855", "85"), &EMPTY.replace("e3", "g3")]
        {
            assert_eq!(Digest::parse(text), None, "{text}");
        }
    }
}
