//! The rules of preemption by whole jobs, worked out for a scene by the plainest means: sums over its pods, and every
//! assignment of pods to nodes tried.

use std::collections::{BTreeMap, BTreeSet};

use crate::scene::{JOB, Pair, Place, Pod, Scene};

/// A plan: the node of each pod of the job, and which pods are evicted.
#[derive(Debug, Clone)]
pub struct Plan {
    pub nodes: BTreeMap<String, usize>,
    pub victims: BTreeSet<String>,
}

/// A scene as the job sees it.
pub struct Oracle<'a> {
    scene: &'a Scene,
    pub preemptor: &'a Pod,
    pub pods: Vec<&'a Pod>,
}

impl<'a> Oracle<'a> {
    pub fn new(scene: &'a Scene) -> Oracle<'a> {
        let waits = |pod: &&Pod| pod.job == Some(JOB) && !pod.is_running() && pod.stays();
        let pods: Vec<&Pod> = scene.pods.iter().filter(waits).collect();
        Oracle { scene, preemptor: pods[0], pods }
    }

    fn is_preemptible(&self, pod: &Pod) -> bool {
        pod.preemptible.unwrap_or(!self.scene.laws.unlabelled_is_non_preemptible)
    }

    /// Returns whether the job may preempt, and its whole request is within what its class may request.
    pub fn may_trigger(&self) -> bool {
        let by_default = !self.scene.laws.only_labels_trigger;
        let used = |class: bool| self.sum(|pod| pod.is_running() && self.is_preemptible(pod) == class);
        self.preemptor.can_preempt.unwrap_or(by_default)
            && self.bounding().iter().all(|level| match self.is_preemptible(self.preemptor) {
                true => self.leaves_min(*level, used(true)[*level]),
                false => self.fits_min(*level, used(false)[*level]),
            })
    }

    /// Returns whether the job can start: its PodGroup needs 2 pods at Permit, unless a pod of the job was bound before.
    pub fn can_start(&self) -> bool {
        self.pods.len() >= 2 || self.scene.pods.iter().any(|pod| pod.job == Some(JOB) && pod.is_running())
    }

    /// Returns whether a pod of another job passes every victim filter, so that it may be evicted.
    pub fn is_candidate(&self, pod: &Pod) -> bool {
        pod.is_running()
            && pod.stays()
            && pod.job != Some(JOB)
            && pod.priority < self.preemptor.priority
            && self.is_preemptible(pod)
            && !pod.opted_out
            && !(self.scene.laws.default_quota_is_spared && pod.quota.is_none())
    }

    /// Returns whether the room that a pod was promised is kept for it: by its priority, or because the job could not evict it there (Koordinator, C59).
    fn keeps_its_room(&self, pod: &Pod) -> bool {
        let is_spared = self.scene.laws.default_quota_is_spared && pod.quota.is_none();
        let is_protected = !self.is_preemptible(pod) || pod.opted_out || is_spared;
        let is_other = pod.is_reservation != self.preemptor.is_reservation;
        let may_not_preempt = !self.preemptor.can_preempt.unwrap_or(!self.scene.laws.only_labels_trigger);
        pod.priority >= self.preemptor.priority || is_protected || is_other || may_not_preempt
    }

    /// Returns the quotas whose bounds hold for the job: its own, and the ancestors where they bind.
    fn bounding(&self) -> Vec<usize> {
        let path = self.path(self.preemptor.quota);
        if self.scene.laws.parents_bind { path } else { path.into_iter().take(1).collect() }
    }

    fn path(&self, quota: Option<usize>) -> Vec<usize> {
        std::iter::successors(quota, |quota| self.scene.quotas[*quota].parent).collect()
    }

    /// Adds up the requests of the pods that `counts` selects, per quota with everything below the quota.
    fn sum(&self, counts: impl Fn(&Pod) -> bool) -> Vec<Pair> {
        let mut sums = vec![[0; 2]; self.scene.quotas.len()];
        for pod in self.scene.pods.iter().filter(|pod| counts(pod)) {
            for quota in self.path(pod.quota) {
                sums[quota] = add(sums[quota], pod.asks);
            }
        }
        sums
    }

    fn asked(&self) -> Pair {
        self.pods.iter().fold([0; 2], |sum, pod| add(sum, pod.asks))
    }

    /// Adds up the requests of nominated pods of other jobs of a class in a quota.
    fn promised(&self, quota: usize, preemptible: bool) -> Pair {
        let promised = |pod: &Pod| matches!(pod.place, Place::Nominated(_)) && pod.stays_waiting();
        self.sum(|pod| promised(pod) && pod.job != Some(JOB) && self.is_preemptible(pod) == preemptible)[quota]
    }

    fn fits_min(&self, quota: usize, used: Pair) -> bool {
        let sum = add(add(used, self.asked()), self.promised(quota, false));
        within(sum, self.scene.quotas[quota].min)
    }

    fn fits_max(&self, quota: usize, used: Pair) -> bool {
        let promised = add(self.promised(quota, true), self.promised(quota, false));
        within(add(add(used, self.asked()), promised), self.scene.quotas[quota].max)
    }

    fn leaves_min(&self, quota: usize, used: Pair) -> bool {
        let requested = self.sum(|pod| !self.is_preemptible(pod))[quota];
        let min = self.scene.quotas[quota].min;
        let aside = [0, 1].map(|at| min[at].map_or(requested[at], |min| min.min(requested[at])));
        let sum = add(add(used, self.asked()), add(aside, self.promised(quota, true)));
        within(sum, self.scene.quotas[quota].max)
    }

    /// Returns whether every plan invariant of quotas holds with the job on its nodes, without these victims and without pods that are leaving.
    pub fn limits_hold(&self, gone: &dyn Fn(&Pod) -> bool) -> bool {
        let stays = |pod: &Pod| pod.is_running() && pod.stays() && !gone(pod);
        self.bounding().into_iter().all(|quota| match self.is_preemptible(self.preemptor) {
            true => self.leaves_min(quota, self.sum(|pod| stays(pod) && self.is_preemptible(pod))[quota]),
            false => self.fits_max(quota, self.sum(stays)[quota]),
        })
    }

    /// Returns whether every node fits the pods planned onto it. The pods that stay there use capacity, and capacity is reserved for nominated
    /// pods.
    pub fn fits(&self, nodes: &BTreeMap<String, usize>, gone: &dyn Fn(&Pod) -> bool) -> bool {
        (0..self.scene.nodes.len()).all(|node| {
            let planned: Vec<&&Pod> = self.pods.iter().filter(|pod| nodes.get(&pod.name) == Some(&node)).collect();
            let eligible = planned.iter().all(|pod| pod.only.as_ref().is_none_or(|only| only.contains(&node)));
            let holds = |pod: &&Pod| match pod.place {
                Place::Running(at) => at == node && pod.stays() && !gone(pod),
                Place::Nominated(at) => {
                    at == node && pod.job != Some(JOB) && pod.stays_waiting() && self.keeps_its_room(pod)
                }
                Place::Pending => false,
            };
            let held = self.scene.pods.iter().filter(holds).fold([0; 2], |sum, pod| add(sum, pod.asks));
            let asked = planned.iter().fold([0; 2], |sum, pod| add(sum, pod.asks));
            let has = self.scene.nodes[node];
            eligible && (0..2).all(|at| asked[at] == 0 || held[at] + asked[at] <= has[at])
        })
    }

    /// Returns whether any assignment of the pods to nodes fits after evicting every candidate.
    pub fn some_assignment_fits(&self) -> bool {
        let gone = |pod: &Pod| self.is_candidate(pod);
        let choices = self.scene.nodes.len();
        let all = choices.pow(u32::try_from(self.pods.len()).unwrap());
        (0..all).any(|mut code| {
            let nodes = self.pods.iter().map(|pod| {
                let node = code % choices;
                code /= choices;
                (pod.name.clone(), node)
            });
            self.fits(&nodes.collect(), &gone)
        })
    }

    /// Returns whether every plan invariant of quotas holds after evicting every candidate of the job's own quota.
    pub fn limits_can_hold(&self) -> bool {
        self.limits_hold(&|pod| self.is_candidate(pod) && pod.quota == self.preemptor.quota)
    }
}

impl Pod {
    /// Returns whether the pod is not about to leave.
    fn stays(&self) -> bool {
        self.leaving.is_none()
    }

    /// Returns whether the pod is not being deleted, so that it may still wait for its node.
    fn stays_waiting(&self) -> bool {
        self.leaving != Some(crate::scene::Leaving::Terminating)
    }
}

fn add(a: Pair, b: Pair) -> Pair {
    [a[0] + b[0], a[1] + b[1]]
}

fn within(sum: Pair, bound: [Option<i64>; 2]) -> bool {
    (0..2).all(|at| bound[at].is_none_or(|bound| sum[at] <= bound))
}
