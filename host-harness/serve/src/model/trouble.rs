//! What goes wrong.

use super::play::SchedulerSimulation;
use super::world::{SECOND, SchedulerApiRequest, nominated};

/// Shares of requests in a thousand that go wrong.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SchedulerFaultRates {
    /// They are refused with 429, 500 or 503.
    pub(super) busy: usize,
    /// They are served, and their answer is lost.
    pub(super) lost: usize,
    /// They never reach the API server.
    pub(super) dropped: usize,
    /// They take seconds.
    pub(super) slow: usize,
    /// An object of a plan is deleted, or the host ends, in the middle of them.
    pub(super) injected: usize,
}

/// The kinds of trouble that a play has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FaultCategory {
    /// Watches are late, are cut, and list anew.
    Watches,
    /// Requests are refused, slow, or lost.
    Requests,
    /// Objects of a plan are deleted, and the host ends, at each of its requests.
    Strikes,
    /// The host ends and comes back.
    Hosts,
    /// Answers of the host are late.
    Responses,
    /// The clock of the machine is set before the next host begins: its time is another than that of the plugin.
    Clocks,
    /// kube-scheduler is started anew.
    Restarts,
}

impl FaultCategory {
    pub(super) const ALL: [FaultCategory; 7] = [
        FaultCategory::Watches,
        FaultCategory::Requests,
        FaultCategory::Strikes,
        FaultCategory::Hosts,
        FaultCategory::Responses,
        FaultCategory::Clocks,
        FaultCategory::Restarts,
    ];
}

/// The faults that are in force.
#[derive(Debug, Default)]
pub(super) struct ActiveFaults {
    pub(super) chances: SchedulerFaultRates,
    /// The percentage of cases in which no event of the watches of a kind arrives.
    pub(super) late: usize,
    /// Whether the host keeps a checkpoint.
    pub(super) has_checkpoint: bool,
    /// How much the clock of the next host is ahead of that of the cluster.
    pub(super) skew: i64,
}

impl SchedulerSimulation<'_> {
    /// Begins or ends a fault of these kinds.
    pub(super) fn change_faults(&mut self, kinds: &[FaultCategory]) {
        let Some(kind) = kinds.get(self.random.below(kinds.len())).copied() else { return };
        self.observer.calm(false);
        let random = &mut self.random;
        match kind {
            FaultCategory::Watches => self.faults.late = [0, 20, 60, 90][random.below(4)],
            FaultCategory::Requests => match random.below(4) {
                0 => {
                    let verb = ["delete", "patch", "patch status", "bind", "get"][random.below(5)];
                    self.api_server.forbidden.insert(verb);
                }
                1 => {
                    let (busy, lost, dropped, slow) =
                        (random.below(200), random.below(200), random.below(100), random.below(100));
                    self.faults.chances = SchedulerFaultRates { busy, lost, dropped, slow, ..self.faults.chances };
                }
                _ => {
                    self.api_server.forbidden.clear();
                    self.faults.chances = SchedulerFaultRates {
                        injected: self.faults.chances.injected,
                        ..SchedulerFaultRates::default()
                    };
                }
            },
            FaultCategory::Strikes => self.faults.chances.injected = [0, 50, 200][random.below(3)],
            FaultCategory::Hosts => {
                self.faults.has_checkpoint = random.percent(50);
                let back = self.api_server.now + i64::try_from(random.below(3)).unwrap() * SECOND;
                self.lose_host(back);
            }
            FaultCategory::Responses => {
                let length = [1, 3, 7, 20][random.below(4)];
                self.host.stalled = self.api_server.now + length * SECOND;
            }
            FaultCategory::Clocks => self.faults.skew = [0, 0, 600, -600][random.below(4)] * SECOND,
            FaultCategory::Restarts => self.start(),
        }
        let now = format!("{kind:?} {:?} {:?}", self.faults, self.api_server.forbidden);
        self.add_line(|| format!("trouble {now}"));
    }

    /// Ends what goes wrong.
    pub(super) fn clear_faults(&mut self) {
        self.api_server.forbidden.clear();
        self.faults.chances = SchedulerFaultRates::default();
        self.faults.late = 0;
        self.host.stalled = 0;
        self.observer.calm(true);
        self.add_line(|| "peace".to_owned());
    }

    /// Strikes in the middle of a request: the host ends, or an object of the plan is deleted.
    pub(super) fn inject_fault(&mut self, request: &SchedulerApiRequest) {
        if !self.draw(self.faults.chances.injected) {
            return;
        }
        let strike = self.random.below(5);
        self.add_line(|| format!("strike {strike} at {} {}", request.verb, request.pod));
        match strike {
            0 => {
                let back = self.now() + SECOND / 50;
                self.lose_host(back);
            }
            1 => self.api_server.stop(&request.pod),
            2 => {
                let first = self.api_server.all("Pod").find(|pod| !nominated(pod).is_empty());
                if let Some(name) = first.map(|pod| super::world::name_of(pod)) {
                    self.api_server.stop(&name);
                }
            }
            3 => self.remove_groups(),
            _ => {
                let node =
                    self.api_server.all("Pod").map(|pod| nominated(pod).to_owned()).find(|node| !node.is_empty());
                if let Some(node) = node {
                    self.remove_node(&node);
                }
            }
        }
    }

    /// Lets other things happen in the middle of a cycle.
    pub(super) fn run_concurrent(&mut self) {
        if self.random.percent(30) {
            self.run_background();
        }
    }
}
