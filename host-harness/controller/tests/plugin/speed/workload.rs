//! What is measured: workloads of Kubernetes' scheduler_perf by their names there, in a size for two cores.

use crate::scheduler::Claim;

/// Pods that are alike.
#[derive(Debug, Clone, Copy)]
pub struct Pods {
    pub count: u32,
    pub cpu: &'static str,
    pub class: &'static str,
}

/// The load next to the measured pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    Nothing,
    /// Every 200 ms a pod comes that preempts.
    Preemptors,
    /// Pods with gates wait, and every 20 ms a bound pod leaves.
    GatedAndLeaving,
}

#[derive(Debug)]
pub struct Workload {
    pub name: &'static str,
    pub nodes: u32,
    /// They are bound before.
    pub before: Pods,
    pub measured: Pods,
    /// The measured pods are PodGroups of so many; 0: they are in none.
    pub gang: u32,
    pub beside: Beside,
}

const LOW: &str = "low";
const HIGH: &str = "high";

/// A preemptor needs a whole node of 4 cores, where four pods of 0.9 run.
pub const PREEMPTOR: &str = "3970m";

pub const WORKLOADS: [Workload; 5] = [
    Workload {
        name: "SchedulingBasic",
        nodes: 500,
        before: Pods { count: 500, cpu: "100m", class: LOW },
        measured: Pods { count: 1500, cpu: "100m", class: LOW },
        gang: 0,
        beside: Beside::Nothing,
    },
    Workload {
        name: "PreemptionBasic",
        nodes: 500,
        before: Pods { count: 2000, cpu: "900m", class: LOW },
        measured: Pods { count: 500, cpu: PREEMPTOR, class: HIGH },
        gang: 0,
        beside: Beside::Nothing,
    },
    Workload {
        name: "PreemptionAsync",
        nodes: 500,
        before: Pods { count: 2000, cpu: "900m", class: LOW },
        measured: Pods { count: 1000, cpu: "100m", class: LOW },
        gang: 0,
        beside: Beside::Preemptors,
    },
    Workload {
        name: "GangScheduling",
        nodes: 200,
        before: Pods { count: 0, cpu: "100m", class: LOW },
        measured: Pods { count: 900, cpu: "100m", class: LOW },
        gang: 3,
        beside: Beside::Nothing,
    },
    Workload {
        name: "SchedulingWhileGated",
        nodes: 50,
        before: Pods { count: 1000, cpu: "1m", class: LOW },
        measured: Pods { count: 1500, cpu: "1m", class: LOW },
        gang: 0,
        beside: Beside::GatedAndLeaving,
    },
];

impl Workload {
    /// Returns for which pods the scheduler calls the policy. Without its own preemption, kube-scheduler preempts for no pod of which it does not
    /// call the policy.
    pub fn claims(&self) -> &'static [Claim] {
        let preempts = self.measured.class == HIGH || self.beside == Beside::Preemptors;
        if preempts { &[Claim::Nothing, Claim::All] } else { &[Claim::Nothing, Claim::Labelled, Claim::All] }
    }
}
