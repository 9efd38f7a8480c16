//! What can be expected of a step. Only what is named is checked.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::actual::{StepEffects, StepOutcome};
use super::failure::ExpectationFailure;
use lictor_host::session::AttemptResult;

/// One name, or several alternatives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum OneOrMany {
    /// This name.
    One(String),
    /// Any of these names.
    Many(BTreeSet<String>),
}

/// Written by hand, because a derived reader of untagged types names neither the expected type nor the place of a mistake.
impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<OneOrMany, D::Error> {
        struct NamesVisitor;
        impl<'de> Visitor<'de> for NamesVisitor {
            type Value = OneOrMany;
            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("a name, or a list of names")
            }
            fn visit_str<E>(self, name: &str) -> Result<OneOrMany, E> {
                Ok(OneOrMany::One(name.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, names: A) -> Result<OneOrMany, A::Error> {
                Deserialize::deserialize(SeqAccessDeserializer::new(names)).map(OneOrMany::Many)
            }
        }
        from.deserialize_any(NamesVisitor)
    }
}

impl OneOrMany {
    /// Returns whether the name is allowed.
    fn allows(&self, name: &str) -> bool {
        match self {
            OneOrMany::One(one) => one == name,
            OneOrMany::Many(many) => many.contains(name),
        }
    }
}

/// A kind of eviction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum EvictionExpectation {
    /// The victim is labelled, and another controller deletes it.
    Soft,
    /// The victim is deleted.
    Delete,
}

/// The expectations of a step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Expect {
    /// The result of the attempt.
    pub result: Option<AttemptResult>,
    /// The node of the pod.
    pub node: Option<String>,
    /// The alternatives for the node of the pod.
    pub node_in: Option<BTreeSet<String>>,
    /// The pods that were bound, each with its node or alternatives. No other pod was bound.
    pub bound: Option<BTreeMap<String, OneOrMany>>,
    /// Some of the pods that were bound, each with its node or alternatives.
    pub bound_includes: Option<BTreeMap<String, OneOrMany>>,
    /// The number of bound pods.
    pub bound_count: Option<usize>,
    /// The pods that were nominated, each with its node or alternatives. No other pod was nominated.
    pub nominated: Option<BTreeMap<String, OneOrMany>>,
    /// The pods that were evicted. No other pod was evicted.
    pub victims: Option<BTreeSet<String>>,
    /// The alternatives for the set of evicted pods.
    pub victims_one_of: Option<Vec<BTreeSet<String>>>,
    /// The number of evicted pods.
    pub victim_count: Option<usize>,
    /// Pods that were not evicted.
    pub not_victims: Option<BTreeSet<String>>,
    /// The kind of eviction of all bound victims.
    pub eviction: Option<EvictionExpectation>,
    /// The pods that are held at permit at the end. No other pod is held.
    pub waiting: Option<BTreeSet<String>>,
    /// A part of the status message. Case does not matter.
    pub reason_contains: Option<String>,
}

impl Expect {
    /// Returns the key of the first expectation that only an attempt for one pod can meet. `None`: there is no such expectation.
    pub(super) fn of_one_pod(&self) -> Option<&'static str> {
        let named = [
            ("result", self.result.is_some()),
            ("node", self.node.is_some()),
            ("nodeIn", self.node_in.is_some()),
            ("reasonContains", self.reason_contains.is_some()),
        ];
        named.into_iter().find_map(|(key, named)| named.then_some(key))
    }

    /// Returns the expectations that do not hold.
    pub(super) fn check(&self, actual: &StepOutcome) -> Vec<ExpectationFailure> {
        let mut check = ExpectationChecks::default();
        self.check_attempt(actual, &mut check);
        self.check_bound(actual, &mut check);
        self.check_victims(actual, &mut check);
        check.that("waiting", &self.waiting, &actual.waiting, |waiting| *waiting == actual.waiting);
        check.failures
    }

    /// Checks the result, node and message of the attempt.
    fn check_attempt(&self, actual: &StepOutcome, check: &mut ExpectationChecks) {
        check.that("result", &self.result, actual.result, |result| Some(*result) == actual.result);
        check.that("node", &self.node, &actual.node, |node| Some(node) == actual.node.as_ref());
        check.that("nodeIn", &self.node_in, &actual.node, |nodes| {
            actual.node.as_ref().is_some_and(|node| nodes.contains(node))
        });
        check.that("reasonContains", &self.reason_contains, &actual.reason, |part| {
            let reason = actual.reason.as_deref().unwrap_or_default();
            reason.to_lowercase().contains(&part.to_lowercase())
        });
    }

    /// Checks the bound and nominated pods.
    fn check_bound(&self, actual: &StepOutcome, check: &mut ExpectationChecks) {
        let all = |expected: &BTreeMap<String, OneOrMany>, placed: &BTreeMap<String, String>| {
            expected.iter().all(|(pod, nodes)| placed.get(pod).is_some_and(|node| nodes.allows(node)))
        };
        let exactly = |expected: &BTreeMap<String, OneOrMany>, placed: &BTreeMap<String, String>| {
            expected.len() == placed.len() && all(expected, placed)
        };
        let StepEffects { bound, nominated, .. } = &actual.effects;
        check.that("bound", &self.bound, bound, |pods| exactly(pods, bound));
        check.that("boundIncludes", &self.bound_includes, bound, |pods| all(pods, bound));
        check.that("boundCount", &self.bound_count, bound.len(), |count| *count == bound.len());
        check.that("nominated", &self.nominated, nominated, |pods| exactly(pods, nominated));
    }

    /// Checks the evicted pods, and the kind of eviction.
    fn check_victims(&self, actual: &StepOutcome, check: &mut ExpectationChecks) {
        let StepEffects { victims, eviction, .. } = &actual.effects;
        check.that("victims", &self.victims, victims, |pods| pods == victims);
        check.that("victimsOneOf", &self.victims_one_of, victims, |sets| sets.contains(victims));
        check.that("victimCount", &self.victim_count, victims.len(), |count| *count == victims.len());
        check.that("notVictims", &self.not_victims, victims, |spared| spared.is_disjoint(victims));
        check.that("eviction", &self.eviction, eviction, |word| {
            eviction.as_ref().is_some_and(|eviction| *eviction == format!("{word:?}"))
        });
    }
}

/// The failures so far.
#[derive(Default)]
struct ExpectationChecks {
    failures: Vec<ExpectationFailure>,
}

impl ExpectationChecks {
    /// Adds a failure where an expectation exists and does not hold.
    fn that<T: Serialize>(
        &mut self,
        key: &'static str,
        expected: &Option<T>,
        actual: impl Serialize,
        holds: impl FnOnce(&T) -> bool,
    ) {
        if let Some(expected) = expected
            && !holds(expected)
        {
            self.failures.push(ExpectationFailure::new(key, expected, actual));
        }
    }
}

#[cfg(test)]
mod tests {

    use serde_json::{Value, json};

    use super::*;

    /// Returns the outcome that the examples below are checked against.
    fn actual() -> StepOutcome {
        let map = |value: Value| serde_json::from_value(value).unwrap();
        StepOutcome {
            result: Some(AttemptResult::Nominated),
            node: Some("n1".to_owned()),
            effects: StepEffects {
                bound: map(json!({"default/a": "n1", "default/b": "n2"})),
                nominated: map(json!({"default/p": "n1"})),
                victims: BTreeSet::from(["default/v".to_owned(), "default/w".to_owned()]),
                eviction: Some("Soft".to_owned()),
                ..StepEffects::default()
            },
            waiting: BTreeSet::from(["default/c".to_owned()]),
            reason: Some("0/2 nodes are available; preemption: Quota team-a is full".to_owned()),
            ..StepOutcome::default()
        }
    }

    /// Returns the keys of the failures of an expectation.
    fn failing(expect: Value) -> Vec<String> {
        let expect: Expect = serde_json::from_value(expect).unwrap();
        expect.check(&actual()).into_iter().map(|failure| failure.key).collect()
    }

    #[test]
    fn every_key_holds_where_it_should_and_fails_where_it_should() {
        for (key, holds, fails) in [
            ("result", json!("Nominated"), json!("Scheduled")),
            ("node", json!("n1"), json!("n2")),
            ("nodeIn", json!(["n2", "n1"]), json!(["n2"])),
            ("bound", json!({"default/a": "n1", "default/b": "n2"}), json!({"default/a": "n1"})),
            (
                "bound",
                json!({"default/a": ["n1", "n3"], "default/b": "n2"}),
                json!({"default/a": "n1", "default/b": ["n3"]}),
            ),
            ("boundIncludes", json!({"default/a": "n1"}), json!({"default/a": "n2"})),
            ("boundIncludes", json!({"default/b": ["n1", "n2"]}), json!({"default/b": ["n1"]})),
            ("boundCount", json!(2), json!(1)),
            ("nominated", json!({"default/p": "n1"}), json!({"default/p": "n2"})),
            ("nominated", json!({"default/p": ["n1", "n2"]}), json!({"default/p": ["n2"]})),
            ("victims", json!(["default/w", "default/v"]), json!(["default/v"])),
            ("victimsOneOf", json!([["default/x"], ["default/v", "default/w"]]), json!([["default/v"], []])),
            ("victimCount", json!(2), json!(0)),
            ("notVictims", json!(["default/x"]), json!(["default/x", "default/v"])),
            ("eviction", json!("Soft"), json!("Delete")),
            ("waiting", json!(["default/c"]), json!([])),
            ("reasonContains", json!("quota TEAM-A"), json!("team-b")),
        ] {
            assert_eq!(failing(json!({ key: holds })), Vec::<String>::new(), "{key}");
            assert_eq!(failing(json!({ key: fails })), [key], "{key}");
        }
    }

    #[test]
    fn a_map_or_set_is_exact_in_both_directions() {
        assert_eq!(failing(json!({"nominated": {}})), ["nominated"]);
        assert_eq!(failing(json!({"nominated": {"default/p": "n1", "default/q": "n1"}})), ["nominated"]);
        assert_eq!(failing(json!({"bound": {"default/a": "n1", "default/b": "n2", "default/c": "n1"}})), ["bound"]);
        assert_eq!(failing(json!({"victims": ["default/v", "default/w", "default/x"]})), ["victims"]);
    }

    #[test]
    fn what_is_not_named_is_not_checked() {
        assert_eq!(failing(json!({})), Vec::<String>::new());
    }

    #[test]
    fn where_nothing_happened_only_empty_expectations_hold() {
        let nothing = StepOutcome::default();
        let holds: Expect = serde_json::from_value(json!({"bound": {}, "victims": [], "waiting": []})).unwrap();
        assert_eq!(holds.check(&nothing), []);
        for fails in [json!({"eviction": "Soft"}), json!({"node": "n1"}), json!({"result": "Waiting"})] {
            let fails: Expect = serde_json::from_value(fails).unwrap();
            assert_eq!(fails.check(&nothing).len(), 1);
        }
    }

    #[test]
    fn an_unknown_key_is_no_expectation() {
        let error = serde_json::from_value::<Expect>(json!({"victim": []})).unwrap_err();
        assert!(error.to_string().starts_with("unknown field `victim`"), "{error}");
    }
}
