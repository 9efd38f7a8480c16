//! The command with components of registries, against a registry in this process: `cargo test -p lictor --features oci --test oci`.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

#[path = "../cli/run.rs"]
#[expect(dead_code, reason = "the tests of the command without registries use more of it")]
mod run;

mod decide;
mod files;

use std::path::PathBuf;
use std::process::Output;

use lictor_artifact::Digest;
use lictor_artifact::testing::FakeRegistry;

use run::{Ran, command, file};

/// Keys made for tests.
const KEY: &str = include_str!("../../../artifact/tests/registry/publisher.key");
const PUBLIC: &str = include_str!("../../../artifact/tests/registry/publisher.pub");

/// Runs the command without credentials.
fn lictor(arguments: &[&str]) -> Ran {
    lictor_with(arguments, &empty_directory("no-docker"))
}

/// Runs the command with the credentials in this directory.
fn lictor_with(arguments: &[&str], docker: &str) -> Ran {
    let ran = command(arguments).env("DOCKER_CONFIG", docker).env_remove("COSIGN_PASSWORD").output().unwrap();
    let Output { status, stdout, stderr } = ran;
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: status.code().unwrap(), out: text(stdout), err: text(stderr) }
}

/// Makes a directory of this name, without files.
fn empty_directory(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Starts a registry with the embedded policy, pushed and signed by the command. Returns it with the name, and with the pinned reference that the
/// push printed.
fn with_policy() -> (FakeRegistry, String, String) {
    let registry = FakeRegistry::start();
    let name = registry.name("team/policy:1");
    let component = file("oci-policy.wasm", lictor::embedded());
    let key = file("oci-publisher.key", KEY);
    let report = file("oci-report.json", report());
    let ran =
        lictor(&["push", &component, &name, "--sign-key", &key, "--report", &report, "--output", "json"]).exits(0);
    let pinned = ran.json()["reference"].as_str().unwrap().to_owned();
    (registry, name, pinned)
}

fn public_key() -> String {
    file("oci-publisher.pub", PUBLIC)
}

/// Returns a report without failures about the embedded policy, with the fields that are read.
fn report() -> String {
    report_with("PASSED", 0)
}

/// Returns a report about the embedded policy with this result and number of failures.
fn report_with(result: &str, failed: u32) -> String {
    let digest = Digest::of(lictor::embedded());
    let sum = digest.as_str().trim_start_matches("sha256:");
    serde_json::json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "it", "digest": {"sha256": sum}}],
        "predicate": {"result": result, "passed": 7, "failed": failed},
    })
    .to_string()
}
