//! `lictor inspect`, and policies that are chosen with `--component`.

use lictor::embedded;
use serde_json::{Value, json};

use crate::assemble::{policy, renamed};
use crate::run::{FOUR_TEAMS, command, file, lictor};

/// A component that imports what a policy may not.
const WASI: &str = r#"(component (import "wasi:clocks/monotonic-clock@0.2.0" (instance)))"#;

#[test]
fn the_embedded_one_is_shown_in_full() {
    let ran = lictor(&["inspect"]).exits(0).prints(&[
        "component   embedded\n",
        "contract    lictor:policy@0.1.0\n",
        "imports     none\n",
        "  required          cluster, answers, core\n",
        "  optional          queue, placement, permit, cycle, account, explain, state, marks, enforce, standing\n",
        "  optional, missing score\n",
        "lictor:policy/core@0.1.0\n",
        "post-filter: func(pods: list<u32>, refuted: refuted) -> result<post-filtered, policy-error>\n",
        "Laws koordinator: ",
        "post-filter",
        "ElasticQuota.scheduling.sigs.k8s.io",
        "quota.scheduling.koordinator.sh/preemptible",
        "disableDefaultPreemptiable",
    ]);
    assert_eq!(ran.err, "");
    let told = lictor(&["inspect", "--output", "json"]).exits(0).json();
    assert_eq!((&told["imports"], &told["refused"]), (&json!([]), &Value::Null));
    assert!(ran.out.contains(told["sha256"].as_str().unwrap()));
    assert_eq!(told["bytes"], embedded().len());
    assert_eq!(told["interfaces"][2], json!({"interface": "core", "required": true, "present": true}));
}

#[test]
fn a_file_is_inspected_like_the_embedded_one() {
    let path = file("embedded.wasm", embedded());
    let (this, that) = (lictor(&["inspect", &path]).exits(0), lictor(&["inspect"]).exits(0));
    assert_eq!(this.out.replace(&path, "embedded"), that.out);
}

#[test]
fn a_refused_one_is_shown_as_far_as_it_is_known() {
    let path = file("wasi.wasm", wat::parse_str(WASI).unwrap());
    let ran = lictor(&["inspect", &path]).exits(2).prints(&["sha256      ", &format!("component   {path}\n")]);
    ran.tells(&["error: ", "`wasi:clocks/monotonic-clock@0.2.0`", "may import nothing", &format!("  --> {path}\n")]);
    let told = lictor(&["inspect", &path, "--output", "json"]).exits(2).json();
    assert_eq!(told["imports"], json!(["wasi:clocks/monotonic-clock@0.2.0"]));
    assert!(told["refused"].as_str().unwrap().contains("may import nothing"));
}

#[test]
fn what_is_no_policy_decides_nothing_and_says_what_to_do() {
    let module = wat::parse_str("(module)").unwrap();
    let empty = wat::parse_str("(component)").unwrap();
    let other = renamed(embedded(), "@0.1.0", "@0.2.0");
    for (name, bytes, says) in [
        ("module.wasm", module.as_slice(), ["core module", "wasm-tools component new"]),
        ("text.wasm", b"hello".as_slice(), ["it is text", "wasm-tools parse"]),
        ("nothing.wasm", b"".as_slice(), ["not a WebAssembly component", "empty"]),
        ("lacks.wasm", empty.as_slice(), ["does not export `lictor:policy/", "build it for the world `policy`"]),
        ("imports.wasm", wat::parse_str(WASI).unwrap().as_slice(), ["imports `wasi:", "wasm32-unknown-unknown"]),
        ("other.wasm", other.as_slice(), ["made for `lictor:policy@0.2.0`", "build it against that"]),
        ("cut-off.wasm", &embedded()[..1000], ["not a valid WebAssembly component", "build it anew"]),
    ] {
        let path = file(name, bytes);
        for command in [["decide", FOUR_TEAMS], ["test", "fixtures/scenarios/koordinator"]] {
            let ran = lictor(&[command.as_slice(), &["--component", &path]].concat()).exits(2).prints_nothing();
            ran.tells(&["error: ", &format!("  --> {path}\n")]).tells(&says);
        }
        lictor(&["inspect", &path]).exits(2).tells(&says);
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    lictor(&["inspect", "no-such.wasm"]).exits(2).prints_nothing().tells(&["--> no-such.wasm\n", "hint: "]);
    lictor(&["inspect", "fixtures"]).exits(2).prints_nothing().tells(&["--> fixtures\n"]);
}

#[test]
fn another_component_decides_where_it_is_named() {
    let path = file("another.wasm", embedded());
    let record = lictor(&["decide", FOUR_TEAMS, "--component", &path, "--output", "json"]).exits(0).json();
    assert_eq!(record["policy"]["file"], path);
    let own = lictor(&["decide", FOUR_TEAMS, "--output", "json"]).exits(0).json();
    assert_eq!(record["cycles"], own["cycles"]);
}

#[test]
fn a_policy_that_breaks_decides_nothing_and_ends_with_1() {
    let path = file("trap.wasm", policy(include_str!("../hostile/trap.wat")));
    let ran = lictor(&["decide", FOUR_TEAMS, "--component", &path]).exits(1).prints_nothing();
    ran.tells(&["error: the policy broke in `describe`", "the_faulty_one", "hint: "]);
    let ran = lictor(&["test", "fixtures/scenarios/koordinator/eviction-delete.yaml", "--component", &path]).exits(1);
    ran.prints(&["FAILED eviction-delete\n", "the policy broke in `describe`", "0 passed, 1 failed\n"]);
}

#[test]
fn a_policy_without_laws_cannot_be_configured() {
    let path = file("lawless.wasm", policy("(module)"));
    lictor(&["decide", FOUR_TEAMS, "--component", &path])
        .exits(2)
        .prints_nothing()
        .tells(&["error: ", "does not describe"]);
}

#[test]
fn where_nothing_can_be_kept_one_line_says_so_and_nothing_else_changes() {
    let run = |directory: &str| {
        let ran = command(&["decide", FOUR_TEAMS, "--system", "koordinator"])
            .env("LICTOR_CACHE_DIR", directory)
            .output()
            .unwrap();
        assert_eq!(ran.status.code(), Some(0));
        (ran.stdout, String::from_utf8(ran.stderr).unwrap())
    };
    let (out, err) = run(&file("no-directory", "a file"));
    assert!(err.lines().count() == 1 && err.starts_with("warning: ") && err.contains("LICTOR_CACHE_DIR"), "{err}");
    assert_eq!(run(""), (out, String::new()));
}

/// Checks the hint of a build without registries. `tests/oci` tests a build with registries.
#[cfg(not(feature = "oci"))]
#[test]
fn a_build_without_registries_says_how_to_build_one_with_them() {
    let name = "oci://localhost:1/team/policy:1";
    for arguments in [
        ["decide", FOUR_TEAMS, "--component", name].as_slice(),
        &["inspect", name],
        &["pull", name],
        &["push", "x", name],
    ] {
        lictor(arguments).exits(2).prints_nothing().tells(&["cannot reach registries", "cargo build --features oci"]);
    }
    let file = file("unsigned.wasm", embedded());
    let ran = lictor(&["decide", FOUR_TEAMS, "--component", &file, "--key", "cosign.pub"]).exits(2).prints_nothing();
    ran.tells(&["no signature of a file"]);
}

/// Checks the hint of a build without clusters. `lictor-controller` tests a build with clusters.
#[cfg(not(feature = "live"))]
#[test]
fn a_build_without_clusters_says_how_to_build_one_with_them() {
    for arguments in [["run"].as_slice(), &["run", "--dry-run", "--system", "coscheduling"]] {
        lictor(arguments).exits(2).prints_nothing().tells(&["cannot reach a cluster", "cargo build --features live"]);
    }
}
