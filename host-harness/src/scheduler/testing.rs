//! A policy that says what it was told to say, in names.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::{BTreeMap, VecDeque};

use lictor_policy::contract::*;
use serde_json::Value;

use super::Session;
use crate::policy::{Fault, Policy};
use crate::verify::testing::{interests, object};

/// All points of the pod by pod cycle.
pub(crate) const ALL: &[ExtensionPoint] = &[
    ExtensionPoint::QueueOrder,
    ExtensionPoint::PreFilter,
    ExtensionPoint::Filter,
    ExtensionPoint::PostFilter,
    ExtensionPoint::Reserve,
    ExtensionPoint::Permit,
];

/// What a decision means for others.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Fx {
    pub(crate) releases: &'static [&'static str],
    pub(crate) admits: &'static [&'static str],
    pub(crate) withdrawn: &'static [&'static str],
    pub(crate) reorder: bool,
}

/// A plan.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sketch {
    pub(crate) id: u64,
    pub(crate) nominations: &'static [(&'static str, &'static str)],
    pub(crate) victims: &'static [&'static str],
    pub(crate) soft: bool,
    pub(crate) expires: Option<i64>,
}

/// One answer.
#[derive(Debug, Clone)]
pub(crate) enum Say {
    Pass(Fx),
    Refused(&'static str),
    Final(&'static str),
    /// These nodes fit, the others are full.
    Fits(&'static [&'static str]),
    Codes(Vec<u8>, usize),
    Plan(Sketch, Fx),
    NoPlan(&'static str, Fx),
    Effects(Fx),
    Allow(Fx),
    Wait(i64, Fx),
    Reject(&'static str, Fx),
    Queue(Vec<&'static str>),
    Act {
        bindings: &'static [(&'static str, &'static str)],
        plans: Vec<Sketch>,
        more: bool,
    },
    Fault,
}

/// The policy. An answer is said once, to the question it was meant for (`permit default/a`); what nothing was meant for is
/// passed, fits everywhere and is allowed.
#[derive(Debug, Default)]
pub(crate) struct Scripted {
    points: Vec<ExtensionPoint>,
    script: BTreeMap<String, VecDeque<Say>>,
    pods: BTreeMap<String, PodId>,
    nodes: BTreeMap<String, NodeId>,
    /// What it was asked and told, in order.
    pub(crate) log: Vec<String>,
    /// The marks, deletions and nominations that it was told of.
    pub(crate) seen: BTreeMap<String, Pod>,
}

impl Scripted {
    pub(crate) fn deciding(points: &[ExtensionPoint]) -> Scripted {
        Scripted {
            points: points.to_vec(),
            ..Scripted::default()
        }
    }

    /// What to say when this is asked the next time that nothing else was meant for.
    pub(crate) fn say(mut self, question: &str, answer: Say) -> Scripted {
        self.script.entry(question.to_owned()).or_default().push_back(answer);
        self
    }

    fn next(&mut self, question: &str) -> Option<Say> {
        self.script.get_mut(question)?.pop_front()
    }

    fn pod(&self, name: &str) -> PodId {
        self.pods.get(name).copied().unwrap_or(PodId::MAX)
    }

    fn name(&self, pod: PodId) -> String {
        self.pods
            .iter()
            .find(|(_, id)| **id == pod)
            .map_or_else(|| format!("#{pod}"), |(name, _)| name.clone())
    }

    fn effects(&self, fx: Fx) -> Effects {
        let ids = |names: &[&str]| names.iter().map(|name| self.pod(name)).collect();
        Effects {
            releases: ids(fx.releases),
            admits: ids(fx.admits),
            withdrawn: ids(fx.withdrawn),
            reorder: fx.reorder,
        }
    }

    fn placements(&self, named: &[(&str, &str)]) -> Vec<Placement> {
        let placement = |(pod, node): &(&str, &str)| Placement {
            pod: self.pod(pod),
            node: self.nodes.get(*node).copied().unwrap_or(NodeId::MAX),
        };
        named.iter().map(placement).collect()
    }

    fn victims(&self, sketch: &Sketch) -> Vec<Victim> {
        let eviction = if sketch.soft { Eviction::Soft } else { Eviction::Delete };
        let victim = |name: &&str| Victim {
            pod: self.pod(name),
            eviction,
        };
        sketch.victims.iter().map(victim).collect()
    }

    fn plan(&self, sketch: Sketch) -> Plan {
        let nominations = self.placements(sketch.nominations);
        let mark = Mark {
            place: MarkPlace::Annotation,
            key: "other".to_owned(),
            value: "marked".to_owned(),
        };
        Plan {
            id: sketch.id,
            preemptor: nominations.first().map_or(PodId::MAX, |first| first.pod),
            nominations,
            victims: self.victims(&sketch),
            marks: if sketch.soft { vec![mark] } else { Vec::new() },
            expires: sketch.expires,
            reason: reason("needs room"),
        }
    }
}

/// A reason of the policy.
pub(crate) fn reason(message: &str) -> Reason {
    Reason {
        law: "test/law".to_owned(),
        message: message.to_owned(),
    }
}

/// What a broken script comes to.
fn fault<T>(call: &'static str) -> Result<T, Fault> {
    Err(Fault::Refused {
        call,
        error: PolicyError::WrongState("scripted".to_owned()),
    })
}

impl Policy for Scripted {
    fn describe(&mut self) -> Result<Description, Fault> {
        let set = LawSet {
            name: "test".to_owned(),
            about: String::new(),
            extension_points: self.points.clone(),
            interests: interests(),
            arguments: Vec::new(),
        };
        Ok(Description {
            name: "scripted".to_owned(),
            version: "0".to_owned(),
            law_sets: vec![set],
        })
    }
    fn configure(&mut self, laws: &str, arguments: &str) -> Result<Result<(), ConfigError>, Fault> {
        let arguments: Value = serde_json::from_str(if arguments.is_empty() { "{}" } else { arguments }).unwrap();
        Ok(match arguments.as_object().unwrap().keys().next() {
            _ if laws != "test" => Err(ConfigError::UnknownLaws(vec!["test".to_owned()])),
            Some(name) => Err(ConfigError::UnknownArgument(name.clone())),
            None => Ok(()),
        })
    }
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, Fault> {
        for event in events {
            match event {
                Event::PodUpserted(pod) => {
                    let place = if pod.kind == PodKind::Reservation {
                        "Reservation"
                    } else {
                        &pod.namespace
                    };
                    let name = format!("{place}/{}", pod.name);
                    self.pods.insert(name.clone(), pod.id);
                    self.seen.insert(name, pod);
                }
                Event::PodRemoved(pod) => self.log.push(format!("removed {}", self.name(pod))),
                Event::NodeUpserted(node) => {
                    self.nodes.insert(node.name, node.id);
                }
                Event::Clock(now) => self.log.push(format!("clock {now}")),
                Event::PlanAccepted(plan) => self.log.push(format!("accepted {plan}")),
                Event::PlanRefused(plan) => self.log.push(format!("refused {plan}")),
                _ => {}
            }
        }
        Ok(Applied {
            revision: 0,
            findings: Vec::new(),
        })
    }
    fn queue_order(&mut self, pods: Vec<PodId>) -> Result<Vec<PodId>, Fault> {
        let names: Vec<String> = pods.iter().map(|pod| self.name(*pod)).collect();
        self.log.push(format!("queue-order {}", names.join(" ")));
        match self.next("queue-order") {
            Some(Say::Queue(names)) => Ok(names.iter().map(|name| self.pod(name)).collect()),
            Some(_) => fault("queue-order"),
            None => Ok(pods),
        }
    }
    fn pre_filter(&mut self, pod: PodId) -> Result<PreFiltered, Fault> {
        let question = format!("pre-filter {}", self.name(pod));
        self.log.push(question.clone());
        let (admission, fx) = match self.next(&question) {
            None => (Admission::Pass, Fx::default()),
            Some(Say::Pass(fx)) => (Admission::Pass, fx),
            Some(Say::Refused(why)) => (Admission::Refused(reason(why)), Fx::default()),
            Some(Say::Final(why)) => (Admission::Final(reason(why)), Fx::default()),
            Some(_) => return fault("pre-filter"),
        };
        let effects = self.effects(fx);
        Ok(PreFiltered { admission, effects })
    }
    fn filter(&mut self, pod: PodId) -> Result<NodeVerdicts, Fault> {
        let question = format!("filter {}", self.name(pod));
        self.log.push(question.clone());
        let length = self
            .nodes
            .values()
            .max()
            .map_or(0, |highest| (*highest as usize).saturating_add(1));
        let full = Obstacle {
            reason: reason("Insufficient cpu"),
            resolvable: true,
        };
        let (codes, obstacles) = match self.next(&question) {
            None => (vec![0; length], vec![full]),
            Some(Say::Fits(names)) => {
                let mut codes = vec![1; length];
                for node in names.iter().filter_map(|name| self.nodes.get(*name)) {
                    *codes.get_mut(*node as usize).unwrap() = 0;
                }
                (codes, vec![full])
            }
            Some(Say::Codes(codes, obstacles)) => (codes, vec![full; obstacles]),
            Some(_) => return fault("filter"),
        };
        Ok(NodeVerdicts { codes, obstacles })
    }
    fn post_filter(&mut self, pod: PodId, refuted: &[Placement]) -> Result<PostFiltered, Fault> {
        let question = format!("post-filter {}", self.name(pod));
        self.log.push(format!("{question} {}", refuted.len()));
        let (plan, why, fx) = match self.next(&question) {
            None => (None, "nobody can make way", Fx::default()),
            Some(Say::NoPlan(why, fx)) => (None, why, fx),
            Some(Say::Plan(sketch, fx)) => (Some(self.plan(sketch)), "needs room", fx),
            Some(_) => return fault("post-filter"),
        };
        Ok(PostFiltered {
            plan,
            reason: reason(why),
            effects: self.effects(fx),
        })
    }
    fn reserve(&mut self, pod: PodId, node: NodeId) -> Result<Effects, Fault> {
        let question = format!("reserve {}", self.name(pod));
        let name = self.nodes.iter().find(|(_, id)| **id == node).unwrap().0;
        self.log.push(format!("{question} {name}"));
        match self.next(&question) {
            None => Ok(Effects::default()),
            Some(Say::Effects(fx)) => Ok(self.effects(fx)),
            Some(_) => fault("reserve"),
        }
    }
    fn unreserve(&mut self, pod: PodId, cause: ReleaseCause) -> Result<Effects, Fault> {
        let question = format!("unreserve {}", self.name(pod));
        self.log.push(format!("{question} {cause:?}"));
        match self.next(&question) {
            None => Ok(Effects::default()),
            Some(Say::Effects(fx)) => Ok(self.effects(fx)),
            Some(_) => fault("unreserve"),
        }
    }
    fn permit(&mut self, pod: PodId) -> Result<Permitted, Fault> {
        let question = format!("permit {}", self.name(pod));
        self.log.push(question.clone());
        let (permission, fx) = match self.next(&question) {
            None => (Permission::Allow, Fx::default()),
            Some(Say::Allow(fx)) => (Permission::Allow, fx),
            Some(Say::Wait(nanoseconds, fx)) => (Permission::Wait(nanoseconds), fx),
            Some(Say::Reject(why, fx)) => (Permission::Reject(reason(why)), fx),
            Some(_) => return fault("permit"),
        };
        Ok(Permitted {
            permission,
            reason: reason("the gang"),
            effects: self.effects(fx),
        })
    }
    fn act(&mut self) -> Result<Actions, Fault> {
        self.log.push("act".to_owned());
        let (bindings, sketches, more) = match self.next("act") {
            None => (&[][..], Vec::new(), false),
            Some(Say::Act { bindings, plans, more }) => (bindings, plans, more),
            Some(_) => return fault("act"),
        };
        let mut plans = Plans {
            reasons: vec![reason("needs room")],
            ..Plans::default()
        };
        for sketch in sketches {
            plans.nominations.extend(self.placements(sketch.nominations));
            plans.victims.extend(self.victims(&sketch));
            plans.slices.push(PlanSlice {
                id: sketch.id,
                preemptor: sketch.nominations.first().map_or(PodId::MAX, |(pod, _)| self.pod(pod)),
                nominations_end: plans.nominations.len() as u32,
                victims_end: plans.victims.len() as u32,
                reason: 0,
            });
        }
        Ok(Actions {
            name: "step".to_owned(),
            bindings: self.placements(bindings),
            plans,
            more,
        })
    }
    fn queues(&mut self) -> Result<Vec<QueueAccount>, Fault> {
        Ok(Vec::new())
    }
    fn record_notes(&mut self, _on: bool) -> Result<(), Fault> {
        Ok(())
    }
    fn notes(&mut self, _pod: PodId) -> Result<Vec<Note>, Fault> {
        Err(Fault::Lacks("explain"))
    }
    fn save(&mut self) -> Result<Checkpoint, Fault> {
        Err(Fault::Lacks("state"))
    }
    fn restore(&mut self, _checkpoint: &Checkpoint) -> Result<Result<(), StateError>, Fault> {
        Err(Fault::Lacks("state"))
    }
}

/// A session of the policy in a cluster of these objects.
pub(crate) fn session(policy: &mut Scripted, objects: impl IntoIterator<Item = Value>) -> Session<'_> {
    let mut session = Session::open(policy, "test", "").unwrap();
    session.upsert(objects.into_iter().map(object)).unwrap();
    session.take_happened();
    session
}

impl Session<'_> {
    /// One attempt, by name.
    pub(crate) fn try_pod(&mut self, name: &str) -> Result<super::Attempt, super::SessionError> {
        let pod = self.mirror.pod_id(name).unwrap();
        self.attempt(pod)
    }
}
