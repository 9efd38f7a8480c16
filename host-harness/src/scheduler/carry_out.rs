//! Plans: judged, and carried out whole or not at all.

use std::collections::{BTreeSet, VecDeque};

use lictor_policy::contract::*;

use super::{Evicted, How, Lie, RefusedPlan, Session, SessionError};
use crate::verify::{self, Departure, Proposal, Violation};

impl Session<'_> {
    /// Takes note of the numbers of plans; none of them may have come before.
    pub(super) fn claim(
        &mut self,
        call: &'static str,
        plans: impl IntoIterator<Item = u64>,
    ) -> Result<(), SessionError> {
        for plan in plans {
            if !self.plans.insert(plan) {
                return Err(Lie::PlanReused(plan).told_by(call));
            }
        }
        Ok(())
    }

    /// Whether a plan is sound. The policy is told where it is not.
    pub(super) fn judge(&mut self, proposal: &Proposal<'_>) -> Result<Result<(), Violation>, SessionError> {
        self.sync()?;
        let plan = proposal.plan;
        let verdict = verify::plan(&self.ground(), proposal);
        if let Err(violation) = &verdict {
            self.happened.refused.push(RefusedPlan {
                plan: plan.id,
                preemptor: self.pod_name(plan.preemptor),
                reason: violation.reason(),
            });
            self.tell(vec![Event::PlanRefused(plan.id)])?;
        }
        Ok(verdict)
    }

    /// Carries a sound plan out: nominates, evicts, and does what the answer means for others.
    pub(super) fn carry_out(&mut self, plan: Plan, effects: Effects) -> Result<(), SessionError> {
        let fates: Vec<(PodId, Evicted)> =
            plan.victims.iter().map(|victim| (victim.pod, self.fate(victim, &plan))).collect();
        self.tell(vec![Event::PlanAccepted(plan.id)])?;
        self.carry(VecDeque::from([effects]))?;
        for nomination in &plan.nominations {
            self.happened.nominated.insert(self.pod_name(nomination.pod), self.node_name(nomination.node));
            self.mirror.nominate(nomination.pod, Some(nomination.node));
        }
        let mut rounds = VecDeque::new();
        for (victim, fate) in fates {
            match fate.how {
                How::Unreserved => rounds.extend(self.unreserve(victim, ReleaseCause::Preempted)?),
                how => self.evict(victim, how, &plan),
            }
            self.happened.victims.insert(self.pod_name(victim), fate);
        }
        self.carry(rounds)
    }

    /// What becomes of a victim, as the cluster is before the plan.
    fn fate(&self, victim: &Victim, plan: &Plan) -> Evicted {
        Evicted {
            how: if self.held.contains(victim.pod) { How::Unreserved } else { How::from(victim.eviction) },
            node: self.occupancy.place(victim.pod).map(|node| self.node_name(node)),
            plan: plan.id,
            preemptor: self.pod_name(plan.preemptor),
            reason: plan.reason.clone(),
        }
    }

    /// Marks a bound victim, and deletes it unless it is left to somebody else.
    fn evict(&mut self, victim: PodId, how: How, plan: &Plan) {
        if !plan.marks.is_empty() {
            self.mirror.mark(victim, &plan.marks);
        }
        if how == How::Delete {
            self.mirror.terminate(victim);
        }
        let beneficiaries: BTreeSet<PodId> = plan.nominations.iter().map(|nomination| nomination.pod).collect();
        let departure = Departure { plan: plan.id, beneficiaries, expires: plan.expires };
        self.departures.plan(victim, departure);
    }
}
