//! What a registry can do wrong, each with its own error.

use std::time::{Duration, Instant};

use lictor_artifact::testing::{FakeRegistry, RegistryFault};
use lictor_artifact::{Error, PullLimits, RegistrySettings, Trust, media_type, pull};
use serde_json::{Value, json};

use crate::{access, component, key, name, nothing_was_loaded, pulled, pushed};

const MANIFEST: &str = "GET /v2/team/policy/manifests/1";

/// Returns the error of a pull from a registry with a signed artifact, where the request of the component has this fault.
fn with_layer(fault: RegistryFault) -> Error {
    let registry = FakeRegistry::start();
    let pushed = pushed(&registry);
    registry.fail(&format!("GET /v2/team/policy/blobs/{}", pushed.component), fault);
    pulled(&registry, &Trust::Key(key())).unwrap_err()
}

/// Returns the error of a pull from a registry with an artifact whose manifest was changed. The artifact is not signed, so anyone with write access to
/// the registry can change it. Checks that the component was not requested.
fn with_manifest(change: impl FnOnce(&mut Value)) -> Error {
    let registry = FakeRegistry::start();
    let pushed = pushed(&registry);
    let mut manifest = registry.manifest("team/policy", "1").unwrap();
    change(&mut manifest);
    registry.write_manifest("team/policy", "1", &manifest);
    let error = pulled(&registry, &Trust::Unsigned).unwrap_err();
    nothing_was_loaded(&registry, &pushed);
    error
}

#[test]
fn other_bytes_than_the_digest_names_are_not_loaded() {
    let mut other = component();
    *other.last_mut().unwrap() ^= 1;
    assert!(matches!(with_layer(RegistryFault::Bytes(other)), Error::DigestMismatch { .. }));
    let registry = FakeRegistry::start();
    let pushed = pushed(&registry);
    registry.fail(
        &format!("manifests/{}", pushed.reference.digest.as_ref().unwrap()),
        RegistryFault::Bytes(b"{}".to_vec()),
    );
    let error = pull(&pushed.reference, &access(), &Trust::Pinned, &PullLimits::default()).unwrap_err();
    assert!(matches!(error, Error::DigestMismatch { .. }), "{error}");
    nothing_was_loaded(&registry, &pushed);
}

#[test]
fn a_layer_that_is_cut_off_is_not_loaded() {
    let half = component()[..20].to_vec();
    assert!(matches!(with_layer(RegistryFault::Bytes(half)), Error::Size { bytes: 20, .. }));
    assert!(matches!(with_layer(RegistryFault::BreaksOff), Error::Malformed { .. }));
}

#[test]
fn a_layer_without_end_is_not_read_to_its_end() {
    let expected = u64::try_from(component().len()).unwrap();
    let error = with_layer(RegistryFault::Endless);
    assert_eq!(error, Error::Size { what: "the component".to_owned(), bytes: expected + 1, expected });
    let longer = [component(), vec![0; 100]].concat();
    assert!(matches!(with_layer(RegistryFault::Bytes(longer)), Error::Size { bytes, .. } if bytes == expected + 100));
    let registry = FakeRegistry::start();
    pushed(&registry);
    registry.fail(MANIFEST, RegistryFault::Endless);
    let error = pulled(&registry, &Trust::Unsigned).unwrap_err();
    assert!(matches!(error, Error::TooLarge { limit: 0x40_0000, .. }), "{error}");
}

#[test]
fn a_component_over_the_limit_is_not_downloaded() {
    let registry = FakeRegistry::start();
    let pushed = pushed(&registry);
    let limits = PullLimits { component_bytes: 20, ..PullLimits::default() };
    let error = pull(&name(&registry), &access(), &Trust::Key(key()), &limits).unwrap_err();
    let bytes = u64::try_from(component().len()).unwrap();
    assert_eq!(error, Error::TooLarge { what: "the component".to_owned(), bytes, limit: 20 });
    nothing_was_loaded(&registry, &pushed);
}

#[test]
fn another_kind_of_artifact_is_not_loaded() {
    let kind = |error: Error| match error {
        Error::MediaType { what, found, .. } => (what, found),
        error => panic!("{error}"),
    };
    let image = "application/vnd.oci.image.config.v1+json";
    let config = with_manifest(|manifest| manifest["config"]["mediaType"] = json!(image));
    assert_eq!(kind(config), ("the configuration", image.to_owned()));
    let tar = "application/vnd.oci.image.layer.v1.tar+gzip";
    let layer = with_manifest(|manifest| manifest["layers"][0]["mediaType"] = json!(tar));
    assert_eq!(kind(layer), ("the layer", tar.to_owned()));
    let index = with_manifest(|manifest| manifest["mediaType"] = json!(media_type::INDEX));
    assert_eq!(kind(index), ("the manifest", media_type::INDEX.to_owned()));
    let registry = FakeRegistry::start();
    pushed(&registry);
    registry.fail(MANIFEST, RegistryFault::MediaType("text/html; charset=utf-8"));
    assert_eq!(kind(pulled(&registry, &Trust::Unsigned).unwrap_err()), ("the manifest", "text/html".to_owned()));
}

#[test]
fn more_layers_than_one_or_none_are_refused() {
    let two = with_manifest(|manifest| {
        let layer = manifest["layers"][0].clone();
        manifest["layers"].as_array_mut().unwrap().push(layer);
    });
    assert_eq!(two, Error::Layers(2));
    assert_eq!(with_manifest(|manifest| manifest["layers"] = json!([])), Error::Layers(0));
}

#[test]
fn a_manifest_that_is_none_is_refused() {
    let broken = with_manifest(|manifest| manifest["layers"][0]["digest"] = json!("sha256:../../secrets"));
    assert!(matches!(broken, Error::Malformed { .. }), "{broken}");
    assert!(matches!(with_manifest(|manifest| *manifest = json!([1])), Error::Malformed { .. }));
}

#[test]
fn a_status_is_told_with_what_the_registry_says() {
    let registry = FakeRegistry::start();
    let error = |status| {
        registry.repair();
        registry.fail(MANIFEST, RegistryFault::Status(status));
        pulled(&registry, &Trust::Unsigned).unwrap_err()
    };
    let said = "it is out of order";
    assert!(matches!(error(401), Error::Denied { status: 401, said: text, .. } if text == said));
    assert!(matches!(error(403), Error::Denied { status: 403, .. }));
    assert!(matches!(error(404), Error::NotFound { what, .. } if what == "manifest `1`"));
    assert!(matches!(error(500), Error::Failed { status: 500, said: text, .. } if text == said));
    assert!(matches!(error(429), Error::Failed { status: 429, .. }));
}

#[test]
fn a_registry_that_hangs_is_left_in_time() {
    for asked in [MANIFEST, "/manifests/sha256-", "GET /v2/team/policy/blobs/"] {
        for fault in [RegistryFault::Hangs, RegistryFault::Stalls] {
            let registry = FakeRegistry::start();
            pushed(&registry);
            registry.fail(asked, fault.clone());
            let (access, since) = (
                RegistrySettings { timeout: Duration::from_millis(300), ..RegistrySettings::default() },
                Instant::now(),
            );
            let error = pull(&name(&registry), &access, &Trust::Key(key()), &PullLimits::default()).unwrap_err();
            assert!(matches!(error, Error::Timeout { .. }), "{asked} {fault:?}: {error}");
            assert!(since.elapsed() < Duration::from_secs(30), "{asked} {fault:?}: {:?}", since.elapsed());
        }
    }
}

#[test]
fn a_registry_that_is_not_there_is_named() {
    let name = lictor_artifact::ArtifactReference::parse("oci://127.0.0.1:1/team/policy:1").unwrap();
    let error = pull(&name, &access(), &Trust::Unsigned, &PullLimits::default()).unwrap_err();
    assert!(matches!(error, Error::Unreachable { host, .. } if host == "127.0.0.1:1"));
}

#[test]
fn every_error_says_what_to_do() {
    for error in [with_layer(RegistryFault::BreaksOff), with_manifest(|manifest| manifest["layers"] = json!([]))] {
        assert!(error.remedy().len() > 20, "{error}");
    }
}
