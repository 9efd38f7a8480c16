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
    pub jobs: Vec<Stoppable>,
}

impl Instance {
    /// Returns whether the pods have room on nodes with these free GPUs.
    pub fn fits(&self, free: &[u32]) -> bool {
        let places: u32 = free.iter().map(|free| free / self.gpus).sum();
        places >= self.pods && free.iter().sum::<u32>() >= self.least_free
    }

    /// Returns the instance as JSON, with what the plan stops and the least that must stop.
    pub fn to_json(&self, stopped: Stopped, least: Option<Stopped>) -> Value {
        let job = |job: &Stoppable| (job.name.clone(), json!({"gpus": job.gpus, "pods": job.on}));
        let figures =
            |of: Stopped| json!({"jobs": of.jobs, "gpus": of.gpus, "gangs": of.in_order.0, "beside": of.in_order.1});
        let jobs: BTreeMap<String, Value> = self.jobs.iter().map(job).collect();
        json!({"free": self.free, "request": {"pods": self.pods, "gpus": self.gpus}, "least-free": self.least_free, "jobs": jobs,
               "stopped": figures(stopped), "least": least.map(figures)})
    }
}
