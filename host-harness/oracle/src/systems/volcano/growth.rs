//! The elastic action: jobs grow in legal steps into what is idle.

use super::read::Job;
use super::{Inquiry, Memory};
use crate::puzzle::Puzzle;
use crate::tally::Verdict;
use crate::world::Pod;

impl Inquiry<'_> {
    /// Growth is legal, and as large as can be.
    pub(super) fn grows(&self, memory: &Memory, verdict: &mut Verdict) {
        for job in self.jobs.iter().filter(|job| job.is_elastic()) {
            let (before, now) = (job.size(self.world), job.size(&self.after));
            let extra = |pod: &&Pod| job.is_extra(pod) && self.outcome.bound.contains_key(&pod.name);
            let came = job.pods(self.world).into_iter().filter(extra).count();
            if now != before && now > 0 && !job.may_be(now) {
                verdict.breach("elastic-size-is-legal", format!("`{}` went from {before} to {now} pods", job.name));
            }
            if came > 0 && !self.may_scale(job, memory) {
                verdict.breach("scaling-interval-is-over", format!("`{}` grew by {came} too early", job.name));
            }
            if now >= job.min && self.may_scale(job, memory) && self.victims(job).is_empty() {
                self.could_grow(job, now, verdict);
            }
        }
    }

    /// Whether the time between two operations of a job is over.
    fn may_scale(&self, job: &Job, memory: &Memory) -> bool {
        memory.scaled.get(&job.name).is_none_or(|last| self.world.now >= last + job.cooldown)
    }

    /// No larger legal size fits what is idle at the end.
    fn could_grow(&self, job: &Job, now: usize, verdict: &mut Verdict) {
        let waiting: Vec<&Pod> = job
            .pods(&self.after)
            .into_iter()
            .filter(|pod| pod.pending() && pod.nominated.is_none() && job.is_extra(pod))
            .collect();
        let scaled_now = job.size(self.world) != now;
        if scaled_now && job.cooldown > 0 {
            return;
        }
        for size in now + 1..=now + waiting.len() {
            let step = waiting.get(..size - now).unwrap_or_default();
            if !job.may_be(size) || !self.queue_takes(job, step, false) {
                continue;
            }
            let puzzle = Puzzle { free: self.idle(), movers: Vec::new(), askers: self.askers(step) };
            if puzzle.solved_by(0) {
                if self.room_is_awaited(self.future()) {
                    return verdict.excuse("a gang that came before waits for the room");
                }
                let text = format!("`{}` has {now} pods and could have {size}", job.name);
                return verdict.breach("elastic-jobs-grow", text);
            }
        }
    }
}
