//! What a policy may use.

use std::time::Duration;

/// The bounds of one policy. The defaults are far above what a sound policy needs for 5,000 nodes and 50,000 pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory of an instance: linear memories and tables together. 512 MiB by default: 50,000 pods take about 30,
    /// and ten times as many about 260.
    pub memory_bytes: usize,
    /// How long one call may take. 10 s by default: the longest, a preemption that scans all nodes for a large job, is a
    /// matter of milliseconds, and events are told in chunks. Kept to about a hundredth of a second.
    pub call_deadline: Duration,
    /// Bytes of the answer to one call. 64 MiB by default: the verdicts on 5,000 nodes are 5 KB.
    pub result_bytes: usize,
    /// Bytes of a component. 32 MiB by default: the built-in one has about 3.
    pub component_bytes: usize,
    /// How long a component may take to compile. 60 s by default: the built-in one takes about 2, unoptimised.
    pub compile_deadline: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            memory_bytes: 512 << 20,
            call_deadline: Duration::from_secs(10),
            result_bytes: 64 << 20,
            component_bytes: 32 << 20,
            compile_deadline: Duration::from_secs(60),
        }
    }
}
