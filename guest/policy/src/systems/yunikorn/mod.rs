//! YuniKorn: the seven laws of preemption over a tree of queues.
//!
//! The design document of YuniKorn (seed yunikorn-preemption) where upstream departs from it; upstream's semantics (yunikorn-core,
//! yunikorn-k8shim) where it is silent.

mod apps;
mod classes;
mod config;
mod keys;
mod laws;
mod pods;
mod properties;
mod source;
mod standing;
#[cfg(test)]
mod tests;
mod tree;

use serde::{Deserialize, Serialize};

use crate::contract::{self, ConfigError, Eviction, ObjectKey, PodKind, SystemInfo};
use crate::laws::{Entry, Laws};
use crate::model::{Class, Cluster, Overflow, Pod, PodAttributes, PodIx, QueueIx, Task};
use crate::systems::{self, Arguments, Document, Findings, System, Terms, interests};
use apps::Apps;
use classes::Classes;
use config::Config;
use source::Source;
use tree::Tree;

/// What these laws are.
pub fn describe() -> SystemInfo {
    use contract::ExtensionPoint::*;
    let kinds = [("", "ConfigMap"), ("scheduling.k8s.io", "PriorityClass")];
    SystemInfo {
        name: "yunikorn".to_owned(),
        about: "queues with guarantees, and the seven laws of preemption".to_owned(),
        extension_points: vec![QueueOrder, PreFilter, Filter, PostFilter, Reserve],
        interests: interests(&keys::POD_LABELS, &keys::POD_ANNOTATIONS, &kinds),
        arguments: Vec::new(),
        templates: systems::sentences(&rules(), Terms::default()),
    }
}

/// Every law there is.
pub fn rules() -> Vec<Entry> {
    laws::table().rules()
}

/// Configures these laws.
pub fn configure(_: &Arguments) -> Result<Box<dyn System>, ConfigError> {
    Ok(Box::new(YuniKorn {
        laws: laws::table(),
        tree: Tree::default(),
        apps: Apps::default(),
        classes: Classes::default(),
        source: Source::default(),
        settled: false,
        resources: 0,
    }))
}

/// YuniKorn's laws, and what was read so far.
#[derive(Debug)]
struct YuniKorn {
    laws: Laws,
    tree: Tree,
    apps: Apps,
    classes: Classes,
    source: Source,
    /// The tree in the cluster is that of the configuration.
    settled: bool,
    /// How many resources there were when it was settled: a bound on a resource needs its number.
    resources: usize,
}

/// What the cluster does not show.
#[derive(Debug, Serialize, Deserialize)]
struct Memory {
    /// The configuration in force. That in the cluster may be a bad one.
    queues: Option<String>,
    apps: Vec<apps::Past>,
}

impl YuniKorn {
    fn set(&mut self, config: Option<Config>) {
        if let Some(config) = config.filter(|config| self.tree.config() != config) {
            self.tree = Tree::new(config);
            self.settled = false;
        }
    }
}

impl System for YuniKorn {
    fn laws(&self) -> &Laws {
        &self.laws
    }

    fn laws_mut(&mut self) -> &mut Laws {
        &mut self.laws
    }

    fn read_pod(&mut self, cluster: &mut Cluster, pod: &contract::Pod, findings: &mut Findings) -> PodAttributes {
        let foreign = pod.scheduler != keys::SCHEDULER || pod.kind != PodKind::Pod;
        let job = if foreign { None } else { cluster.job_or_new(&(String::new(), pods::application(pod))) };
        match job {
            Some(job) => self.apps.enter(&self.tree, job, pod, &pods::said(pod)),
            None => self.apps.leave(PodIx(pod.id)),
        }
        let (opted_out, may_preempt) = self.classes.read_pod(pod, findings);
        PodAttributes {
            priority: pod.priority.unwrap_or(0),
            queue_name: None,
            job,
            class: Class::Preemptible,
            may_preempt,
            opted_out,
            inside: None,
            budgets: Vec::new(),
            marked: false,
            task: Task::default(),
        }
    }

    fn forget_pod(&mut self, pod: PodIx) {
        self.apps.leave(pod);
        self.classes.forget_pod(pod);
    }

    fn queue_of(&self, cluster: &Cluster, pod: &Pod) -> Option<QueueIx> {
        self.apps.queue(cluster, pod.attributes.job?)
    }

    fn read_object(&mut self, _: &mut Cluster, object: &Document, findings: &mut Findings) {
        match object.kind.as_str() {
            "ConfigMap" if object.name == keys::CONFIG_MAP => {
                let config = self.source.read(object, findings);
                self.set(config);
            }
            "PriorityClass" => self.classes.read(object, findings),
            _ => {}
        }
    }

    fn remove_object(&mut self, _: &mut Cluster, object: &ObjectKey) {
        match object.kind.as_str() {
            "ConfigMap" if object.name == keys::CONFIG_MAP => {
                let config = self.source.remove(&object.namespace);
                self.set(config);
            }
            "PriorityClass" => self.classes.remove(&object.name),
            _ => {}
        }
    }

    fn sync_queues(&mut self, cluster: &mut Cluster, _: &mut Findings) -> Result<(), Overflow> {
        self.classes.sync_queues(cluster);
        self.apps.tell_originators(cluster);
        let (moved, came) = self.apps.take_changes();
        let mut settled = self.settled && !moved && self.resources == cluster.resource_count();
        if !settled || came {
            let leaves = self.apps.place_all(&self.tree);
            settled &= !self.tree.make(leaves);
        }
        if settled {
            return Ok(());
        }
        (self.settled, self.resources) = (true, cluster.resource_count());
        let specs = self.tree.specs(cluster);
        cluster.set_queues(specs, |cluster, pod| self.queue_of(cluster, pod))
    }

    fn rank(&mut self, cluster: &mut Cluster) {
        standing::update(cluster);
    }

    fn remember(&self, cluster: &Cluster) -> serde_json::Value {
        let memory = Memory { queues: self.source.remember(), apps: self.apps.remember(cluster) };
        serde_json::to_value(memory).unwrap_or_default()
    }

    fn recall(&mut self, cluster: &Cluster, memory: &serde_json::Value) -> Result<(), serde_json::Error> {
        let Some(Memory { queues, apps }) = Option::<Memory>::deserialize(memory)? else { return Ok(()) };
        let config = queues.and_then(|text| self.source.recall(text));
        self.set(config);
        self.apps.recall(cluster, apps);
        Ok(())
    }

    fn eviction(&self) -> Eviction {
        Eviction::Delete
    }
}
