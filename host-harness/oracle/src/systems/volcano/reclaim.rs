//! Reclaim: whole gangs get room from elastic pods in legal steps; in reclaim mode from normal pods above what is deserved.

use super::plan::is_promised;
use super::read::{Job, group_of};
use super::{Inquiry, used};
use crate::ReadError;
use crate::amounts::Amounts;
use crate::outcome::Outcome;
use crate::puzzle::Set;
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
            if normal && job.is_elastic() && now != 0 {
                verdict.breach("elastic-jobs-shrink-by-elastic-pods", format!("{victims:?} go, and {now} pods stay"));
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
    pub(super) fn protected(&self, pod: &Pod, lenient: bool) -> Option<&'static str> {
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
        // Elastic pods go before the normal ones. What its own pods were promised, the queue holds, as upstream's pipelined tasks count.
        let holds = |pod: &Pod| pod.node.is_some() && !pod.leaving || is_promised(pod);
        let left = used(&self.after, &self.jobs, &job.queue, |_, pod| holds(pod));
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
