//! Answers with one key too few.

use lictor_broken::{Ages, description};
use lictor_sdk::*;

/// The policy.
#[derive(Debug, Default)]
pub struct KeyShort(Ages);

impl Policy for KeyShort {
    fn describe() -> Description {
        description("key-short")
    }

    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, PolicyError> {
        Ok(self.0.apply(events))
    }

    fn queue_keys(&mut self, pods: Vec<PodId>) -> Result<SortKeys, PolicyError> {
        let mut keys = self.0.keys(&pods)?;
        keys.pop();
        Ok(SortKeys { epoch: 0, keys })
    }
}

lictor_sdk::export!(KeyShort);
