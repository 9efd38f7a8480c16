//! The controller of a pod.

use crate::contract::PodTemplate;
use crate::model::hash;

/// The controller hash of a pod without a controller.
pub const NO_CONTROLLER: u32 = 0;

/// The controller of a pod, as far as pods are searched or judged by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodController {
    /// The hash of its name, [`NO_CONTROLLER`] without one. The pods of a controller are found by it.
    pub name_hash: u32,
    /// Whether it is a DaemonSet.
    pub is_daemon_set: bool,
}

impl PodController {
    /// Returns the controller of the pods of a template.
    pub fn of(template: &PodTemplate) -> PodController {
        let owner = template.owner.as_ref();
        PodController {
            name_hash: owner.map_or(NO_CONTROLLER, |owner| hash(&owner.name)),
            is_daemon_set: owner.is_some_and(|owner| owner.kind == "DaemonSet"),
        }
    }
}
