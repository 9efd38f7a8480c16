//! Whether a case begins with a cluster that can be.

use super::books::{QuotaBalance, quota_balances};
use super::switches::PluginSettings;
use crate::ModelInputError;
use crate::case::FuzzCase;
use crate::world::{ModelCluster, ModelPod, at};

/// Returns whether every quota has a min of at most its max, and holds no more than it may, and every reservation holds what it requests.
pub(crate) fn fair(case: &FuzzCase, world: &ModelCluster) -> Result<bool, ModelInputError> {
    if !world.pods.values().all(holds_its_request) {
        return Ok(false);
    }
    for pod in world.pods.values() {
        let switches = PluginSettings::of(case).checking_parents();
        let holds = |books: &QuotaBalance| {
            books.min.within(&books.max) && books.used.within(&books.max) && books.fixed_used.within(&books.min)
        };
        if !quota_balances(world, switches, pod, &[])?.iter().all(holds) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns whether an available reservation holds what its template requests; true of a pod.
fn holds_its_request(pod: &ModelPod) -> bool {
    let held = at(&pod.object, "/status/allocatable").filter(|_| pod.is_reservation());
    held.is_none_or(|held| at(&pod.object, "/spec/template/spec/containers/0/resources/requests") == Some(held))
}
