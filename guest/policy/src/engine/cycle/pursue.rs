//! Reclaim and preempt: others make way for gangs that wait, whole gang by whole gang.

use std::collections::BTreeSet;

use super::rounds::Rounds;
use super::teams::{self, Team};
use super::{Context, Outcome, Stage};
use crate::contract::{self, Placement, Subject};
use crate::engine::search::bundles::{self, Found, Hunt};
use crate::engine::{Asker, Notes};
use crate::laws::{Breach, Pursuit, Rule};
use crate::model::{NodeIx, Overflow, PodIx};

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
    None(Rule, Breach),
}

/// Makes a plan for each gang that waits and can be helped. A gang for which there will be room anyway keeps it.
pub fn pursue(
    mut stage: Stage<'_>,
    notes: &mut Notes,
    context: &Context<'_>,
    pursuit: &Pursuit,
) -> Result<Outcome, Overflow> {
    let admission = &context.cycle.admission;
    let teams = teams::waiting(&stage, notes, context, admission, |cluster, pod| {
        !pod.is_elastic() && teams::asks(cluster, pod)
    })?;
    let mut rounds = Rounds::new(stage.cluster(), context, teams);
    let mut drafts = Vec::new();
    while let Some(team) = rounds.next(stage.cluster(), context) {
        let Some(lead) = team.lead() else { continue };
        notes.resume(lead);
        if stage.cluster().shortage(lead).is_over() {
            continue;
        }
        if let Help::Plan(draft) = help(&mut stage, notes, context, pursuit, &team, &[])? {
            drafts.push(draft);
        }
    }
    Ok(Outcome { bindings: Vec::new(), held: stage.unnominated(), drafts })
}

/// Looks for room for all that a gang lacks, made by others where that is called for.
pub fn help(
    stage: &mut Stage<'_>,
    notes: &mut Notes,
    context: &Context<'_>,
    pursuit: &Pursuit,
    team: &Team,
    refuted: &[Placement],
) -> Result<Help, Overflow> {
    let nobody = (pursuit.order.0, Breach::Fact("no pod of the gang waits"));
    let Some(lead) = team.lead() else { return Ok(Help::None(nobody.0, nobody.1)) };
    let (mut may, mut barred) = (BTreeSet::new(), None);
    for ix in &team.pods {
        match context.broken(stage.cluster(), &pursuit.trigger, &[*ix])? {
            None => drop(may.insert(*ix)),
            Some(broken) if *ix == lead => barred = Some(broken),
            Some(_) => {}
        }
    }
    let claim = context.broken(stage.cluster(), &pursuit.claim, &stage.cluster().lacking(&team.pods))?;
    for (rule, breach) in barred.iter().chain(&claim) {
        notes.breach(stage.cluster(), Subject::Asker, contract::Outcome::Barred, rule, breach);
    }
    let Some(asker) = Asker::of(stage.cluster(), context.laws, lead, team.pods.clone())? else {
        return Ok(Help::None(nobody.0, nobody.1));
    };
    let hunt = Hunt {
        asker: &asker,
        laws: context.laws,
        ledger: context.ledger,
        pursuit,
        tasks: context.cycle.tasks,
        may: &may,
        own_only: claim.is_some(),
        refuted,
    };
    let before = stage.trial.mark();
    match bundles::plan(&mut stage.trial, notes, &hunt)? {
        Ok(Found { nominations, victims, jobs }) if !victims.is_empty() => {
            let message =
                format!("{} pod(s) of {jobs} job(s) make way for {} pod(s)", victims.len(), nominations.len());
            Ok(Help::Plan(Draft { lead, nominations, victims, rule: pursuit.order.0, message }))
        }
        Ok(Found { nominations, .. }) => {
            stage.trial.rewind(before)?;
            nominations.into_iter().try_for_each(|(ix, node)| stage.promise(ix, node))?;
            Ok(Help::Room)
        }
        Err(breach) => {
            let (rule, breach) = barred.filter(|_| may.is_empty()).or(claim).unwrap_or((pursuit.order.0, breach));
            Ok(Help::None(rule, breach))
        }
    }
}
