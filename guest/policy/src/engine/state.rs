//! What the cluster does not show: plans under way, what became of gangs, which of their members were tried, and what is owed to the past.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::contract::{Checkpoint, StateError};
use crate::model::{
    GangRound, Job, JobKey, NodeIx, PlansInFlight, PodIdentity, PodIx, PodsByName, RoundFailure, SavedEvictions,
};

use super::Engine;
use crate::systems::unsaved_state;

/// The version of the layout of the bytes: JSON of [`EngineCheckpoint`].
const FORMAT: u32 = 2;

#[derive(Serialize, Deserialize)]
struct EngineCheckpoint {
    ledger: PlansInFlight<PodIdentity>,
    satisfied: Vec<JobKey>,
    failed: Vec<(JobKey, i64)>,
    #[serde(default)]
    scaled: Vec<(JobKey, i64)>,
    /// The rounds of gangs of which a member was tried.
    #[serde(default)]
    rounds: Vec<SavedRound>,
    /// The number of evictions of jobs.
    #[serde(default)]
    evictions: SavedEvictions,
    /// The pods of DaemonSets whose required node is kept for them.
    #[serde(default)]
    required_node_reservations: Vec<PodIdentity>,
    /// The pods for which a node is kept after their time at Permit ran out, and the names of the nodes.
    #[serde(default)]
    kept: Vec<(PodIdentity, String)>,
    /// The state of the system in force.
    #[serde(default)]
    system: serde_json::Value,
}

/// The round of a gang; see [`GangRound`].
#[derive(Serialize, Deserialize)]
struct SavedRound {
    job: JobKey,
    /// The pods that were tried, by name.
    tried: Vec<PodIdentity>,
    has_failures: bool,
    is_over: bool,
    /// Whether nothing has changed since the round was over.
    #[serde(default)]
    is_stuck: bool,
    /// The moment from which a new round may begin without a change, in nanoseconds since 1970.
    #[serde(default)]
    until: i64,
    /// The pods of other gangs that held a node at Permit when the round ended, by name.
    #[serde(default)]
    held_by_others: Vec<PodIdentity>,
}

impl SavedRound {
    /// Returns the round of a job, with its pods under these names. `None`: no pod was tried in it.
    fn of(job: &Job, is_stuck: bool, saved: impl Fn(PodIx) -> Option<PodIdentity>) -> Option<SavedRound> {
        if job.round == GangRound::default() {
            return None;
        }
        let names = |pods: &BTreeSet<PodIx>| {
            let mut names: Vec<_> = pods.iter().filter_map(|pod| saved(*pod)).collect();
            names.sort_unstable();
            names
        };
        let GangRound { tried, has_failures, failure } = &job.round;
        let (has_failures, is_over) = (*has_failures, failure.is_some());
        let failure = failure.clone().unwrap_or_default();
        let (until, held_by_others) = (failure.until, names(&failure.held_by_others));
        let (job, tried) = (job.key.clone(), names(tried));
        Some(SavedRound { job, tried, has_failures, is_over, is_stuck, until, held_by_others })
    }

    /// Returns the job and the round of a checkpoint, for these pods, and whether nothing has changed since the round failed. A pod that is gone is
    /// left out.
    fn restored(self, pods: &PodsByName<'_>) -> (JobKey, GangRound, bool) {
        let SavedRound { job, tried, has_failures, is_over, is_stuck, until, held_by_others } = self;
        let find = |names: &[PodIdentity]| names.iter().filter_map(|pod| pods.find(pod)).collect();
        let failure = is_over.then(|| RoundFailure { held_by_others: find(&held_by_others), until });
        (job, GangRound { tried: find(&tried), has_failures, failure }, is_stuck)
    }
}

impl Engine {
    /// Implements `state.save`: returns what the cluster does not show, as bytes for [`Engine::restore`].
    pub fn save(&self) -> Checkpoint {
        let (mut satisfied, mut failed, mut scaled, mut rounds) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let saved = |pod| PodIdentity::of(&self.cluster, pod);
        for (ix, job) in self.cluster.jobs() {
            if job.was_complete {
                satisfied.push(job.key.clone());
            }
            failed.extend(job.failed_at.map(|at| (job.key.clone(), at)));
            scaled.extend(self.cluster.scaled_at(ix).map(|at| (job.key.clone(), at)));
            rounds.extend(SavedRound::of(job, self.cluster.is_stuck(ix), saved));
        }
        let mut required_node_reservations: Vec<_> =
            self.cluster.required_node_reservations().filter_map(saved).collect();
        required_node_reservations.sort_unstable();
        let named = |(ix, node)| Some((saved(ix)?, self.cluster.node(node)?.name.clone()));
        let kept = self.cluster.retained_nodes().filter_map(named).collect();
        let system = self.system.as_ref().map(|system| system.checkpoint(&self.cluster)).unwrap_or_default();
        let memory = EngineCheckpoint {
            ledger: self.plans_in_flight.saved(&self.cluster),
            satisfied,
            failed,
            scaled,
            rounds,
            evictions: self.cluster.saved_evictions(),
            required_node_reservations,
            kept,
            system,
        };
        let bytes = serde_json::to_vec(&memory).unwrap_or_else(|error| unsaved_state(error).to_string().into_bytes());
        Checkpoint { format: FORMAT, bytes }
    }

    /// Implements `state.restore`: restores the state from a checkpoint. The error says that its format or its bytes are not understood.
    pub fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), StateError> {
        if checkpoint.format != FORMAT {
            return Err(StateError::UnknownFormat(FORMAT));
        }
        let malformed = |error: serde_json::Error| StateError::Malformed(error.to_string());
        let memory: EngineCheckpoint = serde_json::from_slice(&checkpoint.bytes).map_err(malformed)?;
        if let Some(system) = &mut self.system {
            system.restore(&self.cluster, &memory.system).map_err(malformed)?;
            system.sync_queues(&mut self.cluster, &mut Vec::new());
        }
        let pods = PodsByName::new(&self.cluster);
        let reserved: Vec<_> = memory.required_node_reservations.iter().filter_map(|pod| pods.find(pod)).collect();
        self.plans_in_flight = memory.ledger.restored(&pods);
        let rounds: Vec<_> = memory.rounds.into_iter().map(|round| round.restored(&pods)).collect();
        let nodes: BTreeMap<&str, NodeIx> = self.cluster.nodes().map(|(ix, node)| (&*node.name, ix)).collect();
        let room = |(pod, node): &(PodIdentity, String)| Some((pods.find(pod)?, *nodes.get(node.as_str())?));
        let kept: Vec<_> = memory.kept.iter().filter_map(room).collect();
        kept.into_iter().for_each(|(pod, node)| self.cluster.retain_node(pod, node));
        reserved.into_iter().for_each(|pod| self.cluster.pin_required_node(pod));
        self.cluster.restore_evictions(memory.evictions);
        for key in memory.satisfied {
            if let Some(job) = self.cluster.job_or_new(&key).and_then(|job| self.cluster.job_mut(job)) {
                job.was_complete = true;
            }
        }
        for (key, at) in memory.failed {
            if let Some(job) = self.cluster.job_or_new(&key).and_then(|job| self.cluster.job_mut(job)) {
                job.failed_at = Some(at);
            }
        }
        for (key, at) in memory.scaled {
            if let Some(job) = self.cluster.job_or_new(&key) {
                self.cluster.set_scaled_at(job, at);
            }
        }
        for (key, round, is_stuck) in rounds {
            if let Some(job) = self.cluster.job_or_new(&key) {
                self.cluster.set_round(job, round, is_stuck);
            }
        }
        Ok(())
    }
}
