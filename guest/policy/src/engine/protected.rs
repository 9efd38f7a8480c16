//! Pods that the host never evicts: a filter that stands before those of every system.

use super::reasons::PROTECTED;
use crate::laws::{
    ActiveLaw, CycleLaws, Denial, ExcessContext, ExcessVictimFilter, ImaginedPreemptors, LawContext, LawMetadata, Laws,
    MaxEnforcementLaws, VictimFilter,
};
use crate::model::{Cluster, PodInfo, PodIx, PodKind};

/// The reason as the law of a filter: it is about the candidate, so it concerns every preemptor.
const LAW: ActiveLaw = {
    const ABOUT: LawMetadata = LawMetadata { checked_for: ImaginedPreemptors::All, ..*PROTECTED.about };
    ActiveLaw { about: &ABOUT, ..PROTECTED }
};

const VICTIM_FILTER: VictimFilter = VictimFilter { rule: LAW, admits };
const EXCESS_VICTIM_FILTER: ExcessVictimFilter = ExcessVictimFilter { rule: LAW, admits: admits_excess };

/// Adds the filter to the filters of every search, and of the queues that give back.
pub(super) fn spare_protected(laws: &mut Laws) {
    laws.victim_filters.insert(0, VICTIM_FILTER);
    laws.bound_victim_filters.insert(0, VICTIM_FILTER);
    if let Some(CycleLaws { reclaim, preempt, .. }) = &mut laws.cycle {
        [reclaim, preempt].into_iter().for_each(|rules| rules.victim_filters.insert(0, VICTIM_FILTER));
    }
    if let Some(MaxEnforcementLaws { victim_filters, .. }) = &mut laws.enforcement {
        victim_filters.insert(0, EXCESS_VICTIM_FILTER);
    }
}

fn admits(case: &LawContext<'_>, ix: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    match evicts_protected(case.cluster, ix, candidate) {
        true => Err(Denial::Case("")),
        false => Ok(()),
    }
}

fn admits_excess(case: &ExcessContext<'_>, ix: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    match evicts_protected(case.cluster, ix, candidate) {
        true => Err(Denial::Case("")),
        false => Ok(()),
    }
}

/// Returns whether the host protects a pod, or one that is evicted together with it.
fn evicts_protected(cluster: &Cluster, ix: PodIx, pod: &PodInfo) -> bool {
    // Nearly all pods leave alone, and this runs for every candidate of every node.
    let leaves_alone = pod.name.kind == PodKind::Pod && !cluster.has_disruption_groups();
    pod.state.protected
        || !leaves_alone
            && cluster.eviction_set(ix).iter().any(|ix| cluster.pod(*ix).is_some_and(|pod| pod.state.protected))
}
