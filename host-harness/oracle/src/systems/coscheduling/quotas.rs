//! ElasticQuotas of scheduler-plugins (pkg/capacityscheduling): each bounds the pods of its namespace.

mod victims;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::harm::{self, counting};
use super::plan::{is_in_flight, preempts_none, waits_for_preempted};
use super::queue::might_be_claimed;
use crate::ReadError;
use crate::amounts::Amounts;
use crate::outcome::{Ended, Outcome};
use crate::systems::kubernetes::{self, Eligible, SameGroup};
use crate::tally::Verdict;
use crate::world::{Node, Pod, World, at, text};

/// A quota.
struct Quota {
    min: Amounts,
    max: Option<Amounts>,
}

/// The quotas of all namespaces.
pub(super) struct Quotas(BTreeMap<String, Quota>);

/// The reason why no plan may be right.
pub(super) const CLAIMED: &str = "it would borrow, and a pod of another quota might evict it at once";

/// Computes the amounts that the pods of a namespace hold.
pub(super) fn used(world: &World, namespace: &str) -> Amounts {
    sum_of(world, |pod| pod.namespace == namespace && pod.place().is_some())
}

/// Computes the amounts of the pods that `counts` selects.
fn sum_of(world: &World, counts: impl Fn(&Pod) -> bool) -> Amounts {
    Amounts::sum(world.pods.values().filter(|pod| counts(pod)).map(request))
}

/// Returns the amounts with which a pod counts against its quota.
pub(super) fn request(pod: &Pod) -> &Amounts {
    &pod.request
}

/// Returns whether an amount is more than a bound. A resource that the bound does not name is bounded by 0; `pods` are not bounded.
pub(super) fn exceeds(amounts: &Amounts, bound: &Amounts) -> bool {
    amounts.0.iter().any(|(resource, amount)| resource != "pods" && *amount > bound.get(resource))
}

/// Adds two amounts.
pub(super) fn with(one: &Amounts, other: &Amounts) -> Amounts {
    Amounts::sum([one, other])
}

impl Quotas {
    /// Reads the quotas; none where there are none.
    pub(super) fn of(world: &World) -> Result<Option<Quotas>, ReadError> {
        let mut quotas = BTreeMap::new();
        for object in world.all("ElasticQuota") {
            let read = |path| at(object, path).map(|list| Amounts::read(Some(list))).transpose();
            let quota = Quota { min: read("/spec/min")?.unwrap_or_default(), max: read("/spec/max")? };
            quotas.insert(text(object, "/metadata/namespace").to_owned(), quota);
        }
        Ok((!quotas.is_empty()).then_some(Quotas(quotas)))
    }

    /// Returns whether a quota uses more than its min after `without`, held by some of its pods, is subtracted.
    fn is_over(&self, world: &World, namespace: &str, without: &Amounts) -> bool {
        let mut left = used(world, namespace);
        left.take(without);
        self.0.get(namespace).is_some_and(|quota| exceeds(&left, &quota.min))
    }

    /// Computes the requests of the nominated pods of the same quota that come before a pod. Pods that `besides` selects do not count.
    pub(super) fn nominated(&self, world: &World, pod: &Pod, besides: &dyn Fn(&Pod) -> bool) -> Amounts {
        let before = |other: &Pod| {
            other.pending()
                && other.nominated.is_some()
                && other.namespace == pod.namespace
                && other.name != pod.name
                && other.priority >= pod.priority
                && !besides(other)
        };
        sum_of(world, before)
    }

    /// Sums up what nominated pods of other quotas request: of those within their min when some pods and those that leave are gone, and of all
    /// where the pod borrows, which takes nothing from a quota that was promised it before.
    fn nominated_elsewhere(&self, world: &World, pod: &Pod, borrows: bool, gone: &BTreeSet<&str>) -> Amounts {
        let goes = |pod: &Pod| pod.place().is_some() && (pod.leaving || gone.contains(pod.name.as_str()));
        let leaves = |namespace: &str| sum_of(world, |pod| pod.namespace == namespace && goes(pod));
        let counts = |other: &Pod| {
            other.pending()
                && other.nominated.is_some()
                && other.namespace != pod.namespace
                && self.0.contains_key(&other.namespace)
                && (borrows || !self.is_over(world, &other.namespace, &leaves(&other.namespace)))
        };
        sum_of(world, counts)
    }

    /// Returns whether these requests exceed the max of the pod's namespace, or all use then exceeds the sum of all mins. The pods in `gone` have
    /// left. False without a quota.
    fn too_much(
        &self,
        world: &World,
        pod: &Pod,
        requests: &Amounts,
        nominated: &Amounts,
        gone: &BTreeSet<&str>,
    ) -> bool {
        let Some(own) = self.0.get(&pod.namespace) else { return false };
        let left = |namespace: &str| {
            let mut left = used(world, namespace);
            left.take(&sum_of(world, |pod| pod.namespace == namespace && gone.contains(pod.name.as_str())));
            left
        };
        // Pods leave for what is nominated: it takes their place, and counts only as far as it is more.
        let beyond_leaving = |nominated: &Amounts, counts: &dyn Fn(&Pod) -> bool| {
            let is_leaving = |pod: &Pod| pod.leaving && pod.place().is_some() && !gone.contains(pod.name.as_str());
            nominated.beyond(&sum_of(world, |pod| is_leaving(pod) && counts(pod)))
        };
        let own_beyond = beyond_leaving(nominated, &|other| other.namespace == pod.namespace);
        let own_asked = Amounts::sum([&left(&pod.namespace), requests, &own_beyond]);
        let over_max = own.max.as_ref().is_some_and(|max| exceeds(&own_asked, max));
        let all: Vec<Amounts> = self.0.keys().map(|namespace| left(namespace)).collect();
        let borrows = !self.takes_back(world, pod, requests, nominated);
        let nominated = with(nominated, &self.nominated_elsewhere(world, pod, borrows, gone));
        let beyond = beyond_leaving(&nominated, &|other| self.has(&other.namespace));
        let all = Amounts::sum([&Amounts::sum(&all), requests, &beyond]);
        over_max || exceeds(&all, &Amounts::sum(self.0.values().map(|quota| &quota.min)))
    }

    /// Returns whether PreFilter refuses a pod.
    pub(super) fn refuses(&self, world: &World, pod: &Pod) -> bool {
        let nominated = self.nominated(world, pod, &|_| false);
        self.too_much(world, pod, &pod.request, &nominated, &BTreeSet::new())
    }

    /// Returns whether the quotas allow some pods together, when those that leave already have left.
    pub(super) fn allow(&self, world: &World, pods: &[&Pod]) -> bool {
        let Some(least) = pods.iter().min_by_key(|pod| pod.priority) else { return true };
        let requests = Amounts::sum(pods.iter().copied().map(request));
        let nominated = self.nominated(world, least, &|other| pods.iter().any(|pod| pod.name == other.name));
        let leaving = world.pods.values().filter(|other| other.leaving).map(|other| other.name.as_str());
        !self.too_much(world, least, &requests, &nominated, &leaving.collect())
    }

    /// Returns whether the namespace of a pod stays within its min with these requests and nominated amounts. False without a quota.
    pub(super) fn takes_back(&self, world: &World, pod: &Pod, requests: &Amounts, nominated: &Amounts) -> bool {
        let asked = with(&with(&used(world, &pod.namespace), requests), nominated);
        self.0.get(&pod.namespace).is_some_and(|quota| !exceeds(&asked, &quota.min))
    }

    /// Returns whether a namespace that uses so much stays within its min with these requests and what is nominated before them, of the resources
    /// that either names and cpu, memory and storage.
    pub(super) fn compared_within_min(
        &self,
        used: &Amounts,
        asked: &Amounts,
        before: &Amounts,
        namespace: &str,
    ) -> bool {
        let mut sum = Amounts::sum([used, asked, before]);
        let always = ["cpu", "memory", "ephemeral-storage"];
        let is_compared = |name: &str| asked.get(name) > 0 || before.get(name) > 0 || always.contains(&name);
        sum.0.retain(|resource, _| is_compared(resource));
        self.0.get(namespace).is_some_and(|quota| !exceeds(&sum, &quota.min))
    }

    /// Returns whether a namespace has a quota.
    pub(super) fn has(&self, namespace: &str) -> bool {
        self.0.contains_key(namespace)
    }

    /// Returns whether a namespace stays within its min with these requests. The resources that they name count, and cpu, memory and storage. False
    /// without a quota.
    pub(super) fn is_within_min(&self, world: &World, namespace: &str, requests: &Amounts, asked: &Amounts) -> bool {
        let Some(quota) = self.0.get(namespace) else { return false };
        let mut sum = with(&with(&used(world, namespace), requests), asked);
        let always = ["cpu", "memory", "ephemeral-storage"];
        sum.0.retain(|resource, _| requests.get(resource) > 0 || always.contains(&resource.as_str()));
        !exceeds(&sum, &quota.min)
    }

    /// Returns the pods on a node that might be victims of a pod, alone or together with others, the most important first; and the pods that leave the
    /// node, all of them for a pod with a quota.
    fn possible<'w>(
        &self,
        world: &'w World,
        pod: &Pod,
        node: &'w Node,
        same_group: SameGroup<'_>,
    ) -> (Vec<&'w Pod>, Vec<&'w Pod>) {
        let has_quota = self.has(&pod.namespace);
        let might_go = |other: &&Pod| has_quota && other.leaving || !same_group(other) && self.might_give(pod, other);
        let mut there: Vec<&Pod> = world.on(&node.name).filter(might_go).collect();
        match has_quota {
            true => counting(world, |counting| there.sort_by_cached_key(|other| counting.importance(other))),
            false => there.sort_by_cached_key(|other| importance(world, other)),
        }
        there.into_iter().partition(|other| !other.leaving)
    }

    /// Judges the attempt of a pod that is planned alone. PreFilter has rejected waiting pods already: these use no quota.
    pub(super) fn attempt(
        &self,
        world: &World,
        pod: &Pod,
        same_group: SameGroup<'_>,
        outcome: &Outcome,
        verdict: &mut Verdict,
    ) {
        let refused = self.refuses(world, pod);
        let plan_ended = matches!(outcome.ended, Some(Ended::Nominated | Ended::Unschedulable | Ended::Rejected));
        if !plan_ended {
            let text = format!("`{}` has no place or is refused, and the attempt ended {:?}", pod.name, outcome.ended);
            return verdict.breach("quota-is-kept", text);
        }
        if outcome.ended != Some(Ended::Nominated) && (outcome.ended == Some(Ended::Rejected)) != refused {
            let text = format!("`{}`: refused by its quota is {refused}, it ended {:?}", pod.name, outcome.ended);
            verdict.breach("quota-is-kept", text);
        }
        if waits_for_preempted(world, pod) {
            return preempts_none(world, pod, same_group, outcome, verdict);
        }
        let judged = Outcome { ended: outcome.ended.map(unschedulable), ..outcome.clone() };
        let waits = is_in_flight(world, pod, Some(self));
        if !waits {
            kubernetes::nominations(world, pod, same_group, &judged, verdict);
        } else {
            kubernetes::nominations_while(true, (world, pod), same_group, &judged, verdict);
            if outcome.ended != Some(Ended::Nominated) {
                return verdict.excuse("its plan is in flight");
            }
        }
        let nominated = self.nominated(world, pod, &|_| false);
        // Pods that leave anyway need not be replaced by others, wherever they run.
        let leaving = world.pods.values().filter(|other| other.leaving).map(|other| other.name.as_str());
        let leaving: BTreeSet<&str> = leaving.collect();
        let keeps = |gone: &BTreeSet<&str>| {
            let gone = gone.union(&leaving).copied().collect();
            !self.too_much(world, pod, &pod.request, &nominated, &gone)
        };
        let takes_back = self.takes_back(world, pod, &pod.request, &nominated);
        if outcome.ended != Some(Ended::Nominated) && self.might_be_claimed(world, pod, takes_back) {
            return verdict.excuse(CLAIMED);
        }
        let permits =
            |victims: &[&Pod]| victims.iter().all(|victim| self.gives(world, pod, (victim, victims), takes_back));
        let eligible = Eligible {
            possible: &|node| self.possible(world, pod, node, same_group),
            permits: &permits,
            keeps: &keeps,
        };
        let choice = if self.has(&pod.namespace) { harm::best } else { kubernetes::best };
        kubernetes::without_room_by(world, pod, same_group, &eligible, &judged, verdict, choice);
    }

    /// Returns whether a pod borrows, and might be evicted at once by pods of another quota that wait.
    pub(super) fn might_be_claimed(&self, world: &World, pod: &Pod, takes_back: bool) -> bool {
        self.has(&pod.namespace) && !takes_back && might_be_claimed(self, world, pod)
    }

    /// Judges what holds of every step: what it binds or holds is within the quotas, and so is what it nominates once the victims are gone.
    pub(super) fn sound(&self, world: &World, outcome: &Outcome, verdict: &mut Verdict) {
        let is_new = |pod: &&Pod| pod.place().is_none();
        let placed = outcome.bound.keys().chain(&outcome.waiting);
        let placed: BTreeSet<&String> = placed.collect();
        let placed: Vec<&Pod> = placed.into_iter().filter_map(|name| world.pods.get(name)).filter(is_new).collect();
        let planned: Vec<&Pod> = outcome.nominated.keys().filter_map(|name| world.pods.get(name)).collect();
        let leaving = world.pods.values().filter(|pod| pod.leaving).map(|pod| pod.name.as_str());
        let gone: BTreeSet<&str> = outcome.victims.iter().map(String::as_str).chain(leaving).collect();
        for (pods, gone) in [(placed, BTreeSet::new()), (planned, gone)] {
            let Some(first) = pods.first() else { continue };
            let requests = Amounts::sum(pods.iter().map(|pod| &pod.request));
            // What is nominated to others is judged for single pods only.
            let mut alone = world.clone();
            alone.pods.values_mut().for_each(|pod| pod.nominated = None);
            if self.too_much(&alone, first, &requests, &Amounts::default(), &gone) {
                let names: Vec<&str> = pods.iter().map(|pod| pod.name.as_str()).collect();
                verdict.breach("quota-is-kept", format!("{names:?} are more than the quotas allow"));
            }
        }
    }
}

fn unschedulable(ended: Ended) -> Ended {
    if ended == Ended::Rejected { Ended::Unschedulable } else { ended }
}

/// Returns the most important first, as kube-scheduler orders them; of equal ones the one that was evicted more often.
fn importance(world: &World, pod: &Pod) -> impl Ord + use<> {
    let evictions = Reverse(world.past_evictions(pod));
    (Reverse(pod.priority), pod.started.unwrap_or(i64::MAX), evictions, pod.created, pod.name.clone())
}
