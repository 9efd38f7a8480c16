//! `core.apply`: what cannot be understood is a finding, and the events after it count.

use lictor_contract::*;
use lictor_host::policy::{CallError, Policy};

use super::super::check::{Check, ensure};
use super::super::lab::{CheckContext, CheckResult};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "core/nonsense-is-a-finding",
        demands: "An object that cannot be understood is no error, and the policy goes on",
        rule: "wit/core.wit, apply",
        remedy: "turn what cannot be read into a finding, and read the next event",
        verdict: nonsense_is_a_finding,
    },
    Check {
        id: "core/findings-name-objects",
        demands: "Every finding names its object, what is wrong and what to do; its path is empty or a JSON pointer",
        rule: "wit/answers.wit, finding",
        remedy: "write `Kind/namespace/name` or `Kind/name` into `object`, and fill `message` and `remedy`",
        verdict: findings_name_objects,
    },
    Check {
        id: "core/unknown-status-is-passed-over",
        demands: "The status of a pod that the policy does not know is passed over",
        rule: "wit/README.md, The order of events",
        remedy: "ignore a `pod-status` whose number is not known",
        verdict: unknown_status_is_passed_over,
    },
    Check {
        id: "core/overflow-names-the-event",
        demands: "Amounts beyond 64 bits are counted, or refused with `overflow` that names the event and its object",
        rule: "wit/answers.wit, overflow",
        remedy: "add amounts with checks, and name the index of the event and the object as `Kind/namespace/name`",
        verdict: overflow_names_the_event,
    },
];

/// Documents that are not an object of any kind, or have fields of wrong types.
const NONSENSE: [&str; 6] = [
    "",
    "{",
    "[]",
    "{\"spec\": 7}",
    "{\"metadata\": {\"name\": []}, \"spec\": []}",
    "{\"spec\": {\"a\": {\"b\": null}}}",
];

/// Returns the findings in nonsense of every kind that the system reads.
///
/// # Errors
/// The policy fails over the nonsense.
fn found(lab: &CheckContext<'_>) -> Result<Vec<Finding>, String> {
    let (_, tap) = lab.start_loaded()?;
    let interests = &lab.system.interests;
    let placed = interests.placed_kinds.iter().map(|kind| (&kind.group, &kind.kind));
    let kinds = interests.kinds.iter().map(|kind| (&kind.group, &kind.kind)).chain(placed);
    let mut findings = Vec::new();
    for (group, kind) in kinds {
        let (namespace, name) = ("default".to_owned(), "nonsense".to_owned());
        let object = |json: &&str| {
            let (group, kind, json) = (group.clone(), kind.clone(), (*json).to_owned());
            Event::ObjectUpserted(Object { group, kind, namespace: namespace.clone(), name: name.clone(), json })
        };
        let gone =
            ObjectKey { group: group.clone(), kind: kind.clone(), namespace: namespace.clone(), name: name.clone() };
        let events =
            NONSENSE.iter().map(object).chain([Event::ObjectRemoved(gone.clone()), Event::ObjectRemoved(gone)]);
        let applied = tap.call_unrecorded(|policy: &mut dyn Policy| policy.apply(events.collect()));
        findings
            .extend(applied.map_err(|error| format!("`core.apply` of a `{kind}` that is nonsense: {error}"))?.findings);
    }
    Ok(findings)
}

fn nonsense_is_a_finding(lab: &CheckContext<'_>) -> CheckResult {
    found(lab)?;
    let interests = &lab.system.interests;
    Ok(interests.kinds.len().saturating_add(interests.placed_kinds.len()))
}

fn findings_name_objects(lab: &CheckContext<'_>) -> CheckResult {
    let (session, _) = lab.start_loaded()?;
    let all: Vec<Finding> = session.findings().iter().cloned().chain(found(lab)?).collect();
    for Finding { object, path, message, remedy, .. } in &all {
        ensure(object.contains('/'), || format!("a finding of `core.apply` names its object `{object}`: `{message}`"))?;
        ensure(!message.is_empty() && !remedy.is_empty(), || {
            format!("a finding about `{object}` has no message or no remedy")
        })?;
        ensure(path.is_empty() || path.starts_with('/'), || {
            format!("a finding about `{object}` has the path `{path}`")
        })?;
    }
    Ok(all.len())
}

fn unknown_status_is_passed_over(lab: &CheckContext<'_>) -> CheckResult {
    let (_, tap) = lab.start_loaded()?;
    let status = Pod::pending(PodId::MAX, "default", "stranger").status();
    let applied = tap.call_unrecorded(|policy: &mut dyn Policy| policy.apply(vec![Event::PodStatus(status)]));
    applied.map(|_| 1).map_err(|error| format!("`core.apply` of the status of an unknown pod: {error}"))
}

fn overflow_names_the_event(lab: &CheckContext<'_>) -> CheckResult {
    let (session, tap) = lab.start_loaded()?;
    let running =
        session.mirror().pods().find(|pod| pod.kind.is_none() && pod.node.is_some() && pod.phase == Phase::Running);
    let running = running.cloned();
    let Some(model) = running else { return Ok(0) };
    let huge = |id: PodId, name: &str| {
        let requests =
            model.template.requests.iter().map(|amount| Amount { value: i64::MAX, ..amount.clone() }).collect();
        let pod = Pod { id, name: name.to_owned(), uid: name.to_owned(), ..model.clone() };
        Event::PodUpserted(pod.with(|template| template.requests = requests))
    };
    let clock = Event::Clock(session.mirror().now());
    let first = session.mirror().pods().map(|pod| pod.id).max().unwrap_or_default().saturating_add(1);
    let events = vec![clock, huge(first, "huge0"), huge(first.saturating_add(1), "huge1")];
    match tap.call_unrecorded(|policy: &mut dyn Policy| policy.apply(events)) {
        Ok(_) => Ok(1),
        Err(CallError::Refused { error: PolicyError::Overflow(over), .. }) => {
            let (event, object) = (over.event, over.object);
            let named = event.checked_sub(1).map(|at| format!("Pod/{}/huge{at}", model.template.namespace));
            let sound = matches!(event, 1 | 2) && named.as_ref() == Some(&object);
            ensure(sound, || format!("`core.apply` says that event {event} of 3, `{object}`, cannot be counted"))?;
            Ok(1)
        }
        Err(other) => Err(format!("`core.apply` of amounts beyond 64 bits: {other}")),
    }
}
