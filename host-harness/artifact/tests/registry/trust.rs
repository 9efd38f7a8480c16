//! Signatures: what is not signed by the key is not even downloaded.

use lictor_artifact::testing::FakeRegistry;
use lictor_artifact::{Digest, Error, PublicKey, PushContents, SigningKey, Trust, push};
use serde_json::json;

use crate::{KEY, OTHER_KEY, access, component, key, name, nothing_was_loaded, pulled, pushed};

const SIGNATURE: &str = "dev.cosignproject.cosign/signature";

#[test]
fn without_key_pin_and_word_the_registry_is_not_asked() {
    let registry = FakeRegistry::start();
    assert!(matches!(pulled(&registry, &Trust::Pinned), Err(Error::Untrusted(_))));
    assert_eq!(registry.requests(), Vec::<String>::new());
}

#[test]
fn without_a_signature_nothing_is_loaded() {
    let registry = FakeRegistry::start();
    let bytes = component();
    let pushed =
        push(&name(&registry), &PushContents { component: &bytes, report: None, title: None }, None, &access())
            .unwrap();
    let error = pulled(&registry, &Trust::Key(key())).unwrap_err();
    assert_eq!(error, Error::Unsigned(pushed.reference.digest.clone().unwrap()));
    nothing_was_loaded(&registry, &pushed);
}

#[test]
fn by_another_key_nothing_is_loaded() {
    let registry = FakeRegistry::start();
    let pushed = pushed(&registry);
    let other = SigningKey::read(OTHER_KEY, None).unwrap().public();
    let error = pulled(&registry, &Trust::Key(other)).unwrap_err();
    let digest = pushed.reference.digest.clone().unwrap();
    assert_eq!(error, Error::WrongSignature { digest, tried: 1 });
    nothing_was_loaded(&registry, &pushed);
}

#[test]
fn a_moved_tag_needs_a_signature_of_its_own() {
    let registry = FakeRegistry::start();
    let signed = pushed(&registry);
    let moved = wat::parse_str("(component)").unwrap();
    let contents = PushContents { component: &moved, report: None, title: None };
    let unsigned = push(&name(&registry), &contents, None, &access()).unwrap();
    assert!(matches!(pulled(&registry, &Trust::Key(key())), Err(Error::Unsigned(_))));
    nothing_was_loaded(&registry, &unsigned);
    nothing_was_loaded(&registry, &signed);
}

#[test]
fn a_payload_that_was_changed_is_not_signed() {
    let registry = FakeRegistry::start();
    let pushed = pushed(&registry);
    let tag = pushed.signature.clone().unwrap();
    let mut manifest = registry.manifest("team/policy", &tag).unwrap();
    let mut payload = registry.json_blob(manifest["layers"][0]["digest"].as_str().unwrap());
    payload["optional"] = json!({"approved": true});
    let bytes = payload.to_string().into_bytes();
    // The manifest of signatures is not signed: a client with write access to the registry can let it name the changed payload.
    manifest["layers"][0]["digest"] = json!(registry.write_blob(&bytes));
    manifest["layers"][0]["size"] = json!(bytes.len());
    registry.write_manifest("team/policy", &tag, &manifest);
    assert!(matches!(pulled(&registry, &Trust::Key(key())), Err(Error::WrongSignature { tried: 1, .. })));
    nothing_was_loaded(&registry, &pushed);
}

#[test]
fn a_payload_that_is_not_what_its_digest_names_is_no_signature() {
    let registry = FakeRegistry::start();
    let pushed = pushed(&registry);
    let manifest = registry.manifest("team/policy", pushed.signature.as_ref().unwrap()).unwrap();
    let (digest, size) = (&manifest["layers"][0]["digest"], manifest["layers"][0]["size"].as_u64().unwrap());
    let other = vec![b' '; usize::try_from(size).unwrap()];
    registry.fail(digest.as_str().unwrap(), lictor_artifact::testing::RegistryFault::Bytes(other));
    assert!(matches!(pulled(&registry, &Trust::Key(key())), Err(Error::DigestMismatch { .. })));
    nothing_was_loaded(&registry, &pushed);
}

#[test]
fn a_signature_of_another_artifact_is_none_of_this_one() {
    let registry = FakeRegistry::start();
    let first = pushed(&registry);
    let moved = wat::parse_str("(component)").unwrap();
    let contents = PushContents { component: &moved, report: None, title: None };
    let second = push(&name(&registry), &contents, None, &access()).unwrap();
    let signatures = registry.manifest("team/policy", first.signature.as_ref().unwrap()).unwrap();
    let digest = second.reference.digest.clone().unwrap();
    registry.write_manifest("team/policy", &digest.tag(".sig"), &signatures);
    let error = pulled(&registry, &Trust::Key(key())).unwrap_err();
    let signed = first.reference.digest.clone().unwrap().to_string();
    assert_eq!(error, Error::SignedForOther { digest, signed });
    nothing_was_loaded(&registry, &second);
}

#[test]
fn a_payload_about_something_else_than_an_artifact_is_refused() {
    let registry = FakeRegistry::start();
    let pushed = pushed(&registry);
    let tag = pushed.signature.clone().unwrap();
    let mut manifest = registry.manifest("team/policy", &tag).unwrap();
    for broken in [json!(null), json!("no base 64"), json!(""), json!("AAAA")] {
        manifest["layers"][0]["annotations"][SIGNATURE] = broken.clone();
        registry.write_manifest("team/policy", &tag, &manifest);
        let error = pulled(&registry, &Trust::Key(key())).unwrap_err();
        // An annotation that is no text is no manifest.
        let refused = matches!(error, Error::WrongSignature { .. } | Error::Malformed { .. });
        assert!(refused, "{broken}: {error}");
    }
    manifest["layers"] = json!([]);
    registry.write_manifest("team/policy", &tag, &manifest);
    assert!(matches!(pulled(&registry, &Trust::Key(key())), Err(Error::Unsigned(_))));
    nothing_was_loaded(&registry, &pushed);
}

#[test]
fn a_pin_and_a_key_must_both_hold() {
    let registry = FakeRegistry::start();
    let pushed = pushed(&registry);
    let pull = |name, trust| lictor_artifact::pull(&name, &access(), &trust, &lictor_artifact::PullLimits::default());
    pull(pushed.reference.clone(), Trust::Key(key())).unwrap();
    let elsewhere = name(&registry).pinned(&Digest::of(b"another"));
    assert!(matches!(pull(elsewhere, Trust::Key(key())), Err(Error::NotFound { .. })));
    let other = SigningKey::read(OTHER_KEY, None).unwrap().public();
    assert!(matches!(pull(pushed.reference, Trust::Key(other)), Err(Error::WrongSignature { .. })));
}

#[test]
fn keys_that_are_none_are_refused() {
    for text in ["", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "ssh-rsa AAAA"] {
        assert!(matches!(PublicKey::read(text), Err(Error::Key(_))), "{text}");
        assert!(matches!(SigningKey::read(text, None), Err(Error::Key(_))), "{text}");
    }
    assert!(PublicKey::read(KEY).unwrap_err().to_string().contains("private key"));
    PublicKey::read(include_str!("publisher.pub")).unwrap();
}
