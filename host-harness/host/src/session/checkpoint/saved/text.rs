//! Bytes as base64: four letters for three bytes. As a list of numbers, as they were written before, a byte takes up to four letters, and a
//! ConfigMap has room for 1 MiB.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserializer, Serializer};

/// The maximum bytes to allocate from the announced length of a list.
const MAX_PREALLOCATED_BYTES: usize = 1 << 16;

/// Writes bytes as base64.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&STANDARD.encode(bytes))
}

/// Reads base64, or a list of numbers as an earlier version wrote it.
///
/// # Errors
/// The value is neither.
pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<u8>, D::Error> {
    from.deserialize_any(BytesVisitor)
}

struct BytesVisitor;

impl<'d> Visitor<'d> for BytesVisitor {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the state of a policy as base64, or as a list of bytes")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Vec<u8>, E> {
        STANDARD.decode(text).map_err(|error| E::custom(format!("the state of the policy is no base64: {error}")))
    }

    fn visit_seq<A: SeqAccess<'d>>(self, mut list: A) -> Result<Vec<u8>, A::Error> {
        let mut bytes = Vec::with_capacity(list.size_hint().unwrap_or_default().min(MAX_PREALLOCATED_BYTES));
        while let Some(byte) = list.next_element()? {
            bytes.push(byte);
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct EncodedBytes {
        #[serde(with = "super")]
        bytes: Vec<u8>,
    }

    #[test]
    fn bytes_are_base64_and_lists_of_an_earlier_version_are_read() {
        let state = EncodedBytes { bytes: vec![0, 255, 7, 42] };
        let text = serde_json::to_string(&state).unwrap();
        assert_eq!(text, r#"{"bytes":"AP8HKg=="}"#);
        for written in [&*text, r#"{"bytes": [0, 255, 7, 42]}"#] {
            assert_eq!(serde_json::from_str::<EncodedBytes>(written).unwrap(), state);
        }
        for wrong in [r#"{"bytes": "A*"}"#, r#"{"bytes": [256]}"#, r#"{"bytes": 3}"#] {
            let error = serde_json::from_str::<EncodedBytes>(wrong).unwrap_err().to_string();
            assert!(error.contains("base64") || error.contains("u8"), "{error}");
        }
    }

    #[test]
    fn a_state_of_700_kb_fits_into_a_config_map() {
        let text = serde_json::to_string(&EncodedBytes { bytes: vec![200; 700_000] }).unwrap();
        assert!(text.len() < 1 << 20, "{}", text.len());
    }
}
