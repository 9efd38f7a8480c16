//! `core.configure`: what it takes, what it refuses, what it forgets.

use std::collections::BTreeSet;

use lictor_contract::*;
use serde_json::{Value, json};

use super::super::check::{Check, ensure};
use super::super::lab::{CheckContext, CheckResult};
use super::super::play::{Disturbance, RunOptions};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "core/configure-takes-what-is-described",
        demands: "Every described system is taken without arguments, and with each argument at its default",
        rule: "wit/core.wit, argument.default",
        remedy: "take no arguments for the defaults, and make every default a value of its kind",
        verdict: takes_what_is_described,
    },
    Check {
        id: "core/configure-refuses-the-rest",
        demands: "An unknown system, an unknown argument and arguments that are no JSON object are refused",
        rule: "wit/core.wit, config-error",
        remedy: "answer `unknown-system` with the systems that are described, `unknown-argument` or `malformed`",
        verdict: refuses_the_rest,
    },
    Check {
        id: "core/configure-forgets",
        demands: "An instance that is configured again decides as a new one",
        rule: "wit/core.wit, configure",
        remedy: "make everything anew in `configure`: cluster, resources, plans, reservations, time",
        verdict: |lab| lab.same(&RunOptions { reused: true, ..RunOptions::default() }),
    },
    Check {
        id: "core/refused-configure-changes-nothing",
        demands: "A configuration that is refused leaves the one before, and what was told, in force",
        rule: "wit/core.wit, config-error",
        remedy: "check the system and its arguments before anything is replaced",
        verdict: |lab| lab.same(&RunOptions { disturbance: Disturbance::Misconfigures, ..RunOptions::default() }),
    },
];

/// Configures a new instance.
fn configured(lab: &CheckContext<'_>, system: &str, arguments: &str) -> Result<Result<(), ConfigError>, String> {
    (lab.start)()?.configure(system, arguments).map_err(|error| error.to_string())
}

fn takes_what_is_described(lab: &CheckContext<'_>) -> CheckResult {
    let system = &lab.system.name;
    for nothing in ["", "{}"] {
        let taken = configured(lab, system, nothing)?;
        taken.map_err(|error| format!("`core.configure` refuses `{system}` with arguments `{nothing}`: {error:?}"))?;
    }
    let mut tried = 2_usize;
    for Argument { name, default, .. } in &lab.system.arguments {
        let value: Value = serde_json::from_str(default)
            .map_err(|_| format!("the default of argument `{name}` is no JSON: `{default}`"))?;
        if !value.is_null() {
            let taken = configured(lab, system, &json!({ name: value }).to_string())?;
            taken.map_err(|error| format!("`core.configure` refuses argument `{name}` at its default: {error:?}"))?;
            tried = tried.saturating_add(1);
        }
    }
    Ok(tried)
}

fn refuses_the_rest(lab: &CheckContext<'_>) -> CheckResult {
    let described: BTreeSet<&String> = lab.description.systems.iter().map(|system| &system.name).collect();
    match configured(lab, "no such system", "")? {
        Err(ConfigError::UnknownSystem(known)) if known.iter().collect::<BTreeSet<_>>() == described => {}
        other => return Err(format!("`core.configure` of a system that there is not: {other:?}")),
    }
    for (arguments, what) in [("{\"no such argument\": 1}", "an argument that there is not"), ("[1", "what is no JSON")]
    {
        let refused = configured(lab, &lab.system.name, arguments)?.is_err();
        ensure(refused, || format!("`core.configure` takes {what}: `{arguments}`"))?;
    }
    Ok(3)
}
