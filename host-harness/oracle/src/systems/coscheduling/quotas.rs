//! ElasticQuotas of scheduler-plugins (pkg/capacityscheduling): each bounds the pods of its namespace.

mod attempt;
mod victims;

use std::collections::{BTreeMap, BTreeSet};

use super::queue::might_be_claimed;
use crate::ModelInputError;
use crate::amounts::MilliAmounts;
use crate::outcome::ReportedOutcome;
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelPod, at, text};

/// A quota.
struct QuotaBounds {
    min: MilliAmounts,
    max: Option<MilliAmounts>,
}

/// The quotas of all namespaces.
pub(super) struct NamespaceQuotas(BTreeMap<String, QuotaBounds>);

/// The resources that are compared with the bounds of a quota even if nothing requests them.
const ALWAYS_COMPARED: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];

/// The reason why no plan may be right.
pub(super) const CLAIMED: &str = "it would borrow, and a pod of another quota might evict it at once";

/// Computes the amounts that the pods of a namespace hold.
pub(super) fn used(world: &ModelCluster, namespace: &str) -> MilliAmounts {
    sum_of(world, |pod| pod.namespace == namespace && pod.occupied_node().is_some())
}

/// Computes the amounts of the pods that `counts` selects.
fn sum_of(world: &ModelCluster, counts: impl Fn(&ModelPod) -> bool) -> MilliAmounts {
    MilliAmounts::sum(world.pods.values().filter(|pod| counts(pod)).map(request))
}

/// Returns the amounts with which a pod counts against its quota.
pub(super) fn request(pod: &ModelPod) -> &MilliAmounts {
    &pod.request
}

/// The claim of a pod, or of the planned pods of a gang, to what the quota of their namespace is owed.
pub(super) struct Claim {
    /// Whether the quota stays within its min, so that pods of others go. Otherwise pods of the namespace do.
    pub(super) takes_back: bool,
    /// What the pods and those nominated before them request.
    requests: MilliAmounts,
}

/// Returns whether an amount is more than a bound. A resource that the bound does not name is bounded by 0; `pods` are not bounded.
pub(super) fn exceeds(amounts: &MilliAmounts, bound: &MilliAmounts) -> bool {
    amounts.0.iter().any(|(resource, amount)| resource != "pods" && *amount > bound.get(resource))
}

/// Returns whether the amounts of a resource are compared with the bounds of a quota: always, or because something requests the resource.
fn is_compared<const N: usize>(resource: &str, requests: [&MilliAmounts; N]) -> bool {
    ALWAYS_COMPARED.contains(&resource) || requests.iter().any(|request| request.get(resource) > 0)
}

/// Adds two amounts.
pub(super) fn with(one: &MilliAmounts, other: &MilliAmounts) -> MilliAmounts {
    MilliAmounts::sum([one, other])
}

impl NamespaceQuotas {
    /// Reads the quotas; none where there are none.
    pub(super) fn of(world: &ModelCluster) -> Result<Option<NamespaceQuotas>, ModelInputError> {
        let mut quotas = BTreeMap::new();
        for object in world.all("ElasticQuota") {
            let read = |path| at(object, path).map(|list| MilliAmounts::read(Some(list))).transpose();
            let quota = QuotaBounds { min: read("/spec/min")?.unwrap_or_default(), max: read("/spec/max")? };
            quotas.insert(text(object, "/metadata/namespace").to_owned(), quota);
        }
        Ok((!quotas.is_empty()).then_some(NamespaceQuotas(quotas)))
    }

    /// Returns whether the quota of a pod uses more than its min, of a resource that `counts` selects, after `without`, held by some of its pods, is
    /// subtracted.
    fn is_over(
        &self,
        world: &ModelCluster,
        pod: &ModelPod,
        without: &MilliAmounts,
        counts: impl Fn(&str) -> bool,
    ) -> bool {
        let mut left = used(world, &pod.namespace);
        left.take(without);
        left.0.retain(|resource, _| counts(resource));
        self.0.get(&pod.namespace).is_some_and(|quota| exceeds(&left, &quota.min))
    }

    /// Returns whether the quota of a pod gives it up to pods with this claim when `without` has left it: it borrows a resource by which the pod and the
    /// claim are judged, or of which all quotas together use more than all mins.
    fn gives_up(&self, world: &ModelCluster, pod: &ModelPod, without: &MilliAmounts, claim: &Claim) -> bool {
        let all = sum_of(world, |pod| self.has(&pod.namespace) && pod.occupied_node().is_some());
        let mins = MilliAmounts::sum(self.0.values().map(|quota| &quota.min));
        let is_lacking =
            |resource: &str| is_compared(resource, [&claim.requests]) || all.get(resource) > mins.get(resource);
        self.is_over(world, pod, without, |resource| is_compared(resource, [&pod.request]) && is_lacking(resource))
    }

    /// Computes the requests of the nominated pods of the same quota that come before a pod. Pods that `besides` selects do not count.
    pub(super) fn nominated(
        &self,
        world: &ModelCluster,
        pod: &ModelPod,
        besides: &dyn Fn(&ModelPod) -> bool,
    ) -> MilliAmounts {
        let before = |other: &ModelPod| {
            other.pending()
                && other.nominated.is_some()
                && other.namespace == pod.namespace
                && other.name != pod.name
                && other.priority >= pod.priority
                && !besides(other)
        };
        sum_of(world, before)
    }

    /// Sums up what nominated pods of other quotas request: of those within their min, of what the nominated pod requests, when some pods and those
    /// that leave are gone, and of all where the pod borrows, which takes nothing from a quota that was promised it before.
    fn nominated_elsewhere(
        &self,
        world: &ModelCluster,
        pod: &ModelPod,
        borrows: bool,
        gone: &BTreeSet<&str>,
    ) -> MilliAmounts {
        let goes = |pod: &ModelPod| pod.occupied_node().is_some() && (pod.leaving || gone.contains(pod.name.as_str()));
        let leaves = |namespace: &str| sum_of(world, |pod| pod.namespace == namespace && goes(pod));
        let is_over = |other: &ModelPod| {
            self.is_over(world, other, &leaves(&other.namespace), |resource| is_compared(resource, [&other.request]))
        };
        let counts = |other: &ModelPod| {
            other.pending()
                && other.nominated.is_some()
                && other.namespace != pod.namespace
                && self.0.contains_key(&other.namespace)
                && (borrows || !is_over(other))
        };
        sum_of(world, counts)
    }

    /// Returns whether these requests exceed the max of the pod's namespace, or all use then exceeds the sum of all mins. The pods in `gone` have
    /// left. False without a quota.
    fn exceeds_max(
        &self,
        world: &ModelCluster,
        pod: &ModelPod,
        requests: &MilliAmounts,
        nominated: &MilliAmounts,
        gone: &BTreeSet<&str>,
    ) -> bool {
        let Some(own) = self.0.get(&pod.namespace) else { return false };
        let left = |namespace: &str| {
            let mut left = used(world, namespace);
            left.take(&sum_of(world, |pod| pod.namespace == namespace && gone.contains(pod.name.as_str())));
            left
        };
        // Pods leave for what is nominated: it takes their place, and counts only as far as it is more.
        let beyond_leaving = |nominated: &MilliAmounts, counts: &dyn Fn(&ModelPod) -> bool| {
            let is_leaving =
                |pod: &ModelPod| pod.leaving && pod.occupied_node().is_some() && !gone.contains(pod.name.as_str());
            nominated.beyond(&sum_of(world, |pod| is_leaving(pod) && counts(pod)))
        };
        let own_beyond = beyond_leaving(nominated, &|other| other.namespace == pod.namespace);
        let own_asked = MilliAmounts::sum([&left(&pod.namespace), requests, &own_beyond]);
        let over_max = own.max.as_ref().is_some_and(|max| {
            // A max limits no other resource that it does not name.
            let is_limited = |name: &str| max.names(name) || ALWAYS_COMPARED.contains(&name);
            let mut limited = own_asked.clone();
            limited.0.retain(|name, _| is_limited(name) && is_compared(name, [requests, nominated]));
            exceeds(&limited, max)
        });
        let all: Vec<MilliAmounts> = self.0.keys().map(|namespace| left(namespace)).collect();
        let leaving = sum_of(world, |other| {
            let goes = other.leaving && other.occupied_node().is_some() && !gone.contains(other.name.as_str());
            goes && other.namespace == pod.namespace
        });
        let mut own_left = left(&pod.namespace);
        own_left.take(&leaving);
        let borrows = !self.compared_within_min(&own_left, requests, nominated, &pod.namespace);
        let nominated = with(nominated, &self.nominated_elsewhere(world, pod, borrows, gone));
        let beyond = beyond_leaving(&nominated, &|other| self.has(&other.namespace));
        let all = MilliAmounts::sum([&MilliAmounts::sum(&all), requests, &beyond]);
        over_max || exceeds(&all, &MilliAmounts::sum(self.0.values().map(|quota| &quota.min)))
    }

    /// Returns whether PreFilter refuses a pod.
    pub(super) fn refuses(&self, world: &ModelCluster, pod: &ModelPod) -> bool {
        let nominated = self.nominated(world, pod, &|_| false);
        self.exceeds_max(world, pod, &pod.request, &nominated, &BTreeSet::new())
    }

    /// Returns whether the quotas allow some pods together, when those that leave already have left.
    pub(super) fn allow(&self, world: &ModelCluster, pods: &[&ModelPod]) -> bool {
        let Some(least) = pods.iter().min_by_key(|pod| pod.priority) else { return true };
        let requests = MilliAmounts::sum(pods.iter().copied().map(request));
        let nominated = self.nominated(world, least, &|other| pods.iter().any(|pod| pod.name == other.name));
        let leaving = world.pods.values().filter(|other| other.leaving).map(|other| other.name.as_str());
        !self.exceeds_max(world, least, &requests, &nominated, &leaving.collect())
    }

    /// Returns the claim of a pod whose namespace is asked for these requests, and for what is nominated before them. Without a quota it takes nothing
    /// back.
    pub(super) fn claim(
        &self,
        world: &ModelCluster,
        pod: &ModelPod,
        requests: &MilliAmounts,
        nominated: &MilliAmounts,
    ) -> Claim {
        let used = used(world, &pod.namespace);
        let takes_back = self.compared_within_min(&used, requests, nominated, &pod.namespace);
        Claim { takes_back, requests: with(requests, nominated) }
    }

    /// Returns whether a namespace that uses so much stays within its min with these requests and what is nominated before them, of the resources
    /// that either names and cpu, memory and storage.
    pub(super) fn compared_within_min(
        &self,
        used: &MilliAmounts,
        asked: &MilliAmounts,
        before: &MilliAmounts,
        namespace: &str,
    ) -> bool {
        let mut sum = MilliAmounts::sum([used, asked, before]);
        sum.0.retain(|resource, _| is_compared(resource, [asked, before]));
        self.0.get(namespace).is_some_and(|quota| !exceeds(&sum, &quota.min))
    }

    /// Returns whether a namespace has a quota.
    pub(super) fn has(&self, namespace: &str) -> bool {
        self.0.contains_key(namespace)
    }

    /// Returns whether a namespace stays within its min with these requests. The resources that they name count, and cpu, memory and storage. False
    /// without a quota.
    pub(super) fn is_within_min(
        &self,
        world: &ModelCluster,
        namespace: &str,
        requests: &MilliAmounts,
        asked: &MilliAmounts,
    ) -> bool {
        let Some(quota) = self.0.get(namespace) else { return false };
        let mut sum = with(&with(&used(world, namespace), requests), asked);
        sum.0.retain(|resource, _| is_compared(resource, [requests]));
        !exceeds(&sum, &quota.min)
    }

    /// Returns whether a pod borrows, and might be evicted at once by pods of another quota that wait.
    pub(super) fn might_be_claimed(&self, world: &ModelCluster, pod: &ModelPod, takes_back: bool) -> bool {
        self.has(&pod.namespace) && !takes_back && might_be_claimed(self, world, pod)
    }

    /// Judges what holds of every step: what it binds or holds is within the quotas, and so is what it nominates once the victims are gone.
    pub(super) fn sound(&self, world: &ModelCluster, outcome: &ReportedOutcome, verdict: &mut StepFindings) {
        let is_new = |pod: &&ModelPod| pod.occupied_node().is_none();
        let placed = outcome.bound.keys().chain(&outcome.waiting);
        let placed: BTreeSet<&String> = placed.collect();
        let placed: Vec<&ModelPod> =
            placed.into_iter().filter_map(|name| world.pods.get(name)).filter(is_new).collect();
        let planned: Vec<&ModelPod> = outcome.nominated.keys().filter_map(|name| world.pods.get(name)).collect();
        let leaving = world.pods.values().filter(|pod| pod.leaving).map(|pod| pod.name.as_str());
        let gone: BTreeSet<&str> = outcome.victims.iter().map(String::as_str).chain(leaving).collect();
        for (pods, gone) in [(placed, BTreeSet::new()), (planned, gone)] {
            let Some(first) = pods.first() else { continue };
            let requests = MilliAmounts::sum(pods.iter().map(|pod| &pod.request));
            // What is nominated to others is judged for single pods only.
            let mut alone = world.clone();
            alone.pods.values_mut().for_each(|pod| pod.nominated = None);
            if self.exceeds_max(&alone, first, &requests, &MilliAmounts::default(), &gone) {
                let names: Vec<&str> = pods.iter().map(|pod| pod.name.as_str()).collect();
                verdict.breach("quota-is-kept", format!("{names:?} are more than the quotas allow"));
            }
        }
    }
}
