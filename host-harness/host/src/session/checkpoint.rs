//! What a session holds that the cluster does not show, to be stored and restored.
//!
//! A driver that may be killed stores a checkpoint after every step with commands, before it carries any of them out. Then a session that
//! is restored from it knows of every command that may have been carried out, and asks what became of it.

mod saved;

use lictor_contract::{ExtensionPoint, Finding, PodId, Severity, StateError};
use serde::{Deserialize, Serialize};

use super::asked::PendingCommand;
use super::command::{Command, CommandAction, CommandId, ObjectRef};
use super::counters::add;
use super::{FailureCause, Session, SessionError};
use crate::cluster::PodChange;
use crate::policy::{CallError, Policy};
use crate::replace::PolicyCheckpoint;
use crate::verify::PlannedEviction;
use saved::{SavedCommand, SavedEviction, SavedHold, SavedPolicy};

/// The version of the layout of a checkpoint.
const FORMAT: u32 = 1;

/// The state of a session that the cluster does not show. Objects are named by kind, namespace, name and uid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionCheckpoint {
    format: u32,
    now: i64,
    last_command: CommandId,
    asked: Vec<SavedCommand>,
    held: Vec<SavedHold>,
    leaving: Vec<SavedEviction>,
    policy: Option<SavedPolicy>,
    /// The memory of the other policy, while the policy is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    beside: Option<SavedPolicy>,
    /// The highest plan number.
    #[serde(default)]
    last_plan: u64,
}

impl SessionCheckpoint {
    /// Removes the pods that were held at permit, for a driver that has released them.
    pub fn without_permit_holds(self) -> SessionCheckpoint {
        SessionCheckpoint { held: Vec::new(), ..self }
    }
}

impl Session {
    /// Returns the state of the session that the cluster does not show. Where the policy fails, or is not called because the breaker is open, the
    /// checkpoint has the policy's last saved memory: a driver always gets a checkpoint.
    ///
    /// # Errors
    /// None that a policy causes. Such faults are counted, and are reported by the inputs.
    pub fn checkpoint(&mut self) -> Result<SessionCheckpoint, SessionError> {
        match self.run_input(|| "checkpoint".to_owned(), Session::take_checkpoint) {
            Err(error) if error.cause.is_fault() => Ok(self.current_checkpoint()),
            taken => taken,
        }
    }

    /// Restores a checkpoint in a session that was opened with the same settings and has received the current objects of the cluster.
    ///
    /// Commands that the cluster shows as done are done. The other commands count as in flight, and the next step has a `Confirm` command for each.
    /// Pods that do not exist any more are left out.
    ///
    /// # Errors
    /// The checkpoint has another layout, or the policy fails.
    pub fn restore(&mut self, checkpoint: SessionCheckpoint) -> Result<(), SessionError> {
        let mut checkpoint = Some(checkpoint);
        let input = || "restored checkpoint".to_owned();
        self.run_input(input, |session| {
            if let Some(found) = checkpoint.as_ref().map(|saved| saved.format).filter(|found| *found != FORMAT) {
                return Err(FailureCause::CheckpointFormat { found, known: FORMAT });
            }
            session.ensure_instance()?;
            session.sync()?;
            checkpoint.take().map_or(Ok(()), |saved| session.resume_from(saved))?;
            // A new instance, started because the former one broke, gets the restored memory.
            session.ensure_instance()?;
            // The policy is called for `enforce` with the next clock input.
            session.due.enforce_at = session.decides(ExtensionPoint::Enforce).then(|| session.mirror.now());
            session.sync()
        })
    }

    fn take_checkpoint(&mut self) -> Result<SessionCheckpoint, FailureCause> {
        if self.instance.is_breaker_open() {
            self.observe_only()?;
            return Ok(self.current_checkpoint());
        }
        self.ensure_instance()?;
        self.sync()?;
        match self.policy.save() {
            Err(CallError::MissingInterface(_)) => self.policy.set_last_checkpoint(None),
            saved => drop(saved?),
        }
        Ok(self.current_checkpoint())
    }

    /// Returns the current state of the session, with the policy's last saved memory.
    fn current_checkpoint(&self) -> SessionCheckpoint {
        let asked = self.pending_commands.in_flight.iter().map(|(id, PendingCommand { object, change, plan, .. })| {
            SavedCommand { id: *id, object: object.clone(), change: change.clone(), plan: *plan }
        });
        let held = self.occupancy.permit_holds().iter().filter_map(|(pod, place)| {
            let written =
                self.pending_commands.assumed_marks.get(&pod).map(|(_, marks)| PodChange::Mark(marks.clone()));
            Some(SavedHold {
                object: self.object_ref(pod)?,
                node: self.mirror.node(place.node)?.name.clone(),
                deadline: place.deadline,
                written,
            })
        });
        let leaving = self.planned_evictions.iter().filter_map(|(victim, PlannedEviction { plan, beneficiaries })| {
            let beneficiaries = beneficiaries.iter().filter_map(|pod| self.object_ref(*pod)).collect();
            Some(SavedEviction { object: self.object_ref(victim)?, plan: *plan, beneficiaries })
        });
        SessionCheckpoint {
            format: FORMAT,
            now: self.mirror.now(),
            last_command: self.pending_commands.last(),
            asked: asked.collect(),
            held: held.collect(),
            leaving: leaving.collect(),
            policy: self.policy.last_checkpoint().map(SavedPolicy::from),
            beside: self.policy.shadow_checkpoint().map(SavedPolicy::from),
            last_plan: self.policy.last_plan(),
        }
    }

    fn resume_from(&mut self, saved: SessionCheckpoint) -> Result<(), FailureCause> {
        self.mirror.set_clock(saved.now);
        self.pending_commands.reserve_numbers(saved.last_command);
        for ask in saved.asked {
            self.resume_command(ask);
        }
        for SavedEviction { object, plan, beneficiaries } in saved.leaving {
            let Some(victim) = self.pod_of_object(&object) else { continue };
            let beneficiaries = beneficiaries.iter().filter_map(|pod| self.pod_of_object(pod)).collect();
            self.planned_evictions.set(victim, Some(PlannedEviction { plan, beneficiaries }));
        }
        for SavedHold { object, node, deadline, written } in saved.held {
            let (Some(pod), Some(node)) = (self.pod_of_object(&object), self.mirror.node_id(&node)) else { continue };
            if !self.mirror.pod(pod).is_some_and(|pod| self.occupancy.is_pending(pod)) {
                continue;
            }
            if let Some(PodChange::Mark(marks)) = written {
                let number = self.pending_commands.number();
                self.set_assumed_marks(pod, Some((number, marks)));
            }
            let place = self.occupancy.new_hold(node, deadline);
            self.occupancy.hold(pod, Some(place));
        }
        // The state from the cluster and the checkpoint stays, even where the policy rejects it.
        self.commit();
        self.policy.reserve_plans(saved.last_plan);
        self.policy.set_last_checkpoint(saved.policy.map(PolicyCheckpoint::from));
        self.sync()?;
        if self.decides(ExtensionPoint::Reserve) {
            self.replay_reservations()?;
        }
        self.restore_policy_or(saved.beside.map(PolicyCheckpoint::from))
    }

    /// Restores the policy's memory from its last checkpoint. A checkpoint that the policy refuses is lost, which is a finding.
    pub(super) fn restore_policy(&mut self) -> Result<(), FailureCause> {
        self.restore_policy_or(None)
    }

    /// Restores the policy's memory from its last checkpoint, or else from `other`: the checkpoint of the other policy of a replacement.
    fn restore_policy_or(&mut self, other: Option<PolicyCheckpoint>) -> Result<(), FailureCause> {
        let Some(saved) = self.policy.last_checkpoint().cloned() else { return Ok(()) };
        let Some(why) = self.refusal_to_restore(&saved)? else { return Ok(()) };
        if let Some(other) = other
            && self.refusal_to_restore(&other)?.is_none()
        {
            return Ok(());
        }
        self.record_lost_checkpoint(&why);
        Ok(())
    }

    /// Restores a checkpoint. Returns why the policy refuses it. `None`: the policy has taken the checkpoint.
    fn refusal_to_restore(&mut self, saved: &PolicyCheckpoint) -> Result<Option<String>, FailureCause> {
        Ok(Some(match self.policy.restore_checkpoint(saved) {
            Ok(Ok(())) => {
                self.instance.record_restore();
                return Ok(None);
            }
            Ok(Err(StateError::UnknownFormat(known))) => {
                format!("it has format {}, the policy knows {known}", saved.checkpoint.format)
            }
            Ok(Err(StateError::Malformed(what))) => what,
            Err(CallError::MissingInterface(_)) => "the policy takes none".to_owned(),
            Err(fault) => {
                if self.instance.record_restore_failure() {
                    self.policy.set_last_checkpoint(None);
                    self.record_lost_checkpoint(&fault.to_string());
                }
                return Err(fault.into());
            }
        }))
    }

    /// Records that the policy's memory is lost: as a finding, and in a counter.
    pub(super) fn record_lost_checkpoint(&mut self, why: &str) {
        add(&mut self.instance.counters.checkpoints_lost, 1);
        let lost = Finding {
            severity: Severity::Warning,
            object: "Checkpoint".to_owned(),
            path: String::new(),
            message: format!("what the policy remembered is lost, because it does not take the checkpoint: {why}"),
            remedy:
                "restore checkpoints with the version of the policy that took them, or wait: it learns from the cluster"
                    .to_owned(),
        };
        self.findings.extend_new(vec![lost]);
    }

    /// Restores a command as in flight, and queues a `Confirm` for it unless the cluster shows its result.
    fn resume_command(&mut self, SavedCommand { id, object, change, plan }: SavedCommand) {
        let Some(pod) = self.pod_of_object(&object) else { return };
        self.mirror.assume(pod, id, change.clone());
        let since = self.mirror.now();
        self.pending_commands
            .in_flight
            .insert(id, PendingCommand { pod, object: object.clone(), change, plan, since, pause: 0 });
        self.reconcile_command(id, pod);
        if self.pending_commands.in_flight.contains_key(&id) {
            self.pending_commands.outbox.push(Command { id, object, action: CommandAction::Confirm });
        }
    }

    /// Returns the victims of plans that are still in the cluster.
    pub fn victims(&self) -> impl Iterator<Item = PodId> {
        self.planned_evictions.iter().map(|(victim, _)| victim)
    }

    /// Returns the pod of an object. `None`: the pod does not exist, or another pod of the same name has replaced it.
    pub(super) fn pod_of_object(&self, object: &ObjectRef) -> Option<PodId> {
        let pod = self.mirror.pod_id(&object.pod_name())?;
        let uid = &self.mirror.pod(pod)?.uid;
        (uid.is_empty() || object.uid.is_empty() || *uid == object.uid).then_some(pod)
    }
}
