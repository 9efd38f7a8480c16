//! Traps when it is asked about a pod that it does not know.
#![expect(clippy::indexing_slicing, reason = "it is broken on purpose")]

use lictor_broken::{Ages, description};
use lictor_sdk::*;

/// The policy.
#[derive(Debug, Default)]
pub struct Traps(Ages);

impl Policy for Traps {
    fn describe() -> Description {
        description("traps")
    }

    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, PolicyError> {
        Ok(self.0.apply(events))
    }

    fn queue_keys(&mut self, pods: Vec<PodId>) -> Result<SortKeys, PolicyError> {
        let keys = pods.iter().map(|pod| KeyBuilder::new().ascending(self.0.0[pod]).build()).collect();
        Ok(SortKeys { epoch: 0, keys })
    }
}

lictor_sdk::export!(Traps);
