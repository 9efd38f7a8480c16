//! What is counted over days.

use crate::optimum::Stopped;

/// The counts of a trace.
#[derive(Debug, Default)]
pub struct Figures {
    pub events: usize,
    pub plans: usize,
    pub jobs_stopped: usize,
    pub gpus_stopped: u32,
    pub most_stopped: u32,
    pub useless: usize,
    pub unsettled: usize,
    pub partial: usize,
    pub held_in_vain: usize,
    /// The single plans that could be compared with the least that must stop.
    pub compared: usize,
    pub stopped: Stopped,
    pub least: Stopped,
    pub never_started: usize,
    pub faults: Vec<String>,
}

impl Figures {
    pub const TITLES: &str = "events | plans | jobs stopped | GPUs stopped | most often | useless | unsettled | partial | held in vain | \
        never started | plans compared | jobs / least | GPUs / least | gangs / least | GPUs in order / least | jobs in order / least";

    /// Returns a row of the table.
    pub fn row(&self) -> String {
        let over = |actual: u32, least: u32| {
            let more = if least > 0 { (f64::from(actual) / f64::from(least) - 1.0) * 100.0 } else { 0.0 };
            format!("{actual} / {least} (+{more:.1} %)")
        };
        let (stopped, least) = (self.stopped, self.least);
        let counts = [
            self.events,
            self.plans,
            self.jobs_stopped,
            self.gpus_stopped as usize,
            self.most_stopped as usize,
            self.useless,
            self.unsettled,
            self.partial,
            self.held_in_vain,
            self.never_started,
            self.compared,
        ];
        let ratios = [
            over(stopped.jobs, least.jobs),
            over(stopped.gpus, least.gpus),
            over(stopped.in_order.gangs, least.in_order.gangs),
            over(stopped.in_order.gpus, least.in_order.gpus),
            over(stopped.in_order.jobs, least.in_order.jobs),
        ];
        counts.iter().map(usize::to_string).chain(ratios).collect::<Vec<_>>().join(" | ")
    }

    pub(super) fn fault(&mut self, text: String) {
        if self.faults.len() < 12 {
            self.faults.push(text);
        }
    }
}
