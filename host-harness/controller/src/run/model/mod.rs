//! A model of the whole: the loop of `run`, with its executor, store, session and policy, against an API server in memory.
//!
//! Time is that of the test. Watches are late, are cut and list again, repeat their last messages, and those of two kinds come in any order.
//! Requests are refused, overtaken, slow or lost, or served after their process has ended. Objects are deleted at any moment. The process is
//! killed, loses the lead in the middle of its writes, and is started again with other arguments, with or without its checkpoint, by another
//! clock. A process that has lost the lead without notice continues while the next one leads: the checkpoint that the next one has taken over
//! keeps the two apart. The clock of the API server is set forward and back; the clock of a process cannot be, because a process reads the time
//! of day once. In the end all that goes wrong ends, the cluster comes to rest, and an observer judges that knows only what the API server knows.
//!
//! `cargo test --release -p lictor-controller --lib model -- --ignored --nocapture` plays a million steps. `LICTOR_MODEL=SYSTEM:SEED:PLAYS`
//! chooses what is played; of one play, what happened is printed.
#![expect(clippy::arithmetic_side_effects, reason = "tests")]

mod checkpoint;
mod client;
mod connected;
mod deposed;
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
