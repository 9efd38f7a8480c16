//! Allocate: gangs get the nodes for what they lack, all of them or none; jobs that run get one more pod a turn.
//!
//! A gang for which there will be room when others have left keeps that room for the rest of the cycle. One for which there is none
//! keeps nothing.

use super::clerk::Clerk;
use super::rounds::Rounds;
use super::teams;
use super::{Context, Stage};
use crate::engine::Notes;
use crate::model::{NodeIx, Overflow, PodIx};

/// Who gets which node.
pub type Placements = Vec<(PodIx, NodeIx)>;

/// Gives nodes to normal pods. They are placed in the stage, and the new placements returned.
pub fn allocate(stage: &mut Stage<'_>, notes: &mut Notes, context: &Context<'_>) -> Result<Placements, Overflow> {
    let admission = &context.cycle.admission;
    let teams = teams::waiting(stage, notes, context, admission, |cluster, pod| {
        !pod.is_elastic() && teams::asks(cluster, pod)
    })?;
    let mut rounds = Rounds::new(stage.cluster(), context, teams);
    let mut clerk = Clerk::new(stage, notes, context, &context.cycle.normal);
    let mut bound = Vec::new();
    while let Some(mut team) = rounds.next(clerk.stage.cluster(), context) {
        let Some(lead) = team.lead() else { continue };
        clerk.notes.resume(lead);
        let new = clerk.serve(&mut team)?;
        if !new.is_empty() {
            rounds.again(clerk.stage.cluster(), context, team);
        }
        bound.extend(new);
    }
    Ok(bound)
}

/// Gives nodes to pods that ask for nothing.
pub fn backfill(stage: &mut Stage<'_>, notes: &mut Notes, context: &Context<'_>) -> Result<Placements, Overflow> {
    let admission = &context.cycle.admission;
    let teams = teams::waiting(stage, notes, context, admission, |cluster, pod| !teams::asks(cluster, pod))?;
    let mut clerk = Clerk::new(stage, notes, context, &context.cycle.normal);
    let mut bound = Vec::new();
    for mut team in teams {
        loop {
            let new = clerk.one_more(&mut team)?;
            team.pods.retain(|pod| new.iter().all(|(ix, _)| ix != pod));
            if new.is_empty() {
                break;
            }
            bound.extend(new);
        }
    }
    Ok(bound)
}
