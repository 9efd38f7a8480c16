//! A part of what is placed together: one job of a gang group.

use std::cmp::Reverse;

use super::books::{QuotaBalance, quota_balances};
use super::gangs::Gangs;
use super::switches::PluginSettings;
use super::unplaced_pods;
use crate::ModelInputError;
use crate::amounts::MilliAmounts;
use crate::world::{ModelCluster, ModelPod};

/// A job that is to be placed, alone or with the other gangs of its group.
pub(super) struct PlannedJob<'w> {
    /// The pod that asks, or the first one of the queue.
    pub(super) lead: &'w ModelPod,
    pub(super) is_non_preemptible: bool,
    pub(super) total: MilliAmounts,
    pub(super) balances: Vec<QuotaBalance>,
}

impl<'w> PlannedJob<'w> {
    /// Returns a job with pods that wait; none where no pod of it waits.
    pub(super) fn of(
        world: &'w ModelCluster,
        switches: PluginSettings,
        lead: Option<&'w ModelPod>,
        of: &str,
        planned: &[String],
    ) -> Result<Option<PlannedJob<'w>>, ModelInputError> {
        let pods = unplaced_pods(world, of);
        let first =
            pods.iter().copied().min_by_key(|pod| (-pod.priority, pod.times.entered, pod.times.created, &pod.name));
        let Some(lead) = lead.or(first) else { return Ok(None) };
        Ok(Some(PlannedJob {
            lead,
            is_non_preemptible: switches.is_non_preemptible(lead),
            total: MilliAmounts::sum(pods.iter().map(|pod| &pod.request)),
            balances: quota_balances(world, switches, lead, planned)?,
        }))
    }
    /// Returns what the job of a pod asks its quotas for at PreFilter: the requests of all its pods that wait. While another gang of its group is not
    /// complete, only as many pods count as the gang lacks, the tried pod first, then nominated ones, those with room before others (ruling C28).
    pub(super) fn demand(gangs: Gangs<'_>, switches: PluginSettings, pod: &ModelPod, of: &str) -> MilliAmounts {
        let mut pods = unplaced_pods(gangs.world, of);
        if let Some(missing) = gangs.lacks_in_incomplete_group(pod) {
            let has_room = |other: &ModelPod| {
                let node = other.nominated.as_ref().and_then(|node| gangs.world.nodes.get(node));
                node.is_some_and(|node| other.request.fits(&gangs.world.free(node)))
            };
            pods.sort_by_key(|other| {
                let queue = (Reverse(other.priority), other.times.entered, other.times.created, &other.name);
                let is_later =
                    (other.name != pod.name, other.nominated.is_none(), !has_room(other), !switches.triggers(other));
                (is_later, queue)
            });
            // What its other pods are promised counts like any promise.
            let (needed, others) = pods.split_at(missing.min(pods.len()));
            let promised = others.iter().filter(|other| other.nominated.is_some());
            pods = needed.iter().chain(promised).copied().collect();
        }
        MilliAmounts::sum(pods.iter().map(|pod| &pod.request))
    }
}
