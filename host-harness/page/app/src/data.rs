//! What the engine is asked and answers, as far as the page shows it. The names are those of `lictor decide --output json`.

mod answer;
mod given;
mod record;
mod what_if;

pub use answer::{Answer, Counted, Evicted, Explanation, LookedAt, Note, Why};
pub use given::{Example, Given, Law, Summary, Written};
pub use record::{Account, Amounts, Attempt, Cycle, Finding, Nodes, Reason, Record, Victim};
pub use what_if::{Change, WhatIf};
