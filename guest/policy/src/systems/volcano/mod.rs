//! Volcano: queues that lend and reclaim, gangs, and elastic jobs.
//!
//! Elastic jobs and reclaim by whole jobs come from the proposal *Elastic scheduling based on AI scenarios*, which upstream never
//! built. Queues and gangs come from upstream's capacity and gang plugins. All rules always apply together, whereas upstream's tiers let
//! some rules disable others. One consequence: no task preempts another task of its own job. Upstream allows that while the job is
//! below its minimum; but such a job has no member that it can lose.
//!
//! The cycle makes all decisions, action by action. An attempt for a single pod outside of the cycle is also possible. A normal pod is
//! placed where it fits and waits until its gang is complete. Where it does not fit, it gets the plan that the configured actions would
//! make for its gang. An elastic pod is refused, because it is only placed as part of a growth step.

mod args;
mod classes;
mod groups;
mod keys;
mod laws;
mod pods;
mod queues;
mod reported;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::contract::{self, ConfigError, Eviction, ObjectKey, Phase, PodStatus, SystemInfo};
use crate::laws::{Action, LawListing, Laws};
use crate::model::{Cluster, JobIx, NameId, PodAttributes, PodInfo, PodIx, PodKind, QueueIx};
use crate::systems::document::annotation_path;
use crate::systems::named_queues::{NamedQueues, exists};
use crate::systems::scheduling_groups::{self, SchedulingGroups, with_groups};
use crate::systems::{
    self, DEFAULT_SCHEDULER, Findings, ParsedObject, QueueVocabulary, System, SystemArguments, interests, schedulers,
};
use args::VolcanoArgs;
use classes::ElasticPods;
use groups::VolcanoGroups;
use pods::VolcanoPodMetadata;
use queues::VolcanoQueues;
use reported::ReportedFindings;

/// The time for which a pod that is tried outside of the cycle waits at Permit for its gang, in nanoseconds. The cycle itself never waits.
const PERMIT_TIMEOUT: i64 = 600_000_000_000;

/// Describes the system.
pub fn describe() -> SystemInfo {
    use contract::ExtensionPoint::*;
    let kinds = [
        (keys::SCHEDULING_GROUP, "Queue"),
        (keys::SCHEDULING_GROUP, "PodGroup"),
        (keys::BATCH_GROUP, "Job"),
        (keys::PRIORITY_GROUP, "PriorityClass"),
    ];
    SystemInfo {
        name: "volcano".to_owned(),
        about: "queues that lend and reclaim, gangs, and elastic jobs".to_owned(),
        extension_points: [QueueOrder, PreFilter, Filter, PostFilter, Reserve, Permit, Act].map(Into::into).into(),
        judges_room: true,
        evicts_higher_priority: true,
        schedulers: schedulers(&[keys::SCHEDULER, DEFAULT_SCHEDULER]),
        interests: with_groups(interests(&keys::POD_LABELS, &keys::POD_ANNOTATIONS, &kinds)),
        arguments: args::arguments(),
        templates: systems::message_templates(&list_laws(), TERMS),
    }
}

/// What users of this system call a queue and its bounds.
const TERMS: QueueVocabulary =
    QueueVocabulary { queue: "queue", guaranteed: "guarantee", deserved: "deserved", max: "capability" };

/// Returns every law that some arguments put in force.
pub fn list_laws() -> Vec<LawListing> {
    let mut rules: Vec<LawListing> = Vec::new();
    for mode in [args::ReclaimMode::Reclaim, args::ReclaimMode::Elastic] {
        let args = VolcanoArgs {
            mode,
            actions: Vec::new(),
            elastic_was_moved: false,
            is_tree: true,
            ancestor_reclaim_level: 0,
        };
        let new = laws::table(&args).list();
        rules.extend(new.into_iter().filter(|rule| !rules.contains(rule)).collect::<Vec<_>>());
    }
    rules
}

/// Configures the system.
pub fn configure(arguments: &SystemArguments) -> Result<Box<dyn System>, ConfigError> {
    let args = VolcanoArgs::new(arguments)?;
    Ok(Box::new(Volcano {
        laws: Arc::new(laws::table(&args)),
        args,
        queues: VolcanoQueues::default(),
        groups: VolcanoGroups::default(),
        pod_groups: SchedulingGroups::default(),
        reported: ReportedFindings::default(),
        named: NamedQueues::default(),
        elastic_pods: ElasticPods::default(),
        capability_version: None,
    }))
}

/// Volcano's laws with their arguments, and the objects read so far.
#[derive(Debug)]
struct Volcano {
    args: VolcanoArgs,
    laws: Arc<Laws>,
    queues: VolcanoQueues,
    groups: VolcanoGroups,
    pod_groups: SchedulingGroups,
    reported: ReportedFindings,
    /// The queues that pods and PodGroups name.
    named: NamedQueues,
    elastic_pods: ElasticPods,
    /// The version of the cluster for which the real capabilities were last set.
    capability_version: Option<u64>,
}

impl System for Volcano {
    fn laws(&self) -> &Arc<Laws> {
        &self.laws
    }

    fn laws_mut(&mut self) -> &mut Laws {
        Arc::make_mut(&mut self.laws)
    }

    fn read_pod(&mut self, cluster: &mut Cluster, pod: &contract::Pod, findings: &mut Findings) -> PodAttributes {
        let metadata = VolcanoPodMetadata(pod);
        let mut attributes = pods::read(cluster, pod, &mut self.reported, findings);
        if !self.args.actions.contains(&Action::Backfill) {
            pods::warn_of_backfill(cluster, pod, &mut self.reported, findings);
        }
        match metadata.annotation(keys::GROUP_NAME).filter(|name| !name.is_empty()) {
            Some(group) => {
                attributes.job = cluster.job_or_new(&(pod.template.namespace.clone(), group.to_owned()));
            }
            None if pod.template.scheduler == keys::SCHEDULER => {
                let queue = metadata.annotation(keys::QUEUE_NAME).unwrap_or(keys::DEFAULT_QUEUE);
                let object = || ParsedObject::named("Pod", &pod.template.namespace, &pod.name);
                let queue = self.named.record(cluster, queue, object, || annotation_path(keys::QUEUE_NAME));
                attributes.queue_name = Some(queue);
            }
            None => {}
        }
        self.pod_groups.read_pod(cluster, pod, &mut attributes, || annotation_path(keys::GROUP_NAME), findings);
        self.groups.read_pod(attributes.job, pod, metadata.either(keys::JOB_NAME));
        attributes.preemptibility =
            self.elastic_pods.read(cluster, PodIx(pod.id), attributes.job, metadata.is_labelled_elastic());
        attributes
    }

    fn read_pod_status(&mut self, cluster: &Cluster, status: &PodStatus, attributes: &mut PodAttributes) {
        self.pod_groups.read_status(status);
        attributes.task.succeeded = status.phase == Phase::Succeeded;
        attributes.preemptibility = self.elastic_pods.reread(cluster, PodIx(status.id));
    }

    fn forget_pod(&mut self, pod: PodIx) {
        self.elastic_pods.forget(pod);
        self.groups.forget_pod(pod);
        self.pod_groups.forget_pod(pod);
    }

    fn queue_of(&self, cluster: &Cluster, pod: &PodInfo) -> Option<QueueIx> {
        if pod.name.kind == PodKind::Reservation {
            return None;
        }
        let name = pod.attributes.job.map_or(pod.attributes.queue_name, |job| cluster.pod_group(job)?.queue);
        cluster.queue_named(name?)
    }

    fn read_object(&mut self, cluster: &mut Cluster, object: &ParsedObject, findings: &mut Findings) {
        self.pod_groups.read_object(object, findings);
        match object.kind.as_str() {
            "PodGroup" if object.group == scheduling_groups::GROUP => {}
            "Queue" => self.queues.read(object, findings),
            "PodGroup" => {
                if let Some(queue) =
                    object.at("/spec/queue").and_then(|queue| queue.as_str()).filter(|queue| !queue.is_empty())
                {
                    let named = || ParsedObject::named(&object.kind, &object.namespace, &object.name);
                    self.named.record(cluster, queue, named, || "/spec/queue".to_owned());
                }
                self.groups.read_group(object, &mut self.reported, findings);
            }
            "Job" => self.groups.read_job(object, &mut self.reported, findings),
            "PriorityClass" => self.groups.read_class(object, &mut self.reported, findings),
            _ => {}
        }
    }

    fn remove_object(&mut self, _: &mut Cluster, object: &ObjectKey) {
        self.reported.forget(&ParsedObject::named(&object.kind, &object.namespace, &object.name).object_name());
        self.pod_groups.remove_object(object);
        match object.kind.as_str() {
            "PodGroup" if object.group == scheduling_groups::GROUP => {}
            "Queue" => self.queues.remove(&object.name),
            kind => self.groups.remove(kind, &object.namespace, &object.name),
        }
    }

    fn sync_queues(&mut self, cluster: &mut Cluster, findings: &mut Findings) {
        if std::mem::take(&mut self.args.elastic_was_moved) {
            let object = ParsedObject::named("Argument", "", "actions");
            let message = "`elastic` is listed before other actions; it is executed last";
            findings.push(object.warning("", message, "list `elastic` last"));
        }
        for (key, spec) in self.pod_groups.sync(cluster, findings) {
            self.groups.set_group_of_kubernetes(key, spec);
        }
        let changed = self.groups.sync(cluster);
        if let Some(specs) = self.queues.take_changed(&self.args, cluster) {
            cluster.set_queues(specs, |cluster, pod| self.queue_of(cluster, pod));
        }
        let changed: Vec<JobIx> = changed.iter().filter_map(|key| cluster.job_named(key)).collect();
        let outcome = || "its pods are not tried".to_owned();
        self.pod_groups.report(cluster, findings);
        self.named.report(cluster, "queue", |queue, _| (!exists(cluster, queue)).then(outcome), findings);
        for (ix, preemptibility) in self.elastic_pods.sync(cluster, &changed) {
            let Some(pod) = cluster.pod(ix) else { continue };
            cluster.move_to_queue(ix, self.queue_of(cluster, pod), preemptibility);
        }
    }

    fn sweep_names(&mut self, _: &Cluster, used: &mut BTreeSet<NameId>) {
        self.named.sweep(used);
    }

    fn refresh_derived_values(&mut self, cluster: &mut Cluster) {
        if self.capability_version != Some(cluster.version()) {
            queues::set_real_capabilities(cluster);
            self.capability_version = Some(cluster.version());
        }
    }

    fn eviction(&self) -> Eviction {
        Eviction::Delete
    }

    fn vocabulary(&self) -> QueueVocabulary {
        TERMS
    }
}
