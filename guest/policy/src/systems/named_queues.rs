//! Queues that pods and jobs name and that are not there: the author should know, whatever the system makes of such pods.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Cluster, NameId};
use crate::systems::{Findings, ParsedObject};

/// The name of a queue, an object that names the queue, and the field in which it does.
#[derive(Debug)]
struct QueueReference {
    queue: String,
    object: ParsedObject,
    path: String,
}

/// The queues that are named, each with the first object that names it.
#[derive(Debug, Default)]
pub struct NamedQueues {
    named: BTreeMap<NameId, QueueReference>,
    /// The queues that are reported as missing.
    reported: BTreeSet<NameId>,
    /// The version of the tree of queues at the last report.
    tree_version: u64,
    /// Whether a queue has been named for the first time since the last report.
    has_new: bool,
}

impl NamedQueues {
    /// Notes that an object names a queue in the field at this JSON pointer, and returns the number of the name.
    pub fn record(
        &mut self,
        cluster: &mut Cluster,
        queue: &str,
        object: impl FnOnce() -> ParsedObject,
        path: impl FnOnce() -> String,
    ) -> NameId {
        let symbol = cluster.intern(queue);
        self.named.entry(symbol).or_insert_with(|| {
            self.has_new = true;
            QueueReference { queue: queue.to_owned(), object: object(), path: path() }
        });
        symbol
    }

    /// Forgets the queues that nothing names any more: one that is named again is reported again.
    pub fn sweep(&mut self, used: &BTreeSet<NameId>) {
        self.named.retain(|queue, _| used.contains(queue));
        self.reported.retain(|queue| used.contains(queue));
    }

    /// Makes a finding for each named queue that does not exist, once until the queue exists. `term` is the word of the system for a queue. `outcome`
    /// says what happens to the pods of a queue that does not exist, and is `None` for one that exists.
    pub fn report(
        &mut self,
        cluster: &Cluster,
        term: &str,
        outcome: impl Fn(&str, &ParsedObject) -> Option<String>,
        findings: &mut Findings,
    ) {
        if !std::mem::take(&mut self.has_new) && self.tree_version == cluster.queue_trees() {
            return;
        }
        self.tree_version = cluster.queue_trees();
        let mut named: Vec<(&NameId, &QueueReference)> = self.named.iter().collect();
        named.sort_by_key(|(_, naming)| &naming.queue);
        for (symbol, QueueReference { queue, object, path }) in named {
            match outcome(queue, object) {
                None => drop(self.reported.remove(symbol)),
                Some(outcome) if self.reported.insert(*symbol) => {
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
    cluster.name_id(queue).and_then(|name| cluster.queue_named(name)).is_some()
}
