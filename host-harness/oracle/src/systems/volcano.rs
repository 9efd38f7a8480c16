//! Volcano: gangs and queues of the capacity plugin, elastic jobs, reclaim by whole jobs (elastic scheduling design, actions
//! allocate, reclaim, elastic). The bindings of a cycle are judged together, from the cluster before and after it. Its plans are judged
//! one after the other, each after executing those before it.

mod awaited;
mod claim;
mod growth;
mod node_capacity;
mod plan;
mod read;
mod reclaim;
mod returned;
mod tree;

use std::collections::{BTreeMap, BTreeSet};

use crate::ModelInputError;
use crate::amounts::MilliAmounts;
use crate::case::FuzzCase;
use crate::outcome::ReportedOutcome;
use crate::placement::{IncomingPod, PlacementProblem};
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelPod, at, text};
use read::{VolcanoJob, VolcanoQueue, queues};

/// The state between cycles.
#[derive(Debug, Default)]
pub(crate) struct VolcanoState {
    /// When each job last changed its size, in seconds.
    scaled: BTreeMap<String, i64>,
    /// The last cycle, where nothing but its bindings changed the cluster.
    last: Option<returned::LastCycle>,
    /// What plans of earlier cycles promise.
    nominations: returned::PodsBeforeNomination,
}

/// Everything needed to judge one cycle.
struct VolcanoCycleCheck<'w> {
    /// The cluster before the cycle.
    world: &'w ModelCluster,
    /// The cluster after the bindings, before any victim has left.
    after: ModelCluster,
    jobs: Vec<VolcanoJob>,
    queues: BTreeMap<String, VolcanoQueue>,
    elastic_mode: bool,
    /// Ancestors of queues count for reclaim (`ancestorReclaimLevel`). The trees have one level between the root and the leaves.
    counts_ancestors: bool,
    outcome: &'w ReportedOutcome,
}

/// Judges a cycle.
pub(crate) fn cycle(
    case: &FuzzCase,
    world: &ModelCluster,
    memory: &mut VolcanoState,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) -> Result<(), ModelInputError> {
    let mode = case.args.get("capacity.reclaim.mode").and_then(serde_json::Value::as_str);
    let level = case.args.get("ancestorReclaimLevel").and_then(serde_json::Value::as_u64);
    let mut judge = VolcanoCycleCheck::new(world, outcome, (mode == Some("elastic"), level > Some(0)))?;
    if let Some(standing) = &outcome.nominations {
        for pod in judge.after.pods.values_mut() {
            pod.nominated = standing.get(&pod.name).cloned();
        }
    }
    verdict.decided(if outcome.changes() { "cycle with decisions" } else { "cycle without decisions" });
    judge.bindings(verdict);
    judge.reclaims(verdict)?;
    judge.grows(memory, verdict);
    judge.bound_for_nothing(memory.last.as_ref(), verdict);
    memory.last = judge.remember(&mut memory.nominations);
    for job in &judge.jobs {
        let changes = |name: &String| {
            world.pods.get(name).is_some_and(|pod| job.is_elastic_pod(pod) && read::group_of(pod) == job.name)
        };
        if outcome.bound.keys().chain(&outcome.victims).any(changes) {
            memory.scaled.insert(job.name.clone(), world.now);
        }
    }
    Ok(())
}

/// Computes the usage of a queue, and of those below it, by the pods that `counts` selects.
fn used<'w>(
    world: &'w ModelCluster,
    jobs: &[VolcanoJob],
    queue: &str,
    counts: impl Fn(&VolcanoJob, &ModelPod) -> bool,
) -> MilliAmounts {
    let ours = jobs.iter().filter(|job| job.queue == queue || job.parent.as_deref() == Some(queue));
    let pods: Vec<&'w ModelPod> =
        ours.flat_map(|job| job.pods(world).into_iter().filter(|pod| counts(job, pod)).collect::<Vec<_>>()).collect();
    MilliAmounts::sum(pods.into_iter().map(|pod| &pod.request))
}

/// Returns whether a pod runs. It may be terminating.
fn runs(_: &VolcanoJob, pod: &ModelPod) -> bool {
    pod.node.is_some()
}

impl<'w> VolcanoCycleCheck<'w> {
    /// Prepares the check of an outcome: reads jobs and queues, and applies the bindings and evictions to a copy of the cluster.
    fn new(
        world: &'w ModelCluster,
        outcome: &'w ReportedOutcome,
        (elastic_mode, watches): (bool, bool),
    ) -> Result<VolcanoCycleCheck<'w>, ModelInputError> {
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
        Ok(VolcanoCycleCheck {
            world,
            after,
            jobs: VolcanoJob::read(world),
            queues: queues(world)?,
            elastic_mode,
            counts_ancestors: watches,
            outcome,
        })
    }
}

impl VolcanoCycleCheck<'_> {
    /// Checks that bindings are legal and that no pod that fits was passed over.
    fn bindings(&self, verdict: &mut StepFindings) {
        for job in &self.jobs {
            let came: Vec<&ModelPod> =
                job.pods(self.world).into_iter().filter(|pod| self.outcome.bound.contains_key(&pod.name)).collect();
            let queue = self.queues.get(&job.queue);
            if !came.is_empty() {
                if job.size(&self.after) < job.min {
                    let text = format!("`{}` has {} of {} pods", job.name, job.size(&self.after), job.min);
                    verdict.breach("gang-is-complete", text);
                }
                if queue.is_none_or(|queue| !queue.is_open) {
                    verdict.breach(
                        "queue-takes-pods",
                        format!("a pod of `{}` was bound although its queue is closed", job.name),
                    );
                }
                let holds = used(&self.after, &self.jobs, &job.queue, |_, pod| pod.node.is_some() && !pod.leaving);
                let requested = MilliAmounts::sum(came.iter().map(|pod| &pod.request));
                if queue.is_some_and(|queue| !holds.within_for(&queue.capability, &requested)) {
                    verdict.breach("queue-fits-capability", format!("`{}` uses {holds:?}", job.queue));
                }
                let nothing = MilliAmounts(requested.0.keys().map(|resource| (resource.clone(), 0)).collect());
                if !self.leaves_guarantees(&self.after, job, &nothing, |pod| pod.node.is_some() && !pod.leaving) {
                    let text = format!("pods of `{}` take what is guaranteed to others", job.name);
                    verdict.breach("guarantees-are-left-free", text);
                }
                let normal = used(&self.after, &self.jobs, &job.queue, |job, pod| {
                    runs(job, pod) && !job.is_elastic_pod(pod) && !pod.leaving
                });
                let normal_came = came.iter().filter(|pod| !job.is_elastic_pod(pod));
                let requested = MilliAmounts::sum(normal_came.map(|pod| &pod.request));
                let beyond = queue.is_some_and(|queue| !normal.within_for(&queue.deserved, &requested));
                if self.elastic_mode && beyond {
                    verdict
                        .breach("normal-pods-fit-deserved", format!("normal pods of `{}` use {normal:?}", job.queue));
                }
            }
            self.passed_over(job, verdict);
        }
    }

    /// Returns the normal pods of a job that are pending and have no nomination.
    fn waiting(&self, job: &VolcanoJob) -> Vec<&ModelPod> {
        let waits = |pod: &&ModelPod| pod.pending() && pod.nominated.is_none() && !job.is_elastic_pod(pod);
        job.pods(&self.after).into_iter().filter(waits).collect()
    }

    /// Returns the missing pods of a gang, or the next pod of a running gang. Empty if it has too few pods, or if they are nominated already.
    fn missing(&self, job: &VolcanoJob) -> Vec<&ModelPod> {
        let mut waiting = self.waiting(job);
        let missing = job.min.saturating_sub(job.size(&self.after)).max(1);
        if waiting.len() < missing || job.pods(self.world).len() < job.min {
            return Vec::new();
        }
        waiting.truncate(missing);
        waiting
    }

    /// Checks that no gang was passed over. A gang, or the next pod of a running gang, that fits idle room and queue at the end fitted before.
    fn passed_over(&self, job: &VolcanoJob, verdict: &mut StepFindings) {
        let missing = self.missing(job);
        if missing.is_empty() || !self.queue_takes(job, &missing, false) {
            return;
        }
        let problem = PlacementProblem { free: self.idle(), candidates: Vec::new(), incoming: self.incoming(&missing) };
        if problem.fits_without(0) {
            if let Some(why) = self.why_idle(job, &missing, &problem) {
                return verdict.excuse(why);
            }
            let text = format!("{} pods of `{}` fit idle room and were not bound", missing.len(), job.name);
            verdict.breach("idle-room-is-used", text);
        }
    }

    /// Returns these pods as incoming pods of a placement problem, with the nodes that each may run on.
    fn incoming<'p>(&self, pods: &[&'p ModelPod]) -> Vec<IncomingPod<'p>> {
        let nodes = |pod: &ModelPod| {
            let nodes = self.world.nodes.values().enumerate();
            nodes.filter(|(_, node)| self.world.may_run(pod, node)).map(|(place, _)| place).collect()
        };
        pods.iter().map(|pod| IncomingPod { request: &pod.request, nodes: nodes(pod) }).collect()
    }

    /// Returns whether the queue of a job is open and these pods fit its bounds, in every reading of its usage. `lenient`: in one reading.
    fn queue_takes(&self, job: &VolcanoJob, pods: &[&ModelPod], lenient: bool) -> bool {
        let Some(queue) = self.queues.get(&job.queue) else { return false };
        let requested = MilliAmounts::sum(pods.iter().map(|pod| &pod.request));
        // Without pods, those of the plan are judged.
        let named = if pods.is_empty() {
            MilliAmounts::sum(self.nominated(job).iter().map(|pod| &pod.request))
        } else {
            requested.clone()
        };
        let counts = |pod: &ModelPod| {
            let nominated = !lenient && pod.nominated.is_some() && pod.pending();
            pod.node.is_some() && !(lenient && pod.leaving) || nominated
        };
        let mut all = used(&self.after, &self.jobs, &job.queue, |_, pod| counts(pod));
        let mut normal = used(&self.after, &self.jobs, &job.queue, |job, pod| counts(pod) && !job.is_elastic_pod(pod));
        let joint = self.leaves_guarantees(&self.after, job, &requested, counts);
        all.add(&requested);
        normal.add(&requested);
        let extra = pods.iter().any(|pod| job.is_elastic_pod(pod));
        queue.is_open
            && joint
            && all.within_for(&queue.capability, &named)
            && (extra || !self.elastic_mode || normal.within_for(&queue.deserved, &named))
    }

    /// Returns the pods of a job that were nominated in this cycle.
    fn nominated(&self, job: &VolcanoJob) -> Vec<&ModelPod> {
        job.pods(self.world).into_iter().filter(|pod| self.outcome.nominated.contains_key(&pod.name)).collect()
    }

    /// Returns the names of the pods of a job that are victims of this cycle.
    fn victims(&self, job: &VolcanoJob) -> BTreeSet<&str> {
        let pods = job.pods(self.world).into_iter();
        pods.filter(|pod| self.outcome.victims.contains(&pod.name)).map(|pod| pod.name.as_str()).collect()
    }
}

/// Computes the usage of the queues, by `queue/name`.
pub(crate) fn accounts(world: &ModelCluster) -> BTreeMap<String, MilliAmounts> {
    let jobs = VolcanoJob::read(world);
    let queue = |queue: &serde_json::Value| {
        let name = crate::world::text(queue, "/metadata/name");
        (format!("queue/{name}"), used(world, &jobs, name, runs))
    };
    world.all("Queue").map(queue).collect()
}

/// Returns whether jobs have legal sizes, and queues are within the capability in their spec. The guarantee of another queue may have been raised
/// since, so the real capability is not checked.
pub(crate) fn fair(world: &ModelCluster) -> bool {
    let is_within = |queue: &serde_json::Value| {
        let written = MilliAmounts::read(at(queue, "/spec/capability"));
        let name = text(queue, "/metadata/name");
        written.is_ok_and(|most| used(world, &VolcanoJob::read(world), name, runs).within(&most))
    };
    let held = world.all("Queue").all(is_within);
    let sizes = |job: &VolcanoJob| {
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
        && VolcanoJob::read(world).iter().all(sizes)
        && world.pods.values().all(|pod| VolcanoJob::read(world).iter().any(|job| job.name == read::group_of(pod)))
}
