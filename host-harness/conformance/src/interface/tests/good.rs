//! A policy that keeps every rule of the contract, with every interface: it evicts pods of lower priority, lets pods of priority 5 start in
//! pairs, and bounds what pods of priority 10 hold.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::*;

use super::describe::description;

/// The cpu that pods of priority 10 may use together, in thousandths of a core.
pub(super) const LIMIT: i64 = 1_000;

pub(super) type Answer<T> = Result<T, PolicyError>;

/// The policy, and the objects that it has received.
#[derive(Debug, Default, Clone)]
pub(super) struct Good {
    pub(super) configured: bool,
    pub(super) resources: Vec<String>,
    pub(super) nodes: BTreeMap<NodeId, Node>,
    pub(super) pods: BTreeMap<PodId, Pod>,
    pub(super) reserved: BTreeMap<PodId, NodeId>,
    eligible: BTreeMap<ShapeId, Vec<u64>>,
    pub(super) plans: u64,
    pub(super) epoch: u64,
    /// How often no plan was found for a pod, by name and uid. Such pods are tried last.
    pub(super) tries: BTreeMap<String, u32>,
    pub(super) noting: bool,
    pub(super) notes: BTreeMap<PodId, Vec<Note>>,
    pub(super) stepped: bool,
}

pub(super) fn name(pod: &Pod) -> String {
    format!("{}/{}/{}", pod.template.namespace, pod.name, pod.uid)
}

pub(super) fn reason(code: &str, facts: Vec<Fact>) -> Reason {
    Reason { code: format!("good/{code}"), case: String::new(), facts }
}

impl Good {
    pub(super) fn configure(&mut self, system: &str, arguments: &str) -> Result<(), ConfigError> {
        let known: Vec<String> = description().systems.into_iter().map(|system| system.name).collect();
        if !known.iter().any(|name| name == system) {
            return Err(ConfigError::UnknownSystem(known));
        }
        let arguments = if arguments.is_empty() { "{}" } else { arguments };
        let given: BTreeMap<String, serde_json::Value> =
            serde_json::from_str(arguments).map_err(|error| ConfigError::Malformed(error.to_string()))?;
        for (name, value) in given {
            let bad = BadArgument { name: name.clone(), expected: "a number".to_owned(), found: value.to_string() };
            match name.as_str() {
                "limit" if value.is_i64() => {}
                "limit" => return Err(ConfigError::BadArgument(bad)),
                _ => return Err(ConfigError::UnknownArgument(name)),
            }
        }
        *self = Good { configured: true, ..Good::default() };
        Ok(())
    }

    pub(super) fn cpu(&self, amounts: &[Amount]) -> i64 {
        let is_cpu = |amount: &&Amount| self.resources.get(amount.resource as usize).is_some_and(|name| name == "cpu");
        amounts.iter().filter(is_cpu).map(|amount| amount.value).sum()
    }

    pub(super) fn known(&self, pod: PodId) -> Answer<&Pod> {
        self.pods.get(&pod).ok_or(PolicyError::UnknownPod(pod))
    }

    pub(super) fn priority(&self, pod: PodId) -> i32 {
        self.pods.get(&pod).and_then(|pod| pod.template.priority).unwrap_or(0)
    }

    /// Returns the node on which a pod takes capacity.
    pub(super) fn place(&self, pod: &Pod) -> Option<NodeId> {
        let ended = matches!(pod.phase, Phase::Succeeded | Phase::Failed);
        pod.node.or(self.reserved.get(&pod.id).copied()).filter(|_| !ended)
    }

    pub(super) fn on(&self, node: NodeId) -> impl Iterator<Item = &Pod> {
        self.pods.values().filter(move |pod| self.place(pod) == Some(node))
    }

    pub(super) fn eligible(&self, pod: &Pod, node: NodeId) -> bool {
        let word = self.eligible.get(&pod.shape).and_then(|words| words.get(node as usize / 64));
        word.is_some_and(|word| word >> (node % 64) & 1 == 1)
    }

    /// Returns the cpu that the node lacks for the pod after these pods have left, in thousandths of a core. Capacity promised to any other pod
    /// counts as in use.
    pub(super) fn short(&self, pod: &Pod, node: &Node, gone: &[PodId]) -> i64 {
        let promised = self.pods.values().filter(|other| {
            other.node.is_none()
                && other.nominated == Some(node.id)
                && other.id != pod.id
                && !self.reserved.contains_key(&other.id)
        });
        let stays = self.on(node.id).filter(|other| !gone.contains(&other.id));
        let taken: i64 = stays.chain(promised).map(|other| self.cpu(&other.template.requests)).sum();
        taken + self.cpu(&pod.template.requests) - self.cpu(&node.allocatable)
    }

    pub(super) fn pending(&self) -> Vec<&Pod> {
        let waits = |pod: &&Pod| {
            pod.node.is_none() && pod.phase == Phase::Pending && !pod.gated && !pod.template.foreign && !pod.terminating
        };
        let mut pending: Vec<&Pod> =
            self.pods.values().filter(waits).filter(|pod| !self.reserved.contains_key(&pod.id)).collect();
        pending.sort_by_key(|pod| self.key(pod));
        pending
    }

    pub(super) fn key(&self, pod: &Pod) -> Vec<u8> {
        let tries = self.tries.get(&name(pod)).copied().unwrap_or(0);
        let key = KeyBuilder::new().ascending(tries).descending(self.priority(pod.id)).ascending(pod.created);
        key.text(&pod.template.namespace).text(&pod.name).build()
    }

    pub(super) fn apply(&mut self, events: Vec<Event>) -> Answer<Applied> {
        if !self.configured {
            return Err(PolicyError::NotConfigured);
        }
        let mut findings = Vec::new();
        for (place, event) in events.into_iter().enumerate() {
            self.hear(place, event, &mut findings)?;
        }
        let there: BTreeSet<String> = self.pods.values().map(name).collect();
        self.tries.retain(|name, _| there.contains(name));
        Ok(Applied { findings })
    }

    fn hear(&mut self, place: usize, event: Event, findings: &mut Vec<Finding>) -> Answer<()> {
        match event {
            Event::Resources(resources) => self.resources.extend(resources.into_iter().map(|resource| resource.name)),
            Event::NodeUpserted(node) => drop(self.nodes.insert(node.id, node)),
            Event::NodeRemoved(node) => drop(self.nodes.remove(&node)),
            Event::PodUpserted(pod) => {
                let others = self
                    .pods
                    .values()
                    .filter(|other| other.id != pod.id)
                    .map(|other| self.cpu(&other.template.requests));
                if others.sum::<i64>().checked_add(self.cpu(&pod.template.requests)).is_none() {
                    let (object, resource) = (format!("Pod/{}/{}", pod.template.namespace, pod.name), "cpu".to_owned());
                    return Err(PolicyError::Overflow(Overflow { event: place as u32, object, resource }));
                }
                self.settle(&pod.status());
                self.pods.insert(pod.id, pod);
            }
            Event::PodStatus(status) => {
                self.settle(&status);
                if let Some(pod) = self.pods.get_mut(&status.id) {
                    pod.set_status(&status);
                }
            }
            Event::PodRemoved(pod) => {
                self.pods.remove(&pod);
                self.reserved.remove(&pod);
                self.notes.remove(&pod);
            }
            Event::Eligibility(eligibility) => drop(self.eligible.insert(eligibility.shape, eligibility.nodes)),
            Event::ObjectUpserted(object) => findings.extend(unread(&object)),
            _ => {}
        }
        Ok(())
    }

    fn settle(&mut self, status: &PodStatus) {
        if status.node.is_some() {
            self.reserved.remove(&status.id);
        }
    }

    pub(super) fn save(&mut self) -> Checkpoint {
        let lines: Vec<String> = self.tries.iter().map(|(name, tries)| format!("{name} {tries}\n")).collect();
        Checkpoint { format: 3, bytes: format!("good {}\n{}", self.epoch, lines.concat()).into_bytes() }
    }

    pub(super) fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), StateError> {
        if checkpoint.format != 3 {
            return Err(StateError::UnknownFormat(3));
        }
        let malformed = || StateError::Malformed("no line of a checkpoint".to_owned());
        let text = std::str::from_utf8(&checkpoint.bytes).map_err(|_| malformed())?;
        let mut lines = text.lines();
        let first = lines.next().and_then(|line| line.strip_prefix("good ")).ok_or_else(malformed)?;
        let epoch: u64 = first.parse().map_err(|_| malformed())?;
        let line = |line: &str| {
            let (name, tries) = line.split_once(' ').ok_or_else(malformed)?;
            Ok((name.to_owned(), tries.parse().map_err(|_| malformed())?))
        };
        self.tries = lines.map(line).collect::<Result<_, _>>()?;
        self.epoch = epoch + 1;
        Ok(())
    }
}

/// Returns the finding about a `Band` that cannot be read. `None`: it can be read.
fn unread(object: &Object) -> Option<Finding> {
    let value = serde_json::from_str::<serde_json::Value>(&object.json).unwrap_or_default();
    value.pointer("/spec/cpu").is_none().then(|| Finding {
        severity: Severity::Error,
        object: format!("{}/{}/{}", object.kind, object.namespace, object.name),
        path: "/spec/cpu".to_owned(),
        message: "is missing".to_owned(),
        remedy: "write how much cpu the band has".to_owned(),
    })
}
