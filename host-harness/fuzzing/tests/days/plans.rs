//! Whether plans are of use: the job for which pods left runs when they have left.
//!
//! Two kinds of plans are not counted as useless. A plan that is still under way: each pod of the job has a node, holds one at Permit, is
//! promised one or keeps the one that it held at Permit until its time there ran out (ruling R38 of coscheduling: only the policy knows of
//! these), and pods that left for others are not gone yet. It is looked at again when those have left, too. And a plan whose room a more
//! important job has taken to which a promise gives way, be it the node of a nominated pod or one that a member holds at Permit: in
//! kube-scheduler, any of higher priority, in a system of quotas one of the same quota. In Koordinator one that could evict the job if it ran
//! there (ruling C59): here, where every pod is preemptible, any of higher priority.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::ReleaseCause;
use lictor_host::session::ReleasedPod;

use crate::days::{Days, GRACE};
use crate::objects::Rules;
use crate::trace::number;

/// How often a plan that is still under way is looked at again.
const LOOKS: u32 = 3;

/// The time at which the victims of a plan have left, and how often the plan may be looked at.
#[derive(Debug, Clone)]
pub(super) struct Planned {
    due: i64,
    looks: u32,
    /// A more important job has taken its room: it is not judged. The job keeps what it holds and plans again when the victims have left.
    pub(super) is_displaced: bool,
    /// The pods that lost their nodes when the time of the job at Permit ran out, and these nodes.
    kept: BTreeMap<String, usize>,
}

impl Planned {
    /// Returns a plan that was made at a time.
    pub(super) fn made(now: i64) -> Planned {
        Planned { due: now + GRACE, looks: LOOKS, is_displaced: false, kept: BTreeMap::new() }
    }
}

impl Days {
    /// Returns the nodes that pods hold at Permit or are promised.
    pub(super) fn reserved(&self) -> BTreeMap<String, usize> {
        let held = self.session.waiting().into_iter().map(|(pod, node)| (pod, number(&node)));
        self.promised().into_iter().chain(held).collect()
    }

    /// Notes the pods that lose their nodes because the time of their job at Permit ran out.
    pub(super) fn timed_out(&mut self, released: &[ReleasedPod]) {
        let late = released.iter().filter(|one| one.cause == ReleaseCause::Timeout);
        let late: BTreeSet<usize> = late.map(|one| self.job_of(&one.pod)).collect();
        for one in released {
            let job = self.job_of(&one.pod);
            if let Some(plan) = self.planned.get_mut(&job).filter(|_| late.contains(&job)) {
                plan.kept.insert(one.pod.clone(), number(&one.node));
            }
        }
    }

    /// Notes the plans whose room a more important job has taken in the last cycle. Before it, these nodes were reserved.
    pub(super) fn displaced(&mut self, before: &BTreeMap<String, usize>) {
        let mut on: Vec<(usize, usize)> = Vec::new();
        let now = self.reserved();
        on.extend(now.iter().map(|(pod, node)| (self.job_of(pod), *node)));
        for (job, life) in self.lives.iter().enumerate() {
            on.extend(life.bound.values().filter(|_| !life.is_leaving).map(|node| (job, *node)));
        }
        let gives_way = |job: usize, other: usize| {
            let (of, other) = (&self.jobs[job], &self.jobs[other]);
            let is_open = match self.rules {
                Rules::KubernetesSingle | Rules::KubernetesAll | Rules::Koordinator => true,
                Rules::Coscheduling => of.team == other.team,
                Rules::Volcano | Rules::Yunikorn => false,
            };
            is_open && other.priority > of.priority
        };
        let kept = self.planned.values().flat_map(|plan| &plan.kept);
        let lost = before.iter().chain(kept).filter(|(pod, node)| now.get(*pod) != Some(*node));
        let lost: BTreeSet<usize> = lost
            .map(|(pod, node)| (self.job_of(pod), *node))
            .filter(|(job, node)| on.iter().any(|(other, there)| there == node && gives_way(*job, *other)))
            .map(|(job, _)| job)
            .filter(|job| self.lives[*job].since.is_none())
            .collect();
        let planned = self.planned.iter_mut().filter(|(job, _)| lost.contains(*job));
        planned.for_each(|(_, plan)| plan.is_displaced = true);
    }

    /// Checks the plans whose victims have left.
    pub(super) fn check_plans(&mut self) {
        let due: Vec<usize> =
            self.planned.iter().filter(|(_, plan)| plan.due <= self.now).map(|(job, _)| *job).collect();
        let (promised, held) = (self.promised(), self.session.waiting());
        for job in due {
            let Some(plan) = self.planned.remove(&job) else { continue };
            let life = &self.lives[job];
            if plan.is_displaced || life.since.is_some() || life.has_ended || !life.is_there {
                continue;
            }
            let has_a_node = |pod: String| {
                let reserved = held.contains_key(&pod) || promised.contains_key(&pod);
                life.bound.contains_key(&pod) || reserved || plan.kept.contains_key(&pod)
            };
            let others_leave = self.lives.iter().any(|life| life.is_leaving);
            if plan.looks > 1 && others_leave && self.jobs[job].pod_names().all(has_a_node) {
                self.planned.insert(job, Planned { due: self.now + GRACE, looks: plan.looks - 1, ..plan });
                continue;
            }
            self.figures.useless += 1;
            let text = format!("t={}: pods left for {}, which does not run", self.now, self.jobs[job].name);
            self.figures.fault(text);
        }
    }
}
