//! Whether a case begins with a cluster that can be.

use super::books::{Books, books};
use super::switches::Switches;
use crate::ReadError;
use crate::case::Case;
use crate::world::{Pod, World, at};

/// Returns whether every quota has a min of at most its max, and holds no more than it may, and every reservation holds what it requests.
pub(crate) fn fair(case: &Case, world: &World) -> Result<bool, ReadError> {
    if !world.pods.values().all(holds_its_request) {
        return Ok(false);
    }
    for pod in world.pods.values() {
        let switches = Switches::of(case).checking_parents();
        let holds = |books: &Books| {
            books.min.within(&books.max) && books.used.within(&books.max) && books.fixed_used.within(&books.min)
        };
        if !books(world, switches, pod, &[])?.iter().all(holds) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns whether an available reservation holds what its template requests; true of a pod.
fn holds_its_request(pod: &Pod) -> bool {
    let held = at(&pod.object, "/status/allocatable").filter(|_| pod.is_reservation());
    held.is_none_or(|held| at(&pod.object, "/spec/template/spec/containers/0/resources/requests") == Some(held))
}
