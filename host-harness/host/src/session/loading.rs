//! Sends the cluster to a policy that is to replace another one. See [`crate::replace`].

use lictor_contract::{NodeId, PodId};

use super::{FailureCause, Session, SessionError};
use crate::cluster::{ReplayChunk, ReplayPosition};
use crate::replace::{ReplacementState, ShadowLoading};

/// The size of a part of the cluster for the new policy: about so many pods, which take half a millisecond.
const CHUNK_WEIGHT: usize = 128;

impl Session {
    /// Sends the new policy the rest of the cluster at once, for callers that may wait. Otherwise every input sends it a part.
    ///
    /// # Errors
    /// The old policy fails.
    pub fn load_replacement(&mut self) -> Result<(), SessionError> {
        while self.replacement_state() == Some(ReplacementState::Loading) {
            self.policy.wait_for_shadow();
            let loading = || "loading of the new policy".to_owned();
            self.run_input(loading, |session| session.ensure_instance().and_then(|()| session.sync()))?;
        }
        Ok(())
    }

    /// Sends the shadow policy the next part of the cluster, or, after the last part, the held pods and the checkpoint. A long call continues during
    /// later inputs.
    pub(super) fn continue_loading(&mut self, held: Vec<(PodId, NodeId)>) -> Result<(), FailureCause> {
        let from = match self.policy.shadow_loading() {
            ShadowLoading::Next(from) => from,
            // The part in progress ends with a later input.
            ShadowLoading::Busy => return Ok(()),
            // The shadow policy may not know the decisions of this input.
            ShadowLoading::Finished => return Ok(self.policy.resync_diverged()?),
        };
        // Changes are sent to the old policy, and to the new one for the parts that it already has.
        self.sync()?;
        let ReplayChunk { events, end: reached, weight } = self.mirror.replay_chunk(&from, CHUNK_WEIGHT);
        let is_small = from == ReplayPosition::Nothing && weight <= CHUNK_WEIGHT / 2;
        let is_all = reached == ReplayPosition::All;
        if from != ReplayPosition::All {
            let events = self.countable(events);
            self.policy.feed_shadow(events, reached);
        }
        if from == ReplayPosition::All || is_all && is_small {
            self.policy.finish_loading(held, is_small)?;
        }
        Ok(())
    }
}
