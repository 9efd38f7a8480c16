//! The invariants of the victims of an enforcement: each exists, has a node, is not leaving already, and is a pod that the policy decides about.

use lictor_contract::{Effects, Enforcement, Plan, Refuted};

use super::{Invariant, PlanUnderTest, VerifyContext, Violation, distinct, known, leaving, rails, running};

/// The invariants of an enforcement: those that it shares with plans, and its own two.
const INVARIANTS: &[Invariant] =
    &[known::check, distinct::check, running::check, leaving::check, not_leaving, of_own_scheduler, rails::check];

/// Checks whether an enforcement may be carried out.
///
/// # Errors
/// The first invariant that the enforcement breaks.
pub fn enforcement(ground: &VerifyContext<'_>, enforcement: &Enforcement) -> Result<(), Violation> {
    let Enforcement { id, victims, reason, .. } = enforcement;
    let Some(first) = victims.first() else { return Ok(()) };
    let plan = Plan {
        id: *id,
        // An enforcement has no preemptor. The checks of a preemptor hold for every victim.
        preemptor: first.pod,
        nominations: Vec::new(),
        victims: victims.clone(),
        marks: Vec::new(),
        reason: reason.clone(),
    };
    let (effects, refuted) = (Effects::default(), Refuted::default());
    let proposal = PlanUnderTest { plan: &plan, preemptor: None, effects: &effects, refuted: &refuted };
    INVARIANTS.iter().try_for_each(|invariant| invariant(ground, &proposal))
}

/// Checks that no victim has a departure or is being deleted, even where its plan was given up: one eviction is enough.
fn not_leaving(ground: &VerifyContext<'_>, proposal: &PlanUnderTest<'_>) -> Result<(), Violation> {
    proposal.plan.victims.iter().try_for_each(|victim| {
        match ground.departures.iter().find(|(pod, _)| *pod == victim.pod) {
            Some((id, departure)) => {
                Err(Violation::AlreadyLeaving { id, victim: ground.pod_name(id), plan: departure.plan })
            }
            None => match ground.mirror.pod(victim.pod).is_some_and(|pod| pod.terminating) {
                true => Err(Violation::BeingDeleted { id: victim.pod, victim: ground.pod_name(victim.pod) }),
                false => Ok(()),
            },
        }
    })
}

/// Checks that the policy decides about every victim. No preemptor needs the room of a pod of another scheduler here.
fn of_own_scheduler(ground: &VerifyContext<'_>, proposal: &PlanUnderTest<'_>) -> Result<(), Violation> {
    let foreign = |pod| ground.mirror.pod(pod).is_some_and(|pod| pod.template.foreign);
    match proposal.plan.victims.iter().find(|victim| foreign(victim.pod)) {
        Some(victim) => Err(Violation::OfAnotherScheduler { id: victim.pod, victim: ground.pod_name(victim.pod) }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use lictor_contract::{Eviction, PodId, Victim};
    use serde_json::json;

    use super::super::testing::{ClusterFixture, on, pod, with};
    use super::super::{PlannedEviction, PlannedEvictions};
    use super::*;
    use crate::session::testing::reason;

    /// Returns the code of the invariant that an enforcement of these victims breaks.
    fn verdict(world: &ClusterFixture, victims: &[PodId]) -> Option<String> {
        let victims = victims.iter().map(|pod| Victim { pod: *pod, eviction: Eviction::Soft }).collect();
        let (queue, marks) = ("q".to_owned(), Vec::new());
        let asked = Enforcement { id: 9, queue, victims, marks, reason: reason("it gives back") };
        enforcement(&world.context(), &asked).err().map(|violation| violation.reason().code)
    }

    #[test]
    fn a_running_pod_may_be_given_back_once() {
        let mut world = ClusterFixture::small();
        let (v, q) = (world.pod("default/v"), world.pod("default/q"));
        assert_eq!(verdict(&world, &[v]), None);
        assert_eq!(verdict(&world, &[v, v]).as_deref(), Some("host/distinct"));
        assert_eq!(verdict(&world, &[v, q]).as_deref(), Some("host/running"), "`q` is pending");
        assert_eq!(verdict(&world, &[PodId::MAX]).as_deref(), Some("host/known"));
        // No pod waits for the room of a victim that was marked before. A plan may evict it again, an enforcement may not.
        world.departures = PlannedEvictions::default();
        world.departures.set(v, Some(PlannedEviction { plan: 3, beneficiaries: Default::default() }));
        assert_eq!(verdict(&world, &[v]).as_deref(), Some("host/leaving"));
    }

    #[test]
    fn a_pod_that_is_being_deleted_is_not_evicted() {
        let mut world = ClusterFixture::small();
        let v = world.pod("default/v");
        world.mirror.terminate(v);
        assert_eq!(verdict(&world, &[v]).as_deref(), Some("host/leaving"));
    }

    #[test]
    fn a_pod_of_another_scheduler_is_not_given_back() {
        let mut world = ClusterFixture::small();
        let foreign = with(on("n1", pod("other", 0, 0)), "/spec", "schedulerName", json!("another"));
        world.mirror.upsert(super::super::testing::object(foreign));
        world.mirror.set_schedulers(["default-scheduler".to_owned()]);
        world.sync();
        assert_eq!(verdict(&world, &[world.pod("default/other")]).as_deref(), Some("host/other-scheduler"));
        assert_eq!(verdict(&world, &[world.pod("default/v")]), None);
    }
}
