//! A plan: the gang is whole then, has room, and nobody goes who can stay.

use std::collections::BTreeMap;

use super::read::{Job, group_of};
use super::{Inquiry, used};
use crate::amounts::Amounts;
use crate::puzzle::{Asker, Mover, Puzzle, Set};
use crate::tally::Verdict;
use crate::world::Pod;

impl Inquiry<'_> {
    /// A plan: every job that is nominated is then whole and may hold what it is promised; all find room; nobody goes who can stay.
    pub(super) fn plan_holds(&self, verdict: &mut Verdict) {
        let askers: Vec<&Pod> = self.jobs.iter().flat_map(|job| self.nominated(job)).collect();
        let gaining: Vec<&Job> = self.jobs.iter().filter(|job| !self.nominated(job).is_empty()).collect();
        for job in &gaining {
            let nominated = self.nominated(job);
            if job.size(&self.after) + nominated.len() < job.min {
                let text = format!(
                    "`{}` has {} pods, {} are nominated, {} are needed",
                    job.name,
                    job.size(&self.after),
                    nominated.len(),
                    job.min
                );
                verdict.breach("gang-is-complete", text);
            }
            if nominated.iter().any(|pod| pod.never_preempts) {
                verdict.breach("may-preempt", format!("`{}` never preempts", job.name));
            }
            if nominated.iter().any(|pod| job.is_extra(pod)) {
                verdict.breach("elastic-pods-evict-nobody", format!("elastic pods of `{}` are nominated", job.name));
            }
            if !self.queue_takes(job, &[], true) {
                verdict.breach("reclaimer-stays-within-its-queue", format!("`{}` may not hold that", job.queue));
            }
        }
        let puzzle = self.puzzle(&askers, |pod| self.outcome.victims.contains(&pod.name));
        let nodes: Vec<&String> = self.world.nodes.keys().collect();
        let place = |pod: &&Pod| nodes.iter().position(|node| self.outcome.nominated.get(&pod.name) == Some(*node));
        let places: Vec<usize> = askers.iter().filter_map(place).collect();
        if !puzzle.seated(puzzle.all(), &places) {
            verdict.breach(
                "nobody-is-evicted-in-vain",
                format!("{:?} do not fit when {:?} have left", self.outcome.nominated, self.outcome.victims),
            );
        }
        if askers.is_empty() {
            verdict.breach("nobody-is-evicted-in-vain", format!("{:?} make way for nobody", self.outcome.victims));
        }
        self.nobody_can_stay(&puzzle, &places, verdict);
        self.fewest(&gaining, &askers, verdict);
    }

    /// The puzzle of these askers, who all may be placed anywhere, with some of the pods of the cluster as movers.
    pub(super) fn puzzle<'a>(&'a self, askers: &[&'a Pod], moves: impl Fn(&Pod) -> bool) -> Puzzle<'a> {
        let nodes: Vec<_> = self.after.nodes.values().collect();
        let elastic_came = |pod: &Pod| {
            let extra = self.jobs.iter().any(|job| job.name == group_of(pod) && job.is_extra(pod));
            extra && self.outcome.bound.contains_key(&pod.name)
        };
        let free = nodes.iter().map(|node| {
            let mut free = self.after.free(node);
            let gone = self.after.on(&node.name).filter(|pod| pod.leaving && !self.outcome.victims.contains(&pod.name));
            gone.for_each(|pod| free.add(&pod.request));
            // The elastic action comes after reclaim.
            self.after.on(&node.name).filter(|pod| elastic_came(pod)).for_each(|pod| free.add(&pod.request));
            let promised =
                self.world.pods.values().filter(|pod| pod.pending() && pod.nominated.as_deref() == Some(&node.name));
            let promised = promised.filter(|pod| !self.outcome.bound.contains_key(&pod.name));
            promised
                .filter(|pod| !askers.iter().any(|asker| asker.name == pod.name))
                .for_each(|pod| free.take(&pod.request));
            free
        });
        let movers = self.world.pods.values().filter(|pod| moves(pod)).filter_map(|pod| {
            let node = nodes.iter().position(|node| Some(&node.name) == pod.node.as_ref())?;
            Some(Mover { name: &pod.name, node, request: &pod.request })
        });
        let places: Vec<usize> = (0..nodes.len()).collect();
        let asks = |pod: &&'a Pod| Asker { request: &pod.request, nodes: places.clone() };
        Puzzle { free: free.collect(), movers: movers.collect(), askers: askers.iter().map(asks).collect() }
    }

    /// With no part of the victims put back that leaves every job a size it may have does everybody still fit.
    fn nobody_can_stay(&self, puzzle: &Puzzle<'_>, places: &[usize], verdict: &mut Verdict) {
        for job in &self.jobs {
            let ours = self.victims(job);
            let all = puzzle.set(|name| ours.contains(name));
            let mut back = all;
            while back != 0 {
                let size = job.size(&self.after) + usize::try_from(back.count_ones()).unwrap_or(0);
                let without = puzzle.all() & !back;
                let mut gone = puzzle.of(all & !back).filter_map(|mover| self.world.pods.get(mover.name));
                // The normal pods of an elastic job go with it, or stay: those that shrink it are its elastic ones.
                let shrinks = !job.is_elastic() || gone.all(|pod| job.is_extra(pod));
                if shrinks && job.may_be(size) && puzzle.seated(without, places) && self.queues_hold(puzzle, without) {
                    if self.room_is_awaited(puzzle.free.clone()) {
                        return verdict.excuse("a gang that came before waits for the room");
                    }
                    let names: Vec<&str> = puzzle.of(back).map(|mover| mover.name).collect();
                    return verdict.breach(
                        "who-can-stay-stays",
                        format!("{names:?} need not go for {:?}", self.outcome.nominated),
                    );
                }
                back = (back - 1) & all;
            }
        }
    }

    /// Whether a gang that has no nomination would find room although nobody makes way here: what others leave anyway is kept for such a
    /// gang where its turn came before, and nothing says so.
    pub(super) fn room_is_awaited(&self, free: Vec<Amounts>) -> bool {
        let fits = |job: &Job| {
            let missing = self.missing(job);
            let puzzle = Puzzle { free: free.clone(), movers: Vec::new(), askers: self.askers(&missing) };
            !missing.is_empty() && puzzle.solved_by(0)
        };
        self.jobs.iter().filter(|job| self.nominated(job).is_empty()).any(fits)
    }

    /// Whether every queue that is promised room may hold it when only these have left, in the strictest reading: all it holds
    /// within what it may hold and, where others give in reclaim mode, within what it deserves. Who deserves nothing gets nothing back.
    fn queues_hold(&self, puzzle: &Puzzle<'_>, gone: Set) -> bool {
        let left: Vec<&str> = puzzle.of(gone).map(|mover| mover.name).collect();
        let gaining = self.jobs.iter().filter(|job| !self.nominated(job).is_empty());
        gaining.into_iter().all(|job| {
            let stays = |pod: &Pod| pod.node.is_some() && !left.contains(&pod.name.as_str());
            let comes = |pod: &Pod| self.outcome.nominated.contains_key(&pod.name) || is_promised(pod);
            let holds = used(&self.after, &self.jobs, &job.queue, |_, pod| stays(pod) || comes(pod));
            let Some(queue) = self.queues.get(&job.queue) else { return false };
            let mut givers = self.jobs.iter().filter(|giver| self.of_job(giver, &left));
            let takes_back = !self.elastic_mode && givers.any(|giver| giver.queue != job.queue);
            let is_due = || queue.deserved.names("cpu") && holds.within(&queue.deserved);
            holds.within(&queue.most) && (!takes_back || is_due())
        })
    }

    /// Whether one of these is a pod of the job.
    fn of_job(&self, job: &Job, names: &[&str]) -> bool {
        names.iter().any(|name| self.world.pods.get(*name).is_some_and(|pod| group_of(pod) == job.name))
    }

    /// How many jobs a set of elastic pods touches, and how many pods it is; none where it leaves a job a size it may not have.
    pub(super) fn price(&self, puzzle: &Puzzle<'_>, set: Set) -> Option<(usize, u32)> {
        let mut by_job: BTreeMap<&str, usize> = BTreeMap::new();
        for mover in puzzle.of(set) {
            *by_job.entry(group_of(self.world.pods.get(mover.name)?)).or_insert(0) += 1;
        }
        let legal = |(name, gone): (&&str, &usize)| {
            let job = self.jobs.iter().find(|job| job.name == **name);
            job.is_some_and(|job| job.may_be(job.size(self.world).saturating_sub(*gone)))
        };
        by_job.iter().all(legal).then_some((by_job.len(), set.count_ones()))
    }

    /// Elastic pods that may go for a job.
    pub(super) fn able(&self, pod: &Pod) -> bool {
        let Some(job) = self.jobs.iter().find(|job| job.name == group_of(pod)) else { return false };
        let reclaimable = self.queues.get(&job.queue).is_some_and(|queue| queue.is_reclaimable);
        job.is_extra(pod) && reclaimable && self.protected(pod, false).is_none()
    }

    /// Where only elastic pods go for one job: the fewest jobs, then the fewest pods.
    fn fewest(&self, gaining: &[&Job], askers: &[&Pod], verdict: &mut Verdict) {
        let elastic = |name: &String| {
            let pod = self.world.pods.get(name);
            pod.is_some_and(|pod| self.jobs.iter().any(|job| job.name == group_of(pod) && job.is_extra(pod)))
        };
        let count = self.outcome.victims.len();
        if gaining.len() != 1 || !self.outcome.victims.iter().all(elastic) {
            verdict.planned(count, None);
            return verdict.excuse("normal victims: the fewest are not sought");
        }
        let puzzle = self.puzzle(askers, |pod| self.able(pod));
        let victims = puzzle.set(|name| self.outcome.victims.contains(name));
        let priced = |set| self.price(&puzzle, set).filter(|_| puzzle.solved_by(set) && self.queues_hold(&puzzle, set));
        let (Some(paid), Some(least)) = (self.price(&puzzle, victims), (0..=puzzle.all()).filter_map(priced).min())
        else {
            return verdict.planned(count, None);
        };
        verdict.planned(count, Some(usize::try_from(least.1).unwrap_or(0).min(count)));
        if paid > least {
            if self.room_is_awaited(puzzle.free.clone()) {
                return verdict.excuse("a gang that came before waits for the room");
            }
            let text = format!("{:?} are {paid:?} jobs and pods, and {least:?} would do", self.outcome.victims);
            verdict.breach("lesser-jobs-give-first", text);
        }
    }
}

/// Whether a pod waits for room that it was promised.
pub(super) fn is_promised(pod: &Pod) -> bool {
    pod.pending() && pod.nominated.is_some()
}
