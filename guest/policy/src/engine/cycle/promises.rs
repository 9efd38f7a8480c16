//! Promises: which nominated pods keep their nodes in a step.

use std::collections::BTreeMap;

use super::allocate::Placements;
use super::{Context, Simulation};
use crate::model::PodIx;

/// Takes the nodes of gangs back that a law denies now: the room of such a gang is for others. The bounds of a queue may have changed since
/// the plan, or the queue is gone.
pub fn keep_allowed(simulation: &mut Simulation<'_>, context: &Context<'_>) {
    let mut gangs: BTreeMap<PodIx, Placements> = BTreeMap::new();
    for (ix, node) in simulation.promises() {
        let lead = simulation.cluster().members(ix).map(|(member, _)| member).min().unwrap_or(ix);
        gangs.entry(lead).or_default().push((ix, node));
    }
    for promised in gangs.into_values() {
        for (ix, _) in &promised {
            simulation.withdraw(*ix);
        }
        if is_allowed(simulation, context, &promised) {
            promised.into_iter().for_each(|(ix, node)| simulation.promise(ix, node));
        }
    }
}

/// Returns whether the laws allow a gang, and each of its pods beside those before it. The trial is left as it was.
fn is_allowed(simulation: &mut Simulation<'_>, context: &Context<'_>, promised: &Placements) -> bool {
    let pods: Vec<PodIx> = promised.iter().map(|(ix, _)| *ix).collect();
    if context.broken(simulation.cluster(), &context.cycle.admission, &pods).is_some() {
        return false;
    }
    let before = simulation.trial.mark();
    let is_allowed = promised.iter().all(|(ix, node)| {
        let is_denied = context.broken(simulation.cluster(), &context.cycle.normal, &[*ix]).is_some();
        simulation.trial.place(*ix, *node);
        !is_denied
    });
    simulation.trial.rewind(before);
    is_allowed
}
