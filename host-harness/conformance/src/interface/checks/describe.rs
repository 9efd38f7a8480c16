//! `core.describe`: constant, and sound in itself.

use std::collections::BTreeSet;

use lictor_contract::*;
use lictor_host::cluster::check_placed_kinds;
use lictor_host::policy::Policy;

use super::super::check::{Check, ensure};
use super::super::lab::{CheckContext, CheckResult};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "core/describe-is-constant",
        demands: "`describe` answers the same before and after `configure`, and in every instance",
        rule: "wit/core.wit, describe",
        remedy: "describe from constants: no argument, event or instance may change it",
        verdict: describe_is_constant,
    },
    Check {
        id: "core/names-are-unique",
        demands: "The policy and its systems have names, and no two systems, arguments or interests of a list have the same",
        rule: "wit/core.wit, description",
        remedy: "give each system, each argument and each key of an interest one name of its own",
        verdict: names_are_unique,
    },
    Check {
        id: "core/points-have-interfaces",
        demands: "The interface of every extension point that a system names is exported",
        rule: "wit/core.wit, system-info.extension-points",
        remedy: "export the interface, or do not name the extension point",
        verdict: points_have_interfaces,
    },
    Check {
        id: "core/placed-kinds-are-sound",
        demands: "Every placed kind has a name of its own, JSON pointers, and a phase that means running",
        rule: "wit/README.md, Placed kinds",
        remedy: "mend the declaration in `interests.placed-kinds`",
        verdict: |lab| {
            check_placed_kinds(&lab.system.interests.placed_kinds).map(|()| 1).map_err(|error| error.to_string())
        },
    },
    Check {
        id: "core/templates-are-sound",
        demands: "No two templates have the same code and case, and every bracket that a template opens it closes",
        rule: "wit/core.wit, template",
        remedy: "write one template for each code and case, with `{fact}`, `[...]` and `<...>` closed",
        verdict: templates_are_sound,
    },
];

fn describe_is_constant(lab: &CheckContext<'_>) -> CheckResult {
    let (_, tap) = lab.start_loaded()?;
    let mut fresh = (lab.start)()?;
    let before = fresh.describe().map_err(|error| error.to_string())?;
    let after = tap.call_unrecorded(|policy: &mut dyn Policy| policy.describe()).map_err(|error| error.to_string())?;
    ensure(before == *lab.description, || "`core.describe` differs between two instances".to_owned())?;
    ensure(after == before, || "`core.describe` differs after `configure` and `apply`".to_owned())?;
    Ok(2)
}

/// Returns the first name of a list that is empty or occurs twice.
fn wrong_name<'a>(names: impl IntoIterator<Item = &'a String>) -> Option<&'a String> {
    let mut seen = BTreeSet::new();
    names.into_iter().find(|name| name.is_empty() || !seen.insert(*name))
}

fn names_are_unique(lab: &CheckContext<'_>) -> CheckResult {
    let Description { name, version: _, systems } = lab.description;
    let interests = &lab.system.interests;
    ensure(!name.is_empty(), || "the policy has no name".to_owned())?;
    let lists: [(&str, Vec<&String>); 7] = [
        ("systems", systems.iter().map(|system| &system.name).collect()),
        ("arguments", lab.system.arguments.iter().map(|argument| &argument.name).collect()),
        ("extension-points", lab.system.extension_points.iter().collect()),
        ("interests.labels", interests.labels.iter().collect()),
        ("interests.annotations", interests.annotations.iter().collect()),
        ("interests.pod-fields", interests.pod_fields.iter().collect()),
        ("interests.node-labels", interests.node_labels.iter().collect()),
    ];
    for (list, names) in lists {
        let wrong = wrong_name(names);
        ensure(wrong.is_none(), || {
            format!("`{list}` has `{}` twice, or an empty name", wrong.cloned().unwrap_or_default())
        })?;
    }
    Ok(1)
}

fn points_have_interfaces(lab: &CheckContext<'_>) -> CheckResult {
    let policy = (lab.start)()?;
    let points = lab.system.extension_points.iter().filter_map(|name| ExtensionPoint::named(name));
    for point in points.clone() {
        let interface = point.interface();
        ensure(policy.has(interface), || {
            format!("the system decides at `{point}`, and `{interface}` is not exported")
        })?;
    }
    Ok(points.count())
}

fn templates_are_sound(lab: &CheckContext<'_>) -> CheckResult {
    let templates = &lab.system.templates;
    let mut seen = BTreeSet::new();
    for Template { code, case, text } in templates {
        ensure(seen.insert((code, case)), || format!("two templates are for `{code}` `{case}`"))?;
        for (opened, closed) in [('{', '}'), ('[', ']'), ('<', '>')] {
            let count = |bracket: char| text.chars().filter(|c| *c == bracket).count();
            ensure(count(opened) == count(closed), || {
                format!("the template of `{code}` `{case}` leaves `{opened}` open")
            })?;
        }
    }
    Ok(templates.len())
}
