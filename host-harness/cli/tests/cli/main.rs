//! The command as its users see it: exit status, standard output, standard error.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

#[path = "../hostile/assemble.rs"]
mod assemble;
mod bad;
mod bench;
mod component;
mod decide;
mod diff;
mod explain;
mod fuzz;
mod laws;
mod limits;
mod parts;
mod quota;
mod rails;
mod record;
mod run;
mod scenarios;
mod serve;
mod snapshot;
mod upgrade;
mod what_if;
