//! Elastic: jobs grow into what is idle, each to the largest of its sizes that there is room for, by exactly that or not at all.

use super::allocate::Placements;
use super::clerk::{Clerk, Refused};
use super::rounds::Rounds;
use super::teams::{self, Team};
use super::{Context, Stage, When};
use crate::contract::{Outcome, Subject};
use crate::engine::{Asker, Notes};
use crate::model::{Overflow, PodIx};

/// Gives nodes to elastic pods. They are placed in the stage, and the new placements returned.
pub fn grow(stage: &mut Stage<'_>, notes: &mut Notes, context: &Context<'_>) -> Result<Placements, Overflow> {
    let growth = &context.cycle.growth;
    let teams =
        teams::waiting(stage, notes, context, growth, |cluster, pod| pod.is_elastic() && teams::asks(cluster, pod))?;
    let mut rounds = Rounds::new(stage.cluster(), context, teams);
    let mut bound = Vec::new();
    while let Some(team) = rounds.next(stage.cluster(), context) {
        let Some(lead) = team.lead() else { continue };
        notes.resume(lead);
        // To the laws, who was promised a node has it; a job does not grow on promises.
        if stage.cluster().members(lead).any(|(ix, _)| stage.is_promised(ix)) {
            continue;
        }
        bound.extend(largest_step(stage, notes, context, &team)?);
    }
    Ok(bound)
}

/// The largest step there is room for: with the first pods that fit, or else with the smallest ones where that makes it larger.
fn largest_step(
    stage: &mut Stage<'_>,
    notes: &mut Notes,
    context: &Context<'_>,
    team: &Team,
) -> Result<Placements, Overflow> {
    let before = stage.trial.mark();
    let in_order = step(stage, notes, context, &team.pods)?;
    let request = |ix: &PodIx| stage.cluster().pod(*ix).map(|pod| &pod.request);
    let first = team.pods.first().and_then(request);
    if team.pods.iter().all(|ix| request(ix) == first) {
        return Ok(in_order);
    }
    let smallest_first: Vec<PodIx> = stage.cluster().largest_first(&team.pods).into_iter().rev().collect();
    stage.trial.rewind(before)?;
    let other = step(stage, notes, context, &smallest_first)?;
    if other.len() > in_order.len() {
        return Ok(other);
    }
    stage.trial.rewind(before)?;
    in_order.iter().try_for_each(|(ix, node)| stage.trial.place(*ix, *node))?;
    Ok(in_order)
}

/// Places as many of these pods, in this order, as there is room for and make a legal size.
fn step(
    stage: &mut Stage<'_>,
    notes: &mut Notes,
    context: &Context<'_>,
    pods: &[PodIx],
) -> Result<Placements, Overflow> {
    let (mut placements, mut marks) = (Vec::new(), vec![stage.trial.mark()]);
    let mut refused = Refused::default();
    let mut clerk = Clerk::new(stage, notes, context, &context.cycle.elastic);
    for ix in pods {
        if refused.knows(clerk.stage, *ix) {
            continue;
        }
        match clerk.place(*ix, When::Now)? {
            Some(node) => {
                placements.push((*ix, node));
                marks.push(clerk.stage.trial.mark());
            }
            None => refused.add(clerk.stage, *ix),
        }
    }
    while let Some(mark) = marks.pop() {
        stage.trial.rewind(mark)?;
        placements.truncate(marks.len());
        let placed = placements.iter().map(|(ix, _)| *ix).collect();
        let lead = pods.first().map(|lead| Asker::of(stage.cluster(), context.laws, *lead, placed)).transpose()?;
        let Some(asker) = lead.flatten() else { break };
        let size = &context.cycle.size;
        match (size.holds)(&asker.placed(stage.cluster(), context.ledger)) {
            Ok(()) => break,
            Err(breach) => notes.breach(stage.cluster(), Subject::Asker, Outcome::Barred, &size.rule, &breach),
        }
    }
    Ok(placements)
}
