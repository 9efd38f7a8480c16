//! Reclaim and preempt: others make way for gangs that wait, whole gang by whole gang.

use std::collections::BTreeSet;

use super::job_queue::JobQueue;
use super::pending_jobs::{self, PendingJob};
use super::{Context, Outcome, Simulation};
use crate::contract::{self, Placement, Subject};
use crate::engine::search::bundles::{self, Found, VictimSearch};
use crate::engine::{Notes, Preemptor};
use crate::laws::{Denial, ReclaimRules, Rule};
use crate::model::{NodeIx, PodIx};

/// A plan before it has a number.
pub struct Draft {
    /// The first pod of the gang it is for.
    pub lead: PodIx,
    /// Who gets which node.
    pub nominations: Vec<(PodIx, NodeIx)>,
    /// Who makes way.
    pub victims: Vec<PodIx>,
    /// The law by which they were chosen.
    pub rule: Rule,
    /// What happens, in a sentence.
    pub message: String,
}

/// What can be done for a gang.
pub enum Help {
    /// Others make way. They are gone in the stage, and the gang has their room.
    Plan(Draft),
    /// There will be room when those are gone who are leaving anyway; it is promised.
    Room,
    /// Nothing, and why.
    None(Rule, Denial),
}

/// Makes a plan for each gang that waits and can be helped. A gang for which there will be room anyway keeps it.
pub fn preempt_for(
    mut simulation: Simulation<'_>,
    notes: &mut Notes,
    context: &Context<'_>,
    rules: &ReclaimRules,
) -> Outcome {
    let admission = &context.cycle.admission;
    let pending_jobs = pending_jobs::waiting(&simulation, notes, context, admission, |cluster, pod| {
        !pod.is_elastic() && pending_jobs::asks(cluster, pod)
    });
    let mut job_queue = JobQueue::new(simulation.cluster(), context, pending_jobs);
    let mut drafts = Vec::new();
    while let Some(pending_job) = job_queue.next(simulation.cluster(), context) {
        let Some(lead) = pending_job.lead() else { continue };
        notes.resume(lead);
        if simulation.cluster().shortage(lead).is_over() {
            continue;
        }
        if let Help::Plan(draft) = find_plan(&mut simulation, notes, context, rules, &pending_job, &[]) {
            drafts.push(draft);
        }
    }
    Outcome { bindings: Vec::new(), held: simulation.unnominated(), drafts }
}

/// Looks for room for all that a gang lacks, made by others where that is called for.
pub fn find_plan(
    simulation: &mut Simulation<'_>,
    notes: &mut Notes,
    context: &Context<'_>,
    rules: &ReclaimRules,
    pending_job: &PendingJob,
    refuted: &[Placement],
) -> Help {
    let nobody = (rules.order.0, Denial::Fact("no pod of the gang waits"));
    let Some(lead) = pending_job.lead() else { return Help::None(nobody.0, nobody.1) };
    let (mut may, mut barred) = (BTreeSet::new(), None);
    for ix in &pending_job.pods {
        match context.broken(simulation.cluster(), &rules.trigger, &[*ix]) {
            None => drop(may.insert(*ix)),
            Some(broken) if *ix == lead => barred = Some(broken),
            Some(_) => {}
        }
    }
    let claim = context.broken(simulation.cluster(), &rules.claim, &simulation.cluster().lacking(&pending_job.pods));
    for (rule, denial) in barred.iter().chain(&claim) {
        notes.denial(simulation.cluster(), Subject::Preemptor, contract::Outcome::Barred, rule, denial);
    }
    let Some(preemptor) = Preemptor::of(simulation.cluster(), context.laws, lead, pending_job.pods.clone()) else {
        return Help::None(nobody.0, nobody.1);
    };
    let victim_search = VictimSearch {
        preemptor: &preemptor,
        laws: context.laws,
        ledger: context.ledger,
        rules,
        tasks: context.cycle.tasks,
        may: &may,
        own_only: claim.is_some(),
        refuted,
    };
    let before = simulation.trial.mark();
    match bundles::plan(&mut simulation.trial, notes, &victim_search) {
        Ok(Found { nominations, victims, jobs }) if !victims.is_empty() => {
            let message =
                format!("{} pod(s) of {jobs} job(s) make way for {} pod(s)", victims.len(), nominations.len());
            Help::Plan(Draft { lead, nominations, victims, rule: rules.order.0, message })
        }
        Ok(Found { nominations, .. }) => {
            simulation.trial.rewind(before);
            nominations.into_iter().for_each(|(ix, node)| simulation.promise(ix, node));
            Help::Room
        }
        Err(denial) => {
            let (rule, denial) = barred.filter(|_| may.is_empty()).or(claim).unwrap_or((rules.order.0, denial));
            Help::None(rule, denial)
        }
    }
}
