//! The books of a quota, and the two formulas of the proposal.

use std::collections::BTreeMap;

use serde_json::Value;

use super::switches::PluginSettings;
use super::{QUOTA, job};
use crate::ModelInputError;
use crate::amounts::MilliAmounts;
use crate::world::{ModelCluster, ModelPod, at, tag, text};

/// The quota above another one.
const PARENT: &str = "quota.scheduling.koordinator.sh/parent";

/// The books of a quota: the amounts that it holds, allows, and is promised.
///
/// A nominated pod holds nothing yet. If others take the quota meanwhile, the pod is refused at its next PreFilter, and its victims have gone
/// in vain. So what earlier plans promise to the pods of other jobs counts as held, for a plan and at PreFilter.
#[derive(Debug)]
pub(super) struct QuotaBalance {
    pub(super) name: String,
    pub(super) min: MilliAmounts,
    pub(super) max: MilliAmounts,
    pub(super) used: MilliAmounts,
    pub(super) fixed_used: MilliAmounts,
    fixed_request: MilliAmounts,
    nominated: MilliAmounts,
    fixed_nominated: MilliAmounts,
}

/// Reads the books of the quotas that bound a pod: its own, and those above it, the root apart, where the plugin checks them. Empty for a
/// reservation, or a pod without a quota.
///
/// The requests of the other jobs of `planned` count as promised: these jobs are to hold the quota together with the job of the pod.
pub(super) fn quota_balances(
    world: &ModelCluster,
    switches: PluginSettings,
    pod: &ModelPod,
    planned: &[String],
) -> Result<Vec<QuotaBalance>, ModelInputError> {
    let levels = if switches.checks_parents { usize::MAX } else { 1 };
    path(world, pod)
        .into_iter()
        .take(levels)
        .map(|quota| QuotaBalance::of(world, switches, (pod, planned), quota))
        .collect()
}

/// Returns the quotas of a pod, its own first, then those above it.
fn path<'w>(world: &'w ModelCluster, pod: &ModelPod) -> Vec<&'w Value> {
    let quota = |name: &str| world.others.get(&("ElasticQuota".to_owned(), name.to_owned()));
    let own = pod.label(QUOTA).filter(|_| !pod.is_reservation()).and_then(quota);
    let above = |below: &&'w Value| tag(below, "labels", PARENT).and_then(quota);
    std::iter::successors(own, above).collect()
}

/// Returns whether a pod names no quota that is there.
pub(super) fn is_of_default_quota(world: &ModelCluster, pod: &ModelPod) -> bool {
    path(world, pod).is_empty()
}

/// Returns whether a pod counts against a quota: it is in this quota, or in one below it.
pub(super) fn counts(world: &ModelCluster, pod: &ModelPod, quota: &str) -> bool {
    path(world, pod).into_iter().any(|above| text(above, "/metadata/name") == quota)
}

/// Adds two amounts.
pub(super) fn plus(one: &MilliAmounts, other: &MilliAmounts) -> MilliAmounts {
    MilliAmounts::sum([one, other])
}

impl QuotaBalance {
    fn of(
        world: &ModelCluster,
        switches: PluginSettings,
        (pod, planned): (&ModelPod, &[String]),
        quota: &Value,
    ) -> Result<QuotaBalance, ModelInputError> {
        let name = text(quota, "/metadata/name");
        let (min, max) = (MilliAmounts::read(at(quota, "/spec/min"))?, MilliAmounts::read(at(quota, "/spec/max"))?);
        let ours = || world.pods.values().filter(|other| !other.finished && counts(world, other, name));
        let used = || ours().filter(|other| other.occupied_node().is_some());
        let is_promised = |other: &ModelPod| other.nominated.is_some() || planned.contains(&job(other));
        let promised = || ours().filter(|other| other.pending() && is_promised(other) && job(other) != job(pod));
        let requests = |pods: Vec<&ModelPod>| MilliAmounts::sum(pods.into_iter().map(|pod| &pod.request));
        Ok(QuotaBalance {
            name: name.to_owned(),
            used: requests(used().collect()),
            fixed_used: requests(used().filter(|other| switches.is_non_preemptible(other)).collect()),
            fixed_request: requests(ours().filter(|other| switches.is_non_preemptible(other)).collect()),
            nominated: requests(promised().collect()),
            fixed_nominated: requests(promised().filter(|other| switches.is_non_preemptible(other)).collect()),
            min,
            max,
        })
    }

    /// Returns whether a job is admitted at PreFilter, in addition to what is promised to others. Non-preemptible: `npUsed + T <= min` and `used +
    /// T <= max`. Preemptible: `min(min, npRequest) + pUsed + T <= max`.
    pub(super) fn admits(&self, stays: bool, total: &MilliAmounts) -> bool {
        let fits_min = !stays || MilliAmounts::sum([&self.fixed_used, &self.fixed_nominated, total]).within(&self.min);
        fits_min && self.fits_after(stays, total, &MilliAmounts::default())
    }

    /// Returns whether a job may trigger preemption: admission, but without the max for a non-preemptible job, for which others can be evicted.
    pub(super) fn may_trigger(&self, stays: bool, total: &MilliAmounts) -> bool {
        if stays {
            return MilliAmounts::sum([&self.fixed_used, &self.fixed_nominated, total]).within(&self.min);
        }
        self.fits_after(stays, total, &MilliAmounts::default())
    }

    /// Returns whether a job fits in addition to what is promised when `gone`, all of it preemptible, has left the quota.
    pub(super) fn fits_after(&self, stays: bool, total: &MilliAmounts, gone: &MilliAmounts) -> bool {
        let mut then = plus(&self.used, &self.nominated);
        then.take(gone);
        if stays {
            return plus(&then, total).within(&self.max);
        }
        // What is promised to a non-preemptible pod is set aside already: it is requested.
        then.take(&self.fixed_nominated);
        self.fits_preemptible(&then, total)
    }

    /// Returns whether a preemptible job fits in addition to this use and what is reserved for non-preemptible pods.
    fn fits_preemptible(&self, used: &MilliAmounts, total: &MilliAmounts) -> bool {
        let mut sum = plus(used, total);
        sum.take(&self.fixed_used);
        let aside = |(resource, asked): (&String, &i64)| {
            let least = if self.min.names(resource) { self.min.get(resource) } else { i64::MAX };
            (resource.clone(), least.min(*asked))
        };
        sum.add(&MilliAmounts(self.fixed_request.0.iter().map(aside).collect()));
        sum.within(&self.max)
    }
}

/// Computes the usage of each quota that the policy must account for, by `quota/name`. Only the resources in the max of the quota count. Fails if
/// an amount cannot be read.
pub(crate) fn accounts(world: &ModelCluster) -> Result<BTreeMap<String, MilliAmounts>, ModelInputError> {
    let mut accounts = BTreeMap::new();
    for quota in world.all("ElasticQuota") {
        let name = text(quota, "/metadata/name");
        let max = MilliAmounts::read(at(quota, "/spec/max"))?;
        let ours = world.pods.values().filter(|pod| counts(world, pod, name) && pod.occupied_node().is_some());
        let mut used = MilliAmounts::sum(ours.map(|pod| &pod.request));
        used.0.retain(|resource, _| max.names(resource));
        accounts.insert(format!("quota/{name}"), used);
    }
    Ok(accounts)
}
