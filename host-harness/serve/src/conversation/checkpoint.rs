//! The state of a session that the cluster does not show, stored for the next conversation.

use lictor_host::recording::SessionCall;
use lictor_host::session::{Session, SessionCheckpoint};

use super::SchedulerConnection;

impl SchedulerConnection {
    /// Restores the state that the last conversation has stored, when all objects were received. A checkpoint that cannot be read is lost, and the loss is
    /// reported.
    pub(super) fn go_on(&mut self) {
        let Some(kept) = &self.checkpoint else { return };
        let saved: SessionCheckpoint = match kept.load() {
            Ok(Some(saved)) => saved,
            Ok(None) => return,
            Err(why) => return self.report.unsaved(&why),
        };
        // The scheduler preempts every pod that waits at Permit, and reports which ones are being bound.
        let saved = saved.nobody_held();
        let told = SessionCall::Restore(Box::new(saved.clone()));
        if let Err(error) = self.tell(&told, |session| session.restore(saved)) {
            self.report.error(&error);
        }
    }

    /// Stores the state that the next conversation needs. This comes before anything is carried out, so that no command is forgotten.
    pub(super) fn keep(&mut self) {
        if !std::mem::take(&mut self.commanded) || self.checkpoint.is_none() {
            return;
        }
        let saved = self.tell(&SessionCall::Checkpoint, Session::checkpoint).map_err(|error| error.to_string());
        let kept = saved.and_then(|saved| self.checkpoint.iter().try_for_each(|kept| kept.store(&saved)));
        if let Err(why) = kept {
            self.report.unsaved(&why);
        }
    }

    fn tell<T>(&mut self, told: &SessionCall, tell: impl FnOnce(&mut Session) -> T) -> T {
        match &self.recorder {
            None => tell(&mut self.session),
            Some(recorder) => recorder.ask(&mut self.session, told, tell),
        }
    }
}
