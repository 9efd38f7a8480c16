//! The engine: answers at the extension points by asking the laws of the system it is configured with.
//!
//! One file per extension point; [`search`] finds plans.

mod account;
mod apply;
mod claimed;
mod closed_nominations;
mod cycle;
mod enforce;
mod filter;
mod in_flight;
mod marks;
mod notes;
mod permit;
mod plan;
mod post_filter;
mod pre_filter;
mod protected;
mod queue;
mod rearranged;
pub mod reasons;
mod refusals;
mod reserve;
mod room;
mod rounds;
mod search;
mod standing;
mod state;
#[cfg(test)]
mod tests;

pub use notes::DecisionTrace;
pub use reasons::engine_rules;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::contract::*;
use crate::laws::{ActiveLaw, Denial, Laws, Mutation, Preemptor};
use crate::model::{Cluster, PlansInFlight, PodIx};
use crate::systems::{self, System};

/// A policy: one cluster, and the answers at the extension points. Its public functions are those of `wit/`, and [`Engine::mutate_law`] for tests of
/// single laws.
#[derive(Debug, Default)]
pub struct Engine {
    cluster: Cluster,
    system: Option<Box<dyn System>>,
    plans_in_flight: PlansInFlight,
    trace: DecisionTrace,
    /// The state of the policy's own cycle.
    cycle_state: cycle::CycleState,
    /// The epochs of the keys of the queue.
    epochs: queue::Epochs,
    /// Findings about events that were applied before one that could not be: the next answer says them.
    unreported: Vec<Finding>,
    /// The kinds of objects that the system reads.
    object_kinds: BTreeSet<String>,
}

impl Engine {
    /// Implements `core.describe`: returns the name, the version and the systems of the policy. Needs no configuration.
    pub fn describe() -> Description {
        let (name, version) = ("lictor".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        Description { name, version, systems: systems::describe() }
    }

    /// Implements `core.configure`: chooses the system and its arguments, and forgets everything else.
    pub fn configure(&mut self, laws: &str, arguments: &str) -> Result<(), ConfigError> {
        let mut system = systems::configure(laws, arguments)?;
        protected::spare_protected(system.laws_mut());
        *self = Engine::default();
        self.cluster.set_queue_term(system.vocabulary().queue);
        let described = systems::describe().into_iter().find(|described| described.name == laws);
        let kinds = described.map(|described| described.interests.kinds).unwrap_or_default();
        self.object_kinds = kinds.into_iter().map(|interest| interest.kind).collect();
        self.system = Some(system);
        Ok(())
    }

    /// Switches the law of this code, until the next `configure`. Returns whether the laws in force have it.
    pub fn mutate_law(&mut self, code: &str, to: Mutation) -> bool {
        self.system.as_mut().is_some_and(|system| system.laws_mut().switch(code, to))
    }

    /// Implements `explain.record-notes`: sets the pods about which notes are recorded.
    pub fn record_notes(&mut self, pods: &NotedPods) {
        self.trace.set_noted(pods, &self.cluster);
    }

    /// Implements `explain.notes`: returns the explanations of the last attempt for a pod.
    pub fn notes(&self, pod: PodId) -> Result<Vec<Note>, PolicyError> {
        self.cluster.pod(PodIx(pod)).ok_or(PolicyError::UnknownPod(pod))?;
        Ok(self.trace.of(PodIx(pod)))
    }

    fn laws(&self) -> Result<&Arc<Laws>, PolicyError> {
        self.system.as_ref().map(|system| system.laws()).ok_or(PolicyError::NotConfigured)
    }

    /// Updates what depends on the whole cluster.
    fn recompute(&mut self) {
        if let Some(system) = &mut self.system {
            system.refresh_derived_values(&mut self.cluster);
        }
    }

    /// Returns the preemptor of an attempt for a pod, after updating what depends on the whole cluster.
    fn preemptor(&mut self, pod: PodId) -> Result<Preemptor, PolicyError> {
        self.recompute();
        let (laws, ix) = (self.laws()?, PodIx(pod));
        let pods = search::for_laws(laws).pods(&self.cluster, laws, ix);
        Preemptor::of(&self.cluster, laws, ix, pods).ok_or(PolicyError::UnknownPod(pod))
    }

    /// Returns when it is worth repeating the current request.
    fn retry(&self) -> Retry {
        self.trace.retry_hints.retry(&self.object_kinds)
    }

    fn reason(&self, rule: &ActiveLaw, denial: &Denial) -> Reason {
        rule.reason(denial.detail(&self.cluster))
    }
}
