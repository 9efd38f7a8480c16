//! Takes back what an input has decided, where it cannot be taken to its end.

use lictor_contract::{Mark, PodId};

use super::Session;
use super::command::CommandId;
use crate::cluster::Change;
use crate::verify::{Departure, Place};

/// How one step is taken back.
#[derive(Debug)]
pub(super) enum Undo {
    /// A command was issued.
    Asked(CommandId),
    /// A pod was held, or let go; where it was held before.
    Held(PodId, Option<Place>),
    /// A victim was planned to leave; what was planned before.
    Departure(PodId, Option<Departure>),
    /// Marks were written on a pod that is given a node, or taken off; those that were written before.
    Written(PodId, Option<(CommandId, Vec<Mark>)>),
}

impl Session {
    /// Nothing up to here is taken back any more: it is what the cluster says, or an input that was taken to its end.
    pub(super) fn commit(&mut self) {
        self.journal.clear();
        self.kept = self.happened.clone();
    }

    /// Takes back what was decided since the last commit. No command of it has been handed out.
    pub(super) fn roll_back(&mut self) {
        while let Some(undo) = self.journal.pop() {
            match undo {
                Undo::Asked(id) => {
                    self.asked.outbox.retain(|command| command.id != id);
                    if let Some(ask) = self.asked.open.remove(&id) {
                        self.mirror.retract(ask.pod, id);
                    }
                }
                Undo::Held(pod, place) => {
                    self.occupancy.hold(pod, place);
                }
                Undo::Departure(victim, departure) => {
                    self.departures.set(victim, departure);
                }
                Undo::Written(pod, before) => {
                    self.set_written(pod, before);
                }
            }
        }
        self.journal.clear();
        self.happened = std::mem::take(&mut self.kept);
        self.reorder = false;
    }

    /// Marks are assumed on a pod that is given a node; those that were before.
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
            self.mirror.assume(pod, id, Change::Mark(marks.clone()));
            self.written.insert(pod, (id, marks));
        }
        before
    }
}
