//! Carries out in a living cluster what a policy decides, next to an unchanged kube-scheduler.
//!
//! Pods are held by a scheduling gate from their creation. The session decides about them, and its decisions are carried out through the API server:
//! victims are evicted, preemptors nominated, and when the room is free a pod is let go for its node in one patch. kube-scheduler binds the pod and
//! remains the judge of everything else.
//!
//! [`run`](run::run) ties the parts together. Decisions are pure, without input or output: [`view`] (the view of the session), [`watch::store`] (the
//! changes), [`decide`] (the tasks), [`carry_out::patch`] (the patches). Input and output stand at the edge: [`watch::stream`],
//! [`carry_out::KubeApi`], [`state`]. [`report`], [`mark`] and [`ops`] report, and [`lease`] elects the leader.

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
