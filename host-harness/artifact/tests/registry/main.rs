//! Pushing to and pulling from a registry in this process, and every way in which that must not end with something loaded.
#![expect(clippy::unwrap_used, reason = "tests")]

mod access;
mod broken;
mod bundle;

mod pushed;
mod trust;

use std::time::Duration;

use lictor_artifact::testing::FakeRegistry;
use lictor_artifact::{
    ArtifactReference, Error, PublicKey, PullLimits, Pulled, PushContents, Pushed, RegistrySettings, SigningKey, Trust,
    pull, push,
};

/// Keys of `openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt`, made for these tests.
const KEY: &str = include_str!("publisher.key");
const OTHER_KEY: &str = include_str!("other.key");

const REPORT: &[u8] = br#"{"passed": true}"#;

/// Returns a small component with an import and an export, of more than 20 bytes.
fn component() -> Vec<u8> {
    let text = r#"(component (type $t (instance)) (import "test:it/one" (instance $i (type $t))) (export "test:it/two" (instance $i)))"#;
    wat::parse_str(text).unwrap()
}

fn access() -> RegistrySettings {
    RegistrySettings { timeout: Duration::from_secs(2), ..RegistrySettings::default() }
}

fn signing() -> SigningKey {
    SigningKey::read(KEY, None).unwrap()
}

fn key() -> PublicKey {
    signing().public()
}

fn name(registry: &FakeRegistry) -> ArtifactReference {
    ArtifactReference::parse(&registry.name("team/policy:1")).unwrap()
}

/// Pushes the component, signed.
fn pushed(registry: &FakeRegistry) -> Pushed {
    let component = component();
    let contents = PushContents { component: &component, report: Some(REPORT), title: Some(("policy", "1.2.3")) };
    push(&name(registry), &contents, Some(&signing()), &access()).unwrap()
}

/// Pulls by the tag.
fn pulled(registry: &FakeRegistry, trust: &Trust) -> Result<Pulled, Error> {
    pull(&name(registry), &access(), trust, &PullLimits::default())
}

/// Checks that the component was not even requested.
#[track_caller]
fn nothing_was_loaded(registry: &FakeRegistry, pushed: &Pushed) {
    let asked = registry.requests();
    let layer = format!("GET /v2/team/policy/blobs/{}", pushed.component);
    assert!(!asked.contains(&layer), "{asked:#?}");
}
