//! Classes and names: they go when no pod, job, queue or object has them any more.

use super::*;

impl Cluster {
    /// Frees the numbers of classes without pods, once there may be as many of them as of other classes.
    pub fn sweep_classes(&mut self) {
        self.requirements.classes.sweep();
    }

    /// Returns the names that pods, jobs, queues and reservations have, once there may be as many unused names as used ones. `None`: a sweep is not
    /// worth its time.
    pub fn names_in_use(&mut self) -> Option<BTreeSet<NameId>> {
        if !self.names.is_sweep_due() {
            return None;
        }
        self.pods.reservation_groups.retain(|_, pods| !pods.is_empty());
        let mut used: BTreeSet<NameId> =
            self.queues.names.keys().chain(self.pods.reservation_groups.keys()).copied().collect();
        for (_, pod) in self.pods.table.iter() {
            let attributes = &pod.attributes;
            used.insert(pod.namespace);
            used.extend([attributes.queue_name, attributes.reservation, attributes.task.role].into_iter().flatten());
        }
        used.extend(self.ext.symbols());
        Some(used)
    }

    /// Forgets the names that are not in use.
    pub fn sweep_names(&mut self, used: &BTreeSet<NameId>) {
        self.names.sweep(used);
    }

    /// Returns how many classes and names there are.
    #[cfg(test)]
    pub(crate) fn counts(&self) -> [usize; 2] {
        [self.requirements.classes.count(), self.names.count()]
    }
}
