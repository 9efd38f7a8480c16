//! How a policy that is to replace another one is told the cluster. See [`crate::replace`].

use lictor_contract::{NodeId, PodId};

use super::{Cause, Session, SessionError};
use crate::cluster::{Part, Reached};
use crate::replace::{Loading, State};

/// How much of the cluster the new policy is told with one input: about so many pods, which takes half a millisecond.
const PART: usize = 128;

impl Session {
    /// Tells the new policy the rest of the cluster at once. For callers for whom nobody waits; otherwise every input tells it a part.
    ///
    /// # Errors
    /// The old policy fails.
    pub fn load_replacement(&mut self) -> Result<(), SessionError> {
        while self.replacement_state() == Some(State::Loading) {
            self.policy.wait();
            let loading = || "loading of the new policy".to_owned();
            self.run(loading, |session| session.up().and_then(|()| session.sync()))?;
        }
        Ok(())
    }

    /// Tells the policy in shadow the next part of the cluster; when it has all of it, the rest. Where one call would take long, that is done
    /// with the next input.
    pub(super) fn load(&mut self, held: Vec<(PodId, NodeId)>) -> Result<(), Cause> {
        let from = match self.policy.loading() {
            Loading::From(from) => from,
            // It goes on with a later input.
            Loading::Busy => return Ok(()),
            // It may not know of what was decided with this input.
            Loading::Ended => return Ok(self.policy.bring_back()?),
        };
        // What has changed is told to the old policy, and to the new one as far as it has come.
        self.sync()?;
        let Part { events, reached, weight } = self.mirror.part(&from, PART);
        let is_small = from == Reached::Nothing && weight <= PART / 2;
        let is_all = reached == Reached::All;
        if from != Reached::All {
            let events = self.countable(events);
            self.policy.feed(events, reached);
        }
        if from == Reached::All || is_all && is_small {
            self.policy.settle_in(held, is_small)?;
        }
        Ok(())
    }
}
