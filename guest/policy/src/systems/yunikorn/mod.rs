//! YuniKorn: the seven laws of preemption over a tree of queues.
//!
//! YuniKorn's design document (seed yunikorn-preemption) takes precedence over upstream's code. Where the document is silent, the
//! semantics of upstream (yunikorn-core, yunikorn-k8shim) apply.

mod apps;
mod classes;
mod config;
mod keys;
mod laws;
mod maps;
mod overages;
mod pods;
mod properties;
mod rank;
mod source;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::contract::{self, ConfigError, Eviction, ObjectKey, SystemInfo};
use crate::laws::{LawListing, Laws};
use crate::model::{Cluster, JobIx, NameId, PodAttributes, PodInfo, PodIx, Preemptibility, QueueIx, TaskAttributes};
use crate::systems::named_queues::NamedQueues;
use crate::systems::{self, Findings, ParsedObject, QueueVocabulary, System, SystemArguments, interests, schedulers};
use apps::ApplicationRegistry;
use classes::PreemptionSettings;
use config::PartitionConfig;
pub use config::unpack as unpack_queues;
use overages::{OverMaxQueue, OverMaxQueues};
use source::QueueConfigMaps;
use tree::Tree;

/// Describes the system.
pub fn describe() -> SystemInfo {
    use contract::ExtensionPoint::*;
    let kinds = [("", "ConfigMap"), ("scheduling.k8s.io", "PriorityClass")];
    SystemInfo {
        name: "yunikorn".to_owned(),
        about: "queues with guarantees, and the seven laws of preemption".to_owned(),
        extension_points: [QueueOrder, PreFilter, Filter, PostFilter, Reserve, Enforce].map(Into::into).into(),
        judges_room: true,
        evicts_higher_priority: true,
        schedulers: schedulers(&[keys::SCHEDULER]),
        interests: interests(&keys::POD_LABELS, &keys::POD_ANNOTATIONS, &kinds),
        arguments: Vec::new(),
        templates: systems::message_templates(&list_laws(), QueueVocabulary::default()),
    }
}

/// Returns every law of the system.
pub fn list_laws() -> Vec<LawListing> {
    laws::table().list()
}

/// Configures the system.
pub fn configure(_: &SystemArguments) -> Result<Box<dyn System>, ConfigError> {
    Ok(Box::new(YuniKorn {
        laws: Arc::new(laws::table()),
        tree: Tree::default(),
        apps: ApplicationRegistry::default(),
        classes: PreemptionSettings::default(),
        source: QueueConfigMaps::default(),
        named: NamedQueues::default(),
        over_max_queues: OverMaxQueues::default(),
        in_sync: false,
        resources: 0,
    }))
}

/// YuniKorn's laws and the objects read so far.
#[derive(Debug)]
struct YuniKorn {
    laws: Arc<Laws>,
    tree: Tree,
    apps: ApplicationRegistry,
    classes: PreemptionSettings,
    source: QueueConfigMaps,
    /// The queues that pods name.
    named: NamedQueues,
    over_max_queues: OverMaxQueues,
    /// Whether the queues in the cluster are up to date with the configuration.
    in_sync: bool,
    /// The number of known resources at the last update. A bound on a resource can be added only once the resource is known.
    resources: usize,
}

/// The state that cannot be derived from the cluster.
#[derive(Debug, Serialize, Deserialize)]
struct YuniKornCheckpoint {
    /// The configuration in force. The ConfigMap in the cluster may be unusable.
    queues: Option<String>,
    apps: Vec<apps::AppHistory>,
    /// The queues over their maxima, and since when.
    #[serde(default)]
    overages: BTreeMap<String, OverMaxQueue>,
}

impl YuniKorn {
    fn set_config(&mut self, config: Option<PartitionConfig>) {
        if let Some(config) = config.filter(|config| self.tree.config() != config) {
            self.tree = Tree::new(config);
            self.in_sync = false;
        }
    }
}

/// Returns the job of a pod: its application. `None`: there are too many jobs to number.
fn job(cluster: &mut Cluster, pod: &contract::Pod) -> Option<JobIx> {
    let name = pods::application(pod);
    let by_default = pods::is_generated(&name);
    let ix = cluster.job_or_new(&(String::new(), name))?;
    cluster.set_generated_application(ix, by_default);
    Some(ix)
}

/// Returns the clause for a finding on about the pods of an application whose named queue no placement rule finds or creates. `None`: a rule finds or
/// creates the queue.
fn unresolved_queue_clause(tree: &Tree, queue: &str, namespace: &str) -> Option<String> {
    let Some(leaf) = tree.find_leaf(Some(queue), namespace) else { return Some("its pods are not tried".to_owned()) };
    let name = queue.to_lowercase();
    let is_it = leaf.path == name || leaf.path.strip_suffix(&*name).is_some_and(|parent| parent.ends_with('.'));
    (!is_it).then(|| format!("its pods are in `{}`", leaf.path))
}

impl System for YuniKorn {
    fn laws(&self) -> &Arc<Laws> {
        &self.laws
    }

    fn laws_mut(&mut self) -> &mut Laws {
        Arc::make_mut(&mut self.laws)
    }

    fn read_pod(&mut self, cluster: &mut Cluster, pod: &contract::Pod, findings: &mut Findings) -> PodAttributes {
        let foreign = pod.template.foreign || pod.kind.is_some();
        let job = if foreign { None } else { job(cluster, pod) };
        match job {
            Some(job) => {
                let metadata = pods::metadata(pod);
                if let Some(queue) = metadata.queue {
                    self.named.record(
                        cluster,
                        queue,
                        || ParsedObject::named("Pod", &pod.template.namespace, &pod.name),
                        || "/metadata/labels".to_owned(),
                    );
                }
                self.apps.add_pod(&self.tree, job, pod, &metadata);
            }
            None => self.apps.remove_pod(PodIx(pod.id)),
        }
        let (opted_out, may_preempt) = self.classes.read_pod(pod, findings);
        PodAttributes {
            priority: pod.template.priority.unwrap_or(0),
            queue_name: None,
            job,
            preemptibility: Preemptibility::Preemptible,
            may_preempt,
            opted_out,
            reservation: None,
            budgets: Vec::new(),
            marked_for_eviction: false,
            unsupported_field: pods::unsupported_annotation(pod),
            task: TaskAttributes::default(),
        }
    }

    fn forget_pod(&mut self, pod: PodIx) {
        self.apps.remove_pod(pod);
        self.classes.forget_pod(pod);
    }

    fn queue_of(&self, cluster: &Cluster, pod: &PodInfo) -> Option<QueueIx> {
        self.apps.queue(cluster, pod.attributes.job?)
    }

    /// Returns the name of an application with the namespace of its first pod, as an application has none. `None`: the application is generated, and
    /// its pods have only the namespace in common.
    fn job_name(&self, cluster: &Cluster, job: JobIx) -> Option<String> {
        let name = &cluster.job(job)?.key.1;
        let namespace = self.apps.namespace(job).filter(|_| !cluster.is_generated_application(job))?;
        Some(format!("{namespace}/{name}"))
    }

    fn read_object(&mut self, _: &mut Cluster, object: &ParsedObject, findings: &mut Findings) {
        match object.kind.as_str() {
            "ConfigMap" => self.source.read(object),
            "PriorityClass" => self.classes.read(object, findings),
            _ => {}
        }
    }

    fn remove_object(&mut self, _: &mut Cluster, object: &ObjectKey) {
        match object.kind.as_str() {
            "ConfigMap" => self.source.remove(object),
            "PriorityClass" => self.classes.remove(&object.name),
            _ => {}
        }
    }

    fn sweep_names(&mut self, cluster: &Cluster, used: &mut BTreeSet<NameId>) {
        used.extend(self.apps.queues().filter_map(|queue| cluster.name_id(queue)));
        self.named.sweep(used);
    }

    fn sync_queues(&mut self, cluster: &mut Cluster, findings: &mut Findings) {
        let config = self.source.sync(findings);
        self.set_config(config);
        self.classes.sync(cluster);
        self.apps.sync_originators(cluster);
        let (moved, demand_changed) = self.apps.take_changes();
        let mut in_sync = self.in_sync && !moved && self.resources == cluster.resource_count();
        if !in_sync || demand_changed {
            let leaves = self.apps.assign_leaves(&self.tree);
            in_sync &= !self.tree.set_on_demand(leaves);
        }
        if !in_sync {
            (self.in_sync, self.resources) = (true, cluster.resource_count());
            let specs = self.tree.queue_definitions(cluster);
            cluster.set_queues(specs, |cluster, pod| self.queue_of(cluster, pod));
        }
        let tree = &self.tree;
        self.named.report(
            cluster,
            "queue",
            |queue, pod| unresolved_queue_clause(tree, queue, &pod.namespace),
            findings,
        );
        self.over_max_queues.update(cluster);
    }

    fn refresh_queue_order(&mut self, cluster: &mut Cluster) {
        rank::update_queue_ranks(cluster);
    }

    fn checkpoint(&self, cluster: &Cluster) -> serde_json::Value {
        let (queues, apps) = (self.source.checkpoint(), self.apps.checkpoint(cluster));
        let memory = YuniKornCheckpoint { queues, apps, overages: self.over_max_queues.checkpoint() };
        serde_json::to_value(memory).unwrap_or_else(systems::unsaved_state)
    }

    fn restore(&mut self, cluster: &Cluster, memory: &serde_json::Value) -> Result<(), serde_json::Error> {
        let Some(YuniKornCheckpoint { queues, apps, overages }) = Option::<YuniKornCheckpoint>::deserialize(memory)?
        else {
            return Ok(());
        };
        let config = queues.and_then(|text| self.source.restore(text));
        self.set_config(config);
        self.apps.restore(cluster, apps);
        self.over_max_queues.restore(overages);
        Ok(())
    }

    fn eviction(&self) -> Eviction {
        Eviction::Delete
    }
}
