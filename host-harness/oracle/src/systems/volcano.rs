//! Volcano: gangs and queues of the capacity plugin, elastic jobs, reclaim by whole jobs (elastic scheduling design, actions
//! allocate, reclaim, elastic). What a cycle bound is judged as a whole, from the cluster before it and what came of it; its plans are
//! judged one after the other, each with those before it carried out.

mod growth;
mod plan;
mod read;
mod reclaim;

use std::collections::{BTreeMap, BTreeSet};

use crate::ReadError;
use crate::amounts::Amounts;
use crate::case::Case;
use crate::outcome::Outcome;
use crate::puzzle::{Asker, Puzzle};
use crate::tally::Verdict;
use crate::world::{Node, Pod, World};
use read::{Job, Queue, queues};

/// What is remembered between cycles.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// When every job last changed its size.
    scaled: BTreeMap<String, i64>,
}

/// Everything that is asked of one cycle.
struct Inquiry<'w> {
    /// The cluster before the cycle.
    world: &'w World,
    /// The same with the bindings, before anybody has left.
    after: World,
    jobs: Vec<Job>,
    queues: BTreeMap<String, Queue>,
    elastic_mode: bool,
    outcome: &'w Outcome,
}

/// Judges a cycle.
pub(crate) fn cycle(
    case: &Case,
    world: &World,
    memory: &mut Memory,
    outcome: &Outcome,
    verdict: &mut Verdict,
) -> Result<(), ReadError> {
    let mode = case.args.get("capacity.reclaim.mode").and_then(serde_json::Value::as_str);
    let mut inquiry = Inquiry::new(world, outcome, mode == Some("elastic"))?;
    if let Some(standing) = &outcome.standing {
        for pod in inquiry.after.pods.values_mut() {
            pod.nominated = standing.get(&pod.name).cloned();
        }
    }
    verdict.decided(if outcome.changes() { "cycle that decides" } else { "cycle at rest" });
    inquiry.bindings(verdict);
    inquiry.reclaims(verdict)?;
    inquiry.grows(memory, verdict);
    for job in &inquiry.jobs {
        let changes = |name: &String| {
            world.pods.get(name).is_some_and(|pod| job.is_extra(pod) && read::group_of(pod) == job.name)
        };
        if outcome.bound.keys().chain(&outcome.victims).any(changes) {
            memory.scaled.insert(job.name.clone(), world.now);
        }
    }
    Ok(())
}

/// What the pods of a queue hold.
fn used<'w>(world: &'w World, jobs: &[Job], queue: &str, counts: impl Fn(&Job, &Pod) -> bool) -> Amounts {
    let ours = jobs.iter().filter(|job| job.queue == queue);
    let pods: Vec<&'w Pod> =
        ours.flat_map(|job| job.pods(world).into_iter().filter(|pod| counts(job, pod)).collect::<Vec<_>>()).collect();
    Amounts::sum(pods.into_iter().map(|pod| &pod.request))
}

/// Whether a pod runs, though it may be leaving.
fn runs(_: &Job, pod: &Pod) -> bool {
    pod.node.is_some()
}

impl<'w> Inquiry<'w> {
    /// The cluster as it is when this has come of it.
    fn new(world: &'w World, outcome: &'w Outcome, elastic_mode: bool) -> Result<Inquiry<'w>, ReadError> {
        let mut after = world.clone();
        for (name, node) in &outcome.bound {
            if let Some(pod) = after.pods.get_mut(name) {
                (pod.node, pod.nominated) = (Some(node.clone()), None);
            }
        }
        for name in &outcome.victims {
            if let Some(pod) = after.pods.get_mut(name) {
                pod.leaving = true;
            }
        }
        Ok(Inquiry { world, after, jobs: Job::read(world), queues: queues(world)?, elastic_mode, outcome })
    }
}

impl Inquiry<'_> {
    /// What somebody was bound to is legal, and nobody was passed over who could be bound.
    fn bindings(&self, verdict: &mut Verdict) {
        for job in &self.jobs {
            let came: Vec<&Pod> =
                job.pods(self.world).into_iter().filter(|pod| self.outcome.bound.contains_key(&pod.name)).collect();
            let queue = self.queues.get(&job.queue);
            if !came.is_empty() {
                if job.size(&self.after) < job.min {
                    let text = format!("`{}` has {} of {} pods", job.name, job.size(&self.after), job.min);
                    verdict.breach("gang-is-complete", text);
                }
                if queue.is_none_or(|queue| !queue.is_open) {
                    verdict.breach("queue-takes-pods", format!("`{}` was bound for a queue that is closed", job.name));
                }
                let holds = used(&self.after, &self.jobs, &job.queue, |_, pod| pod.node.is_some() && !pod.leaving);
                if queue.is_some_and(|queue| !holds.within(&queue.most)) {
                    verdict.breach("queue-fits-capability", format!("`{}` holds {holds:?}", job.queue));
                }
                let normal = used(&self.after, &self.jobs, &job.queue, |job, pod| {
                    runs(job, pod) && !job.is_extra(pod) && !pod.leaving
                });
                let beyond = queue.is_some_and(|queue| !normal.within(&queue.deserved));
                if self.elastic_mode && beyond && came.iter().any(|pod| !job.is_extra(pod)) {
                    verdict
                        .breach("normal-pods-fit-deserved", format!("`{}` holds {normal:?} by normal pods", job.queue));
                }
            }
            self.passed_over(job, verdict);
        }
    }

    /// The pods that a gang lacks, or the next pod of one that runs; none where it has too few, or they are promised room already.
    fn missing(&self, job: &Job) -> Vec<&Pod> {
        let pods = job.pods(&self.after);
        let running = pods.iter().filter(|pod| pod.node.is_some() && !pod.leaving).count();
        let mut waiting: Vec<&Pod> =
            pods.into_iter().filter(|pod| pod.pending() && pod.nominated.is_none() && !job.is_extra(pod)).collect();
        let missing = job.min.saturating_sub(running).max(1);
        if waiting.len() < missing || job.pods(self.world).len() < job.min {
            return Vec::new();
        }
        waiting.truncate(missing);
        waiting
    }

    /// A gang, or a pod of one that runs, that fits what is idle and its queue at the end of the cycle would have fitted before.
    fn passed_over(&self, job: &Job, verdict: &mut Verdict) {
        let asking = self.missing(job);
        if asking.is_empty() || !self.queue_takes(job, &asking, false) {
            return;
        }
        let puzzle = Puzzle { free: self.idle(), movers: Vec::new(), askers: self.askers(&asking) };
        if puzzle.solved_by(0) {
            let text = format!("{} pods of `{}` fit what is idle, and were not bound", asking.len(), job.name);
            verdict.breach("idle-room-is-given", text);
        }
    }

    /// What is idle on every node at the end of the cycle and not promised.
    fn idle(&self) -> Vec<Amounts> {
        let least = |(node, mut future): (&Node, Amounts)| {
            let idle = self.after.free(node);
            future.0.iter_mut().for_each(|(resource, amount)| *amount = (*amount).min(idle.get(resource)));
            future
        };
        self.after.nodes.values().zip(self.future()).map(least).collect()
    }

    /// What will be free on every node when those that are leaving are gone, and not promised.
    fn future(&self) -> Vec<Amounts> {
        let future = self.after.nodes.values().map(|node| {
            let mut future = self.after.free(node);
            self.after.on(&node.name).filter(|pod| pod.leaving).for_each(|pod| future.add(&pod.request));
            let nominated =
                self.after.pods.values().filter(|pod| pod.pending() && pod.nominated.as_deref() == Some(&node.name));
            nominated.for_each(|pod| future.take(&pod.request));
            future
        });
        future.collect()
    }

    /// These as askers.
    fn askers<'p>(&self, pods: &[&'p Pod]) -> Vec<Asker<'p>> {
        pods.iter().map(|pod| Asker { request: &pod.request, nodes: (0..self.world.nodes.len()).collect() }).collect()
    }

    /// Whether the queue of a job is open and may hold these, too, in every reading of what it holds; leniently, in one.
    fn queue_takes(&self, job: &Job, pods: &[&Pod], lenient: bool) -> bool {
        let Some(queue) = self.queues.get(&job.queue) else { return false };
        let asked = Amounts::sum(pods.iter().map(|pod| &pod.request));
        let counts = |pod: &Pod| {
            let promised = !lenient && pod.nominated.is_some() && pod.pending();
            pod.node.is_some() && !(lenient && pod.leaving) || promised
        };
        let mut all = used(&self.after, &self.jobs, &job.queue, |_, pod| counts(pod));
        let mut normal = used(&self.after, &self.jobs, &job.queue, |job, pod| counts(pod) && !job.is_extra(pod));
        all.add(&asked);
        normal.add(&asked);
        let extra = pods.iter().any(|pod| job.is_extra(pod));
        queue.is_open && all.within(&queue.most) && (extra || !self.elastic_mode || normal.within(&queue.deserved))
    }

    /// The names of the pods that were nominated in this cycle, by job.
    fn nominated(&self, job: &Job) -> Vec<&Pod> {
        job.pods(self.world).into_iter().filter(|pod| self.outcome.nominated.contains_key(&pod.name)).collect()
    }

    /// The pods that are victims in this cycle, of one job.
    fn victims(&self, job: &Job) -> BTreeSet<&str> {
        let pods = job.pods(self.world).into_iter();
        pods.filter(|pod| self.outcome.victims.contains(&pod.name)).map(|pod| pod.name.as_str()).collect()
    }
}

/// What the queues hold.
pub(crate) fn accounts(world: &World) -> BTreeMap<String, Amounts> {
    let jobs = Job::read(world);
    let queue = |queue: &serde_json::Value| {
        let name = crate::world::text(queue, "/metadata/name");
        (format!("queue/{name}"), used(world, &jobs, name, runs))
    };
    world.all("Queue").map(queue).collect()
}

/// Whether jobs have sizes that they may have, and queues no more than their capability.
pub(crate) fn fair(world: &World) -> bool {
    let Ok(queues) = queues(world) else { return false };
    let held = queues.iter().all(|(name, queue)| used(world, &Job::read(world), name, runs).within(&queue.most));
    let sizes = |job: &Job| {
        let size = job.size(world);
        let replicas = !job.is_elastic()
            || world.others.contains_key(&("Job".to_owned(), job.name.trim_end_matches("-pg").to_owned()));
        replicas
            && (size == 0 || job.may_be(size))
            && job.pods(world).iter().all(|pod| pod.label("volcano.sh/elastic-train").is_none() || job.is_elastic())
    };
    let empty = world.pods.values().any(|pod| pod.request.get("cpu") == 0);
    !empty
        && held
        && Job::read(world).iter().all(sizes)
        && world.pods.values().all(|pod| Job::read(world).iter().any(|job| job.name == read::group_of(pod)))
}
