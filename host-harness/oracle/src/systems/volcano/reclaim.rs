//! Reclaim: whole gangs get room from elastic pods in legal steps; in reclaim mode from normal pods above what is deserved.

use std::collections::BTreeMap;

use super::read::{Job, group_of};
use super::{Inquiry, used};
use crate::ReadError;
use crate::amounts::Amounts;
use crate::outcome::Outcome;
use crate::puzzle::{Asker, Mover, Puzzle, Set};
use crate::tally::Verdict;
use crate::world::{Pod, at, text};

impl Inquiry<'_> {
    pub(super) fn reclaims(&self, verdict: &mut Verdict) -> Result<(), ReadError> {
        if self.outcome.plans.is_empty() {
            self.jobs.iter().for_each(|job| self.complete(job, verdict));
        }
        let mut world = self.world.clone();
        for plan in &self.outcome.plans {
            let (victims, nominated) = (plan.victims.clone(), plan.nominated.clone());
            let bound = self.outcome.bound.clone();
            let only = Outcome { victims, nominated, bound, ..Outcome::default() };
            let inquiry = Inquiry::new(&world, &only, self.elastic_mode)?;
            inquiry.victims_may_go(verdict);
            inquiry.plan_holds(verdict);
            for name in &plan.victims {
                world.pods.entry(name.clone()).and_modify(|pod| pod.leaving = true);
            }
            for (name, node) in &plan.nominated {
                world.pods.entry(name.clone()).and_modify(|pod| pod.nominated = Some(node.clone()));
            }
        }
        Ok(())
    }

    /// Every victim may go by itself, and every job is left with a size that it may have.
    fn victims_may_go(&self, verdict: &mut Verdict) {
        for job in &self.jobs {
            let victims = self.victims(job);
            if victims.is_empty() {
                continue;
            }
            let (before, now) = (job.size(self.world), job.size(&self.after));
            let normal =
                job.pods(self.world).into_iter().any(|pod| victims.contains(pod.name.as_str()) && !job.is_extra(pod));
            if self.elastic_mode && normal {
                verdict.breach("victim-is-elastic", format!("normal pods of `{}` are victims: {victims:?}", job.name));
            }
            if now != 0 && !job.may_be(now) {
                verdict.breach("elastic-size-is-legal", format!("`{}` went from {before} to {now} pods", job.name));
            }
            for name in &victims {
                if let Some(why) = self.world.pods.get(*name).and_then(|pod| self.protected(pod, true)) {
                    verdict.breach("victim-may-go", format!("`{name}` {why}"));
                }
            }
            if normal {
                self.queue_may_give(job, verdict);
            }
        }
    }

    /// Why a pod is no victim at all. Leniently, where two readings are possible.
    fn protected(&self, pod: &Pod, lenient: bool) -> Option<&'static str> {
        let said = pod.annotation("volcano.sh/preemptable").or(pod.label("volcano.sh/preemptable"));
        if pod.node.is_none() || pod.leaving {
            return Some("does not run, or leaves already");
        }
        if said.is_some_and(|said| said != "true") {
            return Some("is not preemptable");
        }
        let cooldown: Option<i64> =
            pod.annotation("volcano.sh/cooldown-time").and_then(|text| text.trim_end_matches('s').parse().ok());
        let condition = at(&pod.object, "/status/conditions/0").map(|condition| text(condition, "/lastTransitionTime"));
        let since = match condition {
            Some(stamp) => stamp
                .get(11..19)
                .map(|time| time.split(':').fold(0, |sum, part| sum * 60 + part.parse::<i64>().unwrap_or(0))),
            // Bound in this run: since when the policy counts is its own affair.
            None => pod.started.filter(|_| !lenient),
        };
        let fresh = cooldown.zip(since).is_some_and(|(cooldown, since)| since + cooldown > self.world.now);
        fresh.then_some("is under its cooldown")
    }

    /// Normal victims leave their queue its guarantee; it is of another queue than whom they make way for, above what it deserves
    /// before the last of them goes, and lets itself be reclaimed.
    fn queue_may_give(&self, job: &Job, verdict: &mut Verdict) {
        let Some(queue) = self.queues.get(&job.queue) else { return };
        if !queue.is_reclaimable {
            verdict.breach("victim-queue-is-reclaimable", format!("`{}` is not reclaimable", job.queue));
        }
        let victims = || self.outcome.victims.iter().filter_map(|name| self.world.pods.get(name));
        let is_normal = |pod: &Pod| {
            let of = self.jobs.iter().find(|of| of.name == group_of(pod));
            of.is_some_and(|of| of.queue == job.queue && !of.is_extra(pod))
        };
        // Elastic pods go before the normal ones.
        let left = used(&self.after, &self.jobs, &job.queue, |_, pod| pod.node.is_some() && !pod.leaving);
        if queue.guarantee.0.iter().any(|(resource, least)| left.get(resource) < *least) {
            verdict.breach("normal-victim-leaves-guarantee", format!("`{}` is left with {left:?}", job.queue));
        }
        // Every pod is judged before it goes, so one of them was the last, and the queue above what it deserves with it.
        let above = |pod: &Pod| {
            let mut amounts = queue.deserved.0.iter();
            amounts.any(|(resource, deserved)| left.get(resource) + pod.request.get(resource) > *deserved)
        };
        if !queue.deserved.0.is_empty() && !victims().any(|pod| is_normal(pod) && above(pod)) {
            verdict.breach(
                "normal-victim-queue-is-above-deserved",
                format!("`{}` deserves {:?}", job.queue, queue.deserved),
            );
        }
        let own =
            self.jobs.iter().filter(|other| other.queue == job.queue).any(|other| !self.nominated(other).is_empty());
        let others =
            self.jobs.iter().filter(|other| other.queue != job.queue).any(|other| !self.nominated(other).is_empty());
        if own && !others {
            verdict.breach("normal-victim-is-of-another-queue", format!("`{}` makes way within its queue", job.name));
        }
    }

    /// A plan: every job that is nominated is then whole and may hold what it is promised; all find room; nobody goes who can stay.
    fn plan_holds(&self, verdict: &mut Verdict) {
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
    fn puzzle<'a>(&'a self, askers: &[&'a Pod], moves: impl Fn(&Pod) -> bool) -> Puzzle<'a> {
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
                if job.may_be(size) && puzzle.seated(without, places) && self.queues_hold(puzzle, without) {
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

    /// Whether every queue that is promised room may hold it when only these have left, in the strictest reading: all it holds
    /// within what it may hold and, where others give in reclaim mode, within what it deserves. Who deserves nothing gets nothing back.
    fn queues_hold(&self, puzzle: &Puzzle<'_>, gone: Set) -> bool {
        let left: Vec<&str> = puzzle.of(gone).map(|mover| mover.name).collect();
        let gaining = self.jobs.iter().filter(|job| !self.nominated(job).is_empty());
        let promised = |pod: &Pod| pod.pending() && pod.nominated.is_some();
        gaining.into_iter().all(|job| {
            let stays = |pod: &Pod| pod.node.is_some() && !left.contains(&pod.name.as_str());
            let comes = |pod: &Pod| self.outcome.nominated.contains_key(&pod.name) || promised(pod);
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
    fn price(&self, puzzle: &Puzzle<'_>, set: Set) -> Option<(usize, u32)> {
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
    fn able(&self, pod: &Pod) -> bool {
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
            let text = format!("{:?} are {paid:?} jobs and pods, and {least:?} would do", self.outcome.victims);
            verdict.breach("lesser-jobs-give-first", text);
        }
    }

    /// A gang that waits and would fit if elastic jobs shrank is helped.
    fn complete(&self, job: &Job, verdict: &mut Verdict) {
        let pods = job.pods(&self.after);
        let running = pods.iter().filter(|pod| pod.node.is_some() && !pod.leaving).count();
        let waiting: Vec<&Pod> = pods.into_iter().filter(|pod| pod.pending() && !job.is_extra(pod)).collect();
        if running >= job.min || running + waiting.len() < job.min {
            return;
        }
        if waiting.iter().any(|pod| pod.never_preempts) {
            return verdict.excuse("preemptionPolicy Never");
        }
        if self.after.pods.values().any(|pod| pod.leaving || pod.nominated.is_some() && pod.pending()) {
            return verdict.excuse("a plan is in flight");
        }
        let asking = waiting.get(..job.min - running).unwrap_or_default();
        if !self.queue_takes(job, asking, false) || !self.elastic_mode && !self.under_deserved(job, asking) {
            return verdict.excuse("its queue may not hold it");
        }
        let puzzle = self.puzzle(asking, |pod| self.able(pod));
        let priced = |set: &Set| self.price(&puzzle, *set).is_some() && puzzle.solved_by(*set);
        if let Some(set) = (1..=puzzle.all()).find(priced) {
            let names: Vec<&str> = puzzle.of(set).map(|mover| mover.name).collect();
            verdict.breach("a-plan-is-found", format!("`{}` waits, and fits when {names:?} leave", job.name));
        }
    }

    /// Whether the queue deserves what it would hold, in every reading.
    fn under_deserved(&self, job: &Job, asking: &[&Pod]) -> bool {
        let Some(queue) = self.queues.get(&job.queue) else { return false };
        let mut all = used(&self.after, &self.jobs, &job.queue, |_, pod| pod.node.is_some());
        all.add(&Amounts::sum(asking.iter().map(|pod| &pod.request)));
        queue.deserved.names("cpu") && all.within(&queue.deserved)
    }
}
