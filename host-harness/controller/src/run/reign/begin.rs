//! The beginning of a session.

use lictor_host::living::InitialObjects;

use super::{CheckpointStatus, LeaderLoop};
use crate::decide::stopping::ObjectDeletions;
use crate::decide::{Decider, RunMode, SessionFact};
use crate::run::SessionSetup;
use crate::run::listener::LoopObserver;

impl<L: LoopObserver> LeaderLoop<L> {
    /// Begins the session after all kinds were listed, with the stored state of an earlier process where there is one.
    pub(super) fn begin(&mut self) {
        let Some(SessionSetup { session: talk, points, .. }) = self.setup.take() else { return };
        let (mut listed, mut stopping) = (InitialObjects::default(), ObjectDeletions::default());
        let now = self.clock.now();
        self.pending_changes.iter().for_each(|news| stopping.observe(news, now));
        for fact in self.session_facts() {
            match fact {
                SessionFact::Upserted(object) => listed.upsert(*object),
                SessionFact::Deleted(key) => listed.remove(&key),
                SessionFact::Outcome(..) => {}
            }
        }
        // A process that only reports what it would do takes nothing over.
        let acts = self.settings.mode == RunMode::Enforce;
        let saved =
            self.checkpoint_store.as_mut().and_then(|keep| match if acts { keep.take_over() } else { keep.load() } {
                Ok(saved) => saved,
                Err(why) => {
                    self.observer.checkpoint_failed(&why);
                    self.checkpoint = CheckpointStatus::Failed;
                    None
                }
            });
        let objects = listed.into_objects().collect();
        let begun = Decider::begin(talk, self.settings.mode, &points, self.clock.now(), objects, saved);
        let (mut decider, mut turn) = begun;
        decider.set_plan_timeouts(self.settings.plan_timeouts);
        decider.set_stopping(stopping);
        decider.recover(self.victims.all().cloned(), self.deletes_victims, &mut turn);
        self.clock.advance_to(decider.session().mirror().now());
        self.carry_out(&mut decider, turn, None);
        self.decider = Some(decider);
    }
}
