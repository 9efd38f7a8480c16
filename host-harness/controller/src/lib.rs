//! Carries out in a living cluster what a policy decides, beside a stock kube-scheduler.

pub mod lease;
pub mod ops;
pub mod report;
