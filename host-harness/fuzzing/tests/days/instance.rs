//! What a single plan had to decide, small enough for an exact minimum.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::optimum::Stopped;

/// A job that may stop: its pods are allowed as victims.
#[derive(Debug, Clone)]
pub struct Stoppable {
    pub name: String,
    /// The GPUs that the job holds.
    pub gpus: u32,
    /// The quota of the job.
    pub team: &'static str,
    /// The nodes of its pods, and the GPUs of each pod.
    pub on: Vec<(usize, u32)>,
}

/// Pods of one size that need nodes, and the jobs that may stop for them.
#[derive(Debug, Clone)]
pub struct Instance {
    /// The free GPUs of each node.
    pub free: Vec<u32>,
    /// The pods that need a node.
    pub pods: u32,
    /// The GPUs of each of them.
    pub gpus: u32,
    /// The GPUs that must be free on all nodes together: a bound on all quotas together is kept so.
    pub least_free: u32,
    /// The GPUs that each quota uses over its min, where only these may be taken back: a pod is evicted while its quota is over its min without
    /// those that were taken before. Empty where this is no bound.
    pub over: BTreeMap<&'static str, u32>,
    pub jobs: Vec<Stoppable>,
}

impl Instance {
    /// Returns whether the pods have room on nodes with these free GPUs.
    pub fn fits(&self, free: &[u32]) -> bool {
        let places: u32 = free.iter().map(|free| free / self.gpus).sum();
        places >= self.pods && free.iter().sum::<u32>() >= self.least_free
    }

    /// Returns whether the quotas give as much as the pods lack at least, when these jobs stop and the nodes have these free GPUs then.
    pub fn gives<'j>(&self, free: &[u32], stopped: impl Iterator<Item = &'j Stoppable>) -> bool {
        if self.over.is_empty() {
            return true;
        }
        let mut taken: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
        for job in stopped {
            let (sum, largest) = taken.entry(job.team).or_default();
            *sum += job.gpus;
            *largest = (*largest).max(job.on.iter().map(|(_, gpus)| *gpus).max().unwrap_or(0));
        }
        let given = |(team, (sum, largest)): (&&str, &(u32, u32))| {
            let over = self.over.get(*team).copied().unwrap_or(0);
            (*sum).min((over + largest).saturating_sub(1))
        };
        let given: u32 = taken.iter().map(given).sum();
        let places = |(now, then): (&u32, &u32)| -> Vec<u32> {
            let lacks = |place: u32| (place * self.gpus).saturating_sub((*now).max((place - 1) * self.gpus));
            (1..=then / self.gpus).map(lacks).collect()
        };
        let mut lacks: Vec<u32> = self.free.iter().zip(free).flat_map(places).collect();
        lacks.sort_unstable();
        let for_places: u32 = lacks.iter().take(self.pods as usize).sum();
        let for_all = self.least_free.saturating_sub(self.free.iter().sum());
        for_places.max(for_all) <= given
    }

    /// Returns the instance as JSON, with what the plan stops and the least that must stop.
    pub fn to_json(&self, stopped: Stopped, least: Option<Stopped>) -> Value {
        let job = |job: &Stoppable| (job.name.clone(), json!({"gpus": job.gpus, "team": job.team, "pods": job.on}));
        let figures = |of: Stopped| json!({"jobs": of.jobs, "gpus": of.gpus, "gangs": of.in_order.gangs, "beside": of.in_order.gpus});
        let jobs: BTreeMap<String, Value> = self.jobs.iter().map(job).collect();
        json!({"free": self.free, "request": {"pods": self.pods, "gpus": self.gpus}, "least-free": self.least_free, "over": self.over, "jobs": jobs,
               "stopped": figures(stopped), "least": least.map(figures)})
    }
}
