//! Owners: which waiting pods may use the room of which reservation, and on which terms.
//!
//! Upstream apis/scheduling/v1alpha1 reservation_types.go, pkg/util/reservation MatchReservationOwners. A reservation lists its owners;
//! a pod is one if any entry of the list describes it, and an entry does if all that it says is so: `object` (namespace, name, uid),
//! `controller` (kind, name, uid, and the namespace of the pod), `labelSelector`, which knows no namespace; an empty selector selects
//! every pod, an entry that says nothing none. `allocateOnce`, true where it is not said, lets one pod in; `allocatePolicy: Restricted`
//! lets a pod in only if what is left does for it of every resource that is reserved, else what is lacking is taken from the node.
//!
//! Where upstream weighs (a node with a reservation scores higher than any other) or is silent, the plain reading: an owner goes to a
//! node where it finds room reserved if there is such a node that takes it, and elsewhere only if there is none; of several
//! reservations on a node it uses the first by name that holds it whole, else the first that holds a part. A plan to preempt counts
//! on no reserved room: what its owner finds there once it is tried comes on top. `ttl`, `expires`, the reservation's phases and
//! what its status says of owners are its controller's.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::keys;
use crate::contract::{self, Finding, Mark, MarkPlace, ObjectKey, PodKind};
use crate::model::{Cluster, PodIx, ReservationTerms, Symbol};
use crate::systems::{Document, Findings, Labels, Selector, every_label};

/// What a reservation says of its owners.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Spec {
    uid: String,
    terms_of: ReservationTerms,
    owners: Vec<Owner>,
}

/// An entry of the list of owners. What is none is not said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Owner {
    object: Option<Named>,
    controller: Option<Named>,
    selector: Option<Selector>,
}

/// What names an object; what is empty is not said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Named {
    kind: String,
    namespace: String,
    name: String,
    uid: String,
}

/// A pod that waits for a node.
#[derive(Debug)]
struct Claimant {
    itself: Named,
    controller: Option<Named>,
    labels: Labels,
}

/// All reservations, and the pods that wait.
#[derive(Debug, Default)]
pub struct Owners {
    /// By name.
    specs: BTreeMap<String, Spec>,
    waiting: BTreeMap<PodIx, Claimant>,
    /// What a reservation says has changed since the cluster was brought up to date.
    changed: bool,
    /// The pods that have changed since.
    fresh: BTreeSet<PodIx>,
}

impl Owners {
    /// Reads a reservation.
    pub fn read(&mut self, object: &Document, findings: &mut Findings) {
        match read(object) {
            Ok(spec) if self.specs.get(&object.name) == Some(&spec) => {}
            Ok(spec) => {
                self.specs.insert(object.name.clone(), spec);
                self.changed = true;
            }
            Err(finding) => findings.push(finding),
        }
    }

    /// A reservation is gone.
    pub fn remove(&mut self, key: &ObjectKey) {
        self.changed |= self.specs.remove(&key.name).is_some();
    }

    /// Remembers what a waiting pod can be recognised by.
    pub fn read_pod(&mut self, pod: &contract::Pod) {
        let ix = PodIx(pod.id);
        self.fresh.insert(ix);
        if pod.kind != PodKind::Pod || pod.node.is_some() {
            self.waiting.remove(&ix);
            return;
        }
        let named = |kind: &str, name: &str, uid: &str| Named {
            kind: kind.to_owned(),
            namespace: pod.namespace.clone(),
            name: name.to_owned(),
            uid: uid.to_owned(),
        };
        let itself = named("Pod", &pod.name, &pod.uid);
        let controller = pod.owner.as_ref().map(|owner| named(&owner.kind, &owner.name, &owner.uid));
        self.waiting.insert(ix, Claimant { itself, controller, labels: every_label(pod) });
    }

    /// A pod is gone.
    pub fn forget_pod(&mut self, pod: PodIx) {
        self.waiting.remove(&pod);
        self.fresh.remove(&pod);
    }

    /// Brings the cluster up to date.
    pub fn sync_queues(&mut self, cluster: &mut Cluster) {
        let fresh = std::mem::take(&mut self.fresh);
        let pods: Vec<PodIx> = match std::mem::take(&mut self.changed) {
            true => {
                let reservation_terms =
                    self.specs.iter().map(|(name, spec)| (cluster.intern(name), spec.terms_of)).collect();
                cluster.set_reservation_terms(reservation_terms);
                self.waiting.keys().copied().chain(fresh).collect()
            }
            false => fresh.into_iter().collect(),
        };
        for pod in pods {
            let reservations: Vec<Symbol> = match self.waiting.get(&pod) {
                Some(claimant) => {
                    let own = self.specs.iter().filter(|(_, spec)| spec.owners.iter().any(|owner| owner.is(claimant)));
                    own.map(|(name, _)| cluster.intern(name)).collect()
                }
                None => Vec::new(),
            };
            cluster.set_eligible_owner(pod, reservations);
        }
    }

    /// What is written on a pod that uses a reservation.
    pub fn marks(&self, cluster: &Cluster, reservation: PodIx) -> Vec<Mark> {
        let name = cluster.pod(reservation).map(|pod| pod.name.name.clone()).unwrap_or_default();
        let uid = self.specs.get(&name).map(|spec| spec.uid.clone()).unwrap_or_default();
        let value = json!({"name": name, "uid": uid}).to_string();
        vec![Mark { place: MarkPlace::Annotation, key: keys::ALLOCATED.to_owned(), value }]
    }
}

impl Owner {
    /// Whether this describes a pod.
    fn is(&self, pod: &Claimant) -> bool {
        let object = self.object.as_ref().map(|named| named.is(&pod.itself));
        let controller = self.controller.as_ref().map(|named| pod.controller.as_ref().is_some_and(|own| named.is(own)));
        let selector = self.selector.as_ref().map(|selector| selector.matches(&pod.labels));
        let mut said = [object, controller, selector].into_iter().flatten().peekable();
        said.peek().is_some() && said.all(|holds| holds)
    }
}

impl Named {
    fn is(&self, other: &Named) -> bool {
        let pairs = [
            (&self.kind, &other.kind),
            (&self.namespace, &other.namespace),
            (&self.name, &other.name),
            (&self.uid, &other.uid),
        ];
        pairs.iter().all(|(said, is)| said.is_empty() || said == is)
    }
}

fn read(object: &Document) -> Result<Spec, Finding> {
    let path = "/spec/allocatePolicy";
    let strict = match object.at(path).and_then(Value::as_str) {
        None | Some("" | "Aligned") => false,
        Some("Restricted") => true,
        Some(other) => {
            let message = format!("`{other}` is not known here");
            return Err(object.error(path, message, "write `Aligned` or `Restricted`"));
        }
    };
    let once = object.at("/spec/allocateOnce").and_then(Value::as_bool).unwrap_or(true);
    let count = object.at("/spec/owners").and_then(Value::as_array).map_or(0, Vec::len);
    let owners = (0..count).map(|at| owner(object, &format!("/spec/owners/{at}"))).collect::<Result<_, _>>()?;
    let uid = object.at("/metadata/uid").and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(Spec { uid, terms_of: ReservationTerms { once, strict }, owners })
}

fn owner(object: &Document, path: &str) -> Result<Owner, Finding> {
    let named = |key: &str| {
        object.at(&format!("{path}/{key}")).map(|value| {
            let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            Named { kind: text("kind"), namespace: text("namespace"), name: text("name"), uid: text("uid") }
        })
    };
    let path = format!("{path}/labelSelector");
    let selector = object.at(&path).map(|_| Selector::read(object, &path)).transpose()?;
    Ok(Owner { object: named("object"), controller: named("controller"), selector })
}
