//! A process that has lost the lead and does not know that, while another one leads.

use std::time::Duration;

use tokio::time::Instant;

use super::play::ControllerSimulation;
use super::process::Process;

/// The longest time in which a process does not know that it has lost the lead, in milliseconds.
const MOST: usize = 40_000;

/// A process that has lost the lead and does not know that.
pub(super) struct DeposedProcess {
    pub(super) process: Process,
    /// When the process reads that it has lost the lead, and ends.
    ends: Instant,
}

impl DeposedProcess {
    /// Runs a deposed process, where there is one, until it knows that it does not lead any more, or until `until`.
    pub(super) async fn run_until(slot: &mut Option<DeposedProcess>, until: Instant) {
        let Some(deposed) = slot else { return };
        deposed.process.pass(until.min(deposed.ends)).await;
        if Instant::now() >= deposed.ends || deposed.process.has_ended() {
            slot.take().into_iter().for_each(|deposed| deposed.process.kill());
        }
    }
}

impl ControllerSimulation<'_> {
    /// Lets the process that leads go on for a while, though another one is to lead. The next process takes the checkpoint of this one over.
    pub(super) fn depose(&mut self) {
        self.end_deposed();
        let Some(process) = self.process.take() else { return };
        let Some(checkpoint) = &process.checkpoint else { return process.kill() };
        self.checkpoint = checkpoint.clone();
        let state = &mut *self.server.state();
        state.depose(process.number);
        let ends = Instant::now() + Duration::from_millis(u64::try_from(state.random.below(MOST)).unwrap());
        self.deposed = Some(DeposedProcess { process, ends });
    }

    /// Ends the process that does not know that it has lost the lead.
    pub(super) fn end_deposed(&mut self) {
        self.deposed.take().into_iter().for_each(|deposed| deposed.process.kill());
    }
}
