//! Which running pods the laws are asked about, and when: all of them in parts, so that decisions never wait for it.

use std::collections::VecDeque;
use std::time::Duration;

use lictor_contract::{Phase, Pod};
use lictor_host::cluster::Mirror;
use lictor_host::living::nanoseconds;

use crate::report::SECOND;

/// The time from a change to the questions about all running pods, at least, in nanoseconds: many changes are one.
const AFTER_CHANGE: i64 = 5 * SECOND;
/// Without a change they are asked about again after this time: some laws hold for a while only.
const AGAIN: i64 = 300 * SECOND;
/// About this long one part may take.
const PART: Duration = Duration::from_millis(10);
/// The fewest pods of a part, and the most.
const FEWEST: usize = 8;
const MOST: usize = 512;
/// Of the time of the loop the questions may take one part in so many.
const SHARE: i64 = 10;

/// Namespaces whose pods are never held and have no mark: those of the cluster itself.
const OF_THE_CLUSTER: [&str; 3] = ["kube-system", "kube-public", "kube-node-lease"];

/// The questions about all running pods, part by part.
#[derive(Debug)]
pub struct Sweep {
    left: VecDeque<String>,
    part: usize,
    /// When the next part is due, or the next beginning.
    due: i64,
    /// Something has changed since the last beginning.
    is_stale: bool,
    begun: i64,
    /// How long the parts of this sweep took so far, in nanoseconds.
    spent: i64,
}

impl Default for Sweep {
    fn default() -> Sweep {
        Sweep { left: VecDeque::new(), part: 32, due: i64::MIN, is_stale: true, begun: i64::MIN, spent: 0 }
    }
}

impl Sweep {
    /// Notes that something has changed.
    pub fn changed(&mut self, now: i64) {
        if !std::mem::replace(&mut self.is_stale, true) && self.left.is_empty() {
            self.due = self.due.min(self.begun.saturating_add(self.rest()).max(now));
        }
    }

    /// Returns when there is a part to ask about, in nanoseconds since 1970.
    pub fn wake_at(&self) -> i64 {
        self.due
    }

    /// Returns the pods to ask about now, and takes them off the list; empty where none are due.
    pub fn part(&mut self, now: i64, mirror: &Mirror) -> Vec<String> {
        if now < self.due {
            return Vec::new();
        }
        if self.left.is_empty() {
            let names = mirror.pods().filter(|pod| is_marked(pod)).filter_map(|pod| mirror.pod_name(pod.id));
            self.left = names.map(str::to_owned).collect();
            (self.is_stale, self.begun, self.spent) = (false, now, 0);
        }
        let part = self.left.drain(..self.part.min(self.left.len())).collect();
        self.rests(now);
        part
    }

    /// Notes how long the answer to a part took: the next one is as large as can be answered in its time.
    pub fn took(&mut self, now: i64, part: usize, took: Duration) {
        let each = took.as_nanos().checked_div(u128::try_from(part).unwrap_or(u128::MAX)).unwrap_or_default();
        let fits = PART.as_nanos().checked_div(each.max(1)).unwrap_or_default();
        self.part = usize::try_from(fits).unwrap_or(MOST).clamp(FEWEST, MOST);
        self.spent = self.spent.saturating_add(nanoseconds(took));
        self.rests(now.saturating_add(nanoseconds(took).saturating_mul(SHARE)));
    }

    /// Sets when the next part is due: from this time on, or, after the last one, when the next sweep begins.
    fn rests(&mut self, from: i64) {
        self.due = match self.left.is_empty() {
            false => from,
            true if self.is_stale => from.max(self.begun.saturating_add(self.rest())),
            true => self.begun.saturating_add(AGAIN),
        };
    }

    /// Returns the time from the beginning of a sweep to that of the next one, where something has changed.
    fn rest(&self) -> i64 {
        AFTER_CHANGE.max(self.spent.saturating_mul(SHARE))
    }
}

/// Checks that a pod runs, belongs to the schedulers that are decided about, and may have a mark.
fn is_marked(pod: &Pod) -> bool {
    let is_pod = pod.kind.is_none() && !pod.template.foreign;
    let runs = pod.node.is_some() && pod.phase == Phase::Running && !pod.terminating;
    is_pod && runs && !OF_THE_CLUSTER.contains(&pod.template.namespace.as_str())
}
