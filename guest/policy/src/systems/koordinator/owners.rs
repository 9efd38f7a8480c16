//! Owners: which pending pods may allocate from which reservation, and on which terms.
//!
//! Upstream apis/scheduling/v1alpha1 reservation_types.go, pkg/util/reservation MatchReservationOwners. A reservation lists its owners.
//! A pod is an owner if at least one entry matches it, and an entry matches if all of its fields do:
//! - `object`: namespace, name and uid;
//! - `controller`: kind, name, uid, and the namespace of the pod;
//! - `labelSelector`: in every namespace; an empty selector matches every pod.
//!
//! An entry without fields matches every pod, as upstream says (`Owners = [{}] matches everything`); no entry at all matches none. A
//! reservation with `unschedulable: true` admits no new pod, and one with taints only pods that tolerate them (ruling C54).
//! `allocateOnce` (default true) admits one pod. `allocatePolicy: Restricted` admits a pod only
//! if the rest of the reservation covers its requests for every reserved resource. Otherwise the node provides the missing part.
//!
//! Upstream only scores here (a node with a reservation scores highest) or is silent. This system uses the plain reading. An owner is
//! placed on a node with a matching reservation if one takes it, and on another node only if none does. Of several reservations on a
//! node the owner uses the first by name that covers it fully, else the first that covers a part. A preemption plan does not count on
//! reserved capacity; the owner gets that in addition when it is tried. The reservation's controller handles `ttl`, `expires`, the
//! phases, and the owners in the status.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::keys;
use super::metadata::KoordinatorPodMetadata;
use super::taints::{self, ReservationTaint, ReservationToleration};
use crate::contract::{self, Finding, Mark, MarkPlace, ObjectKey, PodStatus};
use crate::model::{Cluster, NameId, PodIx, ReservationTerms};
use crate::systems::{Findings, Labels, ParsedObject, Selector};

/// The owners of a reservation, as the Reservation object specifies them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ReservationSpec {
    uid: String,
    terms: ReservationTerms,
    owners: Vec<ReservationOwner>,
    /// The taints that an owner must tolerate.
    taints: Vec<ReservationTaint>,
}

/// An entry of the owner list. `None` is an absent field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct ReservationOwner {
    object: Option<ObjectReference>,
    controller: Option<ObjectReference>,
    selector: Option<Selector>,
}

/// A reference to an object. An empty field matches anything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct ObjectReference {
    kind: String,
    namespace: String,
    name: String,
    uid: String,
}

/// A pod without a node.
#[derive(Debug)]
struct UnboundPod {
    object: ObjectReference,
    controller: Option<ObjectReference>,
    labels: Labels,
    tolerations: Vec<ReservationToleration>,
}

/// The terms of all reservations, and all pending pods.
#[derive(Debug, Default)]
pub struct ReservationOwnersIndex {
    /// The terms of the reservations, by name.
    specs: BTreeMap<String, ReservationSpec>,
    pending: BTreeMap<PodIx, UnboundPod>,
    /// Whether a reservation has changed since the last [`ReservationOwnersIndex::sync`].
    changed: bool,
    /// The pods that have changed since the last [`ReservationOwnersIndex::sync`].
    changed_pods: BTreeSet<PodIx>,
}

impl ReservationOwnersIndex {
    /// Reads a reservation.
    pub fn read(&mut self, object: &ParsedObject, findings: &mut Findings) {
        match read(object) {
            Ok(spec) if self.specs.get(&object.name) == Some(&spec) => {}
            Ok(spec) => {
                self.specs.insert(object.name.clone(), spec);
                self.changed = true;
            }
            Err(finding) => findings.push(finding),
        }
    }

    /// Removes a reservation.
    pub fn remove(&mut self, key: &ObjectKey) {
        self.changed |= self.specs.remove(&key.name).is_some();
    }

    /// Stores what owner entries match of a pending pod.
    pub fn read_pod(&mut self, pod: &contract::Pod) {
        let ix = PodIx(pod.id);
        if pod.kind.is_some() || pod.node.is_some() {
            // A pod that has a node when it is announced never was an owner.
            if self.pending.remove(&ix).is_some() {
                self.changed_pods.insert(ix);
            }
            return;
        }
        self.changed_pods.insert(ix);
        let named = |kind: &str, name: &str, uid: &str| ObjectReference {
            kind: kind.to_owned(),
            namespace: pod.template.namespace.clone(),
            name: name.to_owned(),
            uid: uid.to_owned(),
        };
        let object = named("Pod", &pod.name, &pod.uid);
        let controller = pod.template.owner.as_ref().map(|owner| named(&owner.kind, &owner.name, &owner.uid));
        let tolerations = taints::tolerations(KoordinatorPodMetadata::of(pod).annotation(keys::RESERVATION_AFFINITY));
        self.pending.insert(ix, UnboundPod { object, controller, labels: Labels::of(pod), tolerations });
    }

    /// Updates a pod from its status: a pod that has a node is no longer pending.
    pub fn read_status(&mut self, status: &PodStatus) {
        let ix = PodIx(status.id);
        if status.node.is_some() && self.pending.remove(&ix).is_some() {
            self.changed_pods.insert(ix);
        }
    }

    /// Removes a pod.
    pub fn forget_pod(&mut self, pod: PodIx) {
        self.pending.remove(&pod);
        self.changed_pods.remove(&pod);
    }

    /// Updates the reservation terms and the eligible owners of the cluster.
    pub fn sync(&mut self, cluster: &mut Cluster) {
        let changed_pods = std::mem::take(&mut self.changed_pods);
        let pods: Vec<PodIx> = match std::mem::take(&mut self.changed) {
            true => {
                let reservation_terms =
                    self.specs.iter().map(|(name, spec)| (cluster.intern(name), spec.terms)).collect();
                cluster.set_reservation_terms(reservation_terms);
                self.pending.keys().copied().chain(changed_pods).collect()
            }
            false => changed_pods.into_iter().collect(),
        };
        for pod in pods {
            let reservations: Vec<NameId> = match self.pending.get(&pod) {
                Some(pending) => {
                    let own = self.specs.iter().filter(|(_, spec)| spec.admits(pending));
                    own.map(|(name, _)| cluster.intern(name)).collect()
                }
                None => Vec::new(),
            };
            cluster.set_eligible_owner(pod, reservations);
        }
    }

    /// Returns the annotation to write on a pod that allocates from a reservation.
    pub fn marks(&self, cluster: &Cluster, reservation: PodIx) -> Vec<Mark> {
        let name = cluster.pod(reservation).map(|pod| pod.name.name.clone()).unwrap_or_default();
        let uid = self.specs.get(&*name).map(|spec| spec.uid.clone()).unwrap_or_default();
        let value = json!({"name": &*name, "uid": uid}).to_string();
        vec![Mark { place: MarkPlace::Annotation, key: keys::RESERVATION_ALLOCATED.to_owned(), value }]
    }
}

impl ReservationSpec {
    /// Returns whether a pod may allocate from the reservation: an entry matches it, and it tolerates the taints.
    fn admits(&self, pod: &UnboundPod) -> bool {
        self.owners.iter().any(|owner| owner.matches(pod))
            && self.taints.iter().all(|taint| taint.is_tolerated(&pod.tolerations))
    }
}

impl ReservationOwner {
    /// Checks whether the entry matches a pod.
    fn matches(&self, pod: &UnboundPod) -> bool {
        let is_controller =
            |reference: &ObjectReference| pod.controller.as_ref().is_some_and(|own| reference.matches(own));
        self.object.as_ref().is_none_or(|reference| reference.matches(&pod.object))
            && self.controller.as_ref().is_none_or(is_controller)
            && self.selector.as_ref().is_none_or(|selector| selector.matches(&pod.labels))
    }
}

impl ObjectReference {
    fn matches(&self, other: &ObjectReference) -> bool {
        let pairs = [
            (&self.kind, &other.kind),
            (&self.namespace, &other.namespace),
            (&self.name, &other.name),
            (&self.uid, &other.uid),
        ];
        pairs.iter().all(|(required, actual)| required.is_empty() || required == actual)
    }
}

fn read(object: &ParsedObject) -> Result<ReservationSpec, Finding> {
    let path = "/spec/allocatePolicy";
    let strict = match object.at(path).and_then(Value::as_str) {
        None | Some("" | "Aligned") => false,
        Some("Restricted") => true,
        Some(other) => {
            let message = format!("`{other}` is not a known policy");
            return Err(object.error(path, message, "write `Aligned` or `Restricted`"));
        }
    };
    let once = object.at("/spec/allocateOnce").and_then(Value::as_bool).unwrap_or(true);
    let owners = object.at("/spec/owners").and_then(Value::as_array);
    let is_open = object.at("/spec/unschedulable").and_then(Value::as_bool) != Some(true);
    let count = owners.filter(|_| is_open).map_or(0, Vec::len);
    let owners = (0..count).map(|at| owner(object, &format!("/spec/owners/{at}"))).collect::<Result<_, _>>()?;
    let uid = object.at("/metadata/uid").and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(ReservationSpec { uid, terms: ReservationTerms { once, strict }, owners, taints: taints::read(object) })
}

fn owner(object: &ParsedObject, path: &str) -> Result<ReservationOwner, Finding> {
    let named = |key: &str| {
        object.at(&format!("{path}/{key}")).map(|value| {
            let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            ObjectReference { kind: text("kind"), namespace: text("namespace"), name: text("name"), uid: text("uid") }
        })
    };
    let path = format!("{path}/labelSelector");
    let selector = object.at(&path).map(|_| Selector::read(object, &path)).transpose()?;
    Ok(ReservationOwner { object: named("object"), controller: named("controller"), selector })
}
