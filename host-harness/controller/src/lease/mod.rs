//! Leader election on a Lease of `coordination.k8s.io/v1`: one of several controllers carries decisions out, the others stand by.
//!
//! The rules are those of client-go (`tools/leaderelection`), with its times. A candidate takes the lease when the lease has not changed for its
//! whole duration, by the candidate's own clock: the times in the lease are for people, and clocks that differ do no harm. A leader renews, and stops
//! leading when no renewal that it sent within [`LeaseTimings::renew`] was accepted: that is before any other candidate may take the lease. client-go counts
//! from the beginning of an attempt to renew. Here the time is counted from the last request that succeeded, from the moment at which it was sent, so
//! that a slow answer shortens the time and never lengthens it.
//!
//! [`Elector`] decides and takes answers; [`run_election`] sends the requests. Whether this process leads is a `watch` channel.

mod elector;
mod keep;
#[cfg(test)]
mod tests;

use std::time::Duration;

use jiff::Timestamp;

pub use elector::{Elector, ElectorAction};
pub use keep::{ElectionConfig, run_election};

/// The times of an election.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseTimings {
    /// How long other candidates leave an unchanged lease alone: 15 s. At least a second.
    pub duration: Duration,
    /// How long a leader leads without a renewal: 10 s. Shorter than `duration`.
    pub renew: Duration,
    /// The time between two attempts, to take the lease or to renew it: 2 s. Shorter than `renew`.
    pub retry: Duration,
}

impl Default for LeaseTimings {
    fn default() -> LeaseTimings {
        LeaseTimings {
            duration: Duration::from_secs(15),
            renew: Duration::from_secs(10),
            retry: Duration::from_secs(2),
        }
    }
}

/// The fields of a lease.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeaseRecord {
    /// The holder; empty where the lease was given back.
    pub holder: String,
    /// How long other candidates leave the lease alone, in seconds. `None`: the lease does not say.
    pub seconds: Option<i32>,
    /// When the holder took the lease.
    pub acquired: Option<Timestamp>,
    /// When the holder renewed the lease last.
    pub renewed: Option<Timestamp>,
    /// How often the lease changed hands.
    pub transitions: i32,
}

/// A lease as the API server has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedLease {
    /// The resourceVersion of the lease.
    pub version: String,
    /// The fields of the lease.
    pub record: LeaseRecord,
}

/// A request about the lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseRequest {
    /// Read it.
    Read,
    /// Create it.
    Create(LeaseRecord),
    /// Replace it, as long as it has this resourceVersion.
    Replace(ObservedLease),
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseResponse {
    /// The lease, as it was read or as it is written now.
    Lease(ObservedLease),
    /// The lease does not exist.
    Missing,
    /// Another process was faster: the lease exists already, or has another resourceVersion.
    Conflict,
    /// No answer, or a refusal. The request may have been carried out.
    Failed,
}
