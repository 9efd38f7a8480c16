//! Pods: where they are, and the books that follow from it.

use super::*;
use crate::model::queue::Adjustment;
use crate::model::rank::{RankChange, UNRANKED};

impl Cluster {
    /// Checks whether a pod may have this request. The error says that the sum of a resource over all pods would overflow.
    pub fn can_count_request(&self, ix: PodIx, request: &ResourceRequest) -> Result<(), SumOverflow> {
        let old = self.pod(ix).map(|pod| pod.request());
        self.resources.requested.check_sum_fits(|resource| old.map_or(0, |old| old.get(resource)), request.iter())
    }

    /// Adds or updates a pod, and gives it a rank and a class. A pod that the policy has reserved a node stays reserved until it is bound, unreserved
    /// or removed. The error says that the sum of a resource over all pods would overflow; then nothing changes.
    pub fn upsert_pod(&mut self, ix: PodIx, mut pod: PodInfo) -> Result<(), SumOverflow> {
        self.can_count_request(ix, pod.request())?;
        self.resources.requested.add(pod.request().iter());
        let old = self.detach(ix);
        // A member that can be tried from now on may complete its gang: the round that failed without it is over.
        let may_follow = |old: &PodInfo| !old.is_ungated_and_own() && pod.is_ungated_and_own();
        let is_new = old.as_ref().is_none_or(|old| old.attributes.job != pod.attributes.job || may_follow(old));
        let joined = pod.attributes.job.filter(|_| is_new);
        self.record_upsert(old.as_ref(), &pod);
        if let Some(old) = old {
            self.resources.requested.subtract(old.request().iter());
            if let (PodLocation::Reserved(_), PodLocation::Pending) = (old.state.location, pod.state.location) {
                pod.state.location = old.state.location;
            }
            pod.rank = if old.name == pod.name { old.rank } else { UNRANKED };
        }
        self.show_retained_node(ix, &mut pod);
        self.attach(ix, pod);
        joined.into_iter().for_each(|job| self.begin_round(job));
        Ok(())
    }

    /// Removes a pod and returns it. A job without pods is reset, as a job of the same name that is submitted again is another job.
    pub fn remove_pod(&mut self, ix: PodIx) -> Option<PodInfo> {
        let pod = self.detach(ix);
        if let Some(pod) = &pod {
            self.resources.requested.subtract(pod.request().iter());
            self.pods.ranks.remove(&pod.name);
            if let Some(ix) = pod.attributes.job
                && let Some(job) = self.jobs.table.get_mut(ix).filter(|job| job.members.is_empty())
            {
                let (declared, declared_at) = (job.declared.take(), job.declared_at);
                *job = Job { declared, declared_at, ..Job::new(job.key.clone()) };
                self.jobs.stuck_gangs.remove(&ix);
                self.ext.forget_job(ix);
            }
            if let Some(job) = pod.attributes.job.and_then(|job| self.jobs.table.get_mut(job)) {
                job.round.tried.remove(&ix);
            }
            self.pods.required_node_reservations.remove(&ix);
            self.ext.forget_pod(ix);
            self.record_change();
        }
        pod
    }

    /// Reserves a node for a pending pod. Returns `false` where there is no such pod, or it is not pending.
    pub fn reserve(&mut self, ix: PodIx, node: NodeIx) -> bool {
        self.change_location(ix, PodLocation::Pending, PodLocation::Reserved(node))
    }

    /// Takes the reserved node of a pod back. Returns `false` where there is no such pod, or it is not reserved.
    pub fn unreserve(&mut self, ix: PodIx) -> bool {
        match self.pod(ix).map(|pod| pod.state.location) {
            Some(nominated_on @ PodLocation::Reserved(_)) => {
                self.record_release(ix);
                self.change_location(ix, nominated_on, PodLocation::Pending)
            }
            _ => false,
        }
    }

    /// Keeps the node of a pod that no longer reserves it. The pod counts as nominated there until it gets a node again, is removed or nominated by
    /// the host, or the node is given up. The host does not know of it.
    pub fn retain_node(&mut self, ix: PodIx, node: NodeIx) {
        if self.pod(ix).is_none_or(|pod| pod.state.nominated.is_some()) {
            return;
        }
        self.ext.coscheduling.retained_nodes.insert(ix, node);
        self.set_nominated(ix, Some(node));
    }

    /// Gives up the node that is kept for a pod, if any.
    pub fn release_retained_node(&mut self, ix: PodIx) {
        if self.ext.coscheduling.retained_nodes.remove(&ix).is_some() {
            self.set_nominated(ix, None);
        }
    }

    /// Returns the pods for which a node is kept, and the nodes.
    pub fn retained_nodes(&self) -> impl Iterator<Item = (PodIx, NodeIx)> {
        self.ext.coscheduling.retained_nodes.iter().map(|(ix, node)| (*ix, *node))
    }

    fn set_nominated(&mut self, ix: PodIx, node: Option<NodeIx>) {
        if let Some(mut pod) = self.detach(ix) {
            pod.state.nominated = node;
            self.attach(ix, pod);
        }
    }

    /// Shows the node that is kept for a pod as its nomination, as long as the pod waits and the host has not nominated it.
    fn show_retained_node(&mut self, ix: PodIx, pod: &mut PodInfo) {
        let Some(node) = self.ext.coscheduling.retained_nodes.get(&ix).copied() else { return };
        let waits =
            matches!(pod.state.location, PodLocation::Pending | PodLocation::Reserved(_)) && !pod.state.terminating;
        if waits && pod.state.nominated.is_none() {
            pod.state.nominated = Some(node);
        } else {
            self.ext.coscheduling.retained_nodes.remove(&ix);
        }
    }

    /// Updates the attributes of pods, as far as no book but the priorities of their jobs depends on them.
    pub fn update_attributes(&mut self, mut say: impl FnMut(PodIx, &mut PodAttributes)) {
        self.version = self.version.wrapping_add(1);
        for (ix, pod) in self.pods.table.iter_mut() {
            let before = pod.priority();
            say(ix, &mut pod.attributes);
            let job =
                pod.attributes.job.filter(|_| pod.priority() != before).and_then(|job| self.jobs.table.get_mut(job));
            job.into_iter().for_each(|job| job.move_priority(before, pod.priority()));
        }
        self.pods.leaving = self.pods.table.iter().filter(|(_, pod)| pod.is_leaving()).map(|(ix, _)| ix).collect();
        self.nodes.pods.mark_all_stale();
    }

    fn change_location(&mut self, ix: PodIx, from: PodLocation, to: PodLocation) -> bool {
        if self.pod(ix).is_none_or(|pod| pod.state.location != from) {
            return false;
        }
        if let Some(mut pod) = self.detach(ix) {
            pod.state.location = to;
            self.attach(ix, pod);
        }
        true
    }

    fn attach(&mut self, ix: PodIx, mut pod: PodInfo) {
        self.version = self.version.wrapping_add(1);
        if pod.rank == UNRANKED {
            pod.rank = self.rank_pod(&pod.name);
        }
        pod.requirements.class =
            self.requirements.classes.add_pod(pod.requirements.shape, pod.requirements.inter_pod, pod.request());
        let (place, nominated, job) = (pod.state.location, pod.state.nominated, pod.attributes.job);
        if place == PodLocation::Pending && pod.pinned_daemon_node().is_some() {
            self.pods.pinned_daemon_pods.insert(ix);
        }
        let reservation_group = match pod.name.kind {
            PodKind::Reservation => Some(self.names.intern(&pod.name.name)),
            PodKind::Pod => pod.attributes.reservation,
        };
        if pod.is_leaving() {
            self.pods.leaving.insert(ix);
        }
        self.pods.table.insert(ix, pod);
        if let Some((at, node)) = place.node().and_then(|at| Some((at, self.nodes.table.get_mut(at)?))) {
            node.pods.push(ix);
            self.nodes.pods.mark_stale(at);
        }
        if nominated.is_some() {
            self.pods.nominated.insert(ix);
        }
        if let Some(reservation_group) = reservation_group {
            self.pods.reservation_groups.entry(reservation_group).or_default().push(ix);
        }
        if let Some((at, node)) = nominated.and_then(|at| Some((at, self.nodes.table.get_mut(at)?))) {
            node.nominated.push(ix);
            self.nodes.capacity.mark_stale(at);
        }
        if let Some((job, pod)) = job.and_then(|job| self.jobs.table.get_mut(job)).zip(self.pods.table.get(ix)) {
            job.add_pod(ix, pod);
        }
        self.count_queue_request(ix, Adjustment::Add);
        self.count_at_location(ix, Adjustment::Add)
    }

    fn detach(&mut self, ix: PodIx) -> Option<PodInfo> {
        self.version = self.version.wrapping_add(1);
        self.count_at_location(ix, Adjustment::Subtract);
        self.count_queue_request(ix, Adjustment::Subtract);
        let pod = self.pods.table.remove(ix)?;
        self.requirements.classes.remove_pod(pod.requirements.class);
        self.pods.nominated.remove(&ix);
        self.pods.leaving.remove(&ix);
        self.pods.pinned_daemon_pods.remove(&ix);
        if let Some(reservation_group) = self
            .reservation_group_of(&pod)
            .and_then(|reservation_group| self.pods.reservation_groups.get_mut(&reservation_group))
        {
            reservation_group.retain(|other| *other != ix);
        }
        if let Some((at, node)) = pod.node().and_then(|at| Some((at, self.nodes.table.get_mut(at)?))) {
            node.pods.retain(|other| *other != ix);
            self.nodes.pods.mark_stale(at);
        }
        if let Some((at, node)) = pod.state.nominated.and_then(|at| Some((at, self.nodes.table.get_mut(at)?))) {
            node.nominated.retain(|other| *other != ix);
            self.nodes.capacity.mark_stale(at);
        }
        if let Some(job) = pod.attributes.job.and_then(|job| self.jobs.table.get_mut(job)) {
            job.remove_pod(ix, &pod, |other| self.pods.table.get(other));
        }
        Some(pod)
    }

    /// Books the usage of a pod where it is: of its node, and of its queue and every ancestor; and lists the pod on its node.
    pub(in crate::model) fn count_at_location(&mut self, ix: PodIx, entry: Adjustment) {
        let Some(pod) = self.pods.table.get(ix) else { return };
        let Some(at) = pod.node() else { return };
        let alone = self.reservation_group_of(pod).is_none();
        let share = if alone { None } else { Some(self.marginal_request(ix)) };
        if let Some(node) = self.nodes.table.get_mut(at) {
            let share = share.as_ref().unwrap_or(pod.request());
            match entry {
                Adjustment::Add => node.free.subtract(share),
                Adjustment::Subtract => node.free.add(share),
            }
            self.nodes.capacity.mark_stale(at);
        }
        if let Some(inter_pod) = pod.requirements.inter_pod {
            self.requirements.inter_pods.count_pod(inter_pod, at, pod.state.terminating, entry);
        }
        self.count_queue_usage(ix, entry)
    }

    /// Books the usage of a pod with its queue and every ancestor.
    pub(super) fn count_queue_usage(&mut self, ix: PodIx, entry: Adjustment) {
        if let Some(pod) = self.pods.table.get(ix).filter(|pod| pod.node().is_some()) {
            count_on_path(&mut self.queues.table, pod, entry, |queue| &mut queue.used);
        }
    }

    /// Books the requests of a pod with its queue and every ancestor. A pod that has ended requests nothing.
    pub(super) fn count_queue_request(&mut self, ix: PodIx, entry: Adjustment) {
        match self.pods.table.get(ix) {
            Some(pod) if pod.state.location != PodLocation::Finished => {
                count_on_path(&mut self.queues.table, pod, entry, |queue| &mut queue.requested)
            }
            _ => (),
        }
    }

    /// Moves a pod to another queue, or changes its preemptibility.
    pub fn move_to_queue(&mut self, ix: PodIx, queue: Option<QueueIx>, preemptibility: Preemptibility) {
        if self.pod(ix).is_none_or(|pod| pod.queue == queue && pod.attributes.preemptibility == preemptibility) {
            return;
        }
        if let Some(mut pod) = self.detach(ix) {
            pod.queue = queue;
            pod.attributes.preemptibility = preemptibility;
            self.attach(ix, pod);
        }
    }

    /// Moves a pod in a trial: books only, the lists of nodes and jobs stay.
    pub(in crate::model) fn move_in_trial(&mut self, ix: PodIx, place: PodLocation) -> Option<PodLocation> {
        self.count_at_location(ix, Adjustment::Subtract);
        let pod = self.pods.table.get_mut(ix)?;
        let old = std::mem::replace(&mut pod.state.location, place);
        self.count_at_location(ix, Adjustment::Add);
        Some(old)
    }

    fn rank_pod(&mut self, name: &PodName) -> u64 {
        if let RankChange::Rank(rank) = self.pods.ranks.add(name.clone()) {
            return rank;
        }
        let ranks = &self.pods.ranks;
        for (_, pod) in self.pods.table.iter_mut() {
            pod.rank = ranks.get(&pod.name).unwrap_or(pod.rank);
        }
        ranks.get(name).unwrap_or(0)
    }
}

/// Books the request of a pod with its queue and every ancestor.
fn count_on_path<K: AmountKind>(
    queues: &mut Table<QueueIx, Queue>,
    pod: &PodInfo,
    entry: Adjustment,
    books: fn(&mut Queue) -> &mut QueueUsage<K>,
) {
    let mut next = pod.queue;
    while let Some(queue) = next.and_then(|queue| queues.get_mut(queue)) {
        books(queue).adjust(entry, pod.attributes.preemptibility, pod.request());
        next = queue.parent;
    }
}
