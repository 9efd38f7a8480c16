//! What the engine answers, as far as the page shows it. The names are those of `lictor decide --output json`.

mod answer;
mod record;

pub use answer::{Answer, Counted, Evicted, LookedAt, Note, Why};
pub use record::{Account, Amounts, Attempt, Cycle, Finding, Nodes, Reason, Record, Victim};
