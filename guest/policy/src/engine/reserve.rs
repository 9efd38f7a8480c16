//! Reserve and Unreserve: a pod holds a node before it is bound, or no longer.

use crate::contract::*;
use crate::model::{NodeIx, PodIx, PodLocation};

use super::Engine;

impl Engine {
    /// Implements `placement.reserve`: reserves a node for a pending pod. The error says that the pod is not pending, or unknown.
    pub fn reserve(&mut self, pod: PodId, node: NodeId) -> Result<Effects, PolicyError> {
        self.laws()?;
        self.cluster.pod(PodIx(pod)).ok_or(PolicyError::UnknownPod(pod))?;
        self.cluster.node(NodeIx(node)).ok_or(PolicyError::UnknownNode(node))?;
        match self.cluster.reserve(PodIx(pod), NodeIx(node)) {
            true => {
                self.cluster.release_retained_node(PodIx(pod));
                Ok(Effects::default())
            }
            false => Err(PolicyError::WrongState("only a pending pod can be reserved a node".to_owned())),
        }
    }

    /// Implements `placement.unreserve`: takes the reserved node of a pod back. Returns the pods of its gang that lose their nodes with it.
    pub fn unreserve(&mut self, pod: PodId, cause: ReleaseCause) -> Result<Effects, PolicyError> {
        self.laws()?;
        self.cluster.pod(PodIx(pod)).ok_or(PolicyError::UnknownPod(pod))?;
        let kept = self.nodes_retained_at_timeout(PodIx(pod), cause);
        if !self.cluster.unreserve(PodIx(pod)) {
            return Err(PolicyError::WrongState("the pod is not reserved a node".to_owned()));
        }
        kept.into_iter().for_each(|(ix, node)| self.cluster.retain_node(ix, node));
        let job = self.cluster.pod(PodIx(pod)).and_then(|pod| pod.attributes.job).and_then(|job| self.cluster.job(job));
        let together = job.and_then(|job| job.gang()).is_some_and(|gang| gang.releases_on_unreserve);
        // Pods that timed out may be tried again together with those that were not tried yet.
        let job = self.cluster.pod(PodIx(pod)).and_then(|pod| pod.attributes.job);
        job.filter(|_| cause == ReleaseCause::Timeout).into_iter().for_each(|job| self.cluster.begin_round(job));
        // The policy has considered its own releases already. Every other release is new to the gang.
        let releases =
            if together && cause != ReleaseCause::Released { self.gang_pods_at_permit(PodIx(pod)) } else { Vec::new() };
        let system = self.system.as_mut().ok_or(PolicyError::NotConfigured)?;
        let effects = system.on_unreserved(&mut self.cluster, PodIx(pod), cause);
        let releases = releases.into_iter().chain(effects.releases).collect();
        Ok(Effects { releases, ..effects })
    }

    /// Returns the nodes that stay promised to a pod whose time at Permit runs out, and to the pods that lose their nodes with it. Pods leave for the
    /// gang, and its nodes in the meantime are part of the plan.
    fn nodes_retained_at_timeout(&self, pod: PodIx, cause: ReleaseCause) -> Vec<(PodIx, NodeIx)> {
        if cause != ReleaseCause::Timeout || !self.cluster.has_plan_of_gang(pod) {
            return Vec::new();
        }
        let node = |ix: PodIx| Some((ix, self.cluster.pod(ix)?.node()?));
        std::iter::once(pod).chain(self.gang_pods_at_permit(pod).into_iter().map(PodIx)).filter_map(node).collect()
    }

    /// Withdraws the promises to pods: nodes that are kept for them at once, and nominations when the host has withdrawn them.
    pub(super) fn withdraw_nominations(&mut self, pods: Vec<PodIx>) -> Vec<PodId> {
        pods.iter().for_each(|pod| self.cluster.release_retained_node(*pod));
        pods.into_iter().map(|pod| pod.0).collect()
    }

    /// Returns the pods of the gang group of a pod that wait at Permit, by name and without the pod itself.
    pub(super) fn gang_pods_at_permit(&self, pod: PodIx) -> Vec<PodId> {
        let Some(job) = self.cluster.pod(pod).and_then(|pod| pod.attributes.job) else { return Vec::new() };
        let jobs = self.cluster.gang_group(job).into_iter().filter_map(|job| self.cluster.job(job));
        let members = jobs.flat_map(|job| &job.members).filter(|member| **member != pod);
        let mut waiting: Vec<_> = members
            .filter_map(|ix| Some((*ix, self.cluster.pod(*ix)?)))
            .filter(|(_, pod)| matches!(pod.state.location, PodLocation::Reserved(_)))
            .map(|(ix, pod)| (pod.rank, ix.0))
            .collect();
        waiting.sort_unstable();
        waiting.into_iter().map(|(_, pod)| pod).collect()
    }
}
