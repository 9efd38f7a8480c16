//! Tests of the engine, and what those of the laws and the model need to look inside.

mod budgets;
mod filter;
mod gangs;
mod hints;
mod histories;
mod in_flight;
mod inter_pods;
mod jobs;
mod lodgings;
mod memory;
mod notes;
mod plans;
mod protected;
mod queue;
mod refused;
mod retry;
mod several;
mod standing;
mod state;

use super::Engine;
use crate::contract::PodId;
use crate::laws::LawContext;
use crate::model::Cluster;

impl Engine {
    pub(crate) fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    pub(crate) fn cluster_mut(&mut self) -> &mut Cluster {
        &mut self.cluster
    }

    /// Calls a function with the case of a pod while the pods of its job wait for their nodes.
    pub(crate) fn while_waiting<R>(&mut self, pod: PodId, ask: impl FnOnce(&LawContext<'_>) -> R) -> R {
        let preemptor = self.preemptor(pod).unwrap_or_else(|error| panic!("{error:?}"));
        ask(&preemptor.context_for_plan(&self.cluster, &self.plans_in_flight))
    }

    /// Calls a function with the input of laws where the pods of the job are on nodes, as in a trial.
    pub(crate) fn with_all_placed<R>(&mut self, pod: PodId, ask: impl FnOnce(&LawContext<'_>) -> R) -> R {
        let preemptor = self.preemptor(pod).unwrap_or_else(|error| panic!("{error:?}"));
        ask(&preemptor.context_after_plan(&self.cluster, &self.plans_in_flight))
    }
}
