//! The payload that cosign signs for an artifact.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::SigningKey;
use crate::{ArtifactReference, Descriptor, Digest, media_type};

/// The kind of signature that cosign makes.
const KIND: &str = "cosign container image signature";

/// A payload of simple signing. The name is a claim of the signer that cosign does not verify either: an artifact keeps its
/// signature when it is copied to another registry.
#[derive(Serialize, Deserialize)]
struct Payload {
    critical: Critical,
    optional: Option<serde_json::Value>,
}

#[derive(Serialize, Deserialize)]
struct Critical {
    identity: SignedIdentity,
    image: Image,
    r#type: String,
}

#[derive(Serialize, Deserialize)]
struct SignedIdentity {
    #[serde(rename = "docker-reference")]
    docker_reference: String,
}

#[derive(Serialize, Deserialize)]
struct Image {
    #[serde(rename = "docker-manifest-digest", alias = "Docker-manifest-digest")]
    docker_manifest_digest: String,
}

/// Signs a manifest. Returns the payload, and the layer that carries the signature.
pub(crate) fn sign(name: &ArtifactReference, digest: &Digest, key: &SigningKey) -> (Vec<u8>, Descriptor) {
    let critical = Critical {
        identity: SignedIdentity { docker_reference: name.name() },
        image: Image { docker_manifest_digest: digest.to_string() },
        r#type: KIND.to_owned(),
    };
    let payload = serde_json::to_vec(&Payload { critical, optional: None }).unwrap_or_default();
    let mut layer = Descriptor::of(media_type::SIMPLE_SIGNING, &payload);
    layer.annotations.insert(media_type::SIGNATURE.to_owned(), STANDARD.encode(key.sign(&payload)));
    (payload, layer)
}

/// Returns the digest that a payload is about. `None`: the payload is not one of cosign.
pub(crate) fn claim(payload: &[u8]) -> Option<String> {
    let payload: Payload = serde_json::from_slice(payload).ok()?;
    (payload.critical.r#type == KIND).then_some(payload.critical.image.docker_manifest_digest)
}

/// Returns the signature that a layer carries. `None`: the layer carries none.
pub(crate) fn signature_of(layer: &Descriptor) -> Option<Vec<u8>> {
    STANDARD.decode(layer.annotations.get(media_type::SIGNATURE)?).ok()
}

#[cfg(test)]
mod tests {
    use p256::ecdsa::SigningKey as Signing;
    use p256::pkcs8::EncodePrivateKey;

    use super::*;
    use crate::registry::sealed::tests::seal;

    #[test]
    fn a_payload_is_as_cosign_writes_it() {
        let (digest, name) = (Digest::of(b"it"), ArtifactReference::parse("r.io/a:1").unwrap());
        let key = Signing::from_slice(&[7; 32]).unwrap();
        let der = key.to_pkcs8_der().unwrap();
        let sealed = SigningKey::read(&seal(der.as_bytes(), b"secret"), Some("secret")).unwrap();
        let (payload, layer) = sign(&name, &digest, &sealed);
        let expected = format!(
            r#"{{"critical":{{"identity":{{"docker-reference":"r.io/a"}},"image":{{"docker-manifest-digest":"{digest}"}},"type":"cosign container image signature"}},"optional":null}}"#
        );
        assert_eq!(String::from_utf8(payload.clone()).unwrap(), expected);
        assert_eq!(claim(&payload), Some(digest.to_string()));
        assert_eq!(claim(expected.replace("cosign c", "c").as_bytes()), None);
        let signature = signature_of(&layer).unwrap();
        assert!(sealed.public().signed(&payload, &signature));
        assert!(!sealed.public().signed(expected.replace("r.io", "s.io").as_bytes(), &signature));
    }
}
