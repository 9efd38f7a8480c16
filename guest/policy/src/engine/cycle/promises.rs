//! Promises: which nominated pods keep their nodes in a step.

use super::{CycleContext, Simulation};
use crate::model::{DomainCountOverlay, NodeIx, NominatedConstraints, PodIx};

/// Returns whether a gang keeps the nodes that are promised to it: its pods complete it, they fit on the nodes, and the laws allow it now. The bounds
/// of a queue may have changed since the plan, or the queue is gone; then others may take the capacity. The simulation is unchanged.
pub fn holds_in_simulation(
    simulation: &mut Simulation<'_>,
    context: &CycleContext<'_>,
    promised: &[(PodIx, NodeIx)],
) -> bool {
    let before = simulation.trial.savepoint();
    let is_kept = place_while_allowed(simulation, context, promised) && is_sound(simulation, promised);
    simulation.trial.rewind(before);
    is_kept
}

/// Places the pods of a gang one after the other, as long as the laws allow the next pod with those before it placed. Returns whether the laws allow
/// all pods.
fn place_while_allowed(
    simulation: &mut Simulation<'_>,
    context: &CycleContext<'_>,
    promised: &[(PodIx, NodeIx)],
) -> bool {
    let pods: Vec<PodIx> = promised.iter().map(|(ix, _)| *ix).collect();
    context.first_failed_check(simulation.cluster(), &context.cycle.admission, &pods).is_none()
        && promised.iter().all(|(ix, node)| {
            let is_allowed = context.first_failed_check(simulation.cluster(), &context.cycle.normal, &[*ix]).is_none();
            simulation.trial.place(*ix, *node);
            is_allowed
        })
}

/// Returns whether the placed pods complete their gang, fit on their nodes, and are allowed there together.
fn is_sound(simulation: &Simulation<'_>, promised: &[(PodIx, NodeIx)]) -> bool {
    let cluster = simulation.cluster();
    promised.first().is_some_and(|(ix, _)| cluster.shortage(*ix).is_empty())
        && promised.iter().all(|(ix, node)| simulation.fits_placed(*ix, *node))
        && cluster
            .first_inter_pod_violation(promised, &DomainCountOverlay::default(), &NominatedConstraints::default())
            .is_none()
}
