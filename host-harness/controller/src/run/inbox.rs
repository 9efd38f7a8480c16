//! The messages of the watches and of the executor, in batches: a change seldom comes alone.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::carry_out::TaskReport;
use crate::watch::{GroupKind, WatchMessage};

/// The most messages in a batch.
const MOST: usize = 10_000;

/// A message to the loop.
#[derive(Debug)]
pub enum LoopEvent {
    /// A message of a watch.
    Watch(GroupKind, WatchMessage),
    /// A report of the executor about a task.
    Report(TaskReport),
    /// A request to turn the loop.
    Wake,
    /// Decide no more. True: finish the tasks under way. False: another process leads now.
    Stop(bool),
}

/// Waits at most `wait` for a message, then takes the further messages that arrive within `together`. `None`: no sender is left.
pub fn receive_batch(from: &Receiver<LoopEvent>, wait: Duration, together: Duration) -> Option<Vec<LoopEvent>> {
    let first = match from.recv_timeout(wait) {
        Ok(first) => first,
        Err(RecvTimeoutError::Timeout) => return Some(Vec::new()),
        Err(RecvTimeoutError::Disconnected) => return None,
    };
    let begun = Instant::now();
    let mut batch = vec![first];
    while batch.len() < MOST && !matches!(batch.last(), Some(LoopEvent::Stop(_))) {
        match from.recv_timeout(together.saturating_sub(begun.elapsed())) {
            Ok(next) => batch.push(next),
            Err(_) => break,
        }
    }
    Some(batch)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn came() -> LoopEvent {
        LoopEvent::Watch(GroupKind::new("", "Pod"), WatchMessage::ListCompleted)
    }

    #[test]
    fn what_comes_together_is_one_batch() {
        let (send, receive) = channel();
        (0..3).for_each(|_| send.send(came()).unwrap());
        let wait = Duration::from_millis(1);
        assert_eq!(receive_batch(&receive, wait, wait).unwrap().len(), 3);
        assert!(receive_batch(&receive, wait, wait).unwrap().is_empty(), "nothing came in time");
        drop(send);
        assert!(receive_batch(&receive, wait, wait).is_none());
    }

    #[test]
    fn nothing_is_waited_for_after_a_stop() {
        let (send, receive) = channel();
        send.send(came()).unwrap();
        send.send(LoopEvent::Stop(true)).unwrap();
        send.send(came()).unwrap();
        let hour = Duration::from_secs(3600);
        assert_eq!(receive_batch(&receive, hour, hour).unwrap().len(), 2);
    }
}
