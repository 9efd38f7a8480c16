//! Reclaim and preempt: plans evict pods for pending gangs, gang by gang.

use std::collections::BTreeSet;

use super::job_queue::JobQueue;
use super::pending_jobs::{self, PendingJob};
use super::taken_back::{ActionPlacements, reclaimed_placements};
use super::{CycleContext, Simulation, StepResult};
use crate::contract::{self, Refuted, Subject};
use crate::engine::plan::PlanDraft;
use crate::engine::reasons::{NO_NODE, NO_POD_WAITS};
use crate::engine::search::PlanObstacle;
use crate::engine::search::bundles::{self, BundleSearchInput};
use crate::engine::{DecisionTrace, Preemptor};
use crate::laws::{ActiveLaw, Denial, GangEntitlement, ReclaimRules};
use crate::model::{ClassIx, Cluster, PodIx};

/// Makes a plan for each pending gang, if there is one. If a gang fits once leaving pods have left, that capacity is kept for it. Where a waiting
/// gang would evict the pods in turn, the plan is not made and the capacity is not kept ([`taken_back`](super::taken_back)): each pass leaves out
/// more gangs, so the loop ends.
pub fn plan_preemptions(
    mut simulation: Simulation<'_>,
    notes: &mut DecisionTrace,
    context: &CycleContext<'_>,
    rules: &ReclaimRules,
    mut left_out: BTreeSet<PodIx>,
) -> StepResult {
    loop {
        let before = simulation.checkpoint();
        let (mut plans, mut unpromised) = (Vec::new(), BTreeSet::new());
        for_each_gang(&mut simulation, notes, context, (rules, &left_out), |simulation, notes, pending_job| {
            match find_plan(simulation, notes, context, rules, pending_job, &Refuted::default()) {
                Ok(plan) => plans.push(plan),
                Err(PlanObstacle::GangWillFit) => {
                    unpromised.extend(without_promise(simulation, notes, context, pending_job, &left_out));
                }
                Err(_) => {}
            }
        });
        left_out.extend(unpromised);
        let planned = plans.iter().flat_map(|plan| plan.nominations.iter().copied()).collect();
        let placed =
            ActionPlacements { planned, promised: simulation.promised_since(&before), ..ActionPlacements::default() };
        let taken_back = reclaimed_placements(&mut simulation, notes, context, (&placed, &left_out));
        if taken_back.is_empty() {
            promise_remaining_capacity(&mut simulation, context, rules, &left_out);
            return StepResult {
                bindings: Vec::new(),
                promised_nodes: simulation.promises_without_nomination(),
                plans,
                left_out,
            };
        }
        left_out.extend(taken_back);
        simulation.restore(before);
    }
}

/// Withdraws the promise to a gang if a gang that waits now would evict its pods once they are bound: otherwise that gang would evict other
/// pods later in this pass. Returns the pods to leave out.
fn without_promise(
    simulation: &mut Simulation<'_>,
    notes: &mut DecisionTrace,
    context: &CycleContext<'_>,
    pending_job: &PendingJob,
    left_out: &BTreeSet<PodIx>,
) -> BTreeSet<PodIx> {
    let promised = simulation.promised_to(&pending_job.pods);
    let placed = ActionPlacements { promised, ..ActionPlacements::default() };
    let taken_back = reclaimed_placements(simulation, notes, context, (&placed, left_out));
    if !taken_back.is_empty() {
        for (ix, _) in &placed.promised {
            simulation.withdraw(*ix);
        }
    }
    taken_back
}

/// Promises the capacity that is left after all plans to the gangs that were left out. They are bound in the next cycle, and elastic jobs do not grow
/// into that capacity. No pod is evicted for such a gang.
fn promise_remaining_capacity(
    simulation: &mut Simulation<'_>,
    context: &CycleContext<'_>,
    rules: &ReclaimRules,
    left_out: &BTreeSet<PodIx>,
) {
    if left_out.is_empty() {
        return;
    }
    let silent = &mut DecisionTrace::default();
    for_each_gang(simulation, silent, context, (rules, &BTreeSet::new()), |simulation, silent, gang| {
        if gang.lead().is_some_and(|lead| left_out.contains(&lead)) {
            let before = simulation.checkpoint();
            if find_plan(simulation, silent, context, rules, gang, &Refuted::default()).is_ok() {
                simulation.restore(before);
            }
        }
    });
}

/// Calls a function for each gang that lacks pods, in the order in which plans are made. Gangs that are left out are passed over.
pub fn for_each_gang<'c>(
    simulation: &mut Simulation<'c>,
    notes: &mut DecisionTrace,
    context: &CycleContext<'_>,
    (rules, left_out): (&ReclaimRules, &BTreeSet<PodIx>),
    mut attempt: impl FnMut(&mut Simulation<'c>, &mut DecisionTrace, &PendingJob),
) {
    let admission = &context.cycle.admission;
    let pending_jobs = pending_jobs::collect_pending(simulation, notes, context, admission, |cluster, pod| {
        !pod.is_preemptible() && (rules.serves_best_effort || pending_jobs::requests_resources(cluster, pod))
    });
    let mut job_queue = JobQueue::new(simulation.cluster(), context, pending_jobs);
    while let Some(pending_job) = job_queue.next(simulation.cluster(), context) {
        let Some(lead) = pending_job.lead() else { continue };
        notes.resume(lead);
        if !left_out.contains(&lead) && !simulation.cluster().shortage(lead).is_empty() {
            attempt(simulation, notes, &pending_job);
        }
    }
}

/// Plans all pods that a gang lacks, with evictions if needed. With a plan, the simulation is left as the cluster will be then. If no eviction is
/// needed, the capacity is promised to the gang.
pub fn find_plan(
    simulation: &mut Simulation<'_>,
    notes: &mut DecisionTrace,
    context: &CycleContext<'_>,
    rules: &ReclaimRules,
    pending_job: &PendingJob,
    refuted: &Refuted,
) -> Result<PlanDraft, PlanObstacle> {
    let nobody = PlanObstacle::Law(NO_POD_WAITS, Denial::Case(""));
    let Some(lead) = pending_job.lead() else { return Err(nobody) };
    let (mut may, mut barred) = (BTreeSet::new(), None);
    for ix in &pending_job.pods {
        match context.first_failed_check(simulation.cluster(), &rules.preemption_preconditions, &[*ix]) {
            None => drop(may.insert(*ix)),
            Some(broken) if *ix == lead => barred = Some(broken),
            Some(_) => {}
        }
    }
    let (lacking, claim) = entitled_pods(simulation.cluster(), context, rules, pending_job);
    for (rule, denial) in barred.iter().chain(&claim) {
        notes.record_denial_and_hint(simulation.cluster(), Subject::Preemptor, contract::Outcome::Barred, rule, denial);
    }
    let Some(preemptor) = Preemptor::of(simulation.cluster(), context.laws, lead, pending_job.pods.clone()) else {
        return Err(nobody);
    };
    // A gang claims what it lacks, not what all of its pending pods request.
    let claimed = GangEntitlement::of(simulation.cluster(), preemptor.part.queue, &lacking);
    let preemptor = preemptor.with_entitlement(claimed);
    let (unpromised, promised) = (simulation.without_promised(), simulation.promised_constrained());
    let victim_search = BundleSearchInput {
        preemptor: &preemptor,
        laws: context.laws,
        ledger: context.ledger,
        rules,
        tasks: context.cycle.tasks,
        may_preempt: &may,
        only_own_queue: claim.is_some(),
        refuted,
        without_promised: &unpromised,
        promised_pods: &promised,
    };
    let before = simulation.trial.savepoint();
    match bundles::plan(&mut simulation.trial, notes, &victim_search) {
        Ok(plan) if !plan.victims.is_empty() => {
            simulation.record_plan(&plan.nominations);
            Ok(plan)
        }
        Ok(PlanDraft { nominations, .. }) => {
            simulation.trial.rewind(before);
            nominations.into_iter().for_each(|(ix, node)| simulation.promise(ix, node));
            Err(PlanObstacle::GangWillFit)
        }
        Err(denial) => {
            let (rule, denial) = barred.filter(|_| may.is_empty()).or(claim).unwrap_or((NO_NODE, denial));
            Err(PlanObstacle::Law(rule, denial))
        }
    }
}

/// Returns the lacking pods of a gang for which its queue may claim capacity. If it may claim none, also returns the law that denies it. A pod beyond
/// the claim is passed over while others complete the gang (upstream reclaim.go continues with the next task). Where the first pods claim too much,
/// the smallest ones may be enough.
fn entitled_pods(
    cluster: &Cluster,
    context: &CycleContext<'_>,
    rules: &ReclaimRules,
    pending_job: &PendingJob,
) -> (Vec<PodIx>, Option<(ActiveLaw, Denial)>) {
    let broken = |pods: &[PodIx]| context.first_failed_check(cluster, &rules.cross_queue_preconditions, pods);
    let lacking = cluster.members_to_complete(&pending_job.pods);
    let Some(claim) = broken(&lacking) else { return (lacking, None) };
    let is_within = |pods: &[PodIx]| broken(pods).is_none();
    let chosen = complete_within(cluster, &pending_job.pods, is_within)
        .or_else(|| complete_within(cluster, &cluster.smallest_first(&pending_job.pods), is_within));
    match chosen {
        Some(chosen) => (chosen, None),
        None => (lacking, Some(claim)),
    }
}

/// Returns the first of some pods, in this order, that complete their gang within a claim. `None`: they do not complete it.
fn complete_within(cluster: &Cluster, pods: &[PodIx], is_within: impl Fn(&[PodIx]) -> bool) -> Option<Vec<PodIx>> {
    let mut shortage = pods.first().map(|lead| cluster.shortage(*lead)).unwrap_or_default();
    let (mut chosen, mut beyond): (Vec<PodIx>, BTreeSet<ClassIx>) = Default::default();
    for (ix, pod) in pods.iter().filter_map(|ix| Some((*ix, cluster.pod(*ix)?))) {
        let mut with = shortage.clone();
        if beyond.contains(&pod.requirements.class) || !with.take(pod) {
            continue;
        }
        chosen.push(ix);
        if is_within(&chosen) {
            shortage = with;
        } else {
            chosen.pop();
            beyond.insert(pod.requirements.class);
        }
    }
    shortage.is_empty().then_some(chosen)
}
