//! Takes back what an input has decided, where it cannot be taken to its end.

use lictor_contract::{Mark, PodId};

use super::Session;
use super::command::CommandId;
use crate::cluster::PodChange;
use crate::verify::{PermitHold, PlannedEviction};

/// An entry of the undo log of one step.
#[derive(Debug)]
pub(super) enum UndoEntry {
    /// A command was issued.
    Asked(CommandId),
    /// A pod was held or released; its former place.
    Held(PodId, Option<PermitHold>),
    /// The departure of a victim was planned or cancelled; the former departure.
    Departure(PodId, Option<PlannedEviction>),
    /// Marks were assumed on a reserved pod or dropped; the former marks.
    Written(PodId, Option<(CommandId, Vec<Mark>)>),
}

impl Session {
    /// Makes everything up to here permanent: observations of the cluster, or a completed input.
    pub(super) fn commit(&mut self) {
        self.journal.clear();
        self.kept = self.happened.clone();
    }

    /// Undoes the decisions since the last commit. None of their commands has been handed out.
    pub(super) fn roll_back(&mut self) {
        while let Some(undo) = self.journal.pop() {
            match undo {
                UndoEntry::Asked(id) => {
                    self.asked.outbox.retain(|command| command.id != id);
                    if let Some(ask) = self.asked.open.remove(&id) {
                        self.mirror.retract(ask.pod, id);
                    }
                }
                UndoEntry::Held(pod, place) => {
                    self.occupancy.hold(pod, place);
                }
                UndoEntry::Departure(victim, departure) => {
                    self.departures.set(victim, departure);
                }
                UndoEntry::Written(pod, before) => {
                    self.set_written(pod, before);
                }
            }
        }
        self.journal.clear();
        self.happened = std::mem::take(&mut self.kept);
        self.reorder = false;
    }

    /// Sets the marks that are assumed on a reserved pod. Returns the former marks.
    pub(super) fn set_written(
        &mut self,
        pod: PodId,
        written: Option<(CommandId, Vec<Mark>)>,
    ) -> Option<(CommandId, Vec<Mark>)> {
        let before = self.written.remove(&pod);
        if let Some((id, _)) = &before {
            self.mirror.retract(pod, *id);
        }
        if let Some((id, marks)) = written {
            self.mirror.assume(pod, id, PodChange::Mark(marks.clone()));
            self.written.insert(pod, (id, marks));
        }
        before
    }
}
