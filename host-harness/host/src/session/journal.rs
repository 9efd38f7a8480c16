//! Takes back what an input has decided, where it cannot be taken to its end.

use lictor_contract::{Mark, PodId};

use super::command::CommandId;
use super::{Session, SessionReport};
use crate::cluster::PodChange;
use crate::verify::{PermitHold, PlannedEviction};

/// An entry of the undo log of one step.
#[derive(Debug)]
pub(super) enum UndoEntry {
    /// A command was issued.
    Command(CommandId),
    /// A pod was held or released; its former place.
    PermitHold(PodId, Option<PermitHold>),
    /// The departure of a victim was planned or cancelled; the former departure.
    PlannedEviction(PodId, Option<PlannedEviction>),
    /// An eviction was counted for the rails.
    EvictionRecord(PodId),
    /// Marks were assumed on a reserved pod or dropped; the former marks.
    AssumedMarks(PodId, Option<(CommandId, Vec<Mark>)>),
}

/// The decisions of the current input, and how to undo them.
#[derive(Debug, Default)]
pub(super) struct Journal {
    /// The undo log of the current input.
    pub(super) undo_log: Vec<UndoEntry>,
    pub(super) report: SessionReport,
    /// The part of `report` that stays when the input fails.
    pub(super) committed_report: SessionReport,
}

impl Session {
    /// Makes everything up to here permanent: observations of the cluster, or a completed input.
    pub(super) fn commit(&mut self) {
        self.journal.undo_log.clear();
        self.journal.committed_report = self.journal.report.clone();
    }

    /// Undoes the decisions since the last commit. None of their commands has been handed out.
    pub(super) fn roll_back(&mut self) {
        while let Some(undo) = self.journal.undo_log.pop() {
            match undo {
                UndoEntry::Command(id) => {
                    self.pending_commands.outbox.retain(|command| command.id != id);
                    if let Some(ask) = self.pending_commands.in_flight.remove(&id) {
                        self.mirror.retract(ask.pod, id);
                    }
                }
                UndoEntry::PermitHold(pod, place) => {
                    self.occupancy.hold(pod, place);
                }
                UndoEntry::PlannedEviction(victim, departure) => {
                    self.planned_evictions.set(victim, departure);
                }
                UndoEntry::EvictionRecord(victim) => self.planned_evictions.history_mut().take_back(victim),
                UndoEntry::AssumedMarks(pod, before) => {
                    self.set_assumed_marks(pod, before);
                }
            }
        }
        self.journal.undo_log.clear();
        self.journal.report = std::mem::take(&mut self.journal.committed_report);
        self.due.is_queue_stale = false;
    }

    /// Sets the marks that are assumed on a reserved pod. Returns the former marks.
    pub(super) fn set_assumed_marks(
        &mut self,
        pod: PodId,
        written: Option<(CommandId, Vec<Mark>)>,
    ) -> Option<(CommandId, Vec<Mark>)> {
        let before = self.pending_commands.assumed_marks.remove(&pod);
        if let Some((id, _)) = &before {
            self.mirror.retract(pod, *id);
        }
        if let Some((id, marks)) = written {
            self.mirror.assume(pod, id, PodChange::Mark(marks.clone()));
            self.pending_commands.assumed_marks.insert(pod, (id, marks));
        }
        before
    }
}
