//! The laws of the design, with the rulings where the design contradicts itself or upstream.

use std::collections::BTreeSet;

use super::leaf;
use super::queues::{QueueTree, YuniKornQueue, is_within, nominated, used};
use crate::amounts::MilliAmounts;
use crate::world::{ModelCluster, ModelPod};

/// The request of a preemptor.
#[derive(Clone, Copy)]
pub(super) struct Preemption<'w> {
    pub(super) world: &'w ModelCluster,
    pub(super) queues: &'w QueueTree,
    pub(super) pod: &'w ModelPod,
}

type LawViolation = Option<(&'static str, String)>;

impl Preemption<'_> {
    /// Returns the queue that bounds the search for victims: the nearest fence or root. Unless `lenient`, also the nearest queue that the request
    /// would bring over its maximum.
    fn boundary(&self, lenient: bool) -> &str {
        let full = |queue: &YuniKornQueue| {
            let mut then = used(self.world, &queue.path, false);
            then.add(&self.pod.request);
            !then.within(&queue.max)
        };
        let path = self.queues.ancestors(leaf(self.pod));
        let stop = path.iter().find(|queue| queue.path == "root" || queue.is_fence || !lenient && full(queue));
        stop.map_or("root", |queue| queue.path.as_str())
    }

    /// Returns why a pod may not be a victim, independent of other victims. `None`: it may. `lenient` accepts both readings where two are possible.
    pub(super) fn illegal_victim(&self, victim: &ModelPod, lenient: bool) -> LawViolation {
        let (ours, theirs) = (leaf(self.pod), leaf(victim));
        let name = &victim.name;
        if victim.label("applicationId") == self.pod.label("applicationId") || ours == theirs {
            return Some(("yunikorn/3", format!("`{name}` belongs to the same application or queue")));
        }
        if !is_within(theirs, self.boundary(lenient)) {
            return Some(("yunikorn/7", format!("`{name}` is outside `{}`", self.boundary(lenient))));
        }
        if self.queues.ancestors(theirs).first().is_some_and(|queue| queue.is_disabled) {
            return Some(("victim-queue-allows-preemption", format!("preemption is disabled in `{theirs}`")));
        }
        if !self.ranks(victim) {
            return Some(("yunikorn/6", format!("`{name}` has a higher rank")));
        }
        let is_over = self.requested().any(|resource| self.is_over(theirs, &resource, lenient));
        let gives = is_over || lenient && self.gives_a_place(theirs);
        (!gives).then(|| ("yunikorn/5", format!("`{theirs}` is not over its guarantee")))
    }

    /// Returns the requested resources. Every pod also requests 1 of `pods`: see [`Preemption::gives_a_place`].
    fn requested(&self) -> impl Iterator<Item = String> {
        self.pod
            .request
            .0
            .iter()
            .filter(|(resource, amount)| **amount > 0 && *resource != "pods")
            .map(|(resource, _)| resource.clone())
    }

    /// Returns the path of the lowest common ancestor of both leaves.
    fn common(&self, theirs: &str) -> String {
        let path = self.queues.ancestors(leaf(self.pod));
        path.iter().find(|queue| is_within(theirs, &queue.path)).map_or("root".to_owned(), |queue| queue.path.clone())
    }

    /// Returns whether law 6 holds, with priority fences and offsets: up from the preemptor, then down to the victim.
    fn ranks(&self, victim: &ModelPod) -> bool {
        let common = self.common(leaf(victim));
        let mut rank = self.pod.priority;
        for queue in self.queues.ancestors(leaf(self.pod)) {
            rank = if queue.is_priority_fence { queue.offset } else { rank + queue.offset };
            if queue.path == common {
                break;
            }
        }
        let mut fenced = false;
        for queue in self.queues.ancestors(leaf(victim)).into_iter().rev() {
            if !is_within(&queue.path, &common) || queue.path == common {
                continue;
            }
            if queue.is_priority_fence {
                if queue.offset > rank {
                    return false;
                }
                fenced = true;
            } else {
                rank -= queue.offset;
            }
        }
        fenced || victim.priority <= rank
    }

    /// Returns whether law 5 holds for one resource: the nearest guarantee below the common queue is exceeded. If the victim's side has no
    /// guarantee, any usage is over it if the preemptor's side has one; else the shared queue with a guarantee decides. Without any guarantee both
    /// readings are possible: any usage is over it, or the law does not apply.
    fn is_over(&self, theirs: &str, resource: &str, lenient: bool) -> bool {
        let common = self.common(theirs);
        let nearest = |path: &str, shared: bool| {
            let queues = self.queues.ancestors(path).into_iter();
            let mut side = queues.filter(|queue| is_within(&common, &queue.path) == shared);
            side.find(|queue| queue.guaranteed.names(resource))
        };
        let exceeds = |queue: &YuniKornQueue| self.exceeds(queue, resource);
        if let Some(queue) = nearest(theirs, false) {
            return exceeds(queue);
        }
        let uses = used(self.world, theirs, true).get(resource) > 0;
        let without_any = || lenient && !self.is_within_its_guarantees(theirs);
        uses && (nearest(leaf(self.pod), false).is_some() || nearest(&common, true).map_or_else(without_any, exceeds))
    }

    /// Returns whether a queue uses more of a resource than it is guaranteed.
    fn exceeds(&self, queue: &YuniKornQueue, resource: &str) -> bool {
        used(self.world, &queue.path, true).get(resource) > queue.guaranteed.get(resource)
    }

    /// Returns whether the side of a victim has guarantees, and exceeds none of them: no pod in it can be considered.
    fn is_within_its_guarantees(&self, theirs: &str) -> bool {
        let common = self.common(theirs);
        let side: Vec<&YuniKornQueue> =
            self.queues.ancestors(theirs).into_iter().filter(|queue| !is_within(&common, &queue.path)).collect();
        let resources: BTreeSet<&String> = side.iter().flat_map(|queue| queue.guaranteed.0.keys()).collect();
        let is_within = |resource: &&String| {
            let nearest = side.iter().find(|queue| queue.guaranteed.names(resource));
            nearest.is_some_and(|queue| !self.exceeds(queue, resource))
        };
        !resources.is_empty() && resources.iter().all(is_within)
    }

    /// Returns whether a pod of a queue may go for its place on the node, which every pod requests and no case guarantees: unless a guarantee of
    /// its side, or one that both sides share, says that the queue is within it.
    fn gives_a_place(&self, theirs: &str) -> bool {
        let common = self.common(theirs);
        let is_within_shared = |resource: String| {
            let nearest = self.queues.ancestors(theirs).into_iter().find(|queue| queue.guaranteed.names(&resource));
            nearest.is_some_and(|queue| is_within(&common, &queue.path) && !self.exceeds(queue, &resource))
        };
        !self.is_within_its_guarantees(theirs) && !self.requested().any(is_within_shared)
    }

    /// Returns why these pods may not be evicted together. `None`: they may.
    pub(super) fn illegal_group(&self, victims: &[&ModelPod], lenient: bool) -> LawViolation {
        self.below_guarantee(victims)
            .or_else(|| self.not_under_guarantee(victims))
            .or_else(|| self.loops(victims))
            .or_else(|| self.over_max(victims, lenient))
    }

    /// Computes the amounts that a queue loses by these evictions.
    fn loss(queue: &YuniKornQueue, victims: &[&ModelPod]) -> MilliAmounts {
        MilliAmounts::sum(
            victims.iter().filter(|victim| is_within(leaf(victim), &queue.path)).map(|victim| &victim.request),
        )
    }

    /// Checks law 2: no queue below the common one falls below its guarantee of a resource that a victim uses.
    fn below_guarantee(&self, victims: &[&ModelPod]) -> LawViolation {
        for victim in victims {
            let common = self.common(leaf(victim));
            for queue in
                self.queues.ancestors(leaf(victim)).into_iter().filter(|queue| !is_within(&common, &queue.path))
            {
                let mut left = used(self.world, &queue.path, true);
                left.take(&Preemption::loss(queue, victims));
                for (resource, guaranteed) in &queue.guaranteed.0 {
                    if victim.request.get(resource) > 0 && left.get(resource) < *guaranteed {
                        return Some((
                            "yunikorn/2",
                            format!("`{}` keeps only {} of {resource}", queue.path, left.get(resource)),
                        ));
                    }
                }
            }
        }
        None
    }

    /// Checks law 4: for each requested and guaranteed resource, the nearest guarantee is not reached yet. If that queue is an ancestor of all
    /// victims, it is enough that it is exceeded neither before nor afterwards. There must be at least one guarantee.
    fn not_under_guarantee(&self, victims: &[&ModelPod]) -> LawViolation {
        let path = self.queues.ancestors(leaf(self.pod));
        let mut guaranteed = false;
        for resource in self.requested() {
            let Some(queue) = path.iter().find(|queue| queue.guaranteed.names(&resource)) else { continue };
            guaranteed = true;
            let mut held = used(self.world, &queue.path, true);
            held.add(&nominated(self.world, &queue.path, self.pod));
            let (held, most) = (held.get(&resource), queue.guaranteed.get(&resource));
            let above = victims.iter().all(|victim| is_within(leaf(victim), &queue.path));
            let then = held + self.pod.request.get(&resource) - Preemption::loss(queue, victims).get(&resource);
            if held >= most && !(above && held.max(then) <= most) {
                return Some(("yunikorn/4", format!("`{}` uses {held} of {most} {resource}", queue.path)));
            }
        }
        (!guaranteed).then(|| ("yunikorn/4", "its queues have no guarantee".to_owned()))
    }

    /// Checks that the preemptor's queue ends with at most as much as the victim's queue where both share the guarantees that apply. Otherwise the
    /// recreated victims would preempt in turn.
    fn loops(&self, victims: &[&ModelPod]) -> LawViolation {
        let guarantor = |path: &str, resource: &str| {
            let queue = self.queues.ancestors(path).into_iter().find(|queue| queue.guaranteed.names(resource))?;
            Some(queue.path.clone())
        };
        let ours = leaf(self.pod);
        for victim in victims {
            let (theirs, common) = (leaf(victim), self.common(leaf(victim)));
            let own = |resource: &String| guarantor(ours, resource).is_some_and(|path| !is_within(&common, &path));
            if self.requested().any(|resource| own(&resource)) {
                continue;
            }
            let shared = |resource: &String| {
                guarantor(ours, resource).is_some() && guarantor(ours, resource) == guarantor(theirs, resource)
            };
            for resource in self.requested().filter(shared) {
                let mut gains = used(self.world, ours, true);
                gains.add(&nominated(self.world, ours, self.pod));
                gains.add(&self.pod.request);
                let mut keeps = used(self.world, theirs, true);
                victims.iter().filter(|other| leaf(other) == theirs).for_each(|other| keeps.take(&other.request));
                if gains.get(&resource) > keeps.get(&resource) {
                    return Some((
                        "yunikorn/shared-guarantee",
                        format!("`{ours}` would end with more than `{theirs}`"),
                    ));
                }
            }
        }
        None
    }

    /// Checks that no queue of the preemptor exceeds its maximum.
    pub(super) fn over_max(&self, victims: &[&ModelPod], lenient: bool) -> LawViolation {
        for queue in self.queues.ancestors(leaf(self.pod)) {
            let mut then = used(self.world, &queue.path, lenient);
            then.add(&self.pod.request);
            then.take(&Preemption::loss(queue, victims));
            if !lenient {
                then.add(&nominated(self.world, &queue.path, self.pod));
            }
            if !then.within(&queue.max) {
                return Some(("fits-max-of-ancestors", format!("`{}` would use {then:?}", queue.path)));
            }
        }
        None
    }
}
