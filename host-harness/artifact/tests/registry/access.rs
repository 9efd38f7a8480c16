//! Credentials, and where an answer refers to.

use std::fs;

use lictor_artifact::testing::{AuthenticationMode, FakeRegistry, RegistryFault};
use lictor_artifact::{
    ArtifactReference, Credentials, Error, PullLimits, PushContents, RegistrySettings, Trust, pull, push,
};

use crate::{access, component, key, name, pushed};

/// Credentials as docker keeps them.
fn credentials(host: &str, login: &str) -> Credentials {
    let file = std::env::temp_dir().join(format!("lictor-artifact-{}-{}.json", host.replace(':', "-"), login.len()));
    fs::write(&file, format!(r#"{{"auths": {{"{host}": {{"auth": "{login}"}}}}}}"#)).unwrap();
    let read = Credentials::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    read
}

/// `me:secret` in base 64.
const ME: &str = "bWU6c2VjcmV0";
/// `me:guess` in base 64.
const NOT_ME: &str = "bWU6Z3Vlc3M=";

#[test]
fn a_guarded_registry_lets_in_who_has_credentials() {
    for guarded in [AuthenticationMode::Basic, AuthenticationMode::Token] {
        let registry = FakeRegistry::start();
        registry.set_authentication(guarded);
        let as_me = RegistrySettings { credentials: credentials(&registry.host(), ME), ..access() };
        let bytes = component();
        let contents = PushContents { component: &bytes, report: None, title: None };
        push(&name(&registry), &contents, None, &as_me).unwrap();
        let pull = |access: &RegistrySettings| pull(&name(&registry), access, &Trust::Unsigned, &PullLimits::default());
        assert_eq!(pull(&as_me).unwrap().component, bytes);
        let as_another = RegistrySettings { credentials: credentials(&registry.host(), NOT_ME), ..access() };
        let for_another = RegistrySettings { credentials: credentials("other.io", ME), ..access() };
        for access in [access(), as_another, for_another] {
            let error = pull(&access).unwrap_err();
            assert!(matches!(error, Error::Denied { status: 401, .. }), "{guarded:?}: {error}");
        }
    }
}

#[test]
fn a_download_may_be_elsewhere_and_credentials_stay() {
    let (registry, store) = (FakeRegistry::start(), FakeRegistry::start());
    let pushed = pushed(&registry);
    store.write_blob(&component());
    // The store must not see credentials of the registry: a real store would ask for its own.
    registry.set_authentication(AuthenticationMode::Basic);
    let elsewhere = format!("http://{}/v2/store/blobs/{}", store.host(), pushed.component);
    registry.fail(&format!("GET /v2/team/policy/blobs/{}", pushed.component), RegistryFault::Moved(elsewhere));
    let as_me = RegistrySettings { credentials: credentials(&registry.host(), ME), ..access() };
    let pulled = pull(&name(&registry), &as_me, &Trust::Key(key()), &PullLimits::default()).unwrap();
    assert_eq!(pulled.component, component());
    assert_eq!(store.authenticated_requests(), 0);
    assert!(registry.authenticated_requests() > 0);
}

#[test]
fn a_place_that_a_download_moved_to_is_told_no_credentials() {
    let (registry, store) = (FakeRegistry::start(), FakeRegistry::start());
    let pushed = pushed(&registry);
    // The store names a token service of its own, which would receive name and password.
    store.set_authentication(AuthenticationMode::Token);
    let elsewhere = format!("http://{}/v2/store/blobs/{}", store.host(), pushed.component);
    registry.fail(&format!("GET /v2/team/policy/blobs/{}", pushed.component), RegistryFault::Moved(elsewhere));
    let as_me = RegistrySettings { credentials: credentials(&registry.host(), ME), ..access() };
    let error = pull(&name(&registry), &as_me, &Trust::Key(key()), &PullLimits::default()).unwrap_err();
    assert!(matches!(error, Error::Denied { status: 401, .. }), "{error}");
    assert_eq!((store.authenticated_requests(), store.requests().len()), (0, 1));
}

#[test]
fn a_place_that_uploads_are_sent_to_is_told_no_credentials() {
    let (registry, store) = (FakeRegistry::start(), FakeRegistry::start());
    registry.set_authentication(AuthenticationMode::Token);
    registry.fail("POST ", RegistryFault::Elsewhere(format!("http://{}/v2/store/blobs/uploads/1", store.host())));
    let as_me = RegistrySettings { credentials: credentials(&registry.host(), ME), ..access() };
    let bytes = component();
    let contents = PushContents { component: &bytes, report: None, title: None };
    // The store takes them, and the registry does not have them.
    let error = push(&name(&registry), &contents, None, &as_me).unwrap_err();
    assert!(matches!(error, Error::Failed { status: 400, .. }), "{error}");
    assert!(store.requests().iter().any(|line| line.starts_with("PUT ")), "{:?}", store.requests());
    assert_eq!(store.authenticated_requests(), 0);
}

#[test]
fn a_download_without_tls_elsewhere_is_not_followed() {
    let registry = FakeRegistry::start();
    let pushed = pushed(&registry);
    let moved = |to: &str| {
        registry.repair();
        registry.fail(&format!("GET /v2/team/policy/blobs/{}", pushed.component), RegistryFault::Moved(to.to_owned()));
        pull(&name(&registry), &access(), &Trust::Key(key()), &PullLimits::default()).unwrap_err()
    };
    assert!(matches!(moved("http://192.0.2.1/x"), Error::WithoutTls { url } if url == "http://192.0.2.1/x"));
    for to in ["file:///etc/passwd", "//192.0.2.1/x", "", "http://me:secret@127.0.0.1/x"] {
        assert!(matches!(moved(to), Error::Redirected { .. }), "{to}");
    }
    let round = format!("/v2/team/policy/blobs/{}", pushed.component);
    assert!(matches!(moved(&round), Error::Redirected { .. }), "it moves round and round");
}

#[test]
fn a_registry_elsewhere_is_asked_with_tls() {
    // Nothing listens there: what is asked without TLS would be refused before, with another error.
    let name = ArtifactReference::parse("oci://127.0.0.1.invalid:1/team/policy:1").unwrap();
    let error = pull(&name, &access(), &Trust::Unsigned, &PullLimits::default()).unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error}");
}
