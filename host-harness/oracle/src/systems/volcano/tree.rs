//! Queues below a parent: on whose deserved amounts a gang reclaims, and whether the parent of a victim's queue can lose a pod.

use super::plan::is_nominated;
use super::read::{Job, group_of};
use super::{Judge, used};
use crate::amounts::Amounts;
use crate::tally::Verdict;
use crate::world::Pod;

impl Judge<'_> {
    /// The queues on whose deserved amounts a job may reclaim: its own, and the parent if ancestors count.
    pub(super) fn claimants<'j>(&self, job: &'j Job) -> Vec<&'j str> {
        let parent = job.parent.as_deref().filter(|_| self.watches);
        [Some(job.queue.as_str()), parent].into_iter().flatten().collect()
    }

    /// Whether a queue deserves what it runs and this plan adds to it, in the reading that is best for it: only pods that ran before the
    /// cycle and stay.
    fn deserves(&self, queue: &str, job: &Job) -> bool {
        let stays = |pod: &Pod| pod.node.is_some() && !pod.leaving && self.world.pods.contains_key(&pod.name);
        let mut holds = used(self.world, &self.jobs, queue, |_, pod| stays(pod));
        holds.add(&Amounts::sum(self.nominated(job).iter().map(|pod| &pod.request)));
        self.queues.get(queue).is_some_and(|queue| queue.deserved.names("cpu") && holds.within(&queue.deserved))
    }

    /// The normal victims and the jobs that they are of.
    fn normal_victims(&self) -> Vec<(&Pod, &Job)> {
        let victims = self.outcome.victims.iter().filter_map(|name| self.world.pods.get(name));
        let of = victims.filter_map(|pod| Some((pod, self.jobs.iter().find(|job| job.name == group_of(pod))?)));
        of.filter(|(pod, job)| !job.is_elastic_pod(pod)).collect()
    }

    /// Checks that pods of other queues are evicted on a claim, and that a claim of a parent takes no normal pod from below it.
    pub(super) fn claims(&self, verdict: &mut Verdict) {
        for job in self.jobs.iter().filter(|job| !self.elastic_mode && !self.nominated(job).is_empty()) {
            let others = |of: &Job| of.queue != job.queue;
            let mut takes = self.jobs.iter().filter(|of| others(of) && !self.victims(of).is_empty());
            if takes.next().is_none() || self.deserves(&job.queue, job) {
                continue;
            }
            let parent = job.parent.as_deref().filter(|parent| self.watches && self.deserves(parent, job));
            let Some(parent) = parent else {
                let text = format!("`{}` evicts pods of other queues, and `{}` deserves no more", job.name, job.queue);
                verdict.breach("reclaimer-stays-within-deserved", text);
                continue;
            };
            if let Some((pod, _)) = self.normal_victims().iter().find(|(_, of)| of.parent.as_deref() == Some(parent)) {
                let text = format!("`{}` claims through `{parent}`, and `{}` is below it", job.name, pod.name);
                verdict.breach("normal-victim-is-outside-the-claim", text);
            }
        }
    }

    /// Checks that the parent of a queue that loses normal pods was above deserved before the last of them, unless the preemptor is below
    /// this parent, too.
    pub(super) fn parent_may_lose(&self, job: &Job, verdict: &mut Verdict) {
        let Some(parent) = job.parent.as_deref().filter(|_| self.watches) else { return };
        let gaining = self.jobs.iter().filter(|job| !self.nominated(job).is_empty());
        if gaining.into_iter().any(|gaining| gaining.parent.as_deref() == Some(parent)) {
            return;
        }
        let deserved = self.queues.get(parent).map(|queue| &queue.deserved).filter(|deserved| deserved.names("cpu"));
        let Some(deserved) = deserved else { return };
        let holds = |pod: &Pod| pod.node.is_some() && !pod.leaving || is_nominated(pod);
        let left = used(&self.after, &self.jobs, parent, |_, pod| holds(pod)).get("cpu");
        let victims = self.normal_victims();
        let mut below = victims.iter().filter(|(_, of)| of.parent.as_deref() == Some(parent));
        if !below.any(|(pod, _)| left + pod.request.get("cpu") > deserved.get("cpu")) {
            let text = format!("`{parent}` deserves {deserved:?} and is left with {left}");
            verdict.breach("normal-victim-queue-is-above-deserved", text);
        }
    }
}
