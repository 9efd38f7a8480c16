//! The state of a session that the cluster does not show, stored for the next conversation.

use lictor_host::recording::SessionCall;
use lictor_host::session::{Session, SessionCheckpoint};

use super::SchedulerConnection;

impl SchedulerConnection {
    /// Restores the state that the last conversation has stored, when all objects were received. A checkpoint that cannot be read is lost, and the loss is
    /// reported.
    pub(super) fn restore_checkpoint(&mut self) {
        let Some(kept) = &self.checkpoint else { return };
        let saved: SessionCheckpoint = match kept.load() {
            Ok(Some(saved)) => saved,
            Ok(None) => return,
            Err(why) => return self.observer.checkpoint_failed(&why),
        };
        // The scheduler preempts every pod that waits at Permit, and reports which ones are being bound.
        let saved = saved.without_permit_holds();
        let told = SessionCall::Restore(Box::new(saved.clone()));
        if let Err(error) = self.call_recorded(&told, |session| session.restore(saved)) {
            self.observer.error(&error);
        }
    }

    /// Stores the state that the next conversation needs. This comes before anything is carried out, so that no command is forgotten.
    pub(super) fn store_checkpoint(&mut self) {
        if !std::mem::take(&mut self.has_unsaved_commands) || self.checkpoint.is_none() {
            return;
        }
        let saved =
            self.call_recorded(&SessionCall::Checkpoint, Session::checkpoint).map_err(|error| error.to_string());
        let kept = saved.and_then(|saved| self.checkpoint.iter().try_for_each(|kept| kept.store(&saved)));
        if let Err(why) = kept {
            self.observer.checkpoint_failed(&why);
        }
    }

    fn call_recorded<T>(&mut self, told: &SessionCall, tell: impl FnOnce(&mut Session) -> T) -> T {
        match &self.recorder {
            None => tell(&mut self.session),
            Some(recorder) => recorder.record_call(&mut self.session, told, tell),
        }
    }
}
