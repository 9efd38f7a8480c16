//! A model of the whole: what kube-scheduler with the plugin asks, answered by a conversation with its session and policy, against an API
//! server in memory.
//!
//! kube-scheduler and the plugin are written here as they stand in Go: a queue with backoff and hints, cycles, assumed pods, and the
//! requests that run meanwhile; each file names the Go files that it follows. Watches are late, are cut and list again, and the plugin and
//! kube-scheduler hear of them each at its own pace. Requests are refused, slow or lost, answers of the host are late. Objects are deleted at
//! any moment, also in the middle of a plan. The host is killed and comes back with or without its checkpoint and with another clock, the clock
//! of the machine is set, and kube-scheduler is started anew. In the end all that goes wrong ends, the cluster comes to rest, and an observer
//! judges that knows the objects of the API server, the calls, and the plans that were said.
//!
//! PodDisruptionBudgets come, change and go. The host keeps the rail of budgets, as `lictor serve` does by default.
//!
//! Not modelled is what `GenericWorkload` adds (`groups.go`): it is off as kube-scheduler comes. The protocol has no call of its own for a cycle
//! of a whole PodGroup: `PodGroupPostFilter` requests a plan for the first pod that waits, as PostFilter does.
//!
//! `cargo test --release -p lictor-serve --lib model -- --ignored --nocapture` plays a million steps. `LICTOR_MODEL=SYSTEM:SEED:PLAYS`
//! chooses what is played; of one play, what happened is printed.
#![expect(clippy::arithmetic_side_effects, reason = "tests")]

mod acts;
mod binding;
mod budgets;
mod cycle;
mod feed;
mod hints;
mod host;
mod informer;
mod keys;
mod observer;
mod orders;
mod paces;
mod play;
mod plugin;
mod points;
mod queue;
mod requeue;
mod rest;
mod scheduler;
mod slice;
#[path = "../../../controller/src/run/model/system.rs"]
#[expect(dead_code, reason = "the model of `lictor run` plays one system more")]
mod system;
mod talk;
mod tasks;
mod tests;
mod trouble;
mod victims;
mod world;
