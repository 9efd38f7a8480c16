//! The objects of the stand-in of the API server, their versions and their watches, with what kube-scheduler and kubelets do to pods.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use hyper::body::Bytes;
use lictor_controller::names::SCHEDULING_GATE;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::kinds::{KINDS, PODS, index_of};

/// How long the controller may take for the pods of a wave.
const SOON: Duration = Duration::from_secs(120);

/// The cluster of a test.
#[derive(Clone)]
pub struct Cluster {
    state: Arc<Mutex<State>>,
    /// The version of the last change.
    changed: Arc<watch::Sender<u64>>,
}

#[derive(Default)]
pub struct State {
    /// The objects, by the index of their kind and `namespace/name`.
    pub objects: BTreeMap<(usize, String), Value>,
    pub version: u64,
    feeds: [Feed; KINDS.len()],
    /// The number of changes of a kind that a watch can be resumed from.
    history: usize,
    /// The pods that are to be let go and have no node yet.
    unbound: BTreeSet<String>,
    pub counts: Counts,
}

/// Counts of what was requested.
#[derive(Debug, Default, Clone)]
pub struct Counts {
    pub evictions: u64,
    /// Events that were created, by reason.
    pub events: BTreeMap<String, u64>,
    /// Watches that have begun.
    pub watches: u64,
}

/// The last changes of the objects of a kind, each as a line of a watch with its version.
#[derive(Default)]
struct Feed {
    lines: VecDeque<(u64, Bytes)>,
    /// The version of the last change that is not among them any more.
    dropped: u64,
}

/// Returns `namespace/name`, or `/name` of an object without a namespace.
pub fn name_of(object: &Value) -> String {
    let text = |field| object["metadata"][field].as_str().unwrap_or_default();
    format!("{}/{}", text("namespace"), text("name"))
}

impl Cluster {
    /// Returns an empty cluster whose watches can be resumed from so many changes.
    pub fn new(history: usize) -> Cluster {
        let state = State { history, ..State::default() };
        Cluster { state: Arc::new(Mutex::new(state)), changed: Arc::new(watch::channel(0).0) }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Changes the objects, then wakes the watches.
    pub fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        let (done, version) = {
            let mut state = self.state();
            (work(&mut state), state.version)
        };
        self.changed.send_replace(version);
        done
    }

    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Creates pods that are to be let go, and waits until each of them has a node.
    pub async fn place(&self, pods: Vec<Value>) {
        self.with(|state| {
            state.unbound.extend(pods.iter().map(name_of));
            pods.into_iter().for_each(|pod| state.create(pod));
        });
        let mut changes = self.changes();
        let placed = async {
            while !self.state().unbound.is_empty() {
                changes.changed().await.unwrap();
            }
        };
        if tokio::time::timeout(SOON, placed).await.is_err() {
            panic!("without a node: {:?}", self.state().unbound);
        }
    }

    /// Ends pods as if they had run, and deletes them.
    pub fn end(&self, pods: &[Value]) {
        self.with(|state| {
            for pod in pods {
                let name = name_of(pod);
                let is_there = state.change(PODS, &name, |pod| {
                    pod["status"]["phase"] = "Succeeded".into();
                });
                if is_there.is_some() {
                    state.remove(PODS, &name);
                }
            }
        });
    }
}

impl State {
    /// Creates an object.
    pub fn create(&mut self, mut object: Value) {
        let kind = index_of(&object);
        self.version += 1;
        object["metadata"]["uid"] = format!("00000000-0000-4000-8000-{:012x}", self.version).into();
        object["metadata"]["creationTimestamp"] =
            jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string().into();
        self.put(kind, "ADDED", object);
    }

    /// Changes an object, where it is there. Returns the object as it is then.
    pub fn change(&mut self, kind: usize, name: &str, change: impl FnOnce(&mut Value)) -> Option<Value> {
        let mut object = self.objects.get(&(kind, name.to_owned()))?.clone();
        change(&mut object);
        self.version += 1;
        Some(self.put(kind, "MODIFIED", object))
    }

    /// Removes an object.
    pub fn remove(&mut self, kind: usize, name: &str) {
        if let Some(mut object) = self.objects.remove(&(kind, name.to_owned())) {
            self.version += 1;
            self.note(kind, "DELETED", &mut object);
        }
    }

    /// Evicts a pod, which stops at once.
    pub fn evict(&mut self, name: &str) {
        self.counts.evictions += 1;
        self.change(PODS, name, |pod| {
            pod["metadata"]["deletionTimestamp"] = pod["metadata"]["creationTimestamp"].clone()
        });
        self.remove(PODS, name);
    }

    /// Binds a pod that no gate holds to the node that it is nominated to, as kube-scheduler does, and has it run, as a kubelet does.
    pub fn schedule(&mut self, name: &str) {
        let Some(pod) = self.objects.get(&(PODS, name.to_owned())) else { return };
        let gates = pod["spec"]["schedulingGates"].as_array();
        let node = pod["status"]["nominatedNodeName"].clone();
        if gates.is_some_and(|gates| gates.iter().any(|gate| gate["name"] == SCHEDULING_GATE))
            || !pod["spec"]["nodeName"].is_null()
        {
            return;
        }
        assert!(node.is_string(), "let go without a node: {pod}");
        self.change(PODS, name, |pod| {
            pod["spec"]["nodeName"] = node;
            pod["status"]["conditions"] = json!([{"type": "PodScheduled", "status": "True"}]);
        });
        self.change(PODS, name, |pod| {
            let ready = ["PodScheduled", "Initialized", "ContainersReady", "Ready"];
            pod["status"]["conditions"] = ready.map(|of| json!({"type": of, "status": "True"})).into_iter().collect();
            pod["status"]["phase"] = "Running".into();
            pod["status"]["hostIP"] = "10.0.0.1".into();
            pod["status"]["podIP"] = "10.1.0.1".into();
            pod["status"]["startTime"] = pod["metadata"]["creationTimestamp"].clone();
            pod["status"]["containerStatuses"] = json!([{
                "name": "main", "ready": true, "started": true, "restartCount": 0,
                "image": "registry.example.com/team/train:1.4.2",
                "imageID": format!("registry.example.com/team/train@sha256:{:064x}", 7),
                "containerID": format!("containerd://{:064x}", 9),
                "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}},
            }]);
        });
        self.unbound.remove(name);
    }

    fn put(&mut self, kind: usize, what: &str, mut object: Value) -> Value {
        self.note(kind, what, &mut object);
        self.objects.insert((kind, name_of(&object)), object.clone());
        object
    }

    /// Writes a change down for the watches.
    fn note(&mut self, kind: usize, what: &str, object: &mut Value) {
        object["metadata"]["resourceVersion"] = self.version.to_string().into();
        let mut line = json!({"type": what, "object": object}).to_string();
        line.push('\n');
        let feed = &mut self.feeds[kind];
        feed.lines.push_back((self.version, line.into()));
        if feed.lines.len() > self.history
            && let Some((version, _)) = feed.lines.pop_front()
        {
            feed.dropped = version;
        }
    }

    /// Returns the changes of a kind after a version, as lines of a watch; none where some of them are forgotten.
    pub fn after(&self, kind: usize, version: u64) -> Option<(Vec<Bytes>, u64)> {
        let feed = &self.feeds[kind];
        let first = feed.lines.partition_point(|(of, _)| *of <= version);
        let last = feed.lines.back().map_or(version, |(of, _)| version.max(*of));
        (feed.dropped <= version).then(|| (feed.lines.range(first..).map(|(_, line)| line.clone()).collect(), last))
    }
}
