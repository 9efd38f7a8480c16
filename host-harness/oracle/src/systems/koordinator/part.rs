//! A part of what is placed together: one job of a gang group.

use super::books::{QuotaBalance, quota_balances};
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
        let first = pods.iter().copied().min_by_key(|pod| (-pod.priority, pod.entered, pod.created, &pod.name));
        let Some(lead) = lead.or(first) else { return Ok(None) };
        Ok(Some(PlannedJob {
            lead,
            is_non_preemptible: switches.is_non_preemptible(lead),
            total: MilliAmounts::sum(pods.iter().map(|pod| &pod.request)),
            balances: quota_balances(world, switches, lead, planned)?,
        }))
    }
}
