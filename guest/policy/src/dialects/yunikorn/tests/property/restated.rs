//! The laws, restated over names and plain numbers.

use super::{Case, NODES, Pod, is_below, path};

impl Case {
    fn sum<'a>(&self, pods: impl Iterator<Item = &'a Pod>, queue: &str) -> i64 {
        pods.filter(|pod| is_below(pod.leaf, queue)).map(|pod| pod.cpu).sum()
    }

    fn used(&self, queue: &str) -> i64 {
        self.sum(self.pods.iter().filter(|pod| !pod.leaving), queue)
    }

    fn promised(&self, queue: &str) -> i64 {
        self.sum(self.promised.iter(), queue)
    }

    /// The queues above a victim that are not above the asking pod as well.
    fn own_side<'a>(&self, leaf: &'a str, other: &str) -> Vec<&'a str> {
        path(leaf).into_iter().filter(|queue| !is_below(other, queue)).collect()
    }

    pub fn ranks_no_higher(&self, victim: &Pod) -> bool {
        let mut rank = self.asker.priority;
        for queue in self
            .own_side(self.asker.leaf, victim.leaf)
            .into_iter()
            .chain(path(victim.leaf).into_iter().find(|q| is_below(self.asker.leaf, q)))
        {
            let queue = self.queue(queue);
            rank = if queue.priority_fenced { queue.offset } else { rank + queue.offset };
        }
        let mut fenced = false;
        for queue in self.own_side(victim.leaf, self.asker.leaf).into_iter().rev().map(|queue| self.queue(queue)) {
            if queue.priority_fenced && queue.offset > rank {
                return false;
            }
            fenced |= queue.priority_fenced;
            rank -= if queue.priority_fenced { 0 } else { queue.offset };
        }
        fenced || victim.priority <= rank
    }

    fn is_over(&self, victim: &Pod) -> bool {
        let side = self.own_side(victim.leaf, self.asker.leaf);
        if let Some(queue) = side.iter().find(|queue| self.guaranteed(queue).is_some()) {
            return self.used(queue) > self.guaranteed(queue).unwrap();
        }
        if self.own_side(self.asker.leaf, victim.leaf).iter().any(|queue| self.guaranteed(queue).is_some()) {
            return true;
        }
        let shared = path(victim.leaf).into_iter().find(|queue| self.guaranteed(queue).is_some());
        shared.is_none_or(|queue| self.used(queue) > self.guaranteed(queue).unwrap())
    }

    /// Laws 3 and 5 to 7 of one victim, and who is no victim at all.
    fn may_go(&self, victim: &Pod) -> bool {
        let fence =
            path(self.asker.leaf).into_iter().find(|queue| self.queue(queue).fenced && !self.queue(queue).spared);
        !victim.leaving
            && victim.leaf != self.asker.leaf
            && !self.spared(victim.leaf)
            && fence.is_none_or(|fence| is_below(victim.leaf, fence))
            && self.ranks_no_higher(victim)
            && self.is_over(victim)
    }

    fn keeps_guarantees(&self, group: &[&Pod]) -> bool {
        group.iter().all(|victim| {
            self.own_side(victim.leaf, self.asker.leaf).iter().all(|queue| {
                let left = self.used(queue) - self.sum(group.iter().copied(), queue);
                self.guaranteed(queue).is_none_or(|guaranteed| left >= guaranteed)
            })
        })
    }

    pub fn has_room(&self, node: usize, group: &[&Pod]) -> bool {
        let leaving: i64 = self.pods.iter().filter(|pod| pod.leaving && pod.node == node).map(|pod| pod.cpu).sum();
        let promised: i64 = self.promised.iter().filter(|pod| pod.node == node).map(|pod| pod.cpu).sum();
        let going: i64 = group.iter().map(|pod| pod.cpu).sum();
        *self.free.get(node).unwrap() + leaving + going - promised >= self.asker.cpu
    }

    pub fn fits_max(&self, group: &[&Pod]) -> bool {
        path(self.asker.leaf).iter().all(|queue| {
            let held = self.used(queue) + self.promised(queue) - self.sum(group.iter().copied(), queue);
            self.max(queue).is_none_or(|max| held + self.asker.cpu <= max)
        })
    }

    fn law_4(&self, group: &[&Pod]) -> bool {
        let Some(queue) = path(self.asker.leaf).into_iter().find(|queue| self.guaranteed(queue).is_some()) else {
            return false;
        };
        let guaranteed = self.guaranteed(queue).unwrap();
        let leaving =
            if queue == self.asker.leaf { self.sum(self.pods.iter().filter(|pod| pod.leaving), queue) } else { 0 };
        let held = self.used(queue) + self.promised(queue) + leaving;
        let ends = held + self.asker.cpu - self.sum(group.iter().copied(), queue);
        held < guaranteed
            || queue != self.asker.leaf && group.iter().all(|pod| is_below(pod.leaf, queue)) && ends <= guaranteed
    }

    pub fn suffices(&self, node: usize, group: &[&Pod]) -> bool {
        self.has_room(node, group) && self.fits_max(group) && self.law_4(group)
    }

    pub fn is_legal(&self, node: usize, group: &[&Pod]) -> bool {
        group.iter().all(|pod| self.may_go(pod)) && self.keeps_guarantees(group) && self.suffices(node, group)
    }

    /// Every legal group, with its node.
    pub fn legal(&self) -> Vec<(usize, Vec<&Pod>)> {
        let mut legal = Vec::new();
        for node in 0..NODES {
            let there: Vec<&Pod> = self.pods.iter().filter(|pod| pod.node == node).collect();
            for bits in 1u32..1 << there.len() {
                let group: Vec<&Pod> =
                    there.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, pod)| *pod).collect();
                if self.is_legal(node, &group) {
                    legal.push((node, group));
                }
            }
        }
        legal
    }
}
