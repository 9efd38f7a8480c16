//! The command as its users see it: exit status, standard output, standard error.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod bad;
mod component;
mod decide;
mod laws;
mod run;
mod scenarios;
mod snapshot;
