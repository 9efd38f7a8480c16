//! Progress of long operations: only on a terminal, and only after one second.

use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The delay before anything is shown.
const SHOW_DELAY: Duration = Duration::from_secs(1);

/// A long operation, shown until this value is dropped.
pub(super) struct ProgressDisplay {
    bar: ProgressBar,
    display_thread: Option<(Sender<()>, JoinHandle<()>)>,
}

impl ProgressDisplay {
    /// Starts an operation of unknown length.
    pub(super) fn of(what: &'static str) -> ProgressDisplay {
        ProgressDisplay::start(ProgressBar::new_spinner(), "{spinner} {msg} ({elapsed})", what)
    }

    /// Starts an operation with a number of parts.
    pub(super) fn of_parts(what: &'static str, parts: usize) -> ProgressDisplay {
        let bar = ProgressBar::new(u64::try_from(parts).unwrap_or(u64::MAX));
        ProgressDisplay::start(bar, "{msg} {bar:40} {pos}/{len} ({elapsed})", what)
    }

    /// Counts a part as done.
    pub(super) fn part_done(&self) {
        self.bar.inc(1);
    }

    fn start(bar: ProgressBar, template: &str, what: &'static str) -> ProgressDisplay {
        bar.set_draw_target(ProgressDrawTarget::hidden());
        bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.set_message(what);
        let (over, waits) = mpsc::channel::<()>();
        let drawn = bar.clone();
        let show = move || {
            if let Err(RecvTimeoutError::Timeout) = waits.recv_timeout(SHOW_DELAY) {
                drawn.set_draw_target(ProgressDrawTarget::stderr());
                drawn.enable_steady_tick(Duration::from_millis(100));
                // The thread ends when the sender is dropped.
                let _ = waits.recv();
                drawn.finish_and_clear();
            }
        };
        let shown = if stderr().is_terminal() { Some((over, thread::spawn(show))) } else { None };
        ProgressDisplay { bar, display_thread: shown }
    }
}

impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        if let Some((over, thread)) = self.display_thread.take() {
            drop(over);
            // A failure to draw must not fail the command.
            let _ = thread.join();
        }
    }
}
