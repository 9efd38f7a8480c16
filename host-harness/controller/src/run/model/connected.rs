//! The processes that are connected to the API server, and their watches. Each watch is late by a time of its own.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lictor_host::driver::random::Random;
use tokio::task::AbortHandle;

use super::server::ApiServerState;
use crate::watch::{GroupKind, WatchMessage};

/// The most changes that a watch repeats when it resumes at an earlier version.
const REPEATED: usize = 8;

/// A process that is connected to the API server.
pub(super) struct ConnectedProcess {
    /// Ends the requests of the process.
    works: AbortHandle,
    /// Whether another process is to lead, and this one does not know that.
    pub(super) is_deposed: bool,
    watches: BTreeMap<GroupKind, WatchFeed>,
}

/// The messages of a watch.
#[derive(Default)]
struct WatchFeed {
    /// The messages that were not delivered yet.
    pending: VecDeque<WatchMessage>,
    /// The changes that were delivered last, the oldest one first.
    delivered: VecDeque<WatchMessage>,
}

impl WatchFeed {
    /// Begins a new list: the changes that were not delivered are lost.
    fn list(&mut self, listed: VecDeque<WatchMessage>) {
        if matches!(listed.front(), Some(WatchMessage::KindMissing)) {
            self.delivered.clear();
        }
        self.pending = listed;
    }

    /// Resumes at an earlier version: the last changes come again, in their order. After a list, the list contains them already.
    fn repeat(&mut self) {
        let is_end = |message: &WatchMessage| matches!(message, WatchMessage::ListCompleted);
        let again = self.delivered.iter().cloned();
        match self.pending.iter().position(is_end) {
            Some(end) if end + 1 == self.pending.len() => self.pending.extend(again),
            // A watch begins after its list.
            Some(_) => {}
            None => self.pending = again.chain(std::mem::take(&mut self.pending)).collect(),
        }
    }

    /// Takes the next messages. Each comes twice where `comes_twice` says so.
    fn deliver(&mut self, count: usize, mut comes_twice: impl FnMut() -> bool) -> Vec<WatchMessage> {
        let mut messages = Vec::new();
        for message in self.pending.drain(..count) {
            if comes_twice() {
                messages.push(message.clone());
            }
            if matches!(message, WatchMessage::Upserted(_) | WatchMessage::Deleted(_)) {
                self.delivered.push_back(message.clone());
            }
            messages.push(message);
        }
        let forgotten = self.delivered.len().saturating_sub(REPEATED);
        self.delivered.drain(..forgotten);
        messages
    }
}

impl ApiServerState {
    /// Connects a process that begins. Its watches begin with a list.
    pub(super) fn connect(&mut self, process: u64, works: AbortHandle, kinds: &BTreeSet<GroupKind>) {
        let watches = kinds.iter().map(|kind| (kind.clone(), WatchFeed::default())).collect();
        self.processes.insert(process, ConnectedProcess { works, is_deposed: false, watches });
        kinds.iter().for_each(|kind| self.list_for(process, kind));
    }

    /// Ends a process at once where it still runs: nothing more is sent.
    pub(super) fn end(&mut self, process: u64) {
        if let Some(ended) = self.processes.remove(&process) {
            ended.works.abort();
            self.observer.add_line(|| format!("process {process} ends"));
        }
    }

    /// Lets another process lead from now on. This one does not know that, and continues to write.
    pub(super) fn depose(&mut self, process: u64) {
        if let Some(deposed) = self.processes.get_mut(&process) {
            deposed.is_deposed = true;
            self.observer.add_line(|| format!("process {process} has lost the lead, and does not know that"));
        }
    }

    /// Adds a message to the watches of a kind.
    pub(super) fn notify(&mut self, kind: &GroupKind, seen: &WatchMessage) {
        if self.faults.absent.contains(kind) {
            return;
        }
        for feed in self.processes.values_mut().filter_map(|process| process.watches.get_mut(kind)) {
            feed.pending.push_back(seen.clone());
        }
    }

    /// Lists everything of a kind anew, for each process.
    pub(super) fn list(&mut self, kind: &GroupKind) {
        let processes: Vec<u64> = self.processes.keys().copied().collect();
        processes.into_iter().for_each(|process| self.list_for(process, kind));
    }

    /// Lists everything of a kind anew, for a process.
    fn list_for(&mut self, process: u64, kind: &GroupKind) {
        let listed = match self.faults.absent.contains(kind) {
            true => VecDeque::from([WatchMessage::KindMissing]),
            false => {
                let all = self.all(kind).cloned().map(WatchMessage::Upserted);
                [WatchMessage::ListStarted].into_iter().chain(all).chain([WatchMessage::ListCompleted]).collect()
            }
        };
        if let Some(feed) = self.processes.get_mut(&process).and_then(|process| process.watches.get_mut(kind)) {
            feed.list(listed);
        }
    }

    /// Takes all that the watches of a process have not delivered yet.
    pub(super) fn deliver_all(&mut self, process: u64) -> Vec<(GroupKind, WatchMessage)> {
        let watches = self.processes.get_mut(&process).into_iter().flat_map(|process| &mut process.watches);
        let all = watches.flat_map(|(kind, feed)| {
            let messages = feed.deliver(feed.pending.len(), || false);
            messages.into_iter().map(|message| (kind.clone(), message))
        });
        all.collect()
    }

    /// Takes some of what the watches of a process have not delivered yet. Sometimes a message comes twice, or a watch is cut: then it lists again, or
    /// repeats its last messages, or both.
    pub(super) fn deliver_some(&mut self, process: u64) -> Vec<(GroupKind, WatchMessage)> {
        let kinds: Vec<GroupKind> =
            self.processes.get(&process).into_iter().flat_map(|process| process.watches.keys().cloned()).collect();
        let mut messages = Vec::new();
        for kind in kinds {
            let cut = self.random.below(400);
            if cut <= 1 {
                self.list_for(process, &kind);
            }
            let random: &mut Random = &mut self.random;
            let Some(feed) = self.processes.get_mut(&process).and_then(|process| process.watches.get_mut(&kind)) else {
                continue;
            };
            if (1..=6).contains(&cut) {
                feed.repeat();
            }
            if feed.pending.is_empty() || !random.percent(40) {
                continue;
            }
            let count = random.below(feed.pending.len() + 1);
            let delivered = feed.deliver(count, || random.below(50) == 0);
            messages.extend(delivered.into_iter().map(|message| (kind.clone(), message)));
        }
        messages
    }
}
