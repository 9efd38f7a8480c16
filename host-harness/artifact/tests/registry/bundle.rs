//! Signatures as cosign writes them since version 3: a Sigstore bundle that refers to the manifest.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lictor_artifact::testing::FakeRegistry;
use lictor_artifact::{Descriptor, Digest, Error, PushContents, Pushed, Trust, media_type, push};
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};
use p256::pkcs8::DecodePrivateKey;
use serde_json::{Value, json};

use crate::{KEY, OTHER_KEY, access, component, key, name, nothing_was_loaded, pulled};

const BUNDLE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";
const SIGN: &str = "https://sigstore.dev/cosign/sign/v1";

/// Returns a registry with an artifact that is not signed, and the result of the push.
fn unsigned() -> (FakeRegistry, Pushed) {
    let (registry, bytes) = (FakeRegistry::start(), component());
    let contents = PushContents { component: &bytes, report: None, title: None };
    let pushed = push(&name(&registry), &contents, None, &access()).unwrap();
    (registry, pushed)
}

/// Returns the bundle that `cosign sign --key` makes.
fn bundle(signed: &Digest, pem: &str, predicate: &str) -> Value {
    let sum = signed.as_str().trim_start_matches("sha256:");
    let statement = json!({
        "_type": "https://in-toto.io/Statement/v1", "subject": [{"digest": {"sha256": sum}}],
        "predicateType": predicate, "predicate": {},
    });
    let (kind, payload) = ("application/vnd.in-toto+json", statement.to_string());
    let encoded = format!("DSSEv1 {} {kind} {} {payload}", kind.len(), payload.len());
    let signature: Signature = SigningKey::from_pkcs8_pem(pem.trim()).unwrap().sign(encoded.as_bytes());
    json!({
        "mediaType": BUNDLE,
        "verificationMaterial": {"publicKey": {"hint": "it"}, "tlogEntries": []},
        "dsseEnvelope": {
            "payload": STANDARD.encode(&payload), "payloadType": kind,
            "signatures": [{"sig": STANDARD.encode(signature.to_der().as_bytes())}],
        },
    })
}

/// Attaches a bundle, as cosign does.
fn attach(registry: &FakeRegistry, pushed: &Pushed, bundle: &Value) {
    let (bytes, subject) = (bundle.to_string().into_bytes(), pushed.reference.digest.clone().unwrap());
    registry.write_blob(&bytes);
    registry.write_blob(b"{}");
    let manifest = json!({
        "schemaVersion": 2, "mediaType": media_type::MANIFEST, "artifactType": BUNDLE,
        "config": Descriptor::of(media_type::EMPTY, b"{}"), "layers": [Descriptor::of(BUNDLE, &bytes)],
        "subject": {"mediaType": media_type::MANIFEST, "digest": subject, "size": 1},
    });
    registry.write_manifest("team/policy", "bundle", &manifest);
}

#[test]
fn a_bundle_is_a_signature() {
    let (registry, pushed) = unsigned();
    let digest = pushed.reference.digest.clone().unwrap();
    attach(&registry, &pushed, &bundle(&digest, KEY, SIGN));
    assert_eq!(pulled(&registry, &Trust::Key(key())).unwrap().component, component());
}

#[test]
fn where_a_registry_knows_no_referrers_the_tag_that_lists_them_is_read() {
    let (registry, pushed) = unsigned();
    let digest = pushed.reference.digest.clone().unwrap();
    attach(&registry, &pushed, &bundle(&digest, KEY, SIGN));
    let listed = registry.referrers("team/policy", &digest);
    let index = json!({"schemaVersion": 2, "mediaType": media_type::INDEX, "manifests": listed});
    registry.write_manifest("team/policy", &digest.tag(""), &index);
    registry.without_referrers();
    assert_eq!(pulled(&registry, &Trust::Key(key())).unwrap().component, component());
}

#[test]
fn a_bundle_by_another_key_of_another_artifact_or_of_another_kind_is_none() {
    let refused = |make: &dyn Fn(&Digest) -> Value| {
        let (registry, pushed) = unsigned();
        attach(&registry, &pushed, &make(pushed.reference.digest.as_ref().unwrap()));
        let error = pulled(&registry, &Trust::Key(key())).unwrap_err();
        nothing_was_loaded(&registry, &pushed);
        error
    };
    let wrong = |error: Error| assert!(matches!(error, Error::WrongSignature { tried: 1, .. }), "{error}");
    wrong(refused(&|digest| bundle(digest, OTHER_KEY, SIGN)));
    // A provenance by the same key is no word that it may be loaded.
    wrong(refused(&|digest| bundle(digest, KEY, "https://slsa.dev/provenance/v1")));
    wrong(refused(&|digest| {
        let mut bundle = bundle(digest, KEY, SIGN);
        bundle["dsseEnvelope"]["payloadType"] = json!("text/plain");
        bundle
    }));
    wrong(refused(&|_| json!({"mediaType": BUNDLE})));
    let other = refused(&|_| bundle(&Digest::of(b"another"), KEY, SIGN));
    assert!(matches!(other, Error::SignedForOther { signed, .. } if signed == Digest::of(b"another").as_str()));
}
