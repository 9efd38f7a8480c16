//! The limits of a plan for one pod.

use crate::laws::{ActiveLaw, Denial, LawCheck, LawContext, Preemptor};
use crate::model::{Cluster, PlansInFlight, PodIx};

/// The laws that must hold with the plan for one pod carried out, once the leaving pods have left. They do not depend on the node.
#[derive(Debug, Clone, Copy)]
pub struct PlanInvariants<'a> {
    /// The preemptor.
    pub preemptor: &'a Preemptor,
    /// The plans in flight.
    pub ledger: &'a PlansInFlight,
    /// The laws.
    pub laws: &'a [LawCheck],
    /// The pods that are leaving.
    pub leaving: &'a [PodIx],
}

impl PlanInvariants<'_> {
    /// Returns the first limit that does not hold after evicting these pods. `None`: all hold.
    pub fn first_failed(&self, cluster: &Cluster, gone: &[PodIx]) -> Option<(ActiveLaw, Denial)> {
        let mut group = cluster.expand_disruption_groups(gone).into_owned();
        let others = self.leaving.iter().filter(|ix| !gone.contains(ix));
        group.extend(others);
        LawContext { victims: &group, ..self.preemptor.context_for_plan(cluster, self.ledger) }
            .first_failed_check(self.laws)
    }
}
