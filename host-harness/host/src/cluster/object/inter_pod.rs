//! Reads what a pod demands of other pods: required pod affinity and anti-affinity, and topology spread constraints that forbid.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::{PodAffinityTerm, PodSpec, TopologySpreadConstraint};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::labels::selector;
use super::subject::ObjectContext;
use crate::cluster::InputError;
use crate::cluster::eligibility::{Constraints, LabelRequirement, LabelTest};
use crate::cluster::inter_pod::{CountedNodes, PodDemands, PodSet, PodTerm, TopologySpreadRule};

/// The pod whose demands are read.
pub(super) struct DemandingPod<'a> {
    pub(super) namespace: &'a str,
    pub(super) labels: &'a BTreeMap<String, String>,
    /// The demands of the pod on its node.
    pub(super) constraints: &'a Constraints,
}

/// The sense of a term: a matching pod permits the node (affinity) or forbids it (anti-affinity).
#[derive(Clone, Copy, PartialEq, Eq)]
enum AffinitySign {
    Permits,
    Forbids,
}

/// Reads the demands of a pod. `None`: the pod has no demands. `pointer` is the JSON pointer of its `spec`.
pub(super) fn read(
    spec: &PodSpec,
    author: &DemandingPod<'_>,
    pointer: &str,
    subject: &ObjectContext<'_>,
) -> Result<Option<PodDemands>, InputError> {
    const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
    let affinity = spec.affinity.as_ref();
    let near = affinity.and_then(|affinity| affinity.pod_affinity.as_ref());
    let near = near.and_then(|near| near.required_during_scheduling_ignored_during_execution.as_deref());
    let far = affinity.and_then(|affinity| affinity.pod_anti_affinity.as_ref());
    let far = far.and_then(|far| far.required_during_scheduling_ignored_during_execution.as_deref());
    let terms = |written: Option<&[PodAffinityTerm]>, kind: &str, sense: AffinitySign| {
        let at = |index| format!("{pointer}/affinity/{kind}/{REQUIRED}/{index}");
        let written = written.into_iter().flatten().enumerate();
        written.map(|(index, one)| term(one, author, sense, &at(index), subject)).collect::<Result<_, _>>()
    };
    let demands = PodDemands {
        affinity: terms(near, "podAffinity", AffinitySign::Permits)?,
        anti_affinity: terms(far, "podAntiAffinity", AffinitySign::Forbids)?,
        spread: spreads(spec, author, pointer, subject)?,
    };
    Ok((demands != PodDemands::default()).then_some(demands))
}

fn term(
    written: &PodAffinityTerm,
    author: &DemandingPod<'_>,
    sense: AffinitySign,
    pointer: &str,
    subject: &ObjectContext<'_>,
) -> Result<PodTerm, InputError> {
    let mut labels = labels(written.label_selector.as_ref(), pointer, subject)?;
    if let Some(labels) = &mut labels {
        labels.extend(label_key_requirements(written.match_label_keys.as_deref(), author, LabelTest::In));
        labels.extend(label_key_requirements(written.mismatch_label_keys.as_deref(), author, LabelTest::NotIn));
    }
    let at = format!("{pointer}/namespaceSelector");
    let namespace_labels = written.namespace_selector.as_ref();
    let namespace_labels = namespace_labels.map(|written| selector(written, &at, subject)).transpose()?;
    let mut namespaces: BTreeSet<String> = written.namespaces.iter().flatten().cloned().collect();
    if namespaces.is_empty() && namespace_labels.is_none() {
        namespaces.insert(author.namespace.to_owned());
    }
    let mut pods = PodSet { namespaces, namespace_labels, labels, includes_unknown: false };
    pods.includes_unknown = sense == AffinitySign::Forbids && pods.reads_namespace_labels();
    Ok(PodTerm { pods, topology: topology(&written.topology_key, pointer, subject)? })
}

fn spreads(
    spec: &PodSpec,
    author: &DemandingPod<'_>,
    pointer: &str,
    subject: &ObjectContext<'_>,
) -> Result<Vec<TopologySpreadRule>, InputError> {
    let mut spreads = Vec::new();
    for (index, written) in spec.topology_spread_constraints.iter().flatten().enumerate() {
        let at = format!("{pointer}/topologySpreadConstraints/{index}");
        let is_hard = one_word(
            &written.when_unsatisfiable,
            ["DoNotSchedule", "ScheduleAnyway"],
            &at,
            "whenUnsatisfiable",
            subject,
        )?;
        if is_hard {
            spreads.push(spread(written, author, &at, subject)?);
        }
    }
    let keys: BTreeSet<String> = spreads.iter().map(|spread| spread.topology.clone()).collect();
    spreads.iter_mut().for_each(|spread| spread.nodes.keys.clone_from(&keys));
    Ok(spreads)
}

fn spread(
    written: &TopologySpreadConstraint,
    author: &DemandingPod<'_>,
    pointer: &str,
    subject: &ObjectContext<'_>,
) -> Result<TopologySpreadRule, InputError> {
    let mut labels = labels(written.label_selector.as_ref(), pointer, subject)?;
    if let Some(labels) = &mut labels {
        labels.extend(label_key_requirements(written.match_label_keys.as_deref(), author, LabelTest::In));
    }
    let policy = |word: &Option<String>, known, field| {
        one_word(word.as_deref().unwrap_or_default(), known, pointer, field, subject)
    };
    let honors_affinity = policy(&written.node_affinity_policy, ["Honor", "Ignore"], "nodeAffinityPolicy")?;
    let honors_taints = !policy(&written.node_taints_policy, ["Ignore", "Honor"], "nodeTaintsPolicy")?;
    let Constraints { selector, affinity, tolerations, .. } = author.constraints.clone();
    let node = if honors_affinity {
        Constraints { selector, affinity, ..Constraints::default() }
    } else {
        Constraints::default()
    };
    let constraints = if honors_taints { Constraints { tolerations, ..node } } else { node };
    let namespaces = BTreeSet::from([author.namespace.to_owned()]);
    Ok(TopologySpreadRule {
        // Upstream counts no pod for an empty selector (`countPodsMatchSelector`), so that the skew is never too large.
        pods: PodSet { namespaces, labels: labels.filter(|labels| !labels.is_empty()), ..PodSet::default() },
        topology: topology(&written.topology_key, pointer, subject)?,
        max_skew: positive(written.max_skew, "maxSkew", pointer, subject)?,
        min_domains: positive(written.min_domains.unwrap_or(1), "minDomains", pointer, subject)?,
        nodes: CountedNodes { keys: BTreeSet::new(), constraints, honors_taints },
    })
}

/// Reads the label selector of a term. `None`: the term has no selector, which selects no pod.
fn labels(
    written: Option<&LabelSelector>,
    pointer: &str,
    subject: &ObjectContext<'_>,
) -> Result<Option<BTreeSet<LabelRequirement>>, InputError> {
    let at = format!("{pointer}/labelSelector");
    written.map(|written| selector(written, &at, subject)).transpose()
}

/// Returns the requirements that `matchLabelKeys` or `mismatchLabelKeys` add to a selector. A key that the pod does not have adds nothing. In a
/// stored pod the API server has merged them into the selector already, so they change nothing.
fn label_key_requirements<'a>(
    keys: Option<&'a [String]>,
    author: &'a DemandingPod<'_>,
    test: fn(BTreeSet<String>) -> LabelTest,
) -> impl Iterator<Item = LabelRequirement> + 'a {
    let of = move |key: &'a String| {
        let value = author.labels.get(key)?.clone();
        Some(LabelRequirement { key: key.clone(), test: test(BTreeSet::from([value])) })
    };
    keys.into_iter().flatten().filter_map(of)
}

fn topology(key: &str, pointer: &str, subject: &ObjectContext<'_>) -> Result<String, InputError> {
    match key {
        "" => {
            Err(subject.mistake(&format!("{pointer}/topologyKey"), "is missing", "write the key of a label of nodes"))
        }
        key => Ok(key.to_owned()),
    }
}

fn positive(number: i32, field: &str, pointer: &str, subject: &ObjectContext<'_>) -> Result<u32, InputError> {
    u32::try_from(number).ok().filter(|number| *number > 0).ok_or_else(|| {
        let what = format_args!("{number} is less than 1").to_string();
        subject.mistake(&format!("{pointer}/{field}"), what, "write a whole number from 1 on")
    })
}

/// Returns whether a word is the first of the two known words. An empty word counts as the first.
///
/// # Errors
/// The word is another one.
fn one_word(
    word: &str,
    known: [&str; 2],
    pointer: &str,
    field: &str,
    subject: &ObjectContext<'_>,
) -> Result<bool, InputError> {
    let [first, second] = known;
    match word {
        "" => Ok(true),
        word if word == first => Ok(true),
        word if word == second => Ok(false),
        other => {
            let what = format_args!("`{other}` is not a value of it").to_string();
            Err(subject.mistake(&format!("{pointer}/{field}"), what, &format!("write {first} or {second}")))
        }
    }
}
