//! Elastic: jobs grow into what is idle, each to the largest of its sizes that there is room for, by exactly that or not at all.

use super::allocate::{Clerk, Placements};
use super::rounds::Rounds;
use super::teams;
use super::{Context, Stage, When};
use crate::contract::{Outcome, Subject};
use crate::engine::{Asker, Notes};
use crate::model::Overflow;

/// Gives nodes to elastic pods. They are placed in the stage, and the new placements returned.
pub fn grow(stage: &mut Stage<'_>, notes: &mut Notes, context: &Context<'_>) -> Result<Placements, Overflow> {
    let growth = &context.cycle.growth;
    let teams = teams::waiting(stage, notes, context, growth, |cluster, pod| {
        teams::is_elastic(pod) && teams::asks(cluster, pod)
    })?;
    let mut rounds = Rounds::new(stage.cluster(), context, teams);
    let mut bound = Vec::new();
    while let Some(team) = rounds.next(stage.cluster(), context) {
        let Some(lead) = team.lead() else { continue };
        notes.resume(lead);
        // To the laws, who was promised a node has it; a job does not grow on promises.
        if stage.cluster().members(lead).any(|(ix, _)| stage.is_promised(ix)) {
            continue;
        }
        let mut clerk = Clerk::new(stage, &context.cycle.elastic);
        let (mut placements, mut marks) = (Vec::new(), vec![stage.trial.mark()]);
        for ix in team.pods.clone() {
            let Some(node) = clerk.place(stage, notes, context, ix, When::Now)? else { break };
            placements.push((ix, node));
            marks.push(stage.trial.mark());
        }
        while let Some(mark) = marks.pop() {
            stage.trial.rewind(mark)?;
            placements.truncate(marks.len());
            let pods = placements.iter().map(|(ix, _)| *ix).collect();
            let Some(asker) = Asker::of(stage.cluster(), context.laws, lead, pods)? else { break };
            let size = &context.cycle.size;
            match (size.holds)(&asker.placed(stage.cluster(), context.ledger)) {
                Ok(()) => break,
                Err(breach) => notes.breach(stage.cluster(), Subject::Asker, Outcome::Barred, &size.rule, &breach),
            }
        }
        bound.extend(placements);
    }
    Ok(bound)
}
