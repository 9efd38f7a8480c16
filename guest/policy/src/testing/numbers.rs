//! The numbers that stand for names in the contract.
#![expect(clippy::arithmetic_side_effects, reason = "tests")]

use std::collections::BTreeMap;

use serde_json::Value;

use super::{PodBuilder, amounts};
use crate::Engine;
use crate::contract::{Attribute, Checkpoint, Eligibility, Event, Interests, Node, Pod};

/// The numbers of names. A new name gets the next number, unless the test has set its number before.
#[derive(Debug, Clone)]
pub struct NameNumbering {
    interests: Interests,
    pub nodes: BTreeMap<String, u32>,
    pub pods: BTreeMap<String, u32>,
    shapes: BTreeMap<Vec<String>, u32>,
}

fn number<K: Ord + Clone>(numbers: &mut BTreeMap<K, u32>, name: &K) -> u32 {
    let next = numbers.values().max().map_or(0, |last| last + 1);
    *numbers.entry(name.clone()).or_insert(next)
}

impl NameNumbering {
    /// Creates an empty list of numbers, for a system.
    pub fn new(laws: &str) -> NameNumbering {
        let known = Engine::describe().systems.into_iter().find(|known| known.name == laws);
        let interests = known.unwrap().interests;
        NameNumbering { interests, nodes: BTreeMap::new(), pods: BTreeMap::new(), shapes: BTreeMap::new() }
    }

    pub fn node(&mut self, name: &str, text: &str) -> Event {
        let id = number(&mut self.nodes, &name.to_owned());
        Event::NodeUpserted(Node { id, name: name.to_owned(), allocatable: amounts(text), labels: Vec::new() })
    }

    /// Returns the events that announce the pod: first the nodes that it may run on, then the pod.
    pub fn pod(&mut self, draft: &PodBuilder) -> [Event; 2] {
        let mut node = |name: &Option<String>| name.as_ref().map(|name| number(&mut self.nodes, name));
        let (place, nominated) = (node(&draft.node), node(&draft.nominated));
        let nodes: Vec<u64> = match &draft.only {
            None => vec![u64::MAX; 4],
            Some(only) => vec![only.iter().fold(0, |bits, name| bits | 1 << number(&mut self.nodes, name))],
        };
        let shape = number(&mut self.shapes, &draft.only.clone().unwrap_or_default());
        let id = number(&mut self.pods, &draft.name());
        let labels = attributes(&self.interests.labels, &draft.labels);
        let annotations = attributes(&self.interests.annotations, &draft.annotations);
        let pod = Pod { id, node: place, nominated, shape, ..draft.pod.clone() };
        let pod = pod.with(|template| (template.labels, template.annotations) = (labels, annotations));
        [Event::Eligibility(Eligibility { shape, nodes }), Event::PodUpserted(pod)]
    }
}

/// Converts labels or annotations into attributes of the contract. Each key must be one that the system reads.
fn attributes(interests: &[String], pairs: &[(String, String)]) -> Vec<Attribute> {
    let attribute = |(key, value): &(String, String)| {
        let at = |wanted: &str| interests.iter().position(|interest| interest == wanted);
        let named = at(key).map(|at| (at, value.clone()));
        let (at, value) = named.or_else(|| Some((at("*")?, format!("{key}={value}")))).unwrap();
        Attribute { key: u32::try_from(at).unwrap(), value }
    };
    pairs.iter().map(attribute).collect()
}

/// Returns the content of a checkpoint without the numbers of its pods.
pub fn without_numbers(checkpoint: &Checkpoint) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.remove("number");
                fields.values_mut().for_each(strip);
            }
            Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut said = serde_json::from_slice(&checkpoint.bytes).unwrap();
    strip(&mut said);
    said
}
