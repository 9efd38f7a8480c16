//! What a system wants to be told, as its description says it.

use crate::contract::{Interests, KindInterest};

/// These labels and annotations of pods (`*` stands for all), and objects of these groups and kinds. No system reads labels of nodes.
pub fn interests(labels: &[&str], annotations: &[&str], kinds: &[(&str, &str)]) -> Interests {
    let list = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
    let kind = |(group, kind): &(&str, &str)| KindInterest { group: (*group).to_owned(), kind: (*kind).to_owned() };
    Interests {
        labels: list(labels),
        annotations: list(annotations),
        node_labels: Vec::new(),
        kinds: kinds.iter().map(kind).collect(),
    }
}
