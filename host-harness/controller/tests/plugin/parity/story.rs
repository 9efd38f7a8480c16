//! Which scenarios a real scheduler can play, and what is played then: a pure function of the scenario.

use std::collections::{BTreeMap, BTreeSet};

use lictor_conformance::{Expect, OneOrMany, Scenario, ScenarioAction};
use serde_json::{Map, Value};

use super::hold::{self, key};

/// A scenario in the form that a living cluster can play.
#[derive(Debug, Clone)]
pub struct Story {
    pub name: String,
    pub system: String,
    pub args: Map<String, Value>,
    /// The objects at the start, as an API server holds them.
    pub initial: Vec<Value>,
    /// How long the pods of the start have waited when they are first tried, in nanoseconds.
    pub ahead: i64,
    pub acts: Vec<Act>,
    /// How many of the acts are the scenario's. Those after them let all victims leave and all pods be tried.
    pub told: usize,
    /// The nodes that the scenario names, by pod: what is forced.
    pub named: BTreeMap<String, BTreeSet<String>>,
}

/// An act of a story: a change of the cluster, or a wait until all pods have settled.
#[derive(Debug, Clone)]
pub enum Act {
    /// All pods that wait are tried, until nothing more comes of it.
    Settle,
    /// The victims leave.
    Leave,
    Apply(Vec<Value>),
    Delete(Vec<String>),
}

impl Story {
    /// Returns the story of a scenario. Fails with the reason why a real scheduler cannot play it.
    pub fn of(scenario: &Scenario) -> Result<Story, String> {
        if scenario.system == "volcano" {
            return Err("is of a system that decides in cycles of its own: `lictor serve` refuses it".to_owned());
        }
        let mut story = Story {
            name: scenario.name.clone(),
            system: scenario.system.clone(),
            args: scenario.args.clone(),
            initial: scenario.cluster.iter().map(hold::json).collect(),
            ahead: 0,
            acts: Vec::new(),
            told: 0,
            named: BTreeMap::new(),
        };
        for step in &scenario.steps {
            story.add(&step.action)?;
            named(&step.action, &step.expect, &mut story.named);
        }
        if !story.acts.iter().any(|act| matches!(act, Act::Settle)) {
            return Err("asks only for the order of the queue".to_owned());
        }
        let holder = hold::Holder::of(scenario)?;
        story.initial = holder.hold(&story.initial)?;
        for act in &mut story.acts {
            if let Act::Apply(objects) = act {
                *objects = holder.hold(objects)?;
            }
        }
        story.no_status_of_containers()?;
        story.no_pod_is_changed()?;
        story.told = story.acts.len();
        story.acts.extend([Act::Leave, Act::Settle]);
        Ok(story)
    }

    fn add(&mut self, action: &ScenarioAction) -> Result<(), String> {
        let begun = !self.acts.is_empty();
        match action {
            ScenarioAction::Schedule(name) if name.starts_with("Reservation/") => {
                return Err("tries an object that is placed like a pod: kube-scheduler places pods only".to_owned());
            }
            ScenarioAction::Schedule(_) | ScenarioAction::Cycle(_)
                if !matches!(self.acts.last(), Some(Act::Settle)) =>
            {
                self.acts.push(Act::Settle);
            }
            ScenarioAction::Schedule(_)
            | ScenarioAction::Cycle(_)
            | ScenarioAction::Order(_)
            | ScenarioAction::Status(_) => {}
            ScenarioAction::Advance(_) if begun => return Err("moves the clock after pods were tried".to_owned()),
            ScenarioAction::Advance(nanoseconds) => self.ahead = self.ahead.saturating_add(*nanoseconds),
            // A scheduler tries again as soon as something has changed.
            ScenarioAction::EvictionsComplete => self.acts.extend([Act::Leave, Act::Settle]),
            ScenarioAction::Apply(objects) if begun => {
                self.acts.extend([Act::Apply(objects.iter().map(hold::json).collect()), Act::Settle]);
            }
            ScenarioAction::Apply(objects) => {
                for object in objects.iter().map(hold::json) {
                    self.initial.retain(|there| key(there) != key(&object));
                    self.initial.push(object);
                }
            }
            ScenarioAction::Delete(keys) if begun => self.acts.extend([Act::Delete(keys.clone()), Act::Settle]),
            ScenarioAction::Delete(keys) => {
                self.initial.retain(|there| !keys.iter().any(|name| hold::is_named(there, name)))
            }
        }
        Ok(())
    }

    /// Refuses statuses of containers: the stand-in for the kubelet writes them, too, and which of the two comes last depends on the moment.
    fn no_status_of_containers(&self) -> Result<(), String> {
        let has = |object: &Value| object["status"]["containerStatuses"].is_array();
        if self.objects().any(has) {
            Err("has statuses of containers, which the kubelet writes".to_owned())
        } else {
            Ok(())
        }
    }

    /// Checks that the story changes no pod in place, because the API server changes only marks of a pod.
    fn no_pod_is_changed(&self) -> Result<(), String> {
        let mut there: BTreeSet<String> = self.initial.iter().map(key).collect();
        for act in &self.acts {
            match act {
                Act::Apply(objects) => {
                    for object in objects {
                        if !there.insert(key(object)) && object["kind"] == "Pod" {
                            return Err("changes a pod in place".to_owned());
                        }
                    }
                }
                Act::Delete(keys) => there.retain(|key| !keys.contains(key)),
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns two renamings of the nodes. In the first, the last takes the name of the first, and so on. In the second, each takes the name of the
    /// next, since of three the second keeps its name the first way.
    pub fn other_names(&self) -> [BTreeMap<String, String>; 2] {
        let nodes = self.objects().filter(|object| object["kind"] == "Node");
        let names: BTreeSet<String> = nodes.map(|node| hold::text(node, "/metadata/name").to_owned()).collect();
        let turned = names.iter().cloned().zip(names.iter().rev().cloned()).collect();
        [turned, names.iter().cloned().zip(names.iter().cycle().skip(1).cloned()).collect()]
    }

    /// Returns the same story with other names.
    pub fn renamed(&self, names: &BTreeMap<String, String>) -> Story {
        let mut story = self.clone();
        story.initial.iter_mut().for_each(|object| rename(object, names));
        for act in &mut story.acts {
            match act {
                Act::Apply(objects) => objects.iter_mut().for_each(|object| rename(object, names)),
                Act::Delete(keys) => {
                    for key in keys {
                        let name = key.strip_prefix("Node/").and_then(|name| names.get(name));
                        *key = name.map_or_else(|| key.clone(), |name| format!("Node/{name}"));
                    }
                }
                _ => {}
            }
        }
        story
    }

    /// Returns every object of the story.
    pub fn objects(&self) -> impl Iterator<Item = &Value> {
        let applied = self.acts.iter().filter_map(|act| match act {
            Act::Apply(objects) => Some(objects),
            _ => None,
        });
        self.initial.iter().chain(applied.flatten())
    }
}

fn rename(value: &mut Value, names: &BTreeMap<String, String>) {
    match value {
        Value::String(text) => names.get(text).into_iter().for_each(|name| text.clone_from(name)),
        Value::Array(all) => all.iter_mut().for_each(|value| rename(value, names)),
        Value::Object(fields) => fields.values_mut().for_each(|value| rename(value, names)),
        _ => {}
    }
}

fn named(action: &ScenarioAction, expect: &Expect, found: &mut BTreeMap<String, BTreeSet<String>>) {
    let mut name = |pod: &str, nodes: BTreeSet<String>| found.entry(pod.to_owned()).or_default().extend(nodes);
    if let ScenarioAction::Schedule(pod) = action {
        expect.node.iter().for_each(|node| name(pod, BTreeSet::from([node.clone()])));
        expect.node_in.iter().for_each(|nodes| name(pod, nodes.clone()));
    }
    let maps = [&expect.bound, &expect.bound_includes, &expect.nominated];
    for (pod, nodes) in maps.into_iter().flatten().flatten() {
        match nodes {
            OneOrMany::One(node) => name(pod, BTreeSet::from([node.clone()])),
            OneOrMany::Many(nodes) => name(pod, nodes.clone()),
        }
    }
}
