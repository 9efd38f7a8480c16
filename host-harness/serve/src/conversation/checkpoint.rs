//! What a session holds that the cluster does not show, kept for the conversation that comes after this one.

use lictor_host::recording::Told;
use lictor_host::session::{Session, SessionCheckpoint};

use super::Conversation;

impl Conversation {
    /// Goes on from what the last conversation has kept, when all objects have been told. A checkpoint that cannot be read is lost, and
    /// that is said.
    pub(super) fn go_on(&mut self) {
        let Some(kept) = &self.checkpoint else { return };
        let saved: SessionCheckpoint = match kept.load() {
            Ok(Some(saved)) => saved,
            Ok(None) => return,
            Err(why) => return self.report.say(&format!("{why}; going on without")),
        };
        // The scheduler lets go of every pod that waits at Permit, and tells which ones are being bound.
        let saved = saved.nobody_held();
        let told = Told::Restore(Box::new(saved.clone()));
        if let Err(error) = self.tell(&told, |session| session.restore(saved)) {
            self.report.error(&error);
        }
    }

    /// Keeps what the next conversation needs. Before anything is carried out, so that none of it is forgotten.
    pub(super) fn keep(&mut self) {
        if !std::mem::take(&mut self.commanded) || self.checkpoint.is_none() {
            return;
        }
        let saved = self.tell(&Told::Checkpoint, Session::checkpoint).map_err(|error| error.to_string());
        let kept = saved.and_then(|saved| self.checkpoint.iter().try_for_each(|kept| kept.store(&saved)));
        if let Err(why) = kept {
            self.report.say(&format!("{why}; going on without"));
        }
    }

    fn tell<T>(&mut self, told: &Told, tell: impl FnOnce(&mut Session) -> T) -> T {
        match &self.recorder {
            None => tell(&mut self.session),
            Some(recorder) => recorder.ask(&mut self.session, told, tell),
        }
    }
}
