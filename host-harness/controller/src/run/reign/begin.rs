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
        let Some(SessionSetup { talk, points, .. }) = self.opened.take() else { return };
        let (mut listed, mut stopping) = (InitialObjects::default(), ObjectDeletions::default());
        let now = self.clock.now();
        self.news.iter().for_each(|news| stopping.see(news, now));
        for fact in self.facts() {
            match fact {
                SessionFact::There(object) => listed.there(*object),
                SessionFact::Gone(key) => listed.gone(&key),
                SessionFact::Outcome(..) => {}
            }
        }
        // A process that only reports what it would do takes nothing over.
        let acts = self.settings.mode == RunMode::Act;
        let saved = self.keep.as_mut().and_then(|keep| match if acts { keep.take_over() } else { keep.load() } {
            Ok(saved) => saved,
            Err(why) => {
                self.listener.unsaved(&why);
                self.checkpoint = CheckpointStatus::Unsaved;
                None
            }
        });
        let objects = listed.into_objects().collect();
        let begun = Decider::begin(talk, self.settings.mode, &points, self.clock.now(), objects, saved);
        let (mut decider, mut turn) = begun;
        decider.set_patience(self.settings.patience);
        decider.set_stopping(stopping);
        decider.recover(self.victims.all().cloned(), self.deletes_victims, &mut turn);
        self.clock.not_before(decider.session().mirror().now());
        self.carry_out(&mut decider, turn, None);
        self.decider = Some(decider);
    }
}
