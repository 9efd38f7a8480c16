//! Applications: their pods, their queue, and their originator.
//!
//! The first pod of an application decides its queue; the queue names of later pods are ignored. The first pod that is not a
//! placeholder is the originator. The first pod is the one that the host reported first, then the oldest, then the first by name.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::tree::{LeafQueue, Tree};
use crate::contract;
use crate::model::{Cluster, JobIx, PodIdentity, PodIx, PodsByName, QueueIx};

/// The arrival of a pod: reported at, created at (both in nanoseconds since 1970), and its name.
type Arrival = (i64, i64, String);

/// An application.
#[derive(Debug)]
struct YuniKornApplication {
    first_arrival: Arrival,
    /// The pod that arrived first, while it exists.
    first_pod: Option<PodIx>,
    /// The queue that the first pod names.
    named_queue: Option<String>,
    /// The namespace of the first pod.
    namespace: String,
    /// The arrival of the originator, and the pod while it exists.
    originator: Option<(Arrival, Option<PodIx>)>,
    members: BTreeSet<PodIx>,
    leaf: Option<LeafQueue>,
}

/// All applications.
#[derive(Debug, Default)]
pub struct ApplicationRegistry {
    apps: BTreeMap<JobIx, YuniKornApplication>,
    jobs: BTreeMap<PodIx, JobIx>,
    /// Applications whose originator in the cluster is out of date.
    changed: BTreeSet<JobIx>,
    /// Whether an existing application moved to another leaf.
    has_moved: bool,
    /// Whether an application joined or left a leaf that is created on demand.
    demand_changed: bool,
}

/// The labels and annotations of a pod that concern its application.
#[derive(Debug)]
pub struct ApplicationMetadata<'a> {
    /// The queue that the pod names.
    pub queue: Option<&'a str>,
    /// Whether the pod is a placeholder for another pod.
    pub is_placeholder: bool,
}

/// The history of an application that its remaining pods do not show.
#[derive(Debug, Serialize, Deserialize)]
pub struct AppHistory {
    app: String,
    first: Arrival,
    named: Option<String>,
    namespace: String,
    originator: Option<(Arrival, Option<PodIdentity>)>,
}

impl ApplicationRegistry {
    /// Adds a pod to an application, or updates it there.
    pub fn add_pod(&mut self, tree: &Tree, job: JobIx, pod: &contract::Pod, metadata: &ApplicationMetadata<'_>) {
        let ix = PodIx(pod.id);
        if self.jobs.insert(ix, job).is_some_and(|old| old != job) {
            self.remove_pod(ix);
            self.jobs.insert(ix, job);
        }
        let arrival = (pod.entered, pod.created, format!("{}/{}", pod.template.namespace, pod.name));
        let new = !self.apps.contains_key(&job);
        let app = self.apps.entry(job).or_insert_with(|| YuniKornApplication {
            first_arrival: arrival.clone(),
            first_pod: Some(ix),
            named_queue: metadata.queue.map(str::to_owned),
            namespace: pod.template.namespace.clone(),
            originator: None,
            members: BTreeSet::new(),
            leaf: None,
        });
        app.members.insert(ix);
        let earlier = arrival < app.first_arrival;
        if earlier {
            (app.named_queue, app.namespace) = (metadata.queue.map(str::to_owned), pod.template.namespace.clone());
            (app.first_arrival, app.first_pod) = (arrival.clone(), Some(ix));
        }
        if new || earlier {
            let leaf = tree.find_leaf(app.named_queue.as_deref(), &app.namespace);
            self.has_moved |= !new && leaf != app.leaf;
            self.demand_changed |= leaf.as_ref().is_some_and(|leaf| leaf.on_demand);
            app.leaf = leaf;
        }
        if !metadata.is_placeholder && app.originator.as_ref().is_none_or(|(first, _)| arrival < *first) {
            app.originator = Some((arrival, Some(ix)));
            self.changed.insert(job);
        }
    }

    /// Returns the names of the queues that applications name.
    pub fn queues(&self) -> impl Iterator<Item = &str> {
        self.apps.values().filter_map(|app| app.named_queue.as_deref())
    }

    /// Removes a pod that is gone or no longer belongs to an application.
    pub fn remove_pod(&mut self, pod: PodIx) {
        let Some(job) = self.jobs.remove(&pod) else { return };
        let job = self.apps.iter().find(|(_, app)| app.members.contains(&pod)).map_or(job, |(job, _)| *job);
        let Some(app) = self.apps.get_mut(&job) else { return };
        app.members.remove(&pod);
        app.first_pod = app.first_pod.filter(|first| *first != pod);
        if let Some((_, originator)) = &mut app.originator
            && *originator == Some(pod)
        {
            *originator = None;
            self.changed.insert(job);
        }
        if app.members.is_empty() {
            self.demand_changed |= app.leaf.as_ref().is_some_and(|leaf| leaf.on_demand);
            self.apps.remove(&job);
        }
    }

    /// Returns the applications whose first pod or originator is gone, for a checkpoint: their remaining pods do not show which pod that was.
    pub fn checkpoint(&self, cluster: &Cluster) -> Vec<AppHistory> {
        let history = self.apps.iter().filter(|(_, app)| {
            app.first_pod.is_none() || app.originator.as_ref().is_some_and(|(_, pod)| pod.is_none())
        });
        let history = history.filter_map(|(job, app)| {
            let (first, named, namespace) = (app.first_arrival.clone(), app.named_queue.clone(), app.namespace.clone());
            let saved =
                |(at, pod): &(Arrival, Option<PodIx>)| (at.clone(), pod.and_then(|pod| PodIdentity::of(cluster, pod)));
            Some(AppHistory {
                app: cluster.job(*job)?.key.1.clone(),
                first,
                named,
                namespace,
                originator: app.originator.as_ref().map(saved),
            })
        });
        history.collect()
    }

    /// Restores which pod arrived first, from a checkpoint.
    pub fn restore(&mut self, cluster: &Cluster, history: Vec<AppHistory>) {
        let pods = PodsByName::new(cluster);
        for AppHistory { app, first, named, namespace, originator } in history {
            let Some(job) = cluster.job_named(&(String::new(), app)) else { continue };
            let Some(app) = self.apps.get_mut(&job) else { continue };
            if first < app.first_arrival {
                (app.first_arrival, app.first_pod, app.named_queue, app.namespace) = (first, None, named, namespace);
                self.has_moved = true;
            }
            if let Some((at, pod)) = originator
                && app.originator.as_ref().is_none_or(|(known, _)| at < *known)
            {
                app.originator = Some((at, pod.and_then(|pod| pods.find(&pod))));
                self.changed.insert(job);
            }
        }
    }

    /// Returns the queue of an application. `None`: it has none.
    pub fn queue(&self, cluster: &Cluster, job: JobIx) -> Option<QueueIx> {
        let leaf = self.apps.get(&job)?.leaf.as_ref()?;
        cluster.queue_named(cluster.name_id(&leaf.path)?)
    }

    /// Returns the namespace of the first pod of an application.
    pub fn namespace(&self, job: JobIx) -> Option<&str> {
        self.apps.get(&job).map(|app| app.namespace.as_str())
    }

    /// Updates the originators in the cluster.
    pub fn sync_originators(&mut self, cluster: &mut Cluster) {
        for job in std::mem::take(&mut self.changed) {
            let originator = self.apps.get(&job).and_then(|app| app.originator.as_ref()).and_then(|(_, pod)| *pod);
            cluster.set_originator(job, originator);
        }
    }

    /// Returns whether an application moved since the last call, and whether the leaves on demand may have changed.
    pub fn take_changes(&mut self) -> (bool, bool) {
        (std::mem::take(&mut self.has_moved), std::mem::take(&mut self.demand_changed))
    }

    /// Places every application again and returns the leaves to create. No leaf is created below another created leaf.
    pub fn assign_leaves(&mut self, tree: &Tree) -> BTreeSet<String> {
        let mut leaves: BTreeSet<String> = BTreeSet::new();
        for app in self.apps.values_mut() {
            app.leaf = tree.find_leaf(app.named_queue.as_deref(), &app.namespace);
            leaves.extend(app.leaf.as_ref().filter(|leaf| leaf.on_demand).map(|leaf| leaf.path.clone()));
        }
        let is_parent =
            |path: &str| leaves.iter().any(|other| other.strip_prefix(path).is_some_and(|rest| rest.starts_with('.')));
        let parents: BTreeSet<String> = leaves.iter().filter(|path| is_parent(path)).cloned().collect();
        for app in self.apps.values_mut() {
            app.leaf = app.leaf.take().filter(|leaf| !parents.contains(&leaf.path));
        }
        leaves.retain(|path| !parents.contains(path));
        leaves
    }
}
