//! Plays: commands, outcomes, objects and faults in random order.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Random;
use super::cluster::{SimulatedCluster, SimulatedPod};
use super::faulty::CallsUntilFault;
use super::promises::NominationTracker;
use crate::cluster::KubernetesObject;
use crate::session::{Command, CommandAction, CommandId, CommandOutcome, Session, SessionInput, StepOutput};

/// The probabilities of failures, in percent.
#[derive(Debug, Clone, Copy)]
pub struct FaultProbabilities {
    /// A command is not carried out, and the driver reports that.
    pub fails: usize,
    /// A command, or its outcome, is lost.
    pub lost: usize,
    /// An outcome is delivered twice.
    pub twice: usize,
    /// The policy breaks within its next calls.
    pub breaks: usize,
}

/// An event about one object that the session has not received yet. Events of one object keep their order.
#[derive(Debug, Clone)]
pub(super) enum SimulatedEvent {
    Upserted(Box<KubernetesObject>),
    Deleted(String),
    Completed(CommandId),
}

/// A session, the cluster that it decides about, and all messages in flight between them.
pub struct SessionSimulation {
    /// The session.
    pub session: Session,
    /// The cluster.
    pub cluster: SimulatedCluster,
    /// What was recorded of the inputs and of the requests.
    pub record: SimulationRecord,
    /// The last checkpoint, where checkpoints are kept.
    pub(super) stored: Option<String>,
    /// All objects other than nodes and pods.
    pub(super) objects: Vec<KubernetesObject>,
    /// How pods are created.
    pub pods: PodCreation,
    pub(super) random: Random,
    /// What may go wrong.
    pub faults: SimulationFaults,
    pub(super) messages: MessagesInFlight,
    pub(super) nominations: NominationTracker,
    pub(super) now: i64,
    pub(super) tried: BTreeSet<String>,
}

/// A record of a simulation.
#[derive(Default)]
pub struct SimulationRecord {
    /// How many inputs were refused.
    pub refused: usize,
    /// The number of requests of each kind.
    pub requests: BTreeMap<&'static str, usize>,
    /// The steps of all inputs, where they are kept.
    pub steps: Option<Vec<StepOutput>>,
}

/// The creation of pods.
pub struct PodCreation {
    /// Changes each pod when it is created, by its number.
    pub customize: fn(usize, &mut SimulatedPod),
    count: usize,
}

/// The faults of a simulation.
pub struct SimulationFaults {
    /// The probabilities of failures.
    pub chances: FaultProbabilities,
    pub(super) fuse: CallsUntilFault,
}

/// The messages between a session and its cluster that have not arrived, by pod where their order counts.
#[derive(Default)]
pub(super) struct MessagesInFlight {
    pub(super) commands: BTreeMap<String, VecDeque<Command>>,
    pub(super) events: BTreeMap<String, VecDeque<SimulatedEvent>>,
    pub(super) outcomes: Vec<(CommandId, CommandOutcome)>,
    /// The commands that the cluster has carried out.
    carried_out: BTreeSet<CommandId>,
}

/// One second in nanoseconds.
pub(super) const SECOND: i64 = 1_000_000_000;

impl SessionSimulation {
    /// Creates a session over a cluster of nodes with eight cores each, and these objects.
    pub fn new(
        mut session: Session,
        seed: u64,
        nodes: usize,
        objects: Vec<KubernetesObject>,
        fuse: CallsUntilFault,
    ) -> SessionSimulation {
        let mut cluster = SimulatedCluster::default();
        cluster.nodes.extend((1..=nodes).map(|number| (format!("n{number}"), 8)));
        session.handle(SessionInput::Objects(cluster.objects().into_iter().chain(objects.clone()).collect())).unwrap();
        SessionSimulation {
            session,
            cluster,
            record: SimulationRecord::default(),
            stored: None,
            objects,
            pods: PodCreation { customize: |_, _| {}, count: 0 },
            random: Random::new(seed),
            faults: SimulationFaults {
                chances: FaultProbabilities { fails: 15, lost: 15, twice: 10, breaks: 4 },
                fuse,
            },
            messages: MessagesInFlight::default(),
            nominations: NominationTracker::default(),
            now: 0,
            tried: BTreeSet::new(),
        }
    }

    /// Performs one random event.
    pub fn step(&mut self) {
        match self.random.below(16) {
            0 | 1 if self.cluster.pods.len() < 24 => self.create(None),
            2 => self.delete(),
            3 | 4 => self.remove_one(),
            5..=7 => self.apply_one(),
            8..=10 => self.deliver_one(),
            11 => self.deliver_outcome(),
            12 => {
                let name = self.pick(|_| true);
                if let Some(name) = name {
                    self.serve(SessionInput::Attempt(format!("default/{name}")));
                }
            }
            13 => {
                self.now += i64::try_from(self.random.below(20)).unwrap() * SECOND;
                self.serve(SessionInput::Clock(self.now));
            }
            _ => self.serve(SessionInput::Cycle),
        }
        if self.random.percent(self.faults.chances.breaks) {
            self.faults.fuse.set(i64::try_from(self.random.below(12)).unwrap());
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        !self.messages.outcomes.is_empty()
            || self.messages.commands.values().any(|queue| !queue.is_empty())
            || self.messages.events.values().any(|queue| !queue.is_empty())
    }

    fn create(&mut self, name: Option<String>) {
        self.pods.count += 1;
        let name = name.unwrap_or_else(|| {
            let first = if self.random.percent(30) { 'g' } else { 'p' };
            format!("{first}{}", self.random.below(20))
        });
        if self.cluster.pods.contains_key(&name) {
            return;
        }
        let mut pod = SimulatedPod {
            uid: format!("u{}", self.pods.count),
            cpu: 1 + u32::try_from(self.random.below(5)).unwrap(),
            priority: i32::try_from(self.random.below(4)).unwrap() * 10,
            scheduler: "default-scheduler",
            labels: BTreeMap::new(),
            annotations: BTreeMap::new(),
            node: None,
            nominated: None,
            deleted: false,
            evicted: false,
        };
        (self.pods.customize)(self.pods.count, &mut pod);
        self.cluster.pods.insert(name.clone(), pod);
        self.queue_upsert(&name);
    }

    /// Marks a random pod as deleted by another user.
    fn delete(&mut self) {
        if let Some(name) = self.pick(|pod| !pod.deleted) {
            self.cluster.pods.get_mut(&name).unwrap().deleted = true;
            self.queue_upsert(&name);
        }
    }

    /// Removes a random pod that is being deleted or is marked for another controller. Another pod of its name may be created at once.
    pub(super) fn remove_one(&mut self) {
        if let Some(name) = self.pick(|pod| pod.deleted || pod.evicted) {
            self.cluster.pods.remove(&name);
            if self.faults.chances.fails > 0 && self.random.percent(30) {
                // The session may see the new pod without having seen the removal of the old one.
                self.create(Some(name));
            } else {
                self.messages
                    .events
                    .entry(name.clone())
                    .or_default()
                    .push_back(SimulatedEvent::Deleted(format!("Pod/default/{name}")));
            }
        }
    }

    /// Returns a random pod that suits. `None`: no pod suits.
    fn pick(&mut self, suits: impl Fn(&SimulatedPod) -> bool) -> Option<String> {
        let suiting: Vec<&String> =
            self.cluster.pods.iter().filter(|(_, pod)| suits(pod)).map(|(name, _)| name).collect();
        let place = self.random.below(suiting.len());
        suiting.get(place).map(|name| (*name).clone())
    }

    /// Adds the current state of the pod to the news that the session has not received yet.
    fn queue_upsert(&mut self, name: &str) {
        if let Some(object) = self.cluster.object(name) {
            self.messages
                .events
                .entry(name.to_owned())
                .or_default()
                .push_back(SimulatedEvent::Upserted(Box::new(object)));
        }
    }

    /// Takes the next command of a random pod. The command is carried out, fails or is lost.
    pub(super) fn apply_one(&mut self) {
        let Some(command) = take_one(&mut self.messages.commands, &mut self.random) else { return };
        let (id, name) = (command.id, command.object.name.clone());
        if self.random.percent(self.faults.chances.lost) {
            return;
        }
        if command.action == CommandAction::Confirm {
            match self.messages.carried_out.contains(&id) {
                true => {
                    self.queue_upsert(&name);
                    self.messages.events.entry(name).or_default().push_back(SimulatedEvent::Completed(id));
                }
                false => self.messages.outcomes.push((id, CommandOutcome::Failed("it was not carried out".to_owned()))),
            }
            return;
        }
        if self.random.percent(self.faults.chances.fails) {
            self.messages.outcomes.push((id, CommandOutcome::Failed("the server is busy".to_owned())));
            return;
        }
        match self.cluster.apply_command(&command) {
            Err(reason) => self.messages.outcomes.push((id, CommandOutcome::Failed(reason))),
            Ok(()) => {
                self.messages.carried_out.insert(id);
                self.queue_upsert(&name);
                let times = if self.random.percent(self.faults.chances.twice) { 2 } else { 1 };
                for _ in 0..times {
                    match self.random.below(3) {
                        0 if self.random.percent(self.faults.chances.lost * 2) => {}
                        0 | 1 => self.messages.outcomes.push((id, CommandOutcome::Accepted)),
                        _ => self
                            .messages
                            .events
                            .entry(name.clone())
                            .or_default()
                            .push_back(SimulatedEvent::Completed(id)),
                    }
                }
            }
        }
    }

    /// Delivers the next event of a random pod.
    pub(super) fn deliver_one(&mut self) {
        match take_one(&mut self.messages.events, &mut self.random) {
            None => {}
            Some(SimulatedEvent::Upserted(object)) => self.serve(SessionInput::Objects(vec![*object])),
            Some(SimulatedEvent::Deleted(key)) => self.serve(SessionInput::Removed(key)),
            Some(SimulatedEvent::Completed(id)) => self.serve(SessionInput::Outcomes(vec![(id, CommandOutcome::Done)])),
        }
    }

    /// Delivers a random outcome.
    pub(super) fn deliver_outcome(&mut self) {
        if !self.messages.outcomes.is_empty() {
            let place = self.random.below(self.messages.outcomes.len());
            let outcome = self.messages.outcomes.swap_remove(place);
            self.serve(SessionInput::Outcomes(vec![outcome]));
        }
    }
}

/// Removes the first item of a random queue that is not empty. `None`: all queues are empty.
fn take_one<T>(queues: &mut BTreeMap<String, VecDeque<T>>, random: &mut Random) -> Option<T> {
    queues.retain(|_, queue| !queue.is_empty());
    let place = random.below(queues.len());
    queues.values_mut().nth(place)?.pop_front()
}
