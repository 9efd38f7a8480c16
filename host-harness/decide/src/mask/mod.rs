//! Masking: names are replaced by invented ones before a cluster is shared.
//!
//! Every field that a decision can depend on is kept: those that the host and the systems read of each kind. All other fields are left out, known or
//! not. A kept field is a number, a time, a word of Kubernetes or a name, and names are replaced: of objects, namespaces, classes and queues, keys
//! and values of labels, gates. So are uids and addresses. Invented names sort like the names they stand for, so that ties are broken in the same
//! way. The keys that Kubernetes and the systems read stay, and the names of resources and of schedulers that are in force.

mod keys;
mod kinds;
mod pods;
mod shape;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use lictor_host::cluster::{InputError, KubernetesObject};
use serde_json::Value;

use super::record::CycleReport;
use super::snapshot::ClusterSnapshot;
use shape::TextKind;
use words::WordReplacements;

/// Names with a meaning of their own: they stay.
const WELL_KNOWN_NAMES: [&str; 2] = ["system-cluster-critical", "system-node-critical"];

/// A cluster under other names.
#[derive(Debug, Clone)]
pub struct Masked {
    /// The cluster.
    pub snapshot: ClusterSnapshot,
    words: WordReplacements,
}

impl Masked {
    /// Masks a cluster in which pods of these schedulers are decided about. Their names stay, and those of the schedulers that the systems stand for.
    ///
    /// # Errors
    /// An object is not valid any more under its new name.
    pub fn of(snapshot: &ClusterSnapshot, schedulers: &[String]) -> Result<Masked, InputError> {
        let parsed = snapshot.objects.iter().filter_map(|object| serde_json::from_str::<Value>(&object.json()).ok());
        let mut found = CollectedTexts::of(schedulers);
        let mut values: Vec<Value> = Vec::new();
        for mut value in parsed {
            if kinds::keep(&mut value, &mut |of, text| found.add(of, text)) {
                values.push(value);
            }
        }
        let invented = found.generate();
        values.iter_mut().for_each(|value| {
            kinds::keep(value, &mut |of, text| invented.replace(of, text));
        });
        let file: Arc<str> = Arc::from("masked.yaml");
        let objects = values.into_iter().map(|value| KubernetesObject::from_json(value, &file));
        let objects = objects.collect::<Result<Vec<_>, _>>()?;
        let snapshot = ClusterSnapshot { objects, files: vec![file.to_string()], ..ClusterSnapshot::default() };
        Ok(Masked { snapshot, words: invented.words })
    }

    /// Returns whether the decisions about the cluster and about the masked one are the same, up to the names: which pods are bound, nominated and
    /// held, with their nodes, which are evicted, and which still wait.
    pub fn has_same_decisions<'c>(
        &self,
        cycles: impl IntoIterator<Item = &'c CycleReport>,
        masked: impl IntoIterator<Item = &'c CycleReport>,
    ) -> bool {
        let name = |name: &String| self.name(name);
        let ours = cycles.into_iter().map(|cycle| CycleResults::of(cycle, &name));
        ours.eq(masked.into_iter().map(|cycle| CycleResults::of(cycle, &String::clone)))
    }

    /// Returns the invented name for a name, such as that of a pod with its namespace.
    pub fn name(&self, name: &str) -> String {
        self.words.name(name)
    }
}

/// The texts in a cluster that are replaced or must stay.
struct CollectedTexts {
    names: BTreeSet<String>,
    schedulers: BTreeSet<String>,
    uids: BTreeSet<String>,
    addresses: BTreeSet<IpAddr>,
    resources: BTreeSet<String>,
}

impl CollectedTexts {
    /// Makes an empty collection. The names of these schedulers stay, and those of the systems' schedulers.
    fn of(schedulers: &[String]) -> CollectedTexts {
        let systems = lictor_policy::Engine::describe().systems;
        let known = systems.into_iter().flat_map(|system| system.schedulers).chain(schedulers.iter().cloned());
        CollectedTexts {
            names: BTreeSet::new(),
            schedulers: known.collect(),
            uids: BTreeSet::new(),
            addresses: BTreeSet::new(),
            resources: BTreeSet::new(),
        }
    }

    fn add(&mut self, of: TextKind, text: &str) {
        let owned = || text.to_owned();
        match of {
            TextKind::Scheduler if self.schedulers.contains(text) => {}
            TextKind::Name | TextKind::Scheduler => drop(self.names.insert(owned())),
            TextKind::Uid => drop(self.uids.insert(owned())),
            TextKind::Address => self.addresses.extend(text.parse::<IpAddr>()),
            TextKind::Requested => drop(self.resources.insert(owned())),
            TextKind::Resource => {}
        }
    }

    /// Invents a replacement for each text.
    fn generate(self) -> GeneratedTexts {
        let CollectedTexts { names, schedulers, uids, addresses, resources } = self;
        let uid = |(number, uid): (usize, String)| (uid, format!("uid-{number}"));
        let addresses = addresses.into_iter().filter(|address| !address.is_unspecified());
        let first = u32::from(Ipv4Addr::new(10, 0, 0, 1));
        GeneratedTexts {
            words: WordReplacements::of(&names),
            schedulers,
            uids: uids.into_iter().enumerate().map(uid).collect(),
            addresses: addresses.zip((first..).map(Ipv4Addr::from)).collect(),
            resources,
        }
    }
}

/// The replacements of the texts.
struct GeneratedTexts {
    words: WordReplacements,
    schedulers: BTreeSet<String>,
    uids: BTreeMap<String, String>,
    addresses: BTreeMap<IpAddr, Ipv4Addr>,
    resources: BTreeSet<String>,
}

impl GeneratedTexts {
    fn replace(&self, of: TextKind, text: &mut String) {
        match of {
            TextKind::Name
                if WELL_KNOWN_NAMES.contains(&text.as_str()) || kinds::CONFIG_MAPS.contains(&text.as_str()) => {}
            TextKind::Scheduler if self.schedulers.contains(text) => {}
            TextKind::Name | TextKind::Scheduler => *text = self.words.name(text),
            // An empty uid matches any.
            TextKind::Uid => *text = self.uids.get(text).filter(|_| !text.is_empty()).cloned().unwrap_or_default(),
            TextKind::Address => match text.parse::<IpAddr>() {
                Ok(address) if address.is_unspecified() => {}
                Ok(address) => *text = self.addresses.get(&address).map(ToString::to_string).unwrap_or_default(),
                Err(_) => text.clear(),
            },
            TextKind::Requested => {}
            TextKind::Resource if self.resources.contains(text) => {}
            TextKind::Resource => text.clear(),
        }
    }
}

/// The results for the pods in a cycle.
#[derive(Debug, PartialEq, Eq)]
struct CycleResults {
    /// The pods that are bound, nominated and held, with the nodes.
    placed: [BTreeMap<String, String>; 3],
    /// The pods that are evicted, and those that still wait.
    pods: [BTreeSet<String>; 2],
}

impl CycleResults {
    fn of(cycle: &CycleReport, name: &dyn Fn(&String) -> String) -> CycleResults {
        let happened = &cycle.happened;
        let map = |map: &BTreeMap<String, String>| map.iter().map(|(pod, node)| (name(pod), name(node))).collect();
        CycleResults {
            placed: [map(&happened.bound), map(&happened.nominated), map(&cycle.waiting)],
            pods: [happened.victims.keys().map(name).collect(), cycle.still_pending.iter().map(name).collect()],
        }
    }
}
