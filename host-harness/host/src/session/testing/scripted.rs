//! The answers of the scripted policy.

use std::collections::BTreeMap;

use lictor_contract::*;
use serde_json::Value;

use super::{Scripted, ScriptedEffects, ScriptedReply, reason, retry};
use crate::policy::{CallError, Policy};
use crate::verify::testing::interests;

/// Returns the error of a scripted fault.
fn fault<T>(call: &'static str) -> Result<T, CallError> {
    Err(CallError::Refused { call, error: PolicyError::WrongState("scripted".to_owned()) })
}

impl Policy for Scripted {
    fn restart(&mut self) -> Result<(), CallError> {
        (self.pods, self.nodes) = (BTreeMap::new(), BTreeMap::new());
        self.call_log().received.clear();
        self.call_log().accepted.clear();
        self.log_call("restart".to_owned());
        match self.next("restart") {
            None => Ok(()),
            Some(_) => fault("restart"),
        }
    }
    fn has(&self, interface: Interface) -> bool {
        self.points.iter().any(|point| point.interface() == interface)
            || matches!(interface, Interface::Account | Interface::Explain | Interface::Marks)
    }
    fn describe(&mut self) -> Result<Description, CallError> {
        let set = SystemInfo {
            name: "test".to_owned(),
            about: String::new(),
            extension_points: self.points.iter().map(|point| (*point).into()).collect(),
            schedulers: vec!["default-scheduler".to_owned()],
            interests: interests(),
            judges_room: !self.ignores_capacity,
            evicts_higher_priority: false,
            arguments: Vec::new(),
            templates: Vec::new(),
        };
        Ok(Description { name: "scripted".to_owned(), version: "0".to_owned(), systems: vec![set] })
    }
    fn configure(&mut self, laws: &str, arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        let arguments: Value = serde_json::from_str(if arguments.is_empty() { "{}" } else { arguments }).unwrap();
        Ok(match arguments.as_object().unwrap().keys().next() {
            _ if laws != "test" => Err(ConfigError::UnknownSystem(vec!["test".to_owned()])),
            Some(name) => Err(ConfigError::UnknownArgument(name.clone())),
            None => Ok(()),
        })
    }
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        let most = self.most_events_at_once().max(events.len());
        self.call_log().most_events_at_once = most;
        for (place, event) in events.into_iter().enumerate() {
            if let Some(over) = self.overflow(place, &event) {
                return Err(CallError::Refused { call: "apply", error: PolicyError::Overflow(over) });
            }
            match event {
                Event::PodUpserted(pod) => {
                    let place = if pod.kind.is_some() { "Slot" } else { &pod.template.namespace };
                    let name = format!("{place}/{}", pod.name);
                    self.pods.insert(name.clone(), pod.id);
                    let mut told = self.call_log();
                    told.whole = told.whole.saturating_add(1);
                    told.received.insert(name, pod);
                }
                Event::PodStatus(status) => {
                    self.call_log().small.push(status.clone());
                    let name = self.name(status.id);
                    self.call_log().received.get_mut(&name).unwrap().set_status(&status);
                }
                Event::PodRemoved(pod) => self.log_call(format!("removed {}", self.name(pod))),
                Event::NodeUpserted(node) => {
                    self.nodes.insert(node.name, node.id);
                }
                Event::Clock(now) => self.log_call(format!("clock {now}")),
                Event::PlanAccepted(plan) => {
                    self.log_call(format!("accepted {plan}"));
                    self.call_log().accepted.extend(format!("{plan} ").bytes());
                }
                Event::PlanRefused(plan) => self.log_call(format!("refused {plan}")),
                _ => {}
            }
        }
        Ok(Applied { findings: Vec::new() })
    }
    fn queue_keys(&mut self, pods: &[PodId]) -> Result<SortKeys, CallError> {
        let names: Vec<String> = pods.iter().map(|pod| self.name(*pod)).collect();
        self.log_call(format!("queue-keys {}", names.join(" ")));
        let keys = match self.next("queue-keys") {
            Some(ScriptedReply::Queue(order)) => {
                let place = |name: &String| order.iter().position(|other| other == name).unwrap();
                names.iter().map(|name| vec![place(name) as u8]).collect()
            }
            Some(ScriptedReply::Keys(keys)) => keys,
            Some(_) => return fault("queue-keys"),
            None => vec![Vec::new(); pods.len()],
        };
        Ok(SortKeys { epoch: 0, keys })
    }
    fn pre_filter(&mut self, pod: PodId) -> Result<PreFiltered, CallError> {
        let question = format!("pre-filter {}", self.name(pod));
        self.log_call(question.clone());
        let mut when = Retry::default();
        let (admission, fx) = match self.next(&question) {
            None => (Admission::Pass, ScriptedEffects::default()),
            Some(ScriptedReply::RefusedUntil(why, at, after)) => {
                when = retry(at, after);
                (Admission::Refused(reason(why)), ScriptedEffects::default())
            }
            Some(ScriptedReply::Later(why, at, after)) => {
                when = retry(at, after);
                (Admission::Final(reason(why)), ScriptedEffects::default())
            }
            Some(ScriptedReply::Pass(fx)) => (Admission::Pass, fx),
            Some(ScriptedReply::Refused(why)) => (Admission::Refused(reason(why)), ScriptedEffects::default()),
            Some(ScriptedReply::Final(why)) => (Admission::Final(reason(why)), ScriptedEffects::default()),
            Some(_) => return fault("pre-filter"),
        };
        let effects = self.effects(fx);
        Ok(PreFiltered { admission, retry: when, effects })
    }
    fn filter(&mut self, pod: PodId) -> Result<NodeVerdicts, CallError> {
        let question = format!("filter {}", self.name(pod));
        self.log_call(question.clone());
        let length = self.nodes.values().max().map_or(0, |highest| (*highest as usize).saturating_add(1));
        let full = Obstacle { reason: reason("Insufficient cpu"), resolvable: true };
        let (codes, obstacles) = match self.next(&question) {
            None => (vec![0; length], vec![full]),
            Some(ScriptedReply::Fits(names)) => {
                let mut codes = vec![1; length];
                for node in names.iter().filter_map(|name| self.nodes.get(*name)) {
                    *codes.get_mut(*node as usize).unwrap() = 0;
                }
                (codes, vec![full])
            }
            Some(ScriptedReply::Codes(codes, obstacles)) => (codes, vec![full; obstacles]),
            Some(_) => return fault("filter"),
        };
        Ok(NodeVerdicts { codes, obstacles })
    }
    fn post_filter(&mut self, pods: &[PodId], refuted: &Refuted) -> Result<PostFiltered, CallError> {
        let names = |pods: &[PodId]| pods.iter().map(|pod| format!(" {}", self.name(*pod))).collect::<String>();
        let question = format!("post-filter{}", names(pods));
        let victims =
            if refuted.victims.is_empty() { String::new() } else { format!(" without{}", names(&refuted.victims)) };
        self.log_call(format!("{question} {}{victims}", refuted.placements.len()));
        let mut when = Retry::default();
        let (plan, why, fx) = match self.next(&question) {
            Some(ScriptedReply::Later(why, at, after)) => {
                when = retry(at, after);
                (None, why, ScriptedEffects::default())
            }
            None => (None, "no pod can be evicted", ScriptedEffects::default()),
            Some(ScriptedReply::NoPlan(why, fx)) => (None, why, fx),
            Some(ScriptedReply::Plan(sketch, fx)) => (Some(self.plan(sketch)), "needs room", fx),
            Some(_) => return fault("post-filter"),
        };
        Ok(PostFiltered { plan, reason: reason(why), retry: when, effects: self.effects(fx) })
    }
    fn reserve(&mut self, pod: PodId, node: NodeId) -> Result<Effects, CallError> {
        let question = format!("reserve {}", self.name(pod));
        let name = self.nodes.iter().find(|(_, id)| **id == node).unwrap().0;
        self.log_call(format!("{question} {name}"));
        match self.next(&question) {
            None => Ok(Effects::default()),
            Some(ScriptedReply::Effects(fx)) => Ok(self.effects(fx)),
            Some(_) => fault("reserve"),
        }
    }
    fn unreserve(&mut self, pod: PodId, cause: ReleaseCause) -> Result<Effects, CallError> {
        let question = format!("unreserve {}", self.name(pod));
        self.log_call(format!("{question} {cause:?}"));
        match self.next(&question) {
            None => Ok(Effects::default()),
            Some(ScriptedReply::Effects(fx)) => Ok(self.effects(fx)),
            Some(_) => fault("unreserve"),
        }
    }
    fn score(&mut self, pod: PodId, nodes: &[NodeId]) -> Result<Vec<i64>, CallError> {
        match self.next(&format!("score {}", self.name(pod))) {
            None => Ok(vec![0; nodes.len()]),
            Some(ScriptedReply::Scores(scores)) => Ok(scores),
            Some(_) => fault("score"),
        }
    }
    fn save(&mut self) -> Result<Checkpoint, CallError> {
        let bytes = self.call_log().accepted.clone();
        self.format.map(|format| Checkpoint { format, bytes }).ok_or(CallError::MissingInterface(Interface::State))
    }
    fn restore(&mut self, saved: &Checkpoint) -> Result<Result<(), StateError>, CallError> {
        match (self.next("restore"), self.format) {
            (Some(_), _) => Ok(Err(StateError::Malformed("it ends too early".to_owned()))),
            (None, None) => Err(CallError::MissingInterface(Interface::State)),
            (None, Some(known)) if known != saved.format => Ok(Err(StateError::UnknownFormat(known))),
            (None, Some(_)) => {
                self.log_call(format!("restore {}", String::from_utf8_lossy(&saved.bytes)));
                let mut told = self.call_log();
                told.accepted = saved.bytes.clone();
                Ok(Ok(()))
            }
        }
    }
    fn permit(&mut self, pod: PodId) -> Result<Permitted, CallError> {
        let question = format!("permit {}", self.name(pod));
        self.log_call(question.clone());
        let (permission, fx) = match self.next(&question) {
            None => (Permission::Allow, ScriptedEffects::default()),
            Some(ScriptedReply::Allow(fx)) => (Permission::Allow, fx),
            Some(ScriptedReply::Wait(nanoseconds, fx)) => (Permission::Wait(nanoseconds), fx),
            Some(ScriptedReply::Reject(why, fx)) => (Permission::Reject(reason(why)), fx),
            Some(_) => return fault("permit"),
        };
        Ok(Permitted { permission, reason: reason("the gang"), retry: Retry::default(), effects: self.effects(fx) })
    }
    fn act(&mut self) -> Result<Actions, CallError> {
        self.log_call("act".to_owned());
        let (bindings, sketches, more) = match self.next("act") {
            None => (&[][..], Vec::new(), false),
            Some(ScriptedReply::Act { bindings, plans, more }) => (bindings, plans, more),
            Some(_) => return fault("act"),
        };
        let mut plans = Plans { reasons: vec![reason("needs room")], ..Plans::default() };
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
            retry: Retry::default(),
            refusals: Vec::new(),
            more,
        })
    }
    fn enforce(&mut self) -> Result<Enforced, CallError> {
        self.log_call("enforce".to_owned());
        let (sketches, at) = match self.next("enforce") {
            None => (Vec::new(), None),
            Some(ScriptedReply::Enforce(sketches, at)) => (sketches, at),
            Some(_) => return fault("enforce"),
        };
        let enforcements = sketches.into_iter().map(|sketch| {
            let Plan { id, victims, marks, reason, .. } = self.plan(sketch);
            Enforcement { id, queue: "q".to_owned(), victims, marks, reason }
        });
        Ok(Enforced { enforcements: enforcements.collect(), retry: Retry { at, after: Vec::new() } })
    }
    fn queues(&mut self) -> Result<Vec<QueueAccount>, CallError> {
        Ok(Vec::new())
    }
    fn memberships(&mut self, pods: &[PodId]) -> Result<Vec<Membership>, CallError> {
        self.log_call(format!("memberships of {}", pods.len()));
        Ok(vec![Membership::default(); pods.len()])
    }
    fn marks(&mut self, pod: PodId, _node: NodeId) -> Result<Vec<Mark>, CallError> {
        match self.next(&format!("marks {}", self.name(pod))) {
            None => Err(CallError::MissingInterface(Interface::Marks)),
            Some(ScriptedReply::Marks(key, value)) => {
                let (place, key, value) = (MarkPlace::Annotation, key.to_owned(), value.to_owned());
                Ok(vec![Mark { place, key, value }])
            }
            Some(_) => fault("marks"),
        }
    }
    fn record_notes(&mut self, _pods: &NotedPods) -> Result<(), CallError> {
        Ok(())
    }
}
