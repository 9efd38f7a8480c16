//! The laws, restated over names and plain numbers.

use super::case::{ALL, Amounts, Case, NODES, Pod, is_below, path};

impl Case {
    fn sum<'a>(&self, pods: impl Iterator<Item = &'a Pod>, queue: &str, r: usize) -> i64 {
        pods.filter(|pod| is_below(pod.leaf, queue)).map(|pod| pod.request[r]).sum()
    }

    fn used(&self, queue: &str, r: usize) -> i64 {
        self.sum(self.pods.iter().filter(|pod| !pod.leaving), queue, r)
    }

    fn nominated(&self, queue: &str, r: usize) -> i64 {
        self.sum(self.nominated.iter(), queue, r)
    }

    fn requested(&self) -> impl Iterator<Item = usize> + '_ {
        ALL.filter(|r| self.preemptor.request[*r] > 0)
    }

    /// Returns the queues of one leaf that are not ancestors of the other.
    fn own_side<'a>(&self, leaf: &'a str, other: &str) -> Vec<&'a str> {
        path(leaf).into_iter().filter(|queue| !is_below(other, queue)).collect()
    }

    /// Returns the nearest of these queues that guarantees a resource, with the amount.
    fn guarantor<'a>(&self, queues: &[&'a str], r: usize) -> Option<(&'a str, i64)> {
        queues.iter().find_map(|queue| Some((*queue, self.guaranteed(queue, r)?)))
    }

    pub fn ranks_no_higher(&self, victim: &Pod) -> bool {
        if self.preemptor.daemon {
            return victim.priority <= self.preemptor.priority;
        }
        let mut rank = self.preemptor.priority;
        let shared = path(victim.leaf).into_iter().find(|queue| is_below(self.preemptor.leaf, queue));
        for queue in self.own_side(self.preemptor.leaf, victim.leaf).into_iter().chain(shared) {
            let queue = self.queue(queue);
            rank = if queue.priority_fenced { queue.offset } else { rank + queue.offset };
        }
        let mut fenced = false;
        for queue in self.own_side(victim.leaf, self.preemptor.leaf).into_iter().rev().map(|queue| self.queue(queue)) {
            if queue.priority_fenced && queue.offset > rank {
                return false;
            }
            fenced |= queue.priority_fenced;
            rank -= if queue.priority_fenced { 0 } else { queue.offset };
        }
        fenced || victim.priority <= rank
    }

    /// Checks law 5: the victim's queue is over its guarantee in a requested resource.
    fn is_over(&self, victim: &Pod) -> bool {
        let (theirs, own) =
            (self.own_side(victim.leaf, self.preemptor.leaf), self.own_side(self.preemptor.leaf, victim.leaf));
        let uses = |r: usize| theirs.last().is_some_and(|side| self.used(side, r) > 0);
        let guarantees: Vec<(usize, &str, i64)> =
            ALL.filter_map(|r| self.guarantor(&theirs, r).map(|(queue, guaranteed)| (r, queue, guaranteed))).collect();
        let is_within_all =
            !guarantees.is_empty() && guarantees.iter().all(|(r, queue, amount)| self.used(queue, *r) <= *amount);
        let (mut over, mut shared, mut unguaranteed) = (false, false, false);
        for r in self.requested() {
            if let Some((queue, guaranteed)) = self.guarantor(&theirs, r) {
                over |= self.used(queue, r) > guaranteed;
            } else if self.guarantor(&own, r).is_some() {
                over |= uses(r);
            } else if let Some((queue, guaranteed)) = self.guarantor(&path(victim.leaf), r) {
                over |= self.used(queue, r) > guaranteed;
                shared |= self.used(queue, r) <= guaranteed;
            } else {
                unguaranteed |= uses(r);
            }
        }
        over || unguaranteed && !shared && !is_within_all
    }

    /// Checks the victim filters for one pod: laws 3 and 5 to 7, and pods that are never victims.
    fn is_eligible(&self, victim: &Pod) -> bool {
        let is_own = victim.leaf == self.preemptor.leaf && (victim.app == self.preemptor.app || !self.preemptor.daemon);
        if victim.leaving || victim.daemon || is_own || !self.ranks_no_higher(victim) {
            return false;
        }
        let fence =
            path(self.preemptor.leaf).into_iter().find(|queue| self.queue(queue).fenced && !self.queue(queue).disabled);
        self.preemptor.daemon
            || !self.disabled(victim.leaf)
                && fence.is_none_or(|fence| is_below(victim.leaf, fence))
                && self.is_over(victim)
    }

    /// Checks law 2: no queue on the side of a victim falls below its guarantee.
    fn keeps_guarantees(&self, victims: &[&Pod]) -> bool {
        let keeps = |victim: &Pod, queue: &str, r: usize| {
            let left = self.used(queue, r) - self.sum(victims.iter().copied(), queue, r);
            victim.request[r] == 0 || self.guaranteed(queue, r).is_none_or(|guaranteed| left >= guaranteed)
        };
        self.preemptor.daemon
            || victims.iter().all(|victim| {
                let side = self.own_side(victim.leaf, self.preemptor.leaf);
                side.iter().all(|queue| ALL.into_iter().all(|r| keeps(victim, queue, r)))
            })
    }

    /// Checks whether a node has free capacity without these victims. The capacity of a nominated pod is kept, also from a pod of a DaemonSet.
    pub fn has_room(&self, node: usize, victims: &[&Pod]) -> bool {
        let total = |pods: &mut dyn Iterator<Item = &Pod>, r: usize| pods.map(|pod| pod.request[r]).sum::<i64>();
        let there = |pod: &&Pod| pod.node == node;
        let room = |r: usize| {
            let leaving = total(&mut self.pods.iter().filter(|pod| pod.leaving).filter(there), r);
            let nominated = total(&mut self.nominated.iter().filter(there), r);
            self.free[node][r] + leaving + total(&mut victims.iter().copied(), r) - nominated
        };
        (!self.preemptor.daemon || self.preemptor.node == node)
            && self.requested().all(|r| room(r) >= self.preemptor.request[r])
    }

    pub fn fits_max(&self, victims: &[&Pod]) -> bool {
        path(self.preemptor.leaf).iter().all(|queue| {
            self.requested().all(|r| {
                let held = self.used(queue, r) + self.nominated(queue, r) - self.sum(victims.iter().copied(), queue, r);
                self.max(queue, r).is_none_or(|max| held + self.preemptor.request[r] <= max)
            })
        })
    }

    fn law_4(&self, victims: &[&Pod]) -> bool {
        let judged: Vec<(usize, &str, i64)> = self
            .requested()
            .filter_map(|r| {
                self.guarantor(&path(self.preemptor.leaf), r).map(|(queue, guaranteed)| (r, queue, guaranteed))
            })
            .collect();
        let holds = |(r, queue, guaranteed): &(usize, &str, i64)| {
            let own = *queue == self.preemptor.leaf;
            let leaving = self.sum(self.pods.iter().filter(|pod| pod.leaving && own), queue, *r);
            let held = self.used(queue, *r) + self.nominated(queue, *r);
            let ends = held + self.preemptor.request[*r] - self.sum(victims.iter().copied(), queue, *r);
            held + leaving < *guaranteed
                || !own && victims.iter().all(|pod| is_below(pod.leaf, queue)) && held.max(ends) <= *guaranteed
        };
        self.preemptor.daemon || !judged.is_empty() && judged.iter().all(holds)
    }

    /// Checks that the preemptor's queue ends with at most as much as the victim's queue, where both share the guarantee.
    fn does_not_overtake(&self, victims: &[&Pod]) -> bool {
        let guarantor = |leaf, r| self.guarantor(&path(leaf), r).map(|(queue, _)| queue);
        let even = |victim: &Pod, r: usize| {
            let (own, theirs) = (self.preemptor.leaf, victim.leaf);
            let left = self.used(theirs, r) - self.sum(victims.iter().copied(), theirs, r);
            guarantor(own, r).is_none()
                || guarantor(own, r) != guarantor(theirs, r)
                || self.used(own, r) + self.nominated(own, r) + self.preemptor.request[r] <= left
        };
        let has_own = |victim: &Pod| {
            self.requested().any(|r| self.guarantor(&self.own_side(self.preemptor.leaf, victim.leaf), r).is_some())
        };
        self.preemptor.daemon
            || victims.iter().all(|victim| has_own(victim) || self.requested().all(|r| even(victim, r)))
    }

    pub fn suffices(&self, node: usize, victims: &[&Pod]) -> bool {
        self.has_room(node, victims) && self.fits_max(victims) && self.law_4(victims)
    }

    pub fn is_legal(&self, node: usize, victims: &[&Pod]) -> bool {
        victims.iter().all(|pod| self.is_eligible(pod))
            && self.keeps_guarantees(victims)
            && self.does_not_overtake(victims)
            && self.suffices(node, victims)
    }

    /// Returns every legal eviction set, with its node.
    pub fn legal(&self) -> Vec<(usize, Vec<&Pod>)> {
        let on = |node: usize| self.pods.iter().filter(|pod| pod.node == node).collect::<Vec<&Pod>>();
        let sets = (0..NODES).flat_map(|node| subsets(&on(node)).into_iter().map(move |victims| (node, victims)));
        sets.filter(|(node, victims)| self.is_large_enough(*node) && self.is_legal(*node, victims)).collect()
    }

    /// Checks whether the preemptor fits on a node without other pods.
    pub fn is_large_enough(&self, node: usize) -> bool {
        let whole: Amounts = self.allocatable(node);
        self.requested().all(|r| whole[r] >= self.preemptor.request[r])
    }

    /// Checks whether a pod is the originator of its application, which is the first pod.
    fn is_originator(&self, pod: &Pod) -> bool {
        let mut members = self.pods.iter().filter(|other| other.leaf == pod.leaf && other.app == pod.app);
        members.next().is_some_and(|first| first.name == pod.name)
    }

    /// Returns the cost of an eviction set: how many opted-out pods and originators it has, the more important first, and how many pods. The last
    /// number is the highest priority.
    pub fn cost(&self, victims: &[&Pod]) -> [i64; 4] {
        let count = |is: &dyn Fn(&Pod) -> bool| i64::try_from(victims.iter().filter(|pod| is(pod)).count()).unwrap();
        let (opted_out, originators) = (count(&|pod| pod.opted_out), count(&|pod| self.is_originator(pod)));
        let (first, second) = if self.preemptor.daemon { (originators, opted_out) } else { (opted_out, originators) };
        [first, second, count(&|_| true), victims.iter().map(|pod| pod.priority).max().unwrap_or(i64::MIN)]
    }
}

/// Returns every subset of these pods except the empty one.
pub fn subsets<'a>(pods: &[&'a Pod]) -> Vec<Vec<&'a Pod>> {
    let of = |bits: u32| pods.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, pod)| *pod).collect();
    (1..1u32 << pods.len()).map(of).collect()
}
