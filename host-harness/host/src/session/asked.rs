//! What was asked for and not seen done.

use std::collections::BTreeMap;

use lictor_contract::{Event, Mark, PodId};

use super::command::{Command, CommandAction, CommandId, CommandOutcome, ObjectRef};
use super::journal::UndoEntry;
use super::{FailedCommand, Session};
use crate::cluster::{ChangeVisibility, PodChange};
use crate::verify::CommandRefusal;

/// The plan number of every plan that another session has made; see [`Session::follow`].
pub(super) const EXTERNAL_PLAN: u64 = u64::MAX;

/// A command in flight: the session has not seen its result.
#[derive(Debug, Clone)]
pub(super) struct PendingCommand {
    /// The pod of the command.
    pub(super) pod: PodId,
    /// The object of the command.
    pub(super) object: ObjectRef,
    /// The change that the command makes.
    pub(super) change: PodChange,
    /// The plan of an eviction; else 0.
    pub(super) plan: u64,
    /// The time of the command, or of the last `Confirm` for it, in nanoseconds since 1970.
    pub(super) since: i64,
    /// The pause before the next attempt if the command fails, in nanoseconds. It is non-zero for a command that failed before.
    pub(super) pause: i64,
}

/// The time after which the session queues a `Confirm` for a command without an outcome: 30 s, in nanoseconds.
const OUTCOME_TIMEOUT: i64 = 30_000_000_000;

/// The commands in flight.
#[derive(Debug)]
pub(super) struct PendingCommands {
    last: CommandId,
    pub(super) in_flight: BTreeMap<CommandId, PendingCommand>,
    /// The commands that the driver has not received yet.
    pub(super) outbox: Vec<Command>,
    /// The commands that are delayed, each with its time, because the API server has just refused the same command.
    delayed: Vec<(i64, Command)>,
    /// The marks that are assumed on reserved pods that are not bound yet, with their command numbers.
    pub(super) assumed_marks: BTreeMap<PodId, (CommandId, Vec<Mark>)>,
    /// The time after which the session queues a `Confirm` for a command without an outcome, in nanoseconds.
    outcome_timeout: i64,
}

impl Default for PendingCommands {
    fn default() -> PendingCommands {
        PendingCommands {
            last: 0,
            in_flight: BTreeMap::new(),
            outbox: Vec::new(),
            delayed: Vec::new(),
            assumed_marks: BTreeMap::new(),
            outcome_timeout: OUTCOME_TIMEOUT,
        }
    }
}

impl PendingCommands {
    /// Returns a new command number.
    pub(super) fn number(&mut self) -> CommandId {
        self.last = self.last.saturating_add(1);
        self.last
    }

    /// Reserves the command numbers up to this one: no new command gets one of them.
    pub(super) fn reserve_numbers(&mut self, last: CommandId) {
        self.last = self.last.max(last);
    }

    /// Delays a command that the driver has not received yet, until this time in nanoseconds since 1970. If the command fails, the next attempt waits
    /// for `pause`.
    pub(super) fn delay(&mut self, id: CommandId, until: i64, now: i64, pause: i64) {
        if let Some(ask) = self.in_flight.get_mut(&id) {
            (ask.since, ask.pause) = (until, pause);
        }
        if until <= now {
            return;
        }
        let commands = self.outbox.extract_if(.., |command| command.id == id);
        self.delayed.extend(commands.map(|command| (until, command)));
    }

    /// Returns the next time at which a delayed command is handed out, or a command without an outcome is asked about.
    pub(super) fn next_due(&self) -> Option<i64> {
        let overdue = self.in_flight.values().map(|ask| ask.since.saturating_add(self.outcome_timeout));
        self.delayed.iter().map(|(until, _)| *until).chain(overdue).min()
    }

    /// Returns the highest command number that was used.
    pub(super) fn last(&self) -> CommandId {
        self.last
    }
}

impl Session {
    /// Requests a change, and assumes that it is made until an outcome says otherwise. Returns the number of the command. `None`: the pod does not
    /// exist.
    pub(super) fn issue_command(&mut self, pod: PodId, change: PodChange, plan: u64) -> Option<CommandId> {
        let object = self.object_ref(pod)?;
        let id = self.pending_commands.number();
        let command = Command { id, object: object.clone(), action: CommandAction::of(&change, plan) };
        self.mirror.assume(pod, id, change.clone());
        self.journal.undo_log.push(UndoEntry::Command(id));
        self.pending_commands
            .in_flight
            .insert(id, PendingCommand { pod, object, change, plan, since: self.mirror.now(), pause: 0 });
        self.pending_commands.outbox.push(command);
        Some(id)
    }

    /// Sets the time after which the session queues a `Confirm` for a command without an outcome.
    pub fn set_outcome_timeout(&mut self, nanoseconds: i64) {
        self.pending_commands.outcome_timeout = nanoseconds.max(1);
    }

    /// Returns the number of commands in flight.
    pub fn commands_in_flight(&self) -> usize {
        self.pending_commands.in_flight.len()
    }

    /// Returns whether a pod is on its node only because a command in flight is to bind it there.
    pub fn is_being_bound(&self, pod: PodId) -> bool {
        self.pending_commands
            .in_flight
            .values()
            .any(|ask| ask.pod == pod && matches!(ask.change, PodChange::Bind { .. }))
    }

    /// Returns the name of a pod in the cluster. `None`: the pod does not exist.
    pub fn object_ref(&self, pod: PodId) -> Option<ObjectRef> {
        let pod = self.mirror.pod(pod)?;
        let (kind, namespace) = self.mirror.kind_of(pod);
        let [kind, namespace] = [kind, namespace].map(str::to_owned);
        Some(ObjectRef { kind, namespace, name: pod.name.clone(), uid: pod.uid.clone() })
    }

    /// Applies the outcome of a command. The outcome of a command that is not in flight is late or a duplicate, and is ignored.
    pub(super) fn apply_outcome(&mut self, id: CommandId, outcome: CommandOutcome) {
        let Some(ask) = self.pending_commands.in_flight.get_mut(&id) else { return };
        let pod = ask.pod;
        match outcome {
            CommandOutcome::Accepted => {
                ask.since = self.mirror.now();
                self.reconcile_command(id, pod);
            }
            CommandOutcome::Done => self.complete_command(id, pod),
            CommandOutcome::Failed(reason) => self.retract_command(id, reason),
            CommandOutcome::Refused { reason, until, budget } => {
                // The beneficiaries of the victim wait as long, because a new attempt would make the same plan.
                let waits = self.planned_evictions.beneficiaries(pod);
                for pod in waits.into_iter().chain([pod]) {
                    self.planned_evictions.refuse(pod, CommandRefusal { until, budget });
                }
                self.retract_command(id, reason);
            }
        }
    }

    /// Compares the commands in flight with the objects that were received.
    pub(super) fn reconcile_observed(&mut self) {
        let seen = self.mirror.drain_reobserved();
        let asked = self.pending_commands.in_flight.iter().filter(|(_, ask)| seen.contains(&ask.pod));
        let asked: Vec<(CommandId, PodId)> = asked.map(|(id, ask)| (*id, ask.pod)).collect();
        for (id, pod) in asked {
            self.reconcile_command(id, pod);
        }
        self.cancel_unmarked_evictions();
        self.forget_deleted();
    }

    /// Cancels the departure of victims whose mark was removed in the cluster: their eviction was taken back.
    fn cancel_unmarked_evictions(&mut self) {
        if !self.mirror.has_eviction_labels() {
            return;
        }
        let mirror = &self.mirror;
        let is_under_way = |pod: PodId| self.pending_commands.in_flight.values().any(|ask| ask.pod == pod);
        let shows = |pod: PodId| mirror.pod(pod).is_some_and(|known| known.terminating || mirror.is_marked(known));
        let spared = self.planned_evictions.iter().filter(|(victim, _)| !shows(*victim) && !is_under_way(*victim));
        let spared: Vec<(PodId, u64)> = spared.map(|(victim, departure)| (victim, departure.plan)).collect();
        for (victim, plan) in spared {
            self.cancel_eviction(victim, plan);
        }
    }

    /// Forgets commands and departures of pods that do not exist any more.
    pub(super) fn forget_deleted(&mut self) {
        let mirror = &self.mirror;
        self.pending_commands.in_flight.retain(|_, ask| mirror.pod(ask.pod).is_some());
        self.planned_evictions.forget_deleted(mirror);
        self.pending_commands.assumed_marks.retain(|pod, _| mirror.pod(*pod).is_some());
        self.due.keep_pods(|pod| mirror.pod(pod).is_some());
    }

    /// Hands out delayed commands that are due. A command is dropped where it is done or a later command in flight decides on the nomination of the
    /// pod.
    fn release_delayed(&mut self) {
        let now = self.mirror.now();
        for (_, command) in self.pending_commands.delayed.extract_if(.., |(until, _)| *until <= now).collect::<Vec<_>>()
        {
            let Some(pod) = self.pending_commands.in_flight.get(&command.id).map(|ask| ask.pod) else { continue };
            let mut after = self.pending_commands.in_flight.range(command.id..).skip(1);
            if after.any(|(_, other)| other.pod == pod && other.change.decides_nomination()) {
                self.pending_commands.in_flight.remove(&command.id);
                self.mirror.retract(pod, command.id);
            } else {
                self.pending_commands.outbox.push(command);
            }
        }
    }

    /// Hands out delayed commands, and queues a `Confirm` command for each command that has had no outcome for `patience`.
    pub(super) fn confirm_overdue(&mut self) {
        self.release_delayed();
        let (now, patience) = (self.mirror.now(), self.pending_commands.outcome_timeout);
        for (id, ask) in &mut self.pending_commands.in_flight {
            if ask.since.saturating_add(patience) <= now {
                ask.since = now;
                let command = Command { id: *id, object: ask.object.clone(), action: CommandAction::Confirm };
                self.pending_commands.outbox.push(command);
            }
        }
    }

    /// Settles a command whose change the cluster shows, or will never show.
    pub(super) fn reconcile_command(&mut self, id: CommandId, pod: PodId) {
        match self.mirror.shows(pod, id) {
            Some(ChangeVisibility::Yes) => self.complete_command(id, pod),
            Some(ChangeVisibility::Never) => {
                self.pending_commands.in_flight.remove(&id);
                self.mirror.retract(pod, id);
            }
            Some(ChangeVisibility::No) => {}
            // A later command has settled this one.
            None => {
                self.pending_commands.in_flight.remove(&id);
            }
        }
    }

    /// Applies a command that was carried out. Earlier nominations of the pod are no longer in flight, whatever their outcome: a restored session
    /// would take them for the latest decision about the pod.
    fn complete_command(&mut self, id: CommandId, pod: PodId) {
        self.pending_commands.in_flight.remove(&id);
        for settled in self.mirror.confirm(pod, id) {
            self.pending_commands.in_flight.remove(&settled);
        }
    }

    /// Retracts a command that was not carried out, and withdraws the promises that depended on it.
    pub(super) fn retract_command(&mut self, id: CommandId, reason: String) {
        let Some(ask) = self.pending_commands.in_flight.remove(&id) else { return };
        let assumed = self.mirror.retract(ask.pod, id).is_some();
        let action = CommandAction::of(&ask.change, ask.plan);
        self.journal.report.failed.push(FailedCommand { pod: self.pod_name(ask.pod), action, reason });
        // Where a later command decides on the nomination of the pod, that command holds the promise.
        let decides = |other: &PendingCommand| other.pod == ask.pod && matches!(other.change, PodChange::Nominate(_));
        let assumed = assumed && !self.pending_commands.in_flight.range(id..).any(|(_, other)| decides(other));
        match &ask.change {
            // The cluster still shows a nomination that was withdrawn.
            PodChange::Nominate(None) if assumed => self.clear_nomination_in_cluster(ask.pod, ask.pause),
            PodChange::Nominate(Some(_)) if assumed => self.withdraw_broken_nomination(ask.pod, true),
            PodChange::Evict { .. } => self.cancel_eviction(ask.pod, ask.plan),
            _ => {}
        }
    }

    /// Cancels the departure of a victim, and withdraws the nominations that needed its room. The plan is refused to the policy.
    fn cancel_eviction(&mut self, victim: PodId, plan: u64) {
        let Some(departure) = self.planned_evictions.set(victim, None) else { return };
        if plan == EXTERNAL_PLAN {
            return;
        }
        for pod in departure.beneficiaries {
            self.withdraw_broken_nomination(pod, false);
        }
        self.planned_evictions.cancel_plan(plan);
        self.instance.pending_notices.push(Event::PlanRefused(plan));
    }
}
