//! The interests that a system declares: which labels, annotations and objects the host must report.

use crate::contract::{Interests, KindInterest};

/// The scheduler of every pod that names no scheduler.
pub const DEFAULT_SCHEDULER: &str = "default-scheduler";

/// Returns the names of the schedulers that a system stands for.
pub fn schedulers(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Returns interests in pod labels, pod annotations (`*` means all) and object kinds, each with its API group. No system reads node labels.
pub fn interests(labels: &[&str], annotations: &[&str], kinds: &[(&str, &str)]) -> Interests {
    let list = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
    let kind = |(group, kind): &(&str, &str)| KindInterest { group: (*group).to_owned(), kind: (*kind).to_owned() };
    Interests {
        labels: list(labels),
        annotations: list(annotations),
        kinds: kinds.iter().map(kind).collect(),
        ..Interests::default()
    }
}
