//! What quotas use, counted by upstream: it is asked about the cluster with further pods on a node.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::answer::{Amounts, NamespaceQuota};
use super::groups::{group, namespace};
use super::play::UpstreamSimulation;
use super::view::{CoschedulingSituation, priority};
use crate::object::{is_nominated, is_terminating, name, pods, text};
use crate::question::JudgeRequest;
use crate::trial::{JudgeClient, TrialError};

/// Where a pod has the node that it is promised.
const NOMINATED: &str = "/status/nominatedNodeName";

/// The name of the node, the pod and the quota that stand for what is promised.
const PROMISED: &str = "promised";

/// Returns the quotas by namespace, with these pods on a node.
fn with(
    question: &JudgeRequest,
    bound: &[String],
    ask: &mut JudgeClient<'_>,
) -> Result<BTreeMap<String, NamespaceQuota>, TrialError> {
    let mut play = UpstreamSimulation::from(question.clone());
    play.bind(bound);
    Ok(play.decide(&question.pod, ask)?.quotas)
}

/// Returns whether amounts are more than a bound, in which an absent resource is 0.
fn exceeds(amounts: &Amounts, bound: &Amounts) -> bool {
    amounts.iter().any(|(resource, amount)| *amount > bound.get(resource).copied().unwrap_or(0))
}

/// Returns one amount with the other, by resource.
fn each(one: &Amounts, other: &Amounts, sum: fn(i64, i64) -> i64) -> Amounts {
    let amount = |of: &Amounts, resource: &String| of.get(resource).copied().unwrap_or(0);
    let resources = one.keys().chain(other.keys());
    resources.map(|resource| (resource.clone(), sum(amount(one, resource), amount(other, resource)))).collect()
}

/// Returns what all quotas use together.
pub(super) fn all(quotas: &BTreeMap<String, NamespaceQuota>) -> Amounts {
    quotas.values().fold(Amounts::new(), |sum, quota| each(&sum, &quota.used, i64::saturating_add))
}

/// Returns what one count of the quotas has more than another.
fn more(after: &BTreeMap<String, NamespaceQuota>, before: &BTreeMap<String, NamespaceQuota>) -> Amounts {
    each(&all(after), &all(before), i64::saturating_sub)
}

/// Returns the nominated pods that wait for their node.
fn promised(question: &JudgeRequest) -> impl Iterator<Item = &Value> {
    let waits = |pod: &&Value| is_nominated(pod) && !is_terminating(pod) && !question.waiting.contains_key(&name(pod));
    pods(&question.objects).filter(waits).filter(|pod| name(pod) != question.pod)
}

/// Returns whether the quota of some pods stays within its min with them, and with the nominated pods that come before them.
pub(super) fn stays_within_min(
    question: &JudgeRequest,
    asking: &[&Value],
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let Some(first) = asking.first() else { return Ok(true) };
    let least = asking.iter().map(|pod| priority(pod)).min().unwrap_or(0);
    let own = namespace(first);
    let before = promised(question).filter(|other| namespace(other) == own && priority(other) >= least);
    let mut bound: Vec<String> = asking.iter().map(|pod| name(pod)).chain(before.map(name)).collect();
    bound.sort();
    bound.dedup();
    let quotas = with(question, &bound, ask)?;
    Ok(quotas.get(own).is_some_and(|quota| !exceeds(&quota.used, &quota.min)))
}

/// Returns the pod, and as many others of its group as the group lacks: nominated ones first, then the more important, then the older.
pub(super) fn lacking<'s>(it: &CoschedulingSituation<'s>) -> Vec<&'s Value> {
    let Some(named) = group(it.pod) else { return vec![it.pod] };
    let mut others: Vec<&Value> = it.pending(&named).filter(|other| name(other) != it.question.pod).collect();
    let never = |pod: &Value| text(pod, "/spec/preemptionPolicy") == "Never";
    others.sort_by_key(|pod| {
        (
            !is_nominated(pod),
            never(pod),
            Reverse(priority(pod)),
            text(pod, "/metadata/creationTimestamp").to_owned(),
            name(pod),
        )
    });
    std::iter::once(it.pod).chain(others).take(it.lacks(&named).max(1)).collect()
}

/// Returns whether the promise to a nominated pod holds against the pod, however important it is: the two are of one group and not promised the same
/// node, or of different quotas, or the nominated pod and the rest of its group are within the min, and the pod with its group is not.
pub(super) fn is_firm(
    it: &CoschedulingSituation<'_>,
    nominated: &Value,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let own = group(it.pod);
    if own.is_some() && group(nominated) == own {
        return Ok(text(it.pod, NOMINATED) != text(nominated, NOMINATED));
    }
    let quota = |pod: &Value| it.answer.quotas.contains_key(namespace(pod)).then(|| namespace(pod).to_owned());
    if quota(nominated) != quota(it.pod) {
        return Ok(true);
    }
    if quota(it.pod).is_none() {
        return Ok(false);
    }
    let named = group(nominated);
    let together: Vec<&Value> = promised(it.question)
        .filter(|pod| name(pod) == name(nominated) || named.is_some() && group(pod) == named)
        .collect();
    let mut before = UpstreamSimulation::of(it);
    before.release(|pod| own.is_some() && group(pod) == own);
    Ok(stays_within_min(before.question(), &together, ask)? && !stays_within_min(it.question, &lacking(it), ask)?)
}

/// Returns whether a pod might be evicted for some pods of one quota: of their quota one of lower priority, or, within the min, of another quota
/// that is over its own; without a quota one of lower priority without one.
pub(super) fn might_evict(
    it: &CoschedulingSituation<'_>,
    asking: &[&Value],
    other: &Value,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let quotas = &it.answer.quotas;
    let is_lower = asking.iter().all(|pod| priority(other) < priority(pod));
    let (own, theirs) = (quotas.get(namespace(it.pod)), quotas.get(namespace(other)));
    match (own, theirs) {
        (None, None) => Ok(is_lower),
        (Some(_), Some(theirs)) => {
            let is_own = namespace(it.pod) == namespace(other);
            let borrows = !stays_within_min(it.question, asking, ask)?;
            Ok(if borrows { is_own && is_lower } else { !is_own && exceeds(&theirs.used, &theirs.min) })
        }
        _ => Ok(false),
    }
}

/// The amounts that are promised and leaving, where a pod of a quota is tried.
struct NominatedAmounts {
    /// To pods of the same quota that come before the pod.
    own: Amounts,
    /// And to pods of other quotas within their min.
    counted: Amounts,
    /// And, if the pod borrows, to pods of all other quotas.
    all: Amounts,
    /// What pods of the same quota hold that are leaving.
    own_leaving: Amounts,
    /// And pods of all quotas.
    leaving: Amounts,
}

impl NominatedAmounts {
    /// Counts them.
    fn of(it: &CoschedulingSituation<'_>, ask: &mut JudgeClient<'_>) -> Result<NominatedAmounts, TrialError> {
        let question = it.question;
        let own = namespace(it.pod);
        let base = with(question, &[], ask)?;
        let borrows = !stays_within_min(question, &[it.pod], ask)?;
        let is_over = |pod: &Value| base.get(namespace(pod)).is_some_and(|quota| exceeds(&quota.used, &quota.min));
        let comes_before = |pod: &&Value| namespace(pod) == own && priority(pod) >= priority(it.pod);
        let names = |counts: &dyn Fn(&&Value) -> bool| promised(question).filter(counts).map(name).collect::<Vec<_>>();
        let own_names = names(&comes_before);
        let counted = names(&|pod| comes_before(pod) || namespace(pod) != own && !is_over(pod));
        let all_names = names(&|pod| comes_before(pod) || namespace(pod) != own && (borrows || !is_over(pod)));
        let mut left = UpstreamSimulation::of(it);
        left.end_evictions();
        let left = with(left.question(), &[], ask)?;
        let used = |quotas: &BTreeMap<String, NamespaceQuota>| {
            quotas.get(own).map(|quota| quota.used.clone()).unwrap_or_default()
        };
        Ok(NominatedAmounts {
            own: more(&with(question, &own_names, ask)?, &base),
            counted: more(&with(question, &counted, ask)?, &base),
            all: more(&with(question, &all_names, ask)?, &base),
            own_leaving: each(&used(&base), &used(&left), i64::saturating_sub),
            leaving: more(&base, &left),
        })
    }
}

/// Returns the cluster in which all quotas use what is promised to pods of quotas over their min, where the pod would borrow.
pub(super) fn with_all_promises(
    it: &CoschedulingSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<Option<JudgeRequest>, TrialError> {
    if !it.answer.quotas.contains_key(namespace(it.pod)) || promised(it.question).next().is_none() {
        return Ok(None);
    }
    let promises = NominatedAmounts::of(it, ask)?;
    let more = each(&promises.all, &promises.counted, i64::saturating_sub);
    if more.values().all(|amount| *amount <= 0) {
        return Ok(None);
    }
    let mut question = it.question.clone();
    let requests = written(&more);
    let mut allocatable = requests.clone();
    allocatable.insert("pods".to_owned(), "1".to_owned());
    question.objects.extend([
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": PROMISED}, "spec": {"unschedulable": true},
            "status": {"allocatable": allocatable}}),
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": PROMISED, "namespace": PROMISED},
            "spec": {"nodeName": PROMISED, "containers": [{"name": "c", "resources": {"requests": requests}}]}}),
        json!({"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "ElasticQuota",
            "metadata": {"name": PROMISED, "namespace": PROMISED}, "spec": {"min": {}}}),
    ]);
    Ok(Some(question))
}

/// Returns the cluster without what `with_all_promises` adds; none where it adds nothing.
pub(super) fn without_all_promises(question: &JudgeRequest) -> Option<JudgeRequest> {
    let is_added = |object: &Value| text(object, "/metadata/name") == PROMISED;
    let mut question = question.clone();
    let before = question.objects.len();
    question.objects.retain(|object| !is_added(object));
    (question.objects.len() < before).then_some(question)
}

/// Returns the cluster in which the bounds are higher by what is promised, as far as pods are leaving for it.
pub(super) fn counting_once(
    it: &CoschedulingSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<Option<JudgeRequest>, TrialError> {
    let own = namespace(it.pod);
    let is_leaving = pods(&it.question.objects).any(is_terminating);
    if !is_leaving || !it.policy.places() || !it.answer.quotas.contains_key(own) {
        return Ok(None);
    }
    let promises = NominatedAmounts::of(it, ask)?;
    let overlap = each(&promises.all, &promises.leaving, i64::min);
    let own_overlap = each(&promises.own, &promises.own_leaving, i64::min);
    let mut question = it.question.clone();
    let max = it.answer.quotas.get(own).map(|quota| quota.max.clone()).unwrap_or_default();
    for quota in question.objects.iter_mut().filter(|object| text(object, "/kind") == "ElasticQuota") {
        let Some(bounds) = quota.pointer("/spec/max").filter(|_| namespace(quota) == own) else { continue };
        let named: Vec<String> =
            bounds.as_object().into_iter().flatten().map(|(resource, _)| resource.clone()).collect();
        let mut raised = each(&max, &own_overlap, i64::saturating_add);
        raised.retain(|resource, _| named.contains(resource));
        if let Some(spec) = quota.pointer_mut("/spec").and_then(Value::as_object_mut) {
            spec.insert("max".to_owned(), json!(written(&raised)));
        }
    }
    question.objects.push(json!({"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "ElasticQuota",
        "metadata": {"name": "leaving", "namespace": "leaving"}, "spec": {"min": written(&overlap)}}));
    Ok(Some(question))
}

/// Writes amounts as quantities.
fn written(amounts: &Amounts) -> BTreeMap<String, String> {
    let positive = amounts.iter().filter(|(resource, amount)| **amount > 0 && *resource != "pods");
    positive
        .map(|(resource, amount)| {
            let unit = if resource == "cpu" { "m" } else { "" };
            (resource.clone(), format!("{amount}{unit}"))
        })
        .collect()
}
