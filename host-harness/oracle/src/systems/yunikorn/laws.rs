//! The laws, each as the design says it, in the reading that was settled where it contradicts itself or upstream.

use super::leaf;
use super::queues::{Queue, Queues, is_within, nominated, used};
use crate::amounts::Amounts;
use crate::world::{Pod, World};

/// A pod that asks for room.
#[derive(Clone, Copy)]
pub(super) struct Ask<'w> {
    pub(super) world: &'w World,
    pub(super) queues: &'w Queues,
    pub(super) pod: &'w Pod,
}

type Broken = Option<(&'static str, String)>;

impl Ask<'_> {
    /// The queue up to which victims are looked for: the nearest fence, root, or, strictly, one that the ask would take over its
    /// maximum.
    fn boundary(&self, lenient: bool) -> &str {
        let full = |queue: &Queue| {
            let mut then = used(self.world, &queue.path, false);
            then.add(&self.pod.request);
            !then.within(&queue.max)
        };
        let path = self.queues.up(leaf(self.pod));
        let stop = path.iter().find(|queue| queue.path == "root" || queue.is_fence || !lenient && full(queue));
        stop.map_or("root", |queue| queue.path.as_str())
    }

    /// Why a pod may not be a victim, whatever becomes of others. Leniently, where two readings are possible.
    pub(super) fn illegal_victim(&self, victim: &Pod, lenient: bool) -> Broken {
        let (ours, theirs) = (leaf(self.pod), leaf(victim));
        let name = &victim.name;
        if victim.label("applicationId") == self.pod.label("applicationId") || ours == theirs {
            return Some(("yunikorn/3", format!("`{name}` is of the same application or queue")));
        }
        if !is_within(theirs, self.boundary(lenient)) {
            return Some(("yunikorn/7", format!("`{name}` is outside `{}`", self.boundary(lenient))));
        }
        if self.queues.up(theirs).first().is_some_and(|queue| queue.is_disabled) {
            return Some(("victim-queue-takes-part", format!("preemption is disabled in `{theirs}`")));
        }
        if !self.ranks(victim) {
            return Some(("yunikorn/6", format!("`{name}` ranks higher")));
        }
        let shares = self.asked().any(|resource| self.is_over(theirs, &resource, lenient));
        (!shares).then(|| ("yunikorn/5", format!("`{theirs}` is not over its guarantee")))
    }

    /// The resources that are asked for. Every pod asks for one of `pods`, which counts where somebody guarantees it: no case does.
    fn asked(&self) -> impl Iterator<Item = String> {
        self.pod
            .request
            .0
            .iter()
            .filter(|(resource, amount)| **amount > 0 && *resource != "pods")
            .map(|(resource, _)| resource.clone())
    }

    /// The lowest queue above both leaves.
    fn common(&self, theirs: &str) -> String {
        let path = self.queues.up(leaf(self.pod));
        path.iter().find(|queue| is_within(theirs, &queue.path)).map_or("root".to_owned(), |queue| queue.path.clone())
    }

    /// Law 6, with fences and offsets of priority: up from the ask, then down to the victim.
    fn ranks(&self, victim: &Pod) -> bool {
        let common = self.common(leaf(victim));
        let mut rank = self.pod.priority;
        for queue in self.queues.up(leaf(self.pod)) {
            rank = if queue.is_priority_fence { queue.offset } else { rank + queue.offset };
            if queue.path == common {
                break;
            }
        }
        let mut fenced = false;
        for queue in self.queues.up(leaf(victim)).into_iter().rev() {
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

    /// Law 5 for one resource: the nearest guarantee below the common queue is exceeded. Where the victim's side has none, it is
    /// over if the asker's side has one; else the shared queue that has one decides. Where nobody has one, both readings are
    /// possible: over with any use, or not concerned.
    fn is_over(&self, theirs: &str, resource: &str, lenient: bool) -> bool {
        let common = self.common(theirs);
        let nearest = |path: &str, shared: bool| {
            let queues = self.queues.up(path).into_iter();
            let mut side = queues.filter(|queue| is_within(&common, &queue.path) == shared);
            side.find(|queue| queue.guaranteed.names(resource))
        };
        let exceeds =
            |queue: &Queue| used(self.world, &queue.path, true).get(resource) > queue.guaranteed.get(resource);
        if let Some(queue) = nearest(theirs, false) {
            return exceeds(queue);
        }
        let uses = used(self.world, theirs, true).get(resource) > 0;
        uses && (nearest(leaf(self.pod), false).is_some() || nearest(&common, true).map_or(lenient, exceeds))
    }

    /// Why these victims may not go together.
    pub(super) fn illegal_group(&self, victims: &[&Pod], lenient: bool) -> Broken {
        self.below_guarantee(victims)
            .or_else(|| self.not_under(victims))
            .or_else(|| self.swings(victims))
            .or_else(|| self.over_max(victims, lenient))
    }

    /// What leaves a queue.
    fn leaves(queue: &Queue, victims: &[&Pod]) -> Amounts {
        Amounts::sum(victims.iter().filter(|victim| is_within(leaf(victim), &queue.path)).map(|victim| &victim.request))
    }

    /// Law 2: no queue below the common one is left under its guarantee of what a victim uses.
    fn below_guarantee(&self, victims: &[&Pod]) -> Broken {
        for victim in victims {
            let common = self.common(leaf(victim));
            for queue in self.queues.up(leaf(victim)).into_iter().filter(|queue| !is_within(&common, &queue.path)) {
                let mut left = used(self.world, &queue.path, true);
                left.take(&Ask::leaves(queue, victims));
                for (resource, guaranteed) in &queue.guaranteed.0 {
                    if victim.request.get(resource) > 0 && left.get(resource) < *guaranteed {
                        return Some((
                            "yunikorn/2",
                            format!("`{}` is left with {} of {resource}", queue.path, left.get(resource)),
                        ));
                    }
                }
            }
        }
        None
    }

    /// Law 4: by every resource that is asked for and guaranteed, the nearest guarantee is not reached yet; or, where that queue is
    /// above all victims, it is not exceeded afterwards. There must be one.
    fn not_under(&self, victims: &[&Pod]) -> Broken {
        let path = self.queues.up(leaf(self.pod));
        let mut guaranteed = false;
        for resource in self.asked() {
            let Some(queue) = path.iter().find(|queue| queue.guaranteed.names(&resource)) else { continue };
            guaranteed = true;
            let mut held = used(self.world, &queue.path, true);
            held.add(&nominated(self.world, &queue.path, self.pod));
            let (held, most) = (held.get(&resource), queue.guaranteed.get(&resource));
            let above = victims.iter().all(|victim| is_within(leaf(victim), &queue.path));
            let then = held + self.pod.request.get(&resource) - Ask::leaves(queue, victims).get(&resource);
            if held >= most && !(above && then <= most) {
                return Some(("yunikorn/4", format!("`{}` holds {held} of {most} {resource}", queue.path)));
            }
        }
        (!guaranteed).then(|| ("yunikorn/4", "nothing is guaranteed to it".to_owned()))
    }

    /// Of queues that share the guarantees the ask goes by, the one that takes must end with no more than one that gives: else what
    /// comes back would take it again.
    fn swings(&self, victims: &[&Pod]) -> Broken {
        let guarantor = |path: &str, resource: &str| {
            let queue = self.queues.up(path).into_iter().find(|queue| queue.guaranteed.names(resource))?;
            Some(queue.path.clone())
        };
        let ours = leaf(self.pod);
        for victim in victims {
            let (theirs, common) = (leaf(victim), self.common(leaf(victim)));
            let own = |resource: &String| guarantor(ours, resource).is_some_and(|path| !is_within(&common, &path));
            if self.asked().any(|resource| own(&resource)) {
                continue;
            }
            let shared = |resource: &String| {
                guarantor(ours, resource).is_some() && guarantor(ours, resource) == guarantor(theirs, resource)
            };
            for resource in self.asked().filter(shared) {
                let mut takes = used(self.world, ours, true);
                takes.add(&nominated(self.world, ours, self.pod));
                takes.add(&self.pod.request);
                let mut gives = used(self.world, theirs, true);
                victims.iter().filter(|other| leaf(other) == theirs).for_each(|other| gives.take(&other.request));
                if takes.get(&resource) > gives.get(&resource) {
                    return Some((
                        "yunikorn/shared-guarantee",
                        format!("`{ours}` would end with more than `{theirs}`"),
                    ));
                }
            }
        }
        None
    }

    /// No queue above the ask goes over its maximum.
    fn over_max(&self, victims: &[&Pod], lenient: bool) -> Broken {
        for queue in self.queues.up(leaf(self.pod)) {
            let mut then = used(self.world, &queue.path, lenient);
            then.add(&self.pod.request);
            then.take(&Ask::leaves(queue, victims));
            if !lenient {
                then.add(&nominated(self.world, &queue.path, self.pod));
            }
            if !then.within(&queue.max) {
                return Some(("fits-max-of-ancestors", format!("`{}` would hold {then:?}", queue.path)));
            }
        }
        None
    }
}
