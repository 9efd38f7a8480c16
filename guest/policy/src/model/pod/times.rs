//! The times of a pod.

/// The times of a pod, in nanoseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodTimes {
    /// The time when the pod was created.
    pub created: i64,
    /// The time when the pod became known.
    pub entered: i64,
    /// The time when the pod started. `None`: it has not started.
    pub started: Option<i64>,
    /// The time when the pod was placed. `None`: it was not placed.
    pub scheduled: Option<i64>,
}
