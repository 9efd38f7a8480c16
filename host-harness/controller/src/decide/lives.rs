//! The life of a plan: from its decision until its pods have their nodes, or until it is given up.
//!
//! A plan is given up when the API server refuses an eviction, when its victims have left and its job is refused all the same, and when
//! nothing has moved for a long time. Then the nominations are taken back, so that other pods get the room.

mod life;

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::Pod;
use lictor_host::session::{AttemptResult, Command, CommandAction, CommandOutcome, ObjectRef, Session, StepOutput};

use super::leftovers::leaving_marks;
use super::pod_of;
use super::stopping::ObjectDeletions;
use crate::carry_out::ExecutorTask;
use crate::report::SECOND;
use life::{BeneficiaryState, PlanLifecycle, beneficiary_state};

/// The number under which all plans of an earlier process are known.
pub(super) const EARLIER_PLANS: u64 = 0;

/// Limits of the time that a plan may take, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanTimeouts {
    /// How long a job may be refused after the last victim of its plan has left, and no other pod leaves its nodes: a minute.
    pub refused: i64,
    /// How long nothing may move in a plan: 5 minutes. Victims that stop, and other pods that leave its nodes, have until the end of their
    /// grace and as long again.
    pub no_progress: i64,
}

impl Default for PlanTimeouts {
    fn default() -> PlanTimeouts {
        PlanTimeouts { refused: 60 * SECOND, no_progress: 300 * SECOND }
    }
}

/// Why a plan was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GivenUpReason {
    /// The API server refuses to evict a victim.
    Refused,
    /// Its job is refused although its victims have left.
    NotAdmitted,
    /// Nothing has moved.
    NoProgress,
}

impl GivenUpReason {
    /// Returns the reason as one word, as metrics name it.
    pub fn word(self) -> &'static str {
        match self {
            GivenUpReason::Refused => "eviction-refused",
            GivenUpReason::NotAdmitted => "not-admitted",
            GivenUpReason::NoProgress => "nothing-moves",
        }
    }
}

/// A plan that was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenUpPlan {
    /// The number of the plan; 0 for those of an earlier process.
    pub plan: u64,
    /// The pods that the plan was to make room for, and that wait again.
    pub pods: Vec<ObjectRef>,
    /// The reason as a kind.
    pub why: GivenUpReason,
    /// The reason as a sentence, with names.
    pub reason: String,
    /// Whether the plan is counted. Each plan counts once, also where its pods lose their nominations one after the other.
    pub counts: bool,
}

/// The plans that are under way, by number.
#[derive(Debug, Default)]
pub(super) struct PlanLifecycles {
    plans: BTreeMap<u64, PlanLifecycle>,
    /// How long a plan may take.
    pub(super) timeouts: PlanTimeouts,
    /// The pods that are being deleted.
    pub(super) stopping: ObjectDeletions,
}

impl PlanLifecycles {
    /// Begins with the plans that an earlier process has left. They show in nominated pods, also those whose node is gone or that are being let go,
    /// and in marked victims.
    pub(super) fn recover(&mut self, session: &Session, victims: Vec<ObjectRef>) {
        let mirror = session.mirror();
        let waits = |pod: &&Pod| pod.node.is_none() || session.is_being_bound(pod.id);
        let ours = mirror.pods().filter(|pod| !pod.template.foreign && mirror.shows_nominated(pod.id));
        let nominated = ours.filter(waits).filter_map(|pod| session.object_ref(pod.id));
        let (pods, since): (BTreeSet<ObjectRef>, i64) = (nominated.collect(), session.mirror().now());
        if !pods.is_empty() {
            let victims = victims.into_iter().map(|victim| (victim, None)).collect();
            self.plans.insert(
                EARLIER_PLANS,
                PlanLifecycle { pods, victims, evicts: true, since, ..PlanLifecycle::default() },
            );
        }
    }

    /// Returns whether a plan under way has this pod nominated.
    pub(super) fn waits(&self, pod: &ObjectRef) -> bool {
        self.plans.values().any(|life| life.pods.contains(pod))
    }

    /// Returns whether a plan under way has this pod as its victim.
    pub(super) fn evicts(&self, pod: &ObjectRef) -> bool {
        self.plans.values().any(|life| life.victims.contains_key(pod))
    }

    /// Takes the plans of a step, and the results for their pods.
    pub(super) fn take(&mut self, step: &StepOutput, session: &Session) {
        for made in &step.happened.plans {
            let nominates = |command: &&Command| {
                matches!(command.action, CommandAction::Nominate { node: Some(_) })
                    && made.nominated.contains_key(&command.object.pod_name())
            };
            let pods: BTreeSet<ObjectRef> =
                step.commands.iter().filter(nominates).map(|command| command.object.clone()).collect();
            // A pod waits for one plan: its last. What was evicted for an earlier one was evicted for that one, too.
            let is_same = |life: &PlanLifecycle| life.evicts && life.pods.iter().any(|pod| pods.contains(pod));
            let evicted = self.plans.values().any(is_same);
            self.plans.values_mut().for_each(|life| life.pods.retain(|pod| !pods.contains(pod)));
            let evicts =
                |command: &&Command| matches!(command.action, CommandAction::Evict { plan, .. } if plan == made.plan);
            let victims = step.commands.iter().filter(evicts);
            let victims = victims.map(|command| (command.object.clone(), Some(command.clone()))).collect();
            let (evicts, since) = (evicted || !made.victims.is_empty(), session.mirror().now());
            self.plans.insert(made.plan, PlanLifecycle { pods, victims, evicts, since, ..PlanLifecycle::default() });
        }
        for attempt in &step.happened.attempts {
            let is_refused = matches!(attempt.result, AttemptResult::Unschedulable | AttemptResult::Rejected);
            let of = |life: &&mut PlanLifecycle| life.pods.iter().any(|pod| pod.pod_name() == attempt.pod);
            if let Some(life) = self.plans.values_mut().find(of) {
                life.refused = is_refused.then(|| attempt.message());
                life.last_results.insert(attempt.pod.clone(), attempt.message());
            }
        }
    }

    /// Notes that a pod could not be let go, and why.
    fn record_failed_admission(&mut self, pod: &ObjectRef, why: &str) {
        if let Some(life) = self.plans.values_mut().find(|life| life.pods.contains(pod)) {
            let name = pod.pod_name();
            let said = format!("{name} could not be let go: {why}");
            life.last_results.insert(name, said);
        }
    }

    /// Notes that a victim could not be evicted, and why.
    fn record_failed_eviction(&mut self, victim: &ObjectRef, why: &str) {
        if let Some(life) = self.plans.values_mut().find(|life| life.victims.contains_key(victim)) {
            life.failed_eviction = Some(format!("{} could not be evicted: {why}", victim.pod_name()));
        }
    }

    /// Takes the end of a command. Returns the plan that is given up because its eviction is refused. `None`: no plan is given up.
    pub(super) fn settle(&mut self, command: &Command, outcome: &CommandOutcome) -> Option<GivenUpPlan> {
        match (&command.action, outcome) {
            (CommandAction::Bind { .. }, CommandOutcome::Failed(why) | CommandOutcome::Refused { reason: why, .. }) => {
                self.record_failed_admission(&command.object, why);
            }
            (CommandAction::Evict { .. }, CommandOutcome::Failed(why)) => {
                self.record_failed_eviction(&command.object, why);
            }
            _ => {}
        }
        let (CommandOutcome::Refused { reason, .. }, id) = (outcome, command.id) else { return None };
        let evicts = |command: &Option<Command>| command.as_ref().is_some_and(|command| command.id == id);
        let (plan, life) = self.plans.iter().find(|(_, life)| life.victims.values().any(evicts))?;
        let victim = life.victims.iter().find(|(_, command)| evicts(command)).map(|(victim, _)| victim.pod_name());
        let reason = format!("the eviction of {} is refused: {reason}", victim.unwrap_or_default());
        let (plan, pods, counts) = (*plan, life.pods.iter().cloned().collect(), !life.is_counted);
        self.plans.remove(&plan);
        Some(GivenUpPlan { plan, pods, why: GivenUpReason::Refused, reason, counts })
    }

    /// Looks at the progress of each plan. Returns the plans that are given up, and the tasks in the cluster that follow.
    ///
    /// A plan ends without a report when its pods have their nodes, or are gone. One that evicts is given up for each pod that loses its nomination
    /// otherwise: the victims leave in vain for that pod. That is reported at once, because the next process does not know which pods were nominated.
    pub(super) fn check_progress(&mut self, session: &Session) -> (Vec<GivenUpPlan>, Vec<ExecutorTask>) {
        let (now, patience, stopping) = (session.mirror().now(), self.timeouts, &self.stopping);
        let (mut given_up, mut tasks) = (Vec::new(), Vec::new());
        self.plans.retain(|plan, life| {
            let lost = life.check_pods(session, stopping, now, patience);
            if life.evicts && !lost.is_empty() {
                let reason = life.lost_nominations_message(&lost);
                let pods: Vec<ObjectRef> = lost.into_iter().collect();
                // The node is gone, and the nomination is still there.
                let stays =
                    |pod: &&ObjectRef| pod_of(session, pod).is_some_and(|pod| session.mirror().is_nominated(pod.id));
                tasks.extend(pods.iter().filter(stays).cloned().map(ExecutorTask::Withdraw));
                let counts = !std::mem::replace(&mut life.is_counted, true);
                given_up.push(GivenUpPlan { plan: *plan, pods, why: GivenUpReason::NotAdmitted, reason, counts });
                if life.pods.is_empty() {
                    tasks.extend(life.victims.iter().filter_map(|victim| unmark(session, victim)));
                }
            }
            if life.pods.is_empty() {
                return false;
            }
            let Some((why, reason)) = life.end_reason(now, patience) else { return true };
            let nominated =
                life.pods.iter().filter(|pod| beneficiary_state(session, pod) == BeneficiaryState::Nominated);
            tasks.extend(nominated.cloned().map(ExecutorTask::Withdraw));
            tasks.extend(life.victims.iter().filter_map(|victim| unmark(session, victim)));
            let pods = life.pods.iter().cloned().collect();
            given_up.push(GivenUpPlan { plan: *plan, pods, why, reason, counts: !life.is_counted });
            false
        });
        (given_up, tasks)
    }

    /// Returns when a plan may next have to be given up, in nanoseconds since 1970. `None`: no plan is under way.
    pub(super) fn next(&self) -> Option<i64> {
        self.plans.values().map(|life| life.gives_up_at(self.timeouts)).min()
    }
}

/// Makes the task that takes the marks off a victim that was only marked, by this process or by an earlier one. `None`: the victim needs no such
/// task.
fn unmark(session: &Session, (victim, command): (&ObjectRef, &Option<Command>)) -> Option<ExecutorTask> {
    let leaving = leaving_marks(session.interests()).into_iter();
    match command.as_ref().map(|command| &command.action) {
        Some(CommandAction::Evict { delete: false, marks, .. }) => {
            Some(ExecutorTask::Unmark(victim.clone(), marks.iter().cloned().chain(leaving).collect()))
        }
        Some(_) => None,
        None => {
            let stays = pod_of(session, victim).is_some_and(|pod| !pod.terminating);
            stays.then(|| ExecutorTask::Unmark(victim.clone(), leaving.collect()))
        }
    }
}
