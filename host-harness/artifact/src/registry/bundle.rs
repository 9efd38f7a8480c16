//! Sigstore bundles of image signatures, which cosign writes since version 3: an in-toto statement in a DSSE envelope.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use super::PublicKey;

/// The kind of statement that is a signature. Other statements by the same key, such as a provenance, do not say whether to load the artifact.
const SIGNATURE: &str = "https://sigstore.dev/cosign/sign/v1";
/// The type of the payload of an envelope.
const IN_TOTO: &str = "application/vnd.in-toto+json";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SigstoreBundle {
    dsse_envelope: Envelope,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    payload: String,
    payload_type: String,
    signatures: Vec<Signature>,
}

#[derive(Deserialize)]
struct Signature {
    sig: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SignedStatement {
    subject: Vec<StatementSubject>,
    predicate_type: String,
}

#[derive(Deserialize)]
struct StatementSubject {
    digest: Sums,
}

#[derive(Deserialize)]
struct Sums {
    sha256: String,
}

/// Returns the digests, in hexadecimal, that a bundle signs by this key. `None`: the bundle is no signature by this key.
pub(crate) fn claim(bundle: &[u8], key: &PublicKey) -> Option<Vec<String>> {
    let envelope = serde_json::from_slice::<SigstoreBundle>(bundle).ok()?.dsse_envelope;
    let payload = STANDARD.decode(&envelope.payload).ok()?;
    let encoded = encoded(&envelope.payload_type, &payload);
    let by_key = |signature: &Signature| STANDARD.decode(&signature.sig).is_ok_and(|it| key.signed(&encoded, &it));
    if envelope.payload_type != IN_TOTO || !envelope.signatures.iter().any(by_key) {
        return None;
    }
    let statement: SignedStatement = serde_json::from_slice(&payload).ok()?;
    let sums = statement.subject.into_iter().map(|subject| subject.digest.sha256);
    (statement.predicate_type == SIGNATURE).then(|| sums.collect())
}

/// Returns the bytes of an envelope that are signed: its pre-authentication encoding (DSSE, version 1).
fn encoded(kind: &str, payload: &[u8]) -> Vec<u8> {
    let mut encoded = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len()).into_bytes();
    encoded.extend_from_slice(payload);
    encoded
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    #[test]
    fn the_encoding_is_that_of_the_specification() {
        // This is the example of DSSE's protocol.md.
        let expected = b"DSSEv1 29 http://example.com/HelloWorld 11 hello world";
        assert_eq!(encoded("http://example.com/HelloWorld", b"hello world"), expected);
    }
}
