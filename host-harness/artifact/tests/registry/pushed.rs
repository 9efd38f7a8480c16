//! What is in the registry after a push, and what comes back.

use lictor_artifact::testing::FakeRegistry;
use lictor_artifact::{
    ArtifactReference, Digest, Error, PullLimits, PushContents, Trust, media_type, pull, pull_attachments, push,
};
use serde_json::json;

use crate::{REPORT, access, component, key, name, pulled, pushed, signing};

#[test]
fn what_was_pushed_is_pulled() {
    let registry = FakeRegistry::start();
    let pushed = pushed(&registry);
    let pulled = pulled(&registry, &Trust::Key(key())).unwrap();
    assert_eq!((&pulled.component, &pulled.reference), (&component(), &pushed.reference));
    assert_eq!(pushed.reference.to_string(), format!("{}@{}", registry.name("team/policy:1"), pulled.digest));
    let attached = pull_attachments(&pulled, &access(), &PullLimits::default()).unwrap();
    assert_eq!(attached.report.as_deref(), Some(REPORT));
    let wit = String::from_utf8(attached.wit.unwrap()).unwrap();
    assert!(wit.contains("import test:it/one;") && wit.contains("export test:it/two;"), "{wit}");
}

#[test]
fn the_manifest_is_as_the_wasm_working_group_lays_it_out() {
    let registry = FakeRegistry::start();
    let pushed = pushed(&registry);
    let manifest = registry.manifest("team/policy", "1").unwrap();
    assert_eq!(manifest["schemaVersion"], 2);
    assert_eq!(manifest["mediaType"], "application/vnd.oci.image.manifest.v1+json");
    assert_eq!(manifest["config"]["mediaType"], "application/vnd.wasm.config.v0+json");
    // "If a consumer sees more than a single layer for this version of the spec, they should reject it."
    let layer = json!({"mediaType": "application/wasm", "digest": pushed.component, "size": component().len()});
    assert_eq!(manifest["layers"], json!([layer]));
    let annotations = &manifest["annotations"];
    assert_eq!(annotations["org.opencontainers.image.title"], "policy");
    assert_eq!(annotations["org.opencontainers.image.version"], "1.2.3");
    assert_eq!(annotations["dev.lictor.policy.wit"], pushed.wit.as_str());
    assert_eq!(annotations["dev.lictor.policy.report"], Digest::of(REPORT).as_str());
    let config = registry.json_blob(manifest["config"]["digest"].as_str().unwrap());
    let expected = json!({
        "created": "1970-01-01T00:00:00Z", "author": null, "architecture": "wasm", "os": "wasip2",
        "layerDigests": [pushed.component],
        "component": {"exports": ["test:it/two"], "imports": ["test:it/one"], "target": null},
    });
    assert_eq!(config, expected);
}

#[test]
fn wit_and_report_refer_to_the_manifest() {
    let registry = FakeRegistry::start();
    let pushed = pushed(&registry);
    let digest = pushed.reference.digest.unwrap();
    let kinds = |registry: &FakeRegistry| {
        let referrers = registry.referrers("team/policy", &digest);
        let kinds = referrers.iter().map(|entry| entry["artifactType"].as_str().unwrap().to_owned());
        kinds.collect::<std::collections::BTreeSet<_>>()
    };
    let both = [media_type::REPORT.to_owned(), media_type::WIT.to_owned()];
    assert_eq!(kinds(&registry), both.into());
    assert_eq!(registry.tags("team/policy"), ["1", &digest.tag(".sig")]);
}

#[test]
fn where_a_registry_knows_no_referrers_a_tag_lists_them() {
    let registry = FakeRegistry::start();
    registry.without_referrers();
    let (first, second) = (pushed(&registry), pushed(&registry));
    assert_eq!(first.reference, second.reference, "the same contents are the same artifact");
    let digest = first.reference.digest.unwrap();
    let index = registry.manifest("team/policy", &digest.tag("")).unwrap();
    assert_eq!(index["mediaType"], media_type::INDEX);
    assert_eq!(index["manifests"].as_array().unwrap().len(), 2, "each once: {index:#}");
    assert_eq!(index["manifests"][0]["artifactType"], media_type::WIT);
}

#[test]
fn the_signature_stands_where_cosign_looks_for_it() {
    let registry = FakeRegistry::start();
    let pushed = pushed(&registry);
    let digest = pushed.reference.digest.clone().unwrap();
    let tag = format!("sha256-{}.sig", digest.as_str().trim_start_matches("sha256:"));
    assert_eq!(pushed.signature.as_ref(), Some(&tag));
    let manifest = registry.manifest("team/policy", &tag).unwrap();
    let layer = &manifest["layers"][0];
    assert_eq!(layer["mediaType"], "application/vnd.dev.cosign.simplesigning.v1+json");
    assert!(layer["annotations"]["dev.cosignproject.cosign/signature"].is_string());
    let payload = registry.json_blob(layer["digest"].as_str().unwrap());
    assert_eq!(payload["critical"]["image"]["docker-manifest-digest"], digest.as_str());
    assert_eq!(payload["critical"]["type"], "cosign container image signature");
    assert_eq!(payload["critical"]["identity"]["docker-reference"], format!("{}/team/policy", registry.host()));
}

#[test]
fn the_tag_is_written_last() {
    let registry = FakeRegistry::start();
    pushed(&registry);
    let asked = registry.requests();
    assert_eq!(asked.last().unwrap(), "PUT /v2/team/policy/manifests/1");
    assert_eq!(asked.iter().filter(|line| line.ends_with("/manifests/1")).count(), 1);
}

#[test]
fn what_the_registry_has_is_not_uploaded_again() {
    let registry = FakeRegistry::start();
    pushed(&registry);
    let uploads = |registry: &FakeRegistry| registry.requests().iter().filter(|line| line.starts_with("POST")).count();
    let before = uploads(&registry);
    pushed(&registry);
    assert_eq!(uploads(&registry), before);
}

#[test]
fn nothing_is_pushed_to_a_digest_or_without_a_world() {
    let registry = FakeRegistry::start();
    let bytes = component();
    let contents = PushContents { component: &bytes, report: None, title: None };
    let pinned = name(&registry).pinned(&Digest::of(b"it"));
    assert!(matches!(push(&pinned, &contents, None, &access()), Err(Error::Reference(_))));
    let no_component = PushContents { component: b"no component", ..contents };
    assert!(matches!(push(&name(&registry), &no_component, None, &access()), Err(Error::Wit(_))));
    assert_eq!(registry.requests(), Vec::<String>::new());
}

#[test]
fn a_second_key_signs_beside_the_first() {
    let registry = FakeRegistry::start();
    pushed(&registry);
    let other = lictor_artifact::SigningKey::read(crate::OTHER_KEY, None).unwrap();
    let bytes = component();
    let contents = PushContents { component: &bytes, report: Some(REPORT), title: Some(("policy", "1.2.3")) };
    push(&name(&registry), &contents, Some(&other), &access()).unwrap();
    for key in [signing().public(), other.public()] {
        pulled(&registry, &Trust::Key(key)).unwrap();
    }
}

#[test]
fn a_pin_stays_where_the_tag_moves() {
    let registry = FakeRegistry::start();
    let first = pushed(&registry);
    let moved = wat::parse_str("(component)").unwrap();
    let contents = PushContents { component: &moved, report: None, title: None };
    let second = push(&name(&registry), &contents, None, &access()).unwrap();
    assert_ne!(first.reference, second.reference);
    let pull = |name: &ArtifactReference| pull(name, &access(), &Trust::Pinned, &PullLimits::default()).unwrap();
    assert_eq!(pull(&first.reference).component, component());
    assert_eq!(pull(&second.reference).component, moved);
    assert_eq!(pulled(&registry, &Trust::Unsigned).unwrap().component, moved);
}
