//! Applications: which pods are one, in which queue they are, and which of them came first.
//!
//! One application is in one queue: its first pod decides, what later ones say is ignored. The first that is no placeholder is
//! its originator. First is who became known first; of those that came together the oldest, then the name.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::tree::{Leaf, Tree};
use crate::contract;
use crate::model::{Cluster, JobIx, PodIx, QueueIx};

/// When a pod came: known since, created, name.
type Arrival = (i64, i64, String);

/// An application.
#[derive(Debug)]
struct App {
    first: Arrival,
    /// The pod that came first, while it is there.
    first_pod: Option<PodIx>,
    /// The queue its first pod names.
    named: Option<String>,
    namespace: String,
    originator: Option<(Arrival, Option<PodIx>)>,
    members: BTreeSet<PodIx>,
    leaf: Option<Leaf>,
}

/// The applications there are.
#[derive(Debug, Default)]
pub struct Apps {
    apps: BTreeMap<JobIx, App>,
    jobs: BTreeMap<PodIx, JobIx>,
    /// Applications whose originator is another than the cluster knows.
    changed: BTreeSet<JobIx>,
    /// An application that was there moved to another leaf.
    moved: bool,
    /// An application came to, or left, a leaf that is made on demand.
    came: bool,
}

/// What a pod says of its application.
#[derive(Debug)]
pub struct PodMetadata<'a> {
    /// The queue it names.
    pub queue: Option<&'a str>,
    /// It holds a place for another pod.
    pub is_placeholder: bool,
}

/// What an application was, of which the pods that are left do not tell.
#[derive(Debug, Serialize, Deserialize)]
pub struct Past {
    app: String,
    first: Arrival,
    named: Option<String>,
    namespace: String,
    originator: Option<(Arrival, Option<PodIx>)>,
}

impl Apps {
    /// A pod is one of an application.
    pub fn enter(&mut self, tree: &Tree, job: JobIx, pod: &contract::Pod, said: &PodMetadata<'_>) {
        let ix = PodIx(pod.id);
        if self.jobs.insert(ix, job).is_some_and(|old| old != job) {
            self.leave(ix);
            self.jobs.insert(ix, job);
        }
        let arrival = (pod.entered, pod.created, format!("{}/{}", pod.namespace, pod.name));
        let new = !self.apps.contains_key(&job);
        let app = self.apps.entry(job).or_insert_with(|| App {
            first: arrival.clone(),
            first_pod: Some(ix),
            named: said.queue.map(str::to_owned),
            namespace: pod.namespace.clone(),
            originator: None,
            members: BTreeSet::new(),
            leaf: None,
        });
        app.members.insert(ix);
        let earlier = arrival < app.first;
        if earlier {
            (app.named, app.namespace) = (said.queue.map(str::to_owned), pod.namespace.clone());
            (app.first, app.first_pod) = (arrival.clone(), Some(ix));
        }
        if new || earlier {
            let leaf = tree.place(app.named.as_deref(), &app.namespace);
            self.moved |= !new && leaf != app.leaf;
            self.came |= leaf.as_ref().is_some_and(|leaf| leaf.on_demand);
            app.leaf = leaf;
        }
        if !said.is_placeholder && app.originator.as_ref().is_none_or(|(first, _)| arrival < *first) {
            app.originator = Some((arrival, Some(ix)));
            self.changed.insert(job);
        }
    }

    /// A pod is gone, or is of no application any more.
    pub fn leave(&mut self, pod: PodIx) {
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
            self.came |= app.leaf.as_ref().is_some_and(|leaf| leaf.on_demand);
            self.apps.remove(&job);
        }
    }

    /// The applications whose first pod, or originator, is gone: what is left of them does not show who that was.
    pub fn remember(&self, cluster: &Cluster) -> Vec<Past> {
        let past = self.apps.iter().filter(|(_, app)| {
            app.first_pod.is_none() || app.originator.as_ref().is_some_and(|(_, pod)| pod.is_none())
        });
        let past = past.filter_map(|(job, app)| {
            let (first, named, namespace) = (app.first.clone(), app.named.clone(), app.namespace.clone());
            Some(Past {
                app: cluster.job(*job)?.key.1.clone(),
                first,
                named,
                namespace,
                originator: app.originator.clone(),
            })
        });
        past.collect()
    }

    /// Knows again who came first.
    pub fn recall(&mut self, cluster: &Cluster, past: Vec<Past>) {
        for Past { app, first, named, namespace, originator } in past {
            let Some(job) = cluster.job_named(&(String::new(), app)) else { continue };
            let Some(app) = self.apps.get_mut(&job) else { continue };
            if first < app.first {
                (app.first, app.first_pod, app.named, app.namespace) = (first, None, named, namespace);
                self.moved = true;
            }
            if let Some((at, pod)) = originator
                && app.originator.as_ref().is_none_or(|(known, _)| at < *known)
            {
                app.originator = Some((at, pod));
                self.changed.insert(job);
            }
        }
    }

    /// The queue of an application.
    pub fn queue(&self, cluster: &Cluster, job: JobIx) -> Option<QueueIx> {
        let leaf = self.apps.get(&job)?.leaf.as_ref()?;
        cluster.queue_named(cluster.symbol(&leaf.path)?)
    }

    /// Tells the cluster who is an originator.
    pub fn tell_originators(&mut self, cluster: &mut Cluster) {
        for job in std::mem::take(&mut self.changed) {
            let originator = self.apps.get(&job).and_then(|app| app.originator.as_ref()).and_then(|(_, pod)| *pod);
            if let Some(job) = cluster.job_mut(job) {
                job.originator = originator;
            }
        }
    }

    /// Whether an application moved since the last call, and whether the leaves on demand may be others.
    pub fn take_changes(&mut self) -> (bool, bool) {
        (std::mem::take(&mut self.moved), std::mem::take(&mut self.came))
    }

    /// Places every application anew; the leaves that have to be made. A leaf is not made below another one.
    pub fn place_all(&mut self, tree: &Tree) -> BTreeSet<String> {
        let mut leaves: BTreeSet<String> = BTreeSet::new();
        for app in self.apps.values_mut() {
            app.leaf = tree.place(app.named.as_deref(), &app.namespace);
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
