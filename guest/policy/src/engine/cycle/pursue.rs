//! Reclaim and preempt: others make way for gangs that wait, whole gang by whole gang.

use std::collections::BTreeSet;

use super::rounds::Rounds;
use super::teams;
use super::{Context, Outcome, Stage};
use crate::contract::{self, Subject};
use crate::engine::search::bundles::{self, Hunt};
use crate::engine::{Asker, Notes};
use crate::laws::{Pursuit, Rule};
use crate::model::{Cluster, NodeIx, Overflow, PodIx};

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

/// Makes a plan for each gang that waits and can be helped. A gang for which there will be room anyway keeps it.
pub fn pursue(
    mut stage: Stage<'_>,
    notes: &mut Notes,
    context: &Context<'_>,
    pursuit: &Pursuit,
) -> Result<Outcome, Overflow> {
    let admission = &context.cycle.admission;
    let teams = teams::waiting(&stage, notes, context, admission, |cluster, pod| {
        !teams::is_elastic(pod) && teams::asks(cluster, pod)
    })?;
    let mut rounds = Rounds::new(stage.cluster(), context, teams);
    let mut drafts = Vec::new();
    while let Some(team) = rounds.next(stage.cluster(), context) {
        let Some(lead) = team.lead() else { continue };
        notes.resume(lead);
        if stage.cluster().shortage(lead).is_over() {
            continue;
        }
        let mut may = BTreeSet::new();
        for ix in &team.pods {
            match context.broken(stage.cluster(), &pursuit.trigger, &[*ix])? {
                None => {
                    may.insert(*ix);
                }
                Some((rule, breach)) if *ix == lead => {
                    notes.breach(stage.cluster(), Subject::Asker, contract::Outcome::Barred, &rule, &breach);
                }
                Some(_) => {}
            }
        }
        let Some(asker) = Asker::of(stage.cluster(), context.laws, lead, team.pods.clone())? else { continue };
        let (laws, ledger, tasks) = (context.laws, context.ledger, context.cycle.tasks);
        let lacking = lacking(stage.cluster(), &team.pods);
        let claim = context.broken(stage.cluster(), &pursuit.claim, &lacking)?;
        if let Some((rule, breach)) = &claim {
            notes.breach(stage.cluster(), Subject::Asker, contract::Outcome::Barred, rule, breach);
        }
        let hunt = Hunt { asker: &asker, laws, ledger, pursuit, tasks, may: &may, own_only: claim.is_some() };
        let before = stage.trial.mark();
        let Some(found) = bundles::plan(&mut stage.trial, notes, &hunt)? else { continue };
        if found.victims.is_empty() {
            stage.trial.rewind(before)?;
            found.nominations.into_iter().try_for_each(|(ix, node)| stage.promise(ix, node))?;
            continue;
        }
        let (evicted, pods) = (found.victims.len(), found.nominations.len());
        let message = format!("{evicted} pod(s) of {} job(s) make way for {pods} pod(s)", found.jobs);
        let rule = pursuit.order.0;
        drafts.push(Draft { lead, nominations: found.nominations, victims: found.victims, rule, message });
    }
    Ok(Outcome { bindings: Vec::new(), held: stage.unnominated(), drafts })
}

/// The first of some waiting pods of a gang that make it complete.
fn lacking(cluster: &Cluster, pods: &[PodIx]) -> Vec<PodIx> {
    let mut shortage = pods.first().map(|lead| cluster.shortage(*lead)).unwrap_or_default();
    pods.iter().copied().filter(|ix| cluster.pod(*ix).is_some_and(|pod| shortage.fill(pod))).collect()
}
