//! The end of a round of attempts: a pod of a gang group has failed, and no other pod of the group could make a plan.

use super::Engine;
use super::search;
use crate::model::PodIx;

impl Engine {
    /// Ends the round of the gang group of a pod if the group cannot start in it: the pod found neither a node nor a plan. Returns whether this has
    /// ended the round. If the pod itself may not plan, another pod that has not been tried may, unless that pod has to wait for this gang.
    /// `retry_at` is the moment from which time alone may help the pod.
    pub(super) fn fail_attempt(&mut self, pod: PodIx, retry_at: Option<i64>) -> bool {
        let Some(job) = self.cluster.record_failure(pod) else { return false };
        let others_could = || self.cluster.untried_of_group(job).into_iter().any(|other| self.could_plan(other));
        let is_over = self.could_plan(pod) || !others_could();
        if is_over {
            self.cluster.end_round(job, retry_at);
        }
        is_over
    }

    /// Checks whether an attempt for a pod may look for a plan, as far as the rights of the pods to preempt go.
    fn could_plan(&self, pod: PodIx) -> bool {
        self.laws().is_ok_and(|laws| search::for_laws(laws).could_plan(&self.cluster, laws, pod))
    }
}
