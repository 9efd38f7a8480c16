//! The limits of a component, as operators set them.

use lictor::embedded;

use crate::assemble::policy;
use crate::run::{FOUR_TEAMS, file, lictor};

fn decide(options: &[&str]) -> crate::run::Ran {
    lictor(&[&["decide", FOUR_TEAMS], options].concat())
}

#[test]
fn fuel_bounds_a_call_and_changes_no_decision() {
    let enough = decide(&["--limit", "call-fuel=100G"]).exits(0);
    assert_eq!(enough.out, decide(&[]).exits(0).out);
    let ran = decide(&["--limit", "call-fuel=1000"]).exits(1).prints_nothing();
    ran.tells(&[
        "no answer with 1000 units of fuel",
        "hint: nothing was decided; mend the policy, or allow it more, such as `--limit call-fuel=2000`",
    ]);
}

#[test]
fn what_loops_is_stopped_in_the_time_that_it_is_allowed() {
    let path = file("loops.wasm", policy(include_str!("../hostile/endless-describe.wat")));
    let ran = decide(&["--component", &path, "--limit", "call-time=50ms"]).exits(1).prints_nothing();
    ran.tells(&["error: the policy broke in `describe`: no answer within 50ms", "`--limit call-time=1s`"]);
}

#[test]
fn what_grows_is_stopped_at_the_memory_that_it_is_allowed() {
    let path = file("grows.wasm", policy(include_str!("../hostile/memory-bomb.wat")));
    let ran = decide(&["--component", &path, "--limit", "memory=20Mi"]).exits(1).prints_nothing();
    // It grows by a MiB from 64 KiB: what it wants at last is 20 MiB and 64 KiB, and twice that is 40 MiB and 128 KiB.
    ran.tells(&["where 20971520 are the limit", "`--limit memory=41Mi`"]);
    let ran = decide(&["--limit", "memory=64Ki"]).exits(2).prints_nothing();
    ran.tells(&[
        "error: the component broke when it was started",
        "--> embedded",
        "hint: mend the policy, or allow it more",
    ]);
}

#[test]
fn sizes_and_the_time_to_compile_are_bounded() {
    let ran = lictor(&["inspect", "--limit", "component=1k"]).exits(2);
    ran.tells(&[&format!("the component has {} bytes, 1000 at most", embedded().len())]);
    let path = file("uncached.wasm", policy("(module (func (export \"of-no-use\") (result i32) (i32.const 77)))"));
    lictor(&["inspect", &path, "--limit", "compile-time=1ns"]).exits(2).tells(&["not compiled within 1ns"]);
}

#[test]
fn what_is_no_limit_is_said() {
    for (limit, says) in [
        ("memory", "`memory` has no value: write `name=value`"),
        ("disk=1Gi", "there is no limit `disk`; the limits are memory, "),
        ("call-time=soon", "expected a length of time, such as `10s`, found `soon`"),
    ] {
        decide(&["--limit", limit]).exits(2).prints_nothing().tells(&[says, "`lictor inspect --help`"]);
    }
    decide(&["--native", "--limit", "memory=1Gi"]).exits(2).prints_nothing().tells(&["`--native` runs none"]);
    let help = lictor(&["inspect", "--help"]).exits(0);
    for limit in lictor_host::sandbox::LIMITS {
        assert!(help.out.contains(&format!("  {:<13} {}", limit.name, limit.about)), "{}", limit.name);
        assert!(help.out.contains(&format!("[{}; default: {}]", limit.kind, limit.default)), "{}", limit.name);
    }
}
