//! PodGroups of Kubernetes as jobs of Volcano.

use super::{GroupSpec, VolcanoGroups};
use crate::model::JobKey;
use crate::systems::scheduling_groups;
use crate::systems::volcano::keys;

impl VolcanoGroups {
    /// Takes over a PodGroup of Kubernetes, with its priority, into queue `default`. `None`: the group is gone.
    pub fn set_group_of_kubernetes(
        &mut self,
        key: JobKey,
        spec: Option<(scheduling_groups::KubernetesGroupSpec, i32)>,
    ) {
        match spec {
            Some((spec, priority)) => {
                let spec = GroupSpec {
                    queue: keys::DEFAULT_QUEUE.to_owned(),
                    minimum: spec.minimum,
                    priority: Some(priority),
                    created: spec.created.unwrap_or(0),
                    unsupported_field: spec.unsupported_field,
                    ..GroupSpec::default()
                };
                self.groups.insert(key.clone(), spec);
            }
            None => drop(self.groups.remove(&key)),
        }
        self.changed.insert(key);
    }
}
