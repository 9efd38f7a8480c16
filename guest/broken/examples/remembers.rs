//! Remembers what it was asked before it was configured again: every question turns the order.

use std::cell::Cell;

use lictor_broken::{Ages, description};
use lictor_sdk::*;

thread_local! {
    /// How many questions there were since the instance was started.
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

/// The policy.
#[derive(Debug, Default)]
pub struct Remembers(Ages);

impl Policy for Remembers {
    fn describe() -> Description {
        description("remembers")
    }

    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, PolicyError> {
        Ok(self.0.apply(events))
    }

    fn queue_keys(&mut self, pods: Vec<PodId>) -> Result<SortKeys, PolicyError> {
        let epoch = CALLS.get().wrapping_add(1);
        CALLS.set(epoch);
        let mut keys = self.0.keys(&pods)?;
        if epoch.is_multiple_of(2) {
            keys.iter_mut().flatten().for_each(|byte| *byte = !*byte);
        }
        Ok(SortKeys { epoch, keys })
    }
}

lictor_sdk::export!(Remembers);
