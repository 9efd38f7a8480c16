//! Carries out in a living cluster what a policy decides, beside a stock kube-scheduler that nobody has to rebuild.
//!
//! Pods are held by a scheduling gate from their creation. The session decides about them; what it decides is carried out through the API
//! server: victims are evicted, preemptors nominated, and when the room is there a pod is let go for its node in one patch.
//! kube-scheduler binds it and remains the judge of everything else.
//!
//! [`run`](run::run) ties it together. What decides is pure and has no input or output: [`view`] (what the session is shown), [`watch::store`]
//! (what is news), [`decide`] (what is to be done), [`carry_out::patch`] (how). Input and output stand at the edge: [`watch::stream`],
//! [`carry_out::KubeApi`], [`state`]. [`report`], [`mark`] and [`ops`] say what goes on, [`lease`] says who leads.

pub mod carry_out;
pub mod cluster;
pub mod deadline;
pub mod decide;
pub mod dump;
pub mod lease;
pub mod mark;
pub mod names;
pub mod ops;
pub mod report;
pub mod run;
pub mod state;
#[cfg(test)]
mod testing;
pub mod upgrade;
pub mod view;
pub mod watch;

pub use tokio;
