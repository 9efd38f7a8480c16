//! The cluster, as the model reads it from the objects.

mod between_pods;
mod step;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::ModelInputError;
use crate::amounts::MilliAmounts;
use crate::constraints::node;
use crate::object::seconds;
pub(crate) use crate::object::{at, tag, text};

/// The resource of which every pod uses 1.
const PODS: &str = "pods";

/// The labels of nodes by which pods are kept apart and spread, and that of pods by which they are selected, in generated clusters.
pub(crate) const HOST: &str = "kubernetes.io/hostname";
pub(crate) const ZONE: &str = "topology.kubernetes.io/zone";
pub(crate) const SET: &str = "set";

/// The name of a scheduler that is none of ours, in generated clusters.
pub(crate) const OTHER_SCHEDULER: &str = "another-scheduler";

/// A node.
#[derive(Debug, Clone)]
pub(crate) struct ModelNode {
    pub(crate) name: String,
    pub(crate) allocatable: MilliAmounts,
    pub(crate) object: Value,
}

/// A pod, or a reservation as a pod.
#[derive(Debug, Clone)]
pub(crate) struct ModelPod {
    /// `namespace/name`, or `Reservation/name`.
    pub(crate) name: String,
    pub(crate) namespace: String,
    pub(crate) priority: i64,
    pub(crate) times: ModelPodTimes,
    pub(crate) request: MilliAmounts,
    pub(crate) node: Option<String>,
    /// The node that is reserved for it while it waits at permit.
    pub(crate) held: Option<String>,
    pub(crate) nominated: Option<String>,
    /// It is a victim or terminating.
    pub(crate) leaving: bool,
    pub(crate) finished: bool,
    pub(crate) restrictions: SchedulingRestrictions,
    pub(crate) object: Value,
}

/// The times of a pod, in seconds since 1970.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModelPodTimes {
    /// When its object was created.
    pub(crate) created: i64,
    /// When it started on its node.
    pub(crate) started: Option<i64>,
    /// When it entered the cluster.
    pub(crate) entered: i64,
}

/// The restrictions that the spec of a pod puts on its scheduling.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SchedulingRestrictions {
    /// Its preemption policy is `Never`.
    pub(crate) never_preempts: bool,
    /// It has scheduling gates.
    pub(crate) gated: bool,
    /// Another scheduler decides about it.
    pub(crate) foreign: bool,
}

impl SchedulingRestrictions {
    /// Returns whether they rule out every attempt for the pod.
    pub(crate) fn forbid_attempts(self) -> bool {
        self.gated || self.foreign
    }
}

impl ModelPod {
    /// Returns the node whose capacity the pod uses. `None`: the pod has no node, or has finished.
    pub(crate) fn occupied_node(&self) -> Option<&str> {
        if self.finished { None } else { self.node.as_deref().or(self.held.as_deref()) }
    }

    /// Returns whether the pod waits for a node and may be tried.
    pub(crate) fn pending(&self) -> bool {
        !self.restrictions.forbid_attempts() && self.occupied_node().is_none() && !self.leaving && !self.finished
    }

    pub(crate) fn label(&self, key: &str) -> Option<&str> {
        tag(&self.object, "labels", key)
    }

    pub(crate) fn annotation(&self, key: &str) -> Option<&str> {
        tag(&self.object, "annotations", key)
    }

    pub(crate) fn is_reservation(&self) -> bool {
        self.name.starts_with("Reservation/")
    }
}

/// The cluster.
#[derive(Debug, Clone, Default)]
pub(crate) struct ModelCluster {
    pub(crate) now: i64,
    pub(crate) nodes: BTreeMap<String, ModelNode>,
    pub(crate) pods: BTreeMap<String, ModelPod>,
    /// Every other object, by kind and name.
    pub(crate) others: BTreeMap<(String, String), Value>,
    /// How often each job was evicted.
    evictions: BTreeMap<String, i64>,
    /// Victims that have left, until [`World::recreated`] takes them.
    departed: Vec<ModelPod>,
    /// Whether only the places of pods are read: amounts and times that the model cannot read are left out.
    places_only: bool,
}

impl ModelCluster {
    /// Builds a cluster from these objects. Fails if an object cannot be read.
    pub(crate) fn of(objects: &[Value]) -> Result<ModelCluster, ModelInputError> {
        let mut world = ModelCluster::default();
        objects.iter().try_for_each(|object| world.put(object))?;
        Ok(world)
    }

    /// Builds a cluster in which only the places of the pods are right.
    pub(crate) fn of_places(objects: &[Value]) -> Result<ModelCluster, ModelInputError> {
        let mut world = ModelCluster { places_only: true, ..ModelCluster::default() };
        objects.iter().try_for_each(|object| world.put(object))?;
        Ok(world)
    }

    /// Returns what was read of an object, or nothing where it cannot be read and only places count.
    fn or_nothing<T: Default>(&self, read: Result<T, ModelInputError>) -> Result<T, ModelInputError> {
        if self.places_only { Ok(read.unwrap_or_default()) } else { read }
    }

    /// Adds an object.
    fn put(&mut self, object: &Value) -> Result<(), ModelInputError> {
        let (kind, name) = (text(object, "/kind"), text(object, "/metadata/name").to_owned());
        match kind {
            "Node" => {
                let allocatable = self.or_nothing(MilliAmounts::read(at(object, "/status/allocatable")))?;
                self.nodes.insert(name.clone(), ModelNode { name, allocatable, object: object.clone() });
            }
            "Pod" => {
                let mut pod = self.read_pod(object, "/spec")?;
                pod.name = format!("{}/{name}", pod.namespace);
                pod.node = at(object, "/spec/nodeName").and_then(Value::as_str).map(str::to_owned);
                let nominated = at(object, "/status/nominatedNodeName").and_then(Value::as_str);
                pod.nominated = nominated.filter(|_| pod.node.is_none()).map(str::to_owned);
                self.pods.insert(pod.name.clone(), pod);
            }
            "Reservation" => {
                let mut pod = self.read_pod(object, "/spec/template/spec")?;
                pod.name = format!("Reservation/{name}");
                pod.node = at(object, "/status/nodeName").and_then(Value::as_str).map(str::to_owned);
                self.pods.insert(pod.name.clone(), pod);
            }
            // The quotas of namespaces may share a name.
            "ElasticQuota" if text(object, "/apiVersion").starts_with("scheduling.x-k8s.io/") => {
                let name = format!("{}/{name}", text(object, "/metadata/namespace"));
                self.others.insert((kind.to_owned(), name), object.clone());
            }
            _ => {
                self.others.insert((kind.to_owned(), name), object.clone());
            }
        }
        Ok(())
    }

    /// Reads the fields that pods and reservations share.
    fn read_pod(&self, object: &Value, spec: &str) -> Result<ModelPod, ModelInputError> {
        let template = at(object, spec).unwrap_or(&Value::Null);
        let mut request = self.or_nothing(MilliAmounts::read(at(template, "/containers/0/resources/requests")))?;
        request.0.insert(PODS.to_owned(), 1000);
        let started = at(object, "/status/startTime").and_then(Value::as_str);
        let namespace = at(object, "/metadata/namespace").and_then(Value::as_str);
        Ok(ModelPod {
            name: String::new(),
            namespace: namespace.unwrap_or("default").to_owned(),
            priority: template.get("priority").and_then(Value::as_i64).unwrap_or(0),
            times: ModelPodTimes {
                created: self.or_nothing(seconds(text(object, "/metadata/creationTimestamp")))?,
                started: self.or_nothing(started.map(seconds).transpose())?,
                entered: self.now,
            },
            request,
            node: None,
            held: None,
            nominated: None,
            leaving: false,
            finished: matches!(text(object, "/status/phase"), "Succeeded" | "Failed"),
            restrictions: SchedulingRestrictions {
                never_preempts: text(template, "/preemptionPolicy") == "Never",
                gated: at(object, "/spec/schedulingGates").is_some(),
                foreign: text(object, "/spec/schedulerName") == OTHER_SCHEDULER,
            },
            object: object.clone(),
        })
    }

    /// Returns the objects of a kind other than pods and nodes.
    pub(crate) fn all<'w>(&'w self, kind: &'w str) -> impl Iterator<Item = &'w Value> {
        self.others.iter().filter(move |((found, _), _)| found == kind).map(|(_, object)| object)
    }

    /// Returns the number of objects.
    pub(crate) fn count(&self) -> usize {
        self.nodes.len() + self.pods.len() + self.others.len()
    }

    /// Returns the pods that use capacity on a node.
    pub(crate) fn on<'w>(&'w self, node: &'w str) -> impl Iterator<Item = &'w ModelPod> {
        self.pods.values().filter(move |pod| pod.occupied_node() == Some(node))
    }

    /// Returns the allocatable of a node less what its pods take.
    pub(crate) fn free(&self, node: &ModelNode) -> MilliAmounts {
        let mut free = node.allocatable.clone();
        self.on(&node.name).for_each(|pod| free.take(&self.occupied_amounts(pod)));
        free
    }

    /// Returns what a pod takes of its node, and frees when it leaves: its request. A reservation takes what the pods inside use beyond it, too; they
    /// leave with it, and take nothing themselves.
    pub(crate) fn occupied_amounts(&self, pod: &ModelPod) -> MilliAmounts {
        if self.inside(pod) {
            return MilliAmounts::default();
        }
        let mut taken = pod.request.clone();
        if pod.is_reservation() {
            let is_inside = |other: &&ModelPod| self.inside(other) && owner(other).as_ref() == Some(&pod.name);
            let used = MilliAmounts::sum(self.pods.values().filter(is_inside).map(|other| &other.request));
            taken.add(&used.beyond(&pod.request));
        }
        taken
    }

    /// Returns how often the job of a pod was evicted.
    pub(crate) fn past_evictions(&self, pod: &ModelPod) -> i64 {
        self.evictions.get(&job_of(pod)).copied().unwrap_or(0)
    }

    /// Returns whether a pod runs inside a reservation on its node.
    pub(crate) fn inside(&self, pod: &ModelPod) -> bool {
        let reservation = owner(pod).and_then(|name| self.pods.get(&name));
        reservation.is_some_and(|reservation| reservation.node.is_some() && reservation.node == pod.node)
    }

    /// Checks whether the pod leaves its node, or the reservation that it runs inside does.
    pub(crate) fn is_leaving(&self, pod: &ModelPod) -> bool {
        let reservation = owner(pod).filter(|_| self.inside(pod)).and_then(|name| self.pods.get(&name));
        pod.leaving || reservation.is_some_and(|reservation| reservation.leaving)
    }

    /// Returns whether the pod may run on the node, independent of other pods.
    pub(crate) fn may_run(&self, pod: &ModelPod, node: &ModelNode) -> bool {
        let template = if pod.is_reservation() { at(&pod.object, "/spec/template") } else { Some(&pod.object) };
        template
            .is_some_and(|template| node::attracted(template, &node.object) && node::tolerated(template, &node.object))
    }

    /// Describes the nodes and nominations of all pods as a text to compare. Recreated pods have their original name.
    pub(crate) fn describe(&self) -> String {
        let place = |pod: &ModelPod| {
            let name = pod.name.trim_end_matches('r').to_owned();
            (name, pod.node.clone(), pod.nominated.clone(), pod.held.clone(), pod.leaving)
        };
        let mut places: Vec<_> = self.pods.values().map(place).collect();
        places.sort();
        format!("{places:?}")
    }
}

/// Returns the name of the job that a pod is of, whatever label of a system says so; a pod of none is its own.
fn job_of(pod: &ModelPod) -> String {
    let labels = ["pod-group.scheduling.sigs.k8s.io", "scheduling.x-k8s.io/pod-group", "pod-group/name"];
    let named = labels.iter().find_map(|key| pod.label(key)).filter(|_| !pod.is_reservation());
    let named = named.or_else(|| at(&pod.object, "/spec/schedulingGroup/podGroupName")?.as_str());
    named.map_or_else(|| pod.name.clone(), |name| format!("{}#{name}", pod.namespace))
}

/// Returns the key of the reservation that a pod runs inside. `None`: it runs in no reservation.
pub(crate) fn owner(pod: &ModelPod) -> Option<String> {
    let text = pod.annotation("scheduling.koordinator.sh/reservation-allocated")?;
    let reservation: Value = serde_json::from_str(text).ok()?;
    Some(format!("Reservation/{}", reservation.get("name")?.as_str()?))
}
