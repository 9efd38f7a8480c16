//! The requests to the engine and its answers, as far as the page shows them. The names are those of `lictor decide --output json`. Types that are
//! the same on both sides come from `lictor-decide` itself.

mod answer;
mod given;
mod moment;
mod record;
mod what_if;

pub use lictor_decide::Between;
pub use lictor_decide::edit::{Bound, Edit, Job as NewJob};
pub use lictor_decide::recorded::{Known, START};

pub use answer::{Answer, Counted, Evicted, Explanation, LookedAt, Note, Standing, Why};
pub use given::{Example, Given, Law, Shared, Summary, Written};
pub use moment::Moment;
pub use record::{Account, Amounts, Attempt, Cycle, Finding, Nodes, Plan, Reason, Record, RefusedPlan, Victim};
pub use what_if::{Change, WhatIf};
