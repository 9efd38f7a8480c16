//! Queues that pods and jobs name and that are not there: the author should know, whatever the system makes of such pods.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::Cluster;
use crate::systems::{Document, Findings};

/// An object that names a queue, and the field in which it does.
#[derive(Debug)]
struct Naming {
    object: Document,
    path: String,
}

/// The queues that are named, each with the first object that names it.
#[derive(Debug, Default)]
pub struct NamedQueues {
    named: BTreeMap<String, Naming>,
    /// The queues that are reported as missing.
    reported: BTreeSet<String>,
    /// The number of the tree of queues at the last report.
    tree: u64,
    /// A queue has been named for the first time since the last report.
    has_new: bool,
}

impl NamedQueues {
    /// Notes that an object names a queue in the field at this JSON pointer.
    pub fn note(&mut self, queue: &str, object: impl FnOnce() -> Document, path: impl FnOnce() -> String) {
        if !self.named.contains_key(queue) {
            self.named.insert(queue.to_owned(), Naming { object: object(), path: path() });
            self.has_new = true;
        }
    }

    /// Makes a finding for each named queue that does not exist, once until the queue is there. `term` is what the system calls a queue;
    /// `outcome` says what becomes of the pods of a queue that does not exist, and is `None` for one that exists.
    pub fn report(
        &mut self,
        cluster: &Cluster,
        term: &str,
        outcome: impl Fn(&str, &Document) -> Option<String>,
        findings: &mut Findings,
    ) {
        if !std::mem::take(&mut self.has_new) && self.tree == cluster.queue_trees() {
            return;
        }
        self.tree = cluster.queue_trees();
        for (queue, Naming { object, path }) in &self.named {
            match outcome(queue, object) {
                None => drop(self.reported.remove(queue)),
                Some(outcome) if self.reported.insert(queue.clone()) => {
                    let message = format!("{term} `{queue}` does not exist: {outcome}");
                    let remedy = format!("create the {term}, name another one, or add it to the dump");
                    findings.push(object.warning(path, message, &remedy));
                }
                Some(_) => {}
            }
        }
    }
}

/// Returns whether the cluster has a queue of this name.
pub fn exists(cluster: &Cluster, queue: &str) -> bool {
    cluster.symbol(queue).and_then(|name| cluster.queue_named(name)).is_some()
}
