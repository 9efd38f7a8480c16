//! Of two pods that could make way, the more important one is put back first.
//!
//! Higher priority is more important; of equal ones the older; then the name decides. What is put back last is what is evicted.
//! Koordinator's proposal calls it to assign back, kube-scheduler to reprieve.

use std::cmp::{Ordering, Reverse};

use crate::laws::{Law, Question};
use crate::model::{Cluster, Pod};

/// See the module.
pub const LAW: Law = Law {
    name: "important-first",
    question: Question::Order,
    sentence: "the more important pod is put back first: of higher priority, or older",
    file: include_str!("important_first.rs"),
};

/// Which of two pods is put back first. A pod that has not started counts as started now.
pub fn compare(cluster: &Cluster, a: &Pod, b: &Pod) -> Ordering {
    let key = |pod: &Pod| (Reverse(pod.priority()), pod.started.unwrap_or(cluster.now()), pod.created, pod.rank);
    key(a).cmp(&key(b))
}
