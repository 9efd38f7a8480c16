//! Reads a scenario from a document.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::expect::Expect;
use super::format::{Scenario, ScenarioAction, ScenarioStep};
use super::status::UsageByAccount;
use super::template::ObjectTemplates;
use lictor_contract::duration;
use lictor_host::cluster::InputError;
use lictor_host::cluster::load::{DocumentOrigin, SourceDocument};

/// The remedy that names the documentation of the format.
const REMEDY: &str = "see fixtures/scenarios/README.md for the format";

/// A scenario as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RawScenario {
    api_version: String,
    kind: String,
    metadata: Metadata,
    spec: ScenarioSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    name: String,
    denies: Option<Vec<String>>,
    allows: Option<Vec<String>>,
    /// The former word for `denies`.
    bites: Option<Vec<String>>,
    /// The former word for `allows`.
    spares: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioSpec {
    #[serde(default)]
    description: String,
    #[serde(default)]
    source: String,
    policy: PolicyChoice,
    #[serde(default)]
    templates: Map<String, Value>,
    cluster: Vec<Value>,
    steps: Vec<RawStep>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyChoice {
    laws: String,
    #[serde(default)]
    args: Map<String, Value>,
    #[serde(default)]
    schedulers: Vec<String>,
}

/// A step as it is written: one of the actions, and the expectations.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RawStep {
    schedule: Option<String>,
    cycle: Option<u32>,
    order: Option<Vec<String>>,
    advance: Option<String>,
    evictions_complete: Option<bool>,
    apply: Option<Vec<Value>>,
    delete: Option<Vec<String>>,
    status: Option<UsageByAccount>,
    expect: Option<Expect>,
}

/// Reads a scenario. Every mistake has its line.
pub fn read(document: SourceDocument) -> Result<Scenario, InputError> {
    let written: RawScenario = document.typed(REMEDY)?;
    let origin = document.origin;
    if written.api_version != "lictor.dev/v1alpha1" {
        let message = format!("`{}` is no version of a scenario", written.api_version);
        return Err(origin.mistake("/apiVersion", message, "write `apiVersion: lictor.dev/v1alpha1`"));
    }
    if written.kind != "Scenario" {
        let message = format!("`{}` is not `Scenario`", written.kind);
        return Err(origin.mistake("/kind", message, "write `kind: Scenario`"));
    }
    let Metadata { name, denies, allows, bites, spares } = written.metadata;
    let denies = one_of(("denies", denies), ("bites", bites), &origin)?;
    let allows = one_of(("allows", allows), ("spares", spares), &origin)?;
    let spec = written.spec;
    let templates = ObjectTemplates::read(spec.templates, &origin)?;
    let steps = (0usize..).zip(spec.steps).map(|(place, written)| step(written, &templates, &origin, place));
    Ok(Scenario {
        name,
        description: spec.description,
        source: spec.source,
        denies,
        allows,
        system: spec.policy.laws,
        args: spec.policy.args,
        schedulers: spec.policy.schedulers,
        cluster: templates.objects(spec.cluster, &origin, "/spec/cluster")?,
        steps: steps.collect::<Result<_, _>>()?,
        origin,
    })
}

/// Returns the codes under a key, or under its former name.
///
/// # Errors
/// Both names are written.
fn one_of(
    (key, codes): (&str, Option<Vec<String>>),
    (former, old): (&str, Option<Vec<String>>),
    origin: &DocumentOrigin,
) -> Result<Vec<String>, InputError> {
    if codes.is_some() && old.is_some() {
        let message = format!("`{former}` is the former word for `{key}`, and both are written");
        let remedy = format!("move the codes to `{key}` and remove `{former}`");
        return Err(origin.mistake(&format!("/metadata/{former}"), message, remedy));
    }
    Ok(codes.or(old).unwrap_or_default())
}

/// Reads a step.
fn step(
    written: RawStep,
    templates: &ObjectTemplates,
    origin: &DocumentOrigin,
    place: usize,
) -> Result<ScenarioStep, InputError> {
    let here = format!("/spec/steps/{place}");
    let expect = written.expect.clone().unwrap_or_default();
    let mut actions = actions(written, templates, origin, &here)?;
    let action = match (actions.pop(), actions.is_empty()) {
        (Some(action), true) => action,
        (None, _) => return Err(origin.mistake(&here, "the step does nothing", REMEDY)),
        (Some(_), false) => {
            return Err(origin.mistake(&here, "the step does several things at once", "write a step for each"));
        }
    };
    if let Some(key) = expect.of_one_pod().filter(|_| !matches!(action, ScenarioAction::Schedule(_))) {
        let message = format!("`{key}` can only be expected of `schedule`");
        return Err(origin.mistake(&format!("{here}/expect/{key}"), message, "leave it out"));
    }
    Ok(ScenarioStep { action, expect, line: origin.line(&here) })
}

/// Reads all actions of a step.
fn actions(
    written: RawStep,
    templates: &ObjectTemplates,
    origin: &DocumentOrigin,
    here: &str,
) -> Result<Vec<ScenarioAction>, InputError> {
    let at = |key: &str| format!("{here}/{key}");
    let mut actions = Vec::new();
    actions.extend(written.schedule.map(ScenarioAction::Schedule));
    actions.extend(written.order.map(ScenarioAction::Order));
    actions.extend(written.delete.map(ScenarioAction::Delete));
    if let Some(count) = written.cycle {
        if count == 0 {
            return Err(origin.mistake(&at("cycle"), "0 cycles are no step", "write 1 or more"));
        }
        actions.push(ScenarioAction::Cycle(count));
    }
    if let Some(text) = written.advance {
        let nanoseconds = duration::parse(&text);
        let mistake = |error: duration::DurationError| {
            origin.mistake(&at("advance"), error.to_string(), "write it as Go does, such as `1m30s`")
        };
        actions.push(ScenarioAction::Advance(nanoseconds.map_err(mistake)?));
    }
    match written.evictions_complete {
        Some(true) => actions.push(ScenarioAction::EvictionsComplete),
        Some(false) => {
            let message = "evictions that do not complete are no step";
            return Err(origin.mistake(&at("evictionsComplete"), message, "write `true`, or leave the step out"));
        }
        None => {}
    }
    if let Some(values) = written.apply {
        actions.push(ScenarioAction::Apply(templates.objects(values, origin, &at("apply"))?));
    }
    if let Some(books) = written.status {
        for (name, usage) in &books {
            let mistake = |error: lictor_contract::quantity::QuantityError| {
                let pointer = format!("{}/{}/used", at("status"), name.replace('/', "~1"));
                origin.mistake(&pointer, error.to_string(), "write a Kubernetes quantity")
            };
            usage.amounts().map_err(mistake)?;
        }
        actions.push(ScenarioAction::Status(books));
    }
    Ok(actions)
}

#[cfg(test)]
mod tests {

    use super::*;
    use lictor_host::cluster::load;

    const GOOD: &str = "\
apiVersion: lictor.dev/v1alpha1
kind: Scenario
metadata:
  name: it
spec:
  policy:
    laws: kubernetes
  cluster: []
  steps:
    - schedule: default/p
      expect: {result: Scheduled, nominated: {default/p: [n1, n2]}}
    - advance: 1m30s
";

    /// The expectations of the first step.
    const EXPECTED: &str = "{result: Scheduled, nominated: {default/p: [n1, n2]}}";

    fn text(text: &str) -> Result<Scenario, InputError> {
        read(load::read("it.yaml", text).unwrap().pop().unwrap())
    }

    /// Returns the mistake in the text where one part of it is replaced.
    fn mistake(what: &str, with: &str) -> String {
        assert!(GOOD.contains(what));
        text(&GOOD.replacen(what, with, 1)).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn reads_what_is_written() {
        let scenario = text(GOOD).unwrap();
        assert_eq!((scenario.name.as_str(), scenario.system.as_str()), ("it", "kubernetes"));
        let titles: Vec<(String, u32)> = scenario.steps.iter().map(|step| (step.action.title(), step.line)).collect();
        assert_eq!(titles, [("schedule default/p".to_owned(), 10), ("advance 90s".to_owned(), 12)]);
    }

    #[test]
    fn the_former_words_for_laws_that_deny_and_allow_still_work() {
        for [denies, allows] in [["denies", "allows"], ["bites", "spares"]] {
            let laws = format!("  name: it\n  {denies}: [a/1]\n  {allows}: [a/2, a/3]\n");
            let scenario = text(&GOOD.replacen("  name: it\n", &laws, 1)).unwrap();
            assert_eq!((scenario.denies, scenario.allows), (vec!["a/1".into()], vec!["a/2".into(), "a/3".into()]));
        }
    }

    #[test]
    fn every_mistake_is_told_with_its_line() {
        for (what, with, line, part) in [
            ("lictor.dev/v1alpha1", "v1", 1, "`v1` is no version of a scenario"),
            ("kind: Scenario", "kind: Pod", 2, "`Pod` is not `Scenario`"),
            ("  name: it", "  name: 7", 4, "expected a string"),
            ("  cluster: []\n", "", 5, "missing field `cluster`"),
            ("  name: it", "  name: it\n  denies: []\n  bites: []", 6, "`bites` is the former word for `denies`"),
            ("  name: it", "  name: it\n  spares: []\n  allows: []", 5, "`spares` is the former word for `allows`"),
            ("    laws: kubernetes", "    law: kubernetes", 7, "unknown field `law`"),
            ("- schedule: default/p", "- scheduled: default/p", 10, "unknown field `scheduled`"),
            ("- schedule: default/p", "- schedule: default/p\n      cycle: 1", 10, "several things at once"),
            ("- schedule: default/p", "- cycle: 1", 11, "`result` can only be expected of `schedule`"),
            ("- schedule: default/p", "- cycle: 0", 10, "0 cycles"),
            ("{result: Scheduled", "{result: Bound", 11, "unknown variant `Bound`"),
            ("{result: Scheduled", "{results: Scheduled", 11, "unknown field `results`"),
            (EXPECTED, "\n        node: n\n        else: 1", 13, "unknown field `else`"),
            (EXPECTED, "\n        bound:\n          p: 7", 13, "expected a name, or a list of names"),
            ("advance: 1m30s", "advance: 90", 12, "expected a string"),
            ("advance: 1m30s", "advance: 1d", 12, "`1d` is not a length of time"),
            ("advance: 1m30s", "evictionsComplete: false", 12, "evictions that do not complete"),
            ("advance: 1m30s", "expect: {}", 12, "the step does nothing"),
            ("advance: 1m30s", "status: {quota/a: {used: {cpu: much}}}", 12, "`much` is not a quantity"),
            ("advance: 1m30s", "status: {quota/a: {use: {}}}", 12, "unknown field `use`"),
        ] {
            let said = mistake(what, with);
            assert!(said.starts_with(&format!("it.yaml:{line}: ")), "{with}: {said}");
            assert!(said.contains(part), "{with}: {said}");
        }
    }
}
