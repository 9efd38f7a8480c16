//! Policies of other authors: the one written with `lictor-sdk`, the smallest one, and broken ones, built and run as CONTRIBUTING says, but
//! in the profile of the embedded one, whose dependencies are built already.
#![expect(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "tests")]

mod kit;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use serde_json::{Value, json};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const TARGET: &str = "wasm32-unknown-unknown";

/// How the build script builds the embedded one.
const TARGET_DIR: &str = env!("LICTOR_GUEST_TARGET");
const PROFILE: &str = env!("LICTOR_GUEST_PROFILE");
const FLAGS: &str = env!("LICTOR_GUEST_FLAGS");

/// The folder in which the modules are built, next to the embedded one.
static BUILT: LazyLock<PathBuf> = LazyLock::new(|| {
    let target = Path::new(TARGET_DIR);
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--locked", "--profile", PROFILE, "--target", TARGET, "--package", "lictor-example"]);
    cargo.args(["--package", "lictor-minimal", "--package", "lictor-broken", "--lib", "--examples", "--target-dir"]);
    cargo.arg(target).current_dir(ROOT);
    // What is meant for the compiler of the host would break the guest.
    cargo.env_remove("RUSTFLAGS").env_remove("CARGO_BUILD_TARGET").env("CARGO_ENCODED_RUSTFLAGS", FLAGS);
    assert!(cargo.status().unwrap().success());
    target.join(TARGET).join(PROFILE)
});

/// Writes the component of a crate or of an example (`examples/NAME`), and returns the path.
fn component(name: &str) -> String {
    let module = fs::read(BUILT.join(format!("{name}.wasm"))).unwrap();
    let encoder = wit_component::ComponentEncoder::default().validate(true).module(&module).unwrap();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-component.wasm", name.replace('/', "-")));
    fs::write(&path, { encoder }.encode().unwrap()).unwrap();
    path.to_str().unwrap().to_owned()
}

fn lictor(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lictor")).args(arguments).current_dir(ROOT).output().unwrap()
}

/// Returns what the command prints; the command must succeed.
fn printed(arguments: &[&str]) -> String {
    let ran = lictor(arguments);
    assert!(ran.status.success(), "{ran:?}");
    String::from_utf8(ran.stdout).unwrap()
}

/// Returns the optional interfaces that a component has.
fn optional(component: &str) -> Vec<String> {
    let told: Value = serde_json::from_str(&printed(&["inspect", component, "--output", "json"])).unwrap();
    assert_eq!((&told["imports"], &told["refused"]), (&json!([]), &Value::Null));
    let interfaces = told["interfaces"].as_array().unwrap();
    let has = |wanted: &&Value| wanted["present"] == true && wanted["required"] == false;
    interfaces.iter().filter(has).map(|it| it["interface"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_policy_with_the_core_and_one_optional_interface_decides() {
    let minimal = component("lictor_minimal");
    assert_eq!(optional(&minimal), ["queue"]);
    let passed = printed(&["test", "guest/minimal/scenarios", "--component", &minimal]);
    assert!(passed.ends_with("1 passed, 0 failed\n"), "{passed}");
    let shown = printed(&["inspect", &minimal]);
    assert!(shown.contains("  optional          queue\n"), "{shown}");
    assert!(
        shown.contains(
            "  optional, missing placement, score, permit, cycle, account, explain, state, marks, enforce, standing\n"
        ),
        "{shown}"
    );
}

#[test]
fn the_example_of_the_kit_keeps_its_scenarios() {
    let example = component("lictor_example");
    assert_eq!(optional(&example).len(), 11);
    let passed = printed(&["test", "guest/example/scenarios", "--component", &example]);
    assert!(passed.ends_with("2 passed, 0 failed\n"), "{passed}");
}

#[test]
fn the_example_of_the_kit_decides_over_a_snapshot() {
    let example = component("lictor_example");
    let snapshot = "fixtures/snapshots/four-teams.yaml";
    let decided = printed(&["decide", snapshot, "--component", &example, "--output", "json"]);
    let decided: Value = serde_json::from_str(&decided).unwrap();
    assert!(decided["cycles"].is_array(), "{decided}");
}
