//! What decides: a component of a registry, verified, or nothing.

use lictor_artifact::testing::{AuthenticationMode, RegistryFault};

use crate::run::{FOUR_TEAMS, Ran, file};
use crate::{KEY, empty_directory, lictor, lictor_with, public_key, with_policy};

fn decide(component: &str, more: &[&str]) -> Ran {
    lictor(&[["decide", FOUR_TEAMS, "--component", component].as_slice(), more].concat())
}

#[test]
fn a_signed_component_decides_and_its_digest_is_told() {
    let (_registry, name, pinned) = with_policy();
    let text = decide(&name, &["--key", &public_key(), "--system", "koordinator"]).exits(0);
    assert_eq!(text.err, "");
    // Lines are wrapped: the digest may stand on a line of its own.
    let (text, stated) = (text.out.replace(['\n', ' '], ""), pinned.replace(' ', ""));
    assert!(text.contains(&stated) && text.contains("signatureverified"), "{text}");
    let record = decide(&name, &["--key", &public_key(), "--output", "json"]).exits(0).json();
    assert_eq!((&record["policy"]["file"], &record["policy"]["trust"]), (&pinned.into(), &"signature verified".into()));
    let own = lictor(&["decide", FOUR_TEAMS, "--output", "json"]).exits(0).json();
    assert_eq!(record["cycles"], own["cycles"]);
}

#[test]
fn a_pin_or_a_word_is_enough_without_a_key() {
    let (_registry, name, pinned) = with_policy();
    let trust = |component: &str, more: &[&str]| {
        let record = decide(component, &[&["--output", "json"], more].concat()).exits(0).json();
        assert_eq!(record["policy"]["file"], pinned.as_str());
        record["policy"]["trust"].as_str().unwrap().to_owned()
    };
    assert_eq!(trust(&pinned, &[]), "pinned digest");
    assert_eq!(trust(&name, &["--insecure-unsigned"]), "not verified");
}

#[test]
fn a_signed_component_is_compared_and_takes_over_by_the_same_key() {
    let (_registry, name, _) = with_policy();
    let key = public_key();
    lictor(&["diff", "native", &name, FOUR_TEAMS, "--key", &key]).exits(0);
    lictor(&["upgrade", FOUR_TEAMS, "--native", "--to", &name, "--key", &key])
        .exits(0)
        .prints(&["the new policy decides"]);
    for untrusted in
        [["diff", "native", &name, FOUR_TEAMS].as_slice(), &["upgrade", FOUR_TEAMS, "--native", "--to", &name]]
    {
        lictor(untrusted).exits(2).prints_nothing().tells(&["neither pinned", "--key cosign.pub"]);
    }
    // Neither is of a registry.
    let nothing = ["diff", "native", "embedded", FOUR_TEAMS, "--key", &key];
    lictor(&nothing).exits(2).tells(&["no signature of a file"]);
}

#[test]
fn what_is_not_trusted_decides_nothing_and_says_what_to_do() {
    let (registry, name, pinned) = with_policy();
    let other = file("oci-other.pub", include_str!("../../../artifact/tests/registry/other.pub"));
    let asked = registry.requests().len();
    decide(&name, &[]).exits(2).prints_nothing().tells(&["neither pinned", "--key cosign.pub", "--insecure-unsigned"]);
    assert_eq!(registry.requests().len(), asked, "the registry is not asked");
    decide(&name, &["--key", &other]).exits(2).prints_nothing().tells(&[
        "by this key",
        "hint: ",
        &format!("--> {name}"),
    ]);
    let mut wrong = pinned.clone();
    let last = wrong.pop();
    wrong.push(if last == Some('0') { '1' } else { '0' });
    decide(&wrong, &[]).exits(2).prints_nothing().tells(&["has no manifest", "hint: "]);
    registry.fail("/manifests/sha256:", RegistryFault::Bytes(b"{}".to_vec()));
    decide(&pinned, &[]).exits(2).prints_nothing().tells(&["is not what it should be", "do not use it"]);
    registry.repair();
    registry.fail(".sig", RegistryFault::Status(404));
    decide(&name, &["--key", &public_key()]).exits(2).prints_nothing().tells(&["is not signed", "--sign-key"]);
}

#[test]
fn a_registry_that_fails_is_told_as_one_line_with_a_hint() {
    let (registry, name, _) = with_policy();
    for (fault, says) in [
        (RegistryFault::Status(401), ["does not allow it (401)", "docker login"]),
        (RegistryFault::Status(404), ["has no manifest `1`", "check repository and tag"]),
        (RegistryFault::Status(500), ["answers 500", "try again later"]),
        (RegistryFault::Hangs, ["within 1s", "--registry-timeout"]),
    ] {
        registry.repair();
        registry.fail("manifests/1", fault);
        decide(&name, &["--insecure-unsigned", "--registry-timeout", "1"]).exits(2).prints_nothing().tells(&says);
    }
}

#[test]
fn credentials_are_those_of_docker() {
    let (registry, name, _) = with_policy();
    registry.set_authentication(AuthenticationMode::Token);
    let docker = empty_directory("docker-login");
    // `me:secret` in base 64.
    let auths = format!(r#"{{"auths": {{"{}": {{"auth": "bWU6c2VjcmV0"}}}}}}"#, registry.host());
    std::fs::write(format!("{docker}/config.json"), auths).unwrap();
    let key = public_key();
    let arguments = ["inspect", &name, "--key", &key];
    lictor_with(&arguments, &docker).exits(0).prints(&["contract    lictor:policy@"]);
    lictor(&arguments).exits(2).prints_nothing().tells(&["does not allow it (401)", "docker login"]);
}

#[test]
fn options_that_would_be_for_nothing_are_refused() {
    let (key, component) = (file("oci-useless.pub", "x"), file("oci-useless.wasm", lictor::embedded()));
    for arguments in [
        ["decide", FOUR_TEAMS, "--component", &component, "--key", &key].as_slice(),
        &["decide", FOUR_TEAMS, "--key", &key],
        &["decide", FOUR_TEAMS, "--native", "--key", &key],
        &["inspect", &component, "--insecure-unsigned"],
    ] {
        lictor(arguments).exits(2).prints_nothing().tells(&["no signature of a file"]);
    }
    let not_public = file("oci-private.key", KEY);
    decide("oci://localhost:1/a:1", &["--key", &not_public]).exits(2).tells(&["it is a private key", &not_public]);
    decide("oci://a/b", &["--insecure-unsigned"]).exits(2).tells(&["is not the name of an artifact", "hint: write"]);
}
