//! Leader election on a Lease of `coordination.k8s.io/v1`: of several controllers one carries out, the others stand by.
//!
//! The rules are those of client-go (`tools/leaderelection`), with its times. A candidate takes the lease when it has not seen it change
//! for as long as the lease lasts, by its own clock: the times that stand in the lease are for people, and clocks that differ do no harm.
//! A leader renews, and stops leading when no renewal that it sent within [`Terms::renew`] was accepted: that is before anybody else may
//! take the lease. client-go counts from the beginning of an attempt to renew; here it is counted from the last request that succeeded,
//! from the moment at which it was sent, so that a slow answer shortens the time and never lengthens it.
//!
//! [`Elector`] decides and is told answers; [`keep`] asks the API server. Whether this process leads is a `watch` channel.

mod elector;
mod keep;
#[cfg(test)]
mod tests;

use std::time::Duration;

use jiff::Timestamp;

pub use elector::{Elector, Next};
pub use keep::{Keep, keep};

/// The times of an election.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// For how long others leave a lease alone that does not change: 15 s. At least a second.
    pub duration: Duration,
    /// A leader stops when it could not renew for so long: 10 s. Shorter than `duration`.
    pub renew: Duration,
    /// The time between two attempts, to take the lease or to renew it: 2 s. Shorter than `renew`.
    pub retry: Duration,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms { duration: Duration::from_secs(15), renew: Duration::from_secs(10), retry: Duration::from_secs(2) }
    }
}

/// What stands in a lease.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// The holder; empty where it was given back.
    pub holder: String,
    /// For how long others leave it alone, in seconds; none where the lease does not say.
    pub seconds: Option<i32>,
    /// When the holder took it.
    pub acquired: Option<Timestamp>,
    /// When the holder renewed it last.
    pub renewed: Option<Timestamp>,
    /// How often it changed hands.
    pub transitions: i32,
}

/// A lease as the API server has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Its resourceVersion.
    pub version: String,
    /// What stands in it.
    pub record: Record,
}

/// A request about the lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Read it.
    Read,
    /// Create it.
    Create(Record),
    /// Replace it, as long as it has this resourceVersion.
    Replace(Seen),
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The lease, as it was read or as it is written now.
    Lease(Seen),
    /// There is none.
    Missing,
    /// Somebody else was faster: it exists already, or has another resourceVersion.
    Conflict,
    /// No answer, or a refusal. The request may have been carried out.
    Failed,
}
