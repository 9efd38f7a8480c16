//! A model of the whole: the loop of `run`, with its executor, store, session and policy, against an API server in memory.
//!
//! Time is that of the test. Watches are late, are cut and list again, and those of two kinds come in any order. Requests are refused,
//! overtaken, slow or lost, or served after their process has ended. Objects are deleted at any moment. The process is killed, loses
//! the lead in the middle of its writes, and is started again with other arguments, with or without its checkpoint, by another clock.
//! In the end all that goes wrong ends, the cluster comes to rest, and an observer judges that knows only what the API server knows.
//!
//! `cargo test --release -p lictor-controller --lib model -- --ignored --nocapture` plays a million steps. `LICTOR_MODEL=SYSTEM:SEED:PLAYS`
//! chooses what is played; of one play, what happened is printed.
#![expect(clippy::arithmetic_side_effects, reason = "tests")]

mod client;
mod grace;
mod nodes;
mod observer;
mod play;
mod process;
mod serve;
mod server;
mod strike;
mod sweep;
mod system;
mod teller;
mod tests;
mod trouble;
mod world;
