//! The beginning of a session.

use lictor_host::living::InitialObjects;

use super::LeaderLoop;
use crate::decide::{Decider, SessionFact};
use crate::run::SessionSetup;
use crate::run::listener::LoopObserver;

impl<L: LoopObserver> LeaderLoop<L> {
    /// Begins the session after all kinds were listed, with the stored state of an earlier process where there is one.
    pub(super) fn begin(&mut self) {
        let Some(SessionSetup { session: talk, points, .. }) = self.setup.take() else { return };
        let stopping = self.pending_changes.deletions(self.clock.now());
        let mut listed = InitialObjects::default();
        for fact in self.pending_changes.take_facts(&mut self.observer) {
            match fact {
                SessionFact::Upserted(object) => listed.upsert(*object),
                SessionFact::Deleted(key) => listed.remove(&key),
                SessionFact::Outcome(..) => {}
            }
        }
        let saved = self.checkpoints.load(self.settings.mode, &mut self.observer);
        let objects = listed.into_objects().collect();
        let begun = Decider::begin(talk, self.settings.mode, &points, self.clock.now(), objects, saved);
        let (mut decider, mut turn) = begun;
        decider.set_plan_timeouts(self.settings.plan_timeouts);
        decider.set_stopping(stopping);
        decider.recover(self.pods.victims.all().cloned(), self.deletes_victims, &mut turn);
        self.clock.advance_to(decider.session().mirror().now());
        self.carry_out(&mut decider, turn, None);
        self.decider = Some(decider);
    }
}
