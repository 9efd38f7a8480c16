//! The life of a plan: from its decision until its pods have their nodes, or until it is given up.
//!
//! A plan is given up when the API server refuses an eviction, when its victims have left and its job is refused all the same, and when
//! nothing has moved for a long time. Then the nominations are taken back, so that other pods get the room.

use std::collections::{BTreeMap, BTreeSet};

use lictor_host::session::{Action, AttemptResult, Command, CommandId, CommandOutcome, ObjectRef, Session, Step};

use super::pod_of;
use crate::carry_out::Task;

const SECOND: i64 = 1_000_000_000;
/// The number under which all plans of an earlier process are known.
pub(super) const EARLIER: u64 = 0;

/// Limits of the time that a plan may take, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How long a job may be refused after the last victim of its plan has left: a minute.
    pub refused: i64,
    /// How long nothing may move in a plan: 5 minutes. Victims that stop have until the end of their grace and as long again.
    pub still: i64,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { refused: 60 * SECOND, still: 300 * SECOND }
    }
}

/// Why a plan was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// The API server refuses to evict a victim.
    Refused,
    /// Its job is refused although its victims have left.
    NotAdmitted,
    /// Nothing has moved.
    Still,
}

impl Why {
    /// Names the reason in one word, as metrics have it.
    pub fn word(self) -> &'static str {
        match self {
            Why::Refused => "eviction-refused",
            Why::NotAdmitted => "not-admitted",
            Why::Still => "nothing-moves",
        }
    }
}

/// A plan that was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenUp {
    /// The number of the plan; 0 for those of an earlier process.
    pub plan: u64,
    /// The pods that it was to make room for, and that wait again.
    pub pods: Vec<ObjectRef>,
    /// Why.
    pub why: Why,
    /// The same as a sentence, with names.
    pub reason: String,
}

/// The plans that are under way, by number.
#[derive(Debug, Default)]
pub(super) struct Lives {
    plans: BTreeMap<u64, Life>,
    /// How long a plan may take.
    pub(super) patience: Patience,
    /// Those whose nominations the policy has taken back since they were looked at last, and what is to be done for it.
    withdrawn: (Vec<GivenUp>, Vec<Task>),
}

/// A plan that is under way.
#[derive(Debug, Default)]
struct Life {
    /// The pods that it makes room for.
    pods: BTreeSet<ObjectRef>,
    /// Its victims, with the command that evicts each.
    victims: BTreeMap<ObjectRef, Option<Command>>,
    /// Whether it had victims when it was made.
    evicts: bool,
    /// How its pods and victims stood when that was looked at last, and since when.
    picture: Vec<(bool, bool)>,
    since: i64,
    /// When the graces of its victims have ended.
    grace_ends: i64,
    /// What was said of its job at the last attempt, where that was refused.
    refused: Option<String>,
}

impl Lives {
    /// Begins with what an earlier process has left: pods that are nominated, and victims that are marked.
    pub(super) fn recover(&mut self, session: &Session, victims: Vec<ObjectRef>) {
        let ours = session.mirror().pods().filter(|pod| !pod.template.foreign && pod.node.is_none());
        let nominated = ours.filter(|pod| pod.nominated.is_some()).filter_map(|pod| session.object_ref(pod.id));
        let (pods, since): (BTreeSet<ObjectRef>, i64) = (nominated.collect(), session.mirror().now());
        if !pods.is_empty() {
            let victims = victims.into_iter().map(|victim| (victim, None)).collect();
            self.plans.insert(EARLIER, Life { pods, victims, evicts: true, since, ..Life::default() });
        }
    }

    /// Returns whether no plan is under way.
    pub(super) fn is_empty(&self) -> bool {
        self.plans.is_empty()
    }

    /// Returns whether a plan under way has this pod nominated.
    pub(super) fn waits(&self, pod: &ObjectRef) -> bool {
        self.plans.values().any(|life| life.pods.contains(pod))
    }

    /// Returns whether a plan under way has this pod as its victim.
    pub(super) fn evicts(&self, pod: &ObjectRef) -> bool {
        self.plans.values().any(|life| life.victims.contains_key(pod))
    }

    /// Takes note of the plans of a step, and of what it says of their pods.
    pub(super) fn take(&mut self, step: &Step, session: &Session) {
        for made in &step.happened.plans {
            let nominates = |command: &&Command| {
                matches!(command.action, Action::Nominate { node: Some(_) })
                    && made.nominated.contains_key(&command.object.pod_name())
            };
            let pods: BTreeSet<ObjectRef> =
                step.commands.iter().filter(nominates).map(|command| command.object.clone()).collect();
            // A pod waits for one plan: its last. What was evicted for an earlier one was evicted for that one, too.
            let is_same = |life: &Life| life.evicts && life.pods.iter().any(|pod| pods.contains(pod));
            let evicted = self.plans.values().any(is_same);
            self.plans.values_mut().for_each(|life| life.pods.retain(|pod| !pods.contains(pod)));
            let evicts = |command: &&Command| matches!(command.action, Action::Evict { plan, .. } if plan == made.plan);
            let victims = step.commands.iter().filter(evicts);
            let victims = victims.map(|command| (command.object.clone(), Some(command.clone()))).collect();
            let (evicts, since) = (evicted || !made.victims.is_empty(), session.mirror().now());
            self.plans.insert(made.plan, Life { pods, victims, evicts, since, ..Life::default() });
        }
        self.withdraw(step);
        for attempt in &step.happened.attempts {
            let is_refused = matches!(attempt.result, AttemptResult::Unschedulable | AttemptResult::Rejected);
            let of = |life: &&mut Life| life.pods.iter().any(|pod| pod.pod_name() == attempt.pod);
            if let Some(life) = self.plans.values_mut().find(of) {
                life.refused = is_refused.then(|| attempt.message());
            }
        }
    }

    /// Ends the plans all of whose nominations the policy has taken back: their victims leave in vain. Of those of an earlier process, which are
    /// known as one, the pods end that have lost theirs.
    fn withdraw(&mut self, step: &Step) {
        let happened = &step.happened;
        let is_over = |pod: &ObjectRef| {
            let name = pod.pod_name();
            happened.withdrawn.contains(&name) && !happened.nominated.contains_key(&name)
        };
        if happened.withdrawn.is_empty() {
            return;
        }
        let said = |pods: &BTreeSet<ObjectRef>| {
            let of = |pod: &ObjectRef| happened.attempts.iter().rev().find(|attempt| attempt.pod == pod.pod_name());
            pods.iter().find_map(of).map(lictor_host::session::Attempt::message)
        };
        self.plans.retain(|plan, life| {
            let over: BTreeSet<ObjectRef> = life.pods.iter().filter(|pod| is_over(pod)).cloned().collect();
            if over.is_empty() || *plan != EARLIER && over.len() < life.pods.len() {
                return true;
            }
            life.pods.retain(|pod| !over.contains(pod));
            if life.evicts {
                let why = said(&over).or_else(|| life.refused.clone());
                let why = why.map(|why| format!(": {why}")).unwrap_or_default();
                let reason = format!("its nominations were taken back, and the room is for others{why}");
                let pods = over.into_iter().collect();
                self.withdrawn.0.push(GivenUp { plan: *plan, pods, why: Why::NotAdmitted, reason });
            }
            if life.evicts && life.pods.is_empty() {
                self.withdrawn.1.extend(life.victims.values().flatten().filter_map(unmark));
            }
            !life.pods.is_empty()
        });
    }

    /// Takes note of the end of the grace of a pod that is being deleted, in nanoseconds since 1970.
    pub(super) fn stops(&mut self, key: &str, at: i64) {
        for life in self.plans.values_mut().filter(|life| life.victims.keys().any(|victim| victim.key() == key)) {
            life.grace_ends = life.grace_ends.max(at);
        }
    }

    /// Takes the end of a command. Returns the plan that is given up because its eviction is refused.
    pub(super) fn settle(&mut self, id: CommandId, outcome: &CommandOutcome) -> Option<GivenUp> {
        let CommandOutcome::Refused { reason, .. } = outcome else { return None };
        let evicts = |command: &Option<Command>| command.as_ref().is_some_and(|command| command.id == id);
        let (plan, life) = self.plans.iter().find(|(_, life)| life.victims.values().any(evicts))?;
        let victim = life.victims.iter().find(|(_, command)| evicts(command)).map(|(victim, _)| victim.pod_name());
        let reason = format!("the eviction of {} is refused: {reason}", victim.unwrap_or_default());
        let (plan, pods) = (*plan, life.pods.iter().cloned().collect());
        self.plans.remove(&plan);
        Some(GivenUp { plan, pods, why: Why::Refused, reason })
    }

    /// Looks how far each plan is. Returns those that are given up, and with what is to be done in the cluster for it.
    pub(super) fn look(&mut self, session: &Session) -> (Vec<GivenUp>, Vec<Task>) {
        let (now, patience) = (session.mirror().now(), self.patience);
        let (mut given_up, mut tasks) = std::mem::take(&mut self.withdrawn);
        self.plans.retain(|plan, life| {
            life.pods.retain(|pod| waits(session, pod));
            if life.pods.is_empty() {
                return false;
            }
            life.victims.retain(|victim, _| state(session, victim).is_some());
            let pods = life.pods.iter().map(|_| (true, false));
            let victims = life.victims.keys().filter_map(|victim| state(session, victim));
            let picture: Vec<(bool, bool)> = pods.chain(victims.map(|leaves| (false, leaves))).collect();
            if life.picture != picture {
                // The first picture is none that has changed.
                let moved = !life.picture.is_empty();
                life.since = if moved { now } else { life.since };
                life.picture = picture;
            }
            let Some((why, reason)) = life.ends(now, patience) else { return true };
            let pods: Vec<ObjectRef> = life.pods.iter().cloned().collect();
            tasks.extend(pods.iter().cloned().map(Task::Withdraw));
            tasks.extend(life.victims.values().flatten().filter_map(unmark));
            given_up.push(GivenUp { plan: *plan, pods, why, reason });
            false
        });
        (given_up, tasks)
    }

    /// Returns when a plan may have to be given up next, in nanoseconds since 1970.
    pub(super) fn next(&self) -> Option<i64> {
        self.plans.values().map(|life| life.due(self.patience)).min()
    }
}

impl Life {
    /// Returns when the plan is given up, unless something moves.
    fn due(&self, patience: Patience) -> i64 {
        let still = self.since.max(self.grace_ends).saturating_add(patience.still);
        match self.victims.is_empty() && self.refused.is_some() {
            true => self.since.saturating_add(patience.refused).min(still),
            false => still,
        }
    }

    /// Returns why the plan is given up now; none where it is not.
    fn ends(&self, now: i64, patience: Patience) -> Option<(Why, String)> {
        if now < self.due(patience) {
            return None;
        }
        let refused = self.refused.as_deref().filter(|_| self.victims.is_empty());
        Some(match refused {
            Some(refused) => {
                let seconds = patience.refused.checked_div(SECOND).unwrap_or_default();
                (Why::NotAdmitted, format!("its victims have left, and its job is refused for {seconds} s: {refused}"))
            }
            None => {
                let names: Vec<String> = self.victims.keys().map(ObjectRef::pod_name).collect();
                let left = if names.is_empty() { String::new() } else { format!(": {} still run", names.join(", ")) };
                let seconds = patience.still.checked_div(SECOND).unwrap_or_default();
                (Why::Still, format!("nothing has moved for {seconds} s{left}"))
            }
        })
    }
}

/// Takes the marks off a victim that was only marked.
fn unmark(command: &Command) -> Option<Task> {
    match &command.action {
        Action::Evict { delete: false, marks, .. } => Some(Task::Unmark(command.object.clone(), marks.clone())),
        _ => None,
    }
}

/// Returns whether a pod still waits for the node that it is nominated to.
fn waits(session: &Session, meant: &ObjectRef) -> bool {
    pod_of(session, meant).is_some_and(|pod| pod.node.is_none() && pod.nominated.is_some() && !pod.terminating)
}

/// Returns whether a victim is being deleted; none where it is gone.
fn state(session: &Session, meant: &ObjectRef) -> Option<bool> {
    pod_of(session, meant).filter(|pod| pod.node.is_some()).map(|pod| pod.terminating)
}
