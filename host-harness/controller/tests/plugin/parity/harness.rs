//! Plays a story in the harness: in a session whose cluster carries out every command at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lictor::Native;
use lictor_conformance::Scenario;
use lictor_host::cluster::KubernetesObject;
use lictor_host::driver::VirtualDriver;
use lictor_host::session::{EvictionMethod, SessionInput};
use serde::Serialize;
use serde_json::{Value, json};

use super::hold::{SCHEDULER, is_named, text};
use super::story::{Act, Story};

/// The state of the pods when a story has settled.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct End {
    /// The pods that are bound and stay, and their nodes.
    pub bound: BTreeMap<String, String>,
    /// The pods that are nominated, and their nodes.
    pub nominated: BTreeMap<String, String>,
    /// The pods that wait at Permit.
    pub waiting: BTreeSet<String>,
    /// The pods that were evicted so far.
    pub victims: BTreeSet<String>,
}

/// The age of objects, which an API server gives itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ages {
    /// Each is a second younger than the one before it.
    AsTold,
    /// All of them are of the same second, and the session receives them in the order of their names.
    TheSame,
}

/// When the stories begin: seconds since 1970.
const BEGIN: i64 = 1_700_000_000;
const SECOND: i64 = 1_000_000_000;

struct Play {
    session: VirtualDriver,
    ages: Ages,
    told: i64,
    victims: BTreeSet<String>,
    objects: Vec<Value>,
}

/// Returns the ends of a story, one after each time that it settles.
pub fn ends(story: &Story, ages: Ages) -> Result<Vec<End>, String> {
    let arguments = Value::Object(story.args.clone()).to_string();
    let session = VirtualDriver::open(Box::new(Native::default()), &story.system, &arguments);
    let mut session = session.map_err(|error| error.to_string())?;
    session.set_schedulers([SCHEDULER.to_owned()]);
    let (victims, objects) = (BTreeSet::new(), Vec::new());
    let mut play = Play { session, ages, told: 0, victims, objects };
    play.tell(SessionInput::Clock(BEGIN * SECOND + 1000 * SECOND))?;
    play.apply(&story.initial)?;
    play.session.advance(story.ahead).map_err(|error| error.to_string())?;
    let mut ends = Vec::new();
    for act in &story.acts {
        match act {
            Act::Settle => ends.push(play.settle()?),
            Act::Leave => play.session.evictions_complete().map_err(|error| error.to_string())?,
            Act::Apply(objects) => play.apply(objects)?,
            Act::Delete(keys) => keys.iter().try_for_each(|key| play.tell(SessionInput::Removed(key.clone())))?,
        }
    }
    Ok(ends)
}

impl Play {
    fn tell(&mut self, input: SessionInput) -> Result<(), String> {
        if let SessionInput::Removed(key) = &input {
            self.objects.retain(|object| !is_named(object, key));
        }
        self.session.serve(input).map_err(|error| error.to_string())
    }

    fn apply(&mut self, objects: &[Value]) -> Result<(), String> {
        let file = Arc::from("a story");
        let mut told = Vec::new();
        for object in objects {
            let mut object = object.clone();
            if self.ages == Ages::AsTold {
                self.told += 1;
            }
            let at = json!(time(BEGIN + self.told));
            object["metadata"]["creationTimestamp"] = at.clone();
            object["metadata"]["uid"] = json!(format!("{}-{}", self.objects.len(), text(&object, "/metadata/name")));
            if object["kind"] == "Pod"
                && !text(&object, "/spec/nodeName").is_empty()
                && object["status"].get("startTime").is_none()
            {
                object["status"]["startTime"] = at;
            }
            self.objects.push(object.clone());
            told.push(KubernetesObject::from_json(object, &file).map_err(|mistake| mistake.message)?);
        }
        if self.ages == Ages::TheSame {
            told.sort_by_key(KubernetesObject::key);
        }

        self.session.apply(told).map_err(|error| error.to_string())
    }

    fn settle(&mut self) -> Result<End, String> {
        for _ in 0..20 {
            let waiting = self.session.waiting();
            self.tell(SessionInput::Cycle)?;
            let happened = self.session.take_report();
            let evicted = happened.victims.iter().filter(|(_, victim)| victim.how != EvictionMethod::Unreserved);
            self.victims.extend(evicted.map(|(pod, _)| pod.clone()));
            let quiet = happened.bound.is_empty() && happened.victims.is_empty() && happened.nominated.is_empty();
            if quiet && waiting == self.session.waiting() {
                return Ok(self.end());
            }
        }
        Err("never comes to rest in the harness".to_owned())
    }

    fn end(&self) -> End {
        let mirror = self.session.mirror();
        let node = |node| mirror.node(node).map(|node| node.name.clone()).unwrap_or_default();
        let waiting: BTreeSet<String> = self.session.waiting().into_keys().collect();
        let mut end = End { victims: self.victims.clone(), waiting, ..End::default() };
        for pod in mirror.pods().filter(|pod| pod.kind.is_none()) {
            let name = format!("{}/{}", pod.template.namespace, pod.name);
            match (pod.node, pod.nominated) {
                (Some(_), _) if end.victims.contains(&name) || end.waiting.contains(&name) || pod.terminating => {}
                (Some(at), _) => drop(end.bound.insert(name, node(at))),
                (None, Some(_)) if end.waiting.contains(&name) => {}
                (None, Some(at)) => drop(end.nominated.insert(name, node(at))),
                (None, None) => {}
            }
        }
        end
    }
}

/// Returns what happened in any step of a scenario as it stands: the pods evicted, bound and nominated.
pub fn as_it_stands(scenario: &Scenario) -> Result<End, String> {
    let report = lictor_conformance::run(scenario, Box::new(Native::default()));
    if !report.passed {
        return Err(format!("fails in the harness: {report}"));
    }
    let mut all = End::default();
    for step in report.steps {
        all.bound.extend(step.actual.effects.bound);
        all.nominated.extend(step.actual.effects.nominated);
        all.victims.extend(step.actual.effects.victims);
    }
    Ok(all)
}

/// Returns a time in the format of objects.
fn time(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds).unwrap().to_string()
}
