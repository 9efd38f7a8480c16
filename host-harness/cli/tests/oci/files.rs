//! `lictor push` and `lictor pull`.

use lictor_artifact::Digest;
use lictor_artifact::testing::FakeRegistry;

use crate::run::{FOUR_TEAMS, command, file};
use crate::{empty_directory, lictor, public_key, report, report_with, with_policy};

#[test]
fn what_was_pushed_is_pulled_into_files() {
    let (_registry, name, pinned) = with_policy();
    let directory = empty_directory("pulled");
    let ran = lictor(&["pull", &name, "--key", &public_key(), "--directory", &directory]).exits(0);
    ran.prints(&[
        &format!("reference   {pinned}\n"),
        "conformance report: 7 passed, 0 failed\n",
        "trust       signature verified\n",
    ]);
    let read = |name: &str| std::fs::read(format!("{directory}/{name}")).unwrap();
    assert_eq!(read("policy.wasm"), lictor::embedded());
    assert_eq!(read("policy.report.json"), report().into_bytes());
    let wit = String::from_utf8(read("policy.wit")).unwrap();
    assert!(wit.contains("export lictor:policy/core@0.1.0;"), "{wit}");
    assert!(wit.contains("post-filter: func("), "{wit}");
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 3, "nothing else is left there");
}

#[test]
fn nothing_is_written_where_it_is_not_verified() {
    let (_registry, name, _) = with_policy();
    let directory = empty_directory("not-pulled");
    lictor(&["pull", &name, "--directory", &directory]).exits(2).prints_nothing().tells(&["neither pinned", "hint: "]);
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 0);
}

#[test]
fn what_is_no_policy_is_not_pushed() {
    let registry = FakeRegistry::start();
    let name = registry.name("team/policy:1");
    let empty = file("oci-empty.wasm", wat::parse_str("(component)").unwrap());
    lictor(&["push", &empty, &name]).exits(2).prints_nothing().tells(&["does not export", &format!("--> {empty}")]);
    let policy = file("oci-pushed.wasm", lictor::embedded());
    for (report, says) in [
        ("no JSON", "it is not JSON"),
        ("{}", "it names no component"),
        (r#"{"subject": [{"digest": {"sha256": "12"}}]}"#, "it is about the component 12,"),
        (&report_with("FAILED", 2), "not everything passed (report: 7 passed, 2 failed); `--allow-failed-report`"),
    ] {
        let report = file("oci-bad-report.json", report);
        lictor(&["push", &policy, &name, "--report", &report]).exits(2).prints_nothing().tells(&[says, "hint: "]);
    }
    let key = file("oci-no.key", "x");
    lictor(&["push", &policy, &name, "--sign-key", &key]).exits(2).prints_nothing().tells(&["no private key", &key]);
    lictor(&["push", &policy, "oci://localhost:1"]).exits(2).prints_nothing().tells(&["it has no repository"]);
    assert_eq!(registry.requests(), Vec::<String>::new());
}

#[test]
fn a_report_that_is_required_must_be_there_and_without_failures() {
    let registry = FakeRegistry::start();
    let policy = file("oci-reported.wasm", lictor::embedded());
    let failed = file("oci-failed-report.json", report_with("FAILED", 2));
    let passed = file("oci-passed-report.json", report());
    let pushes: [(&str, &[&str], Result<&str, &str>); 3] = [
        ("policy:none", &[], Err("the component was pushed without one")),
        (
            "policy:failed",
            &["--report", &failed, "--allow-failed-report"],
            Err("not everything passed (report: 7 passed, 2 failed)"),
        ),
        ("policy:passed", &["--report", &passed], Ok("report: 7 passed, 0 failed")),
    ];
    for (name, report, expected) in pushes {
        let name = registry.name(name);
        lictor(&[&["push", &policy, &name], report].concat()).exits(0);
        let decide = ["decide", FOUR_TEAMS, "--system", "koordinator", "--output", "json", "--component", &name];
        let decide = [&decide[..], &["--insecure-unsigned"]].concat();
        let directory = empty_directory("required");
        let pull = ["pull", &name, "--insecure-unsigned", "--directory", &directory, "--require-report"];
        let required = [&decide[..], &["--require-report"]].concat();
        let said = &lictor(&decide).exits(0).json()["policy"]["report"];
        match expected {
            Err(why) => {
                lictor(&required).exits(2).prints_nothing().tells(&["demands a conformance report", why, "hint: "]);
                lictor(&pull).exits(2).prints_nothing().tells(&[why]);
                assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 0, "nothing is written");
                assert!(said.is_null() || why.contains(said.as_str().unwrap()), "{said}");
            }
            Ok(summary) => {
                assert_eq!(lictor(&required).exits(0).json()["policy"]["report"], summary);
                lictor(&pull).exits(0);
                assert_eq!(said, summary);
            }
        }
    }
    lictor(&["decide", FOUR_TEAMS, "--require-report"]).exits(2).tells(&["are about components of registries"]);
}

#[test]
fn a_push_says_what_it_pushed() {
    let registry = FakeRegistry::start();
    let policy = file("oci-told.wasm", lictor::embedded());
    let ran = lictor(&["push", &policy, &registry.name("policy:2")]).exits(0);
    let component = Digest::of(lictor::embedded());
    let ran = ran.prints(&[
        "reference   oci://",
        "/policy:2@sha256:",
        &format!("component   {component}\n"),
        "wit         sha256:",
    ]);
    assert!(!ran.out.contains("signature"), "{ran:?}");
    let manifest = registry.manifest("policy", "2").unwrap();
    assert_eq!(manifest["annotations"]["org.opencontainers.image.title"], "lictor");
}

#[test]
fn a_password_is_read_from_the_environment_only() {
    let help = String::from_utf8(command(&["push", "--help"]).output().unwrap().stdout).unwrap();
    assert!(help.contains("COSIGN_PASSWORD") && !help.contains("--password"), "{help}");
}
