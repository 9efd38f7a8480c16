//! Allocate: gangs get the nodes for what they lack, all of them or none; jobs that run get one more pod a turn.
//!
//! A gang for which there will be room when others have left keeps that room for the rest of the cycle. One for which there is none
//! keeps nothing.

use super::rounds::Rounds;
use super::teams::{self, Team};
use super::{Context, Finder, Stage, When, told};
use crate::contract::{Outcome, Subject};
use crate::engine::Notes;
use crate::laws::Gate;
use crate::model::{NodeIx, Overflow, PodIx, Request, ShapeIx};

/// Who gets which node.
pub type Placements = Vec<(PodIx, NodeIx)>;

/// Gives nodes to normal pods. They are placed in the stage, and the new placements returned.
pub fn allocate(stage: &mut Stage<'_>, notes: &mut Notes, context: &Context<'_>) -> Result<Placements, Overflow> {
    let admission = &context.cycle.admission;
    let teams = teams::waiting(stage, notes, context, admission, |cluster, pod| {
        !teams::is_elastic(pod) && teams::asks(cluster, pod)
    })?;
    let mut rounds = Rounds::new(stage.cluster(), context, teams);
    let mut clerk = Clerk::new(stage, &context.cycle.normal);
    let mut bound = Vec::new();
    while let Some(mut team) = rounds.next(stage.cluster(), context) {
        let Some(lead) = team.lead() else { continue };
        notes.resume(lead);
        let new = if stage.cluster().shortage(lead).is_over() && !clerk.is_promised(stage, &team) {
            clerk.one_more(stage, notes, context, &mut team)?
        } else {
            clerk.gang(stage, notes, context, &mut team)?
        };
        team.pods.retain(|pod| new.iter().all(|(ix, _)| ix != pod));
        if !new.is_empty() {
            rounds.again(stage.cluster(), context, team);
        }
        bound.extend(new);
    }
    Ok(bound)
}

/// Gives nodes to pods that ask for nothing.
pub fn backfill(stage: &mut Stage<'_>, notes: &mut Notes, context: &Context<'_>) -> Result<Placements, Overflow> {
    let admission = &context.cycle.admission;
    let teams = teams::waiting(stage, notes, context, admission, |cluster, pod| !teams::asks(cluster, pod))?;
    let mut clerk = Clerk::new(stage, &context.cycle.normal);
    let mut bound = Vec::new();
    for mut team in teams {
        loop {
            let new = clerk.one_more(stage, notes, context, &mut team)?;
            team.pods.retain(|pod| new.iter().all(|(ix, _)| ix != pod));
            if new.is_empty() {
                break;
            }
            bound.extend(new);
        }
    }
    Ok(bound)
}

/// Finds nodes for pods within what their laws allow.
pub struct Clerk<'a> {
    finder: Finder,
    laws: &'a [Gate],
}

impl<'a> Clerk<'a> {
    /// One who minds these laws of each pod.
    pub fn new(stage: &Stage<'_>, laws: &'a [Gate]) -> Clerk<'a> {
        Clerk { finder: Finder::new(stage.cluster()), laws }
    }

    fn is_promised(&self, stage: &Stage<'_>, team: &Team) -> bool {
        team.pods.iter().any(|ix| stage.is_promised(*ix))
    }

    /// Places a pod where it may be and there is room.
    pub fn place(
        &mut self,
        stage: &mut Stage<'_>,
        notes: &mut Notes,
        context: &Context<'_>,
        ix: PodIx,
        when: When,
    ) -> Result<Option<NodeIx>, Overflow> {
        if let Some((rule, breach)) = context.broken(stage.cluster(), self.laws, &[ix])? {
            notes.breach(stage.cluster(), Subject::Asker, Outcome::Barred, &rule, &breach);
            return Ok(None);
        }
        let node = self.finder.find(stage, ix, when);
        match node {
            Some(node) => stage.trial.place(ix, node)?,
            None if when == When::Now => told::nodes(stage, notes, ix),
            None => {}
        }
        Ok(node)
    }

    /// The first pod of a team that gets a node, as a list of one; those that get none leave the team.
    fn one_more(
        &mut self,
        stage: &mut Stage<'_>,
        notes: &mut Notes,
        context: &Context<'_>,
        team: &mut Team,
    ) -> Result<Placements, Overflow> {
        let mut refused = Refused::default();
        while let Some(ix) = team.lead() {
            if !refused.knows(stage, ix)
                && let Some(node) = self.place(stage, notes, context, ix, When::Now)?
            {
                return Ok(vec![(ix, node)]);
            }
            refused.add(stage, ix);
            team.pods.retain(|pod| *pod != ix);
        }
        Ok(Vec::new())
    }

    /// The nodes for all that a gang lacks; none where one pod lacks one. What was promised to the gang is given up for it, and given
    /// back where nothing comes of it.
    fn gang(
        &mut self,
        stage: &mut Stage<'_>,
        notes: &mut Notes,
        context: &Context<'_>,
        team: &mut Team,
    ) -> Result<Placements, Overflow> {
        let mut promised = Vec::new();
        for ix in &team.pods {
            promised.extend(stage.withdraw(*ix)?.map(|node| (*ix, node)));
        }
        if !promised.is_empty() {
            self.finder.start_over();
        }
        if team.lead().is_some_and(|lead| stage.cluster().shortage(lead).is_over()) {
            return self.one_more(stage, notes, context, team);
        }
        if let Some(placements) = self.all_or_none(stage, notes, context, team, When::Now)? {
            return Ok(placements);
        }
        if promised.is_empty() {
            let before = stage.trial.mark();
            promised = self.all_or_none(stage, notes, context, team, When::Later)?.unwrap_or_default();
            stage.trial.rewind(before)?;
            told::promised(notes, &promised);
        }
        promised.into_iter().try_for_each(|(ix, node)| stage.promise(ix, node))?;
        Ok(Vec::new())
    }

    fn all_or_none(
        &mut self,
        stage: &mut Stage<'_>,
        notes: &mut Notes,
        context: &Context<'_>,
        team: &Team,
        when: When,
    ) -> Result<Option<Placements>, Overflow> {
        let orders = [team.pods.clone(), largest_first(stage, &team.pods)];
        for order in orders.iter().take(if orders.first() == orders.last() { 1 } else { 2 }) {
            let (before, finder) = (stage.trial.mark(), self.finder.clone());
            let (mut placements, mut refused) = (Vec::new(), Refused::default());
            let mut lacking = team.lead().map(|lead| stage.cluster().shortage(lead)).unwrap_or_default();
            for ix in order {
                let mut with = lacking.clone();
                let useful = stage.cluster().pod(*ix).is_some_and(|pod| with.fill(pod));
                if !useful || refused.knows(stage, *ix) {
                    continue;
                }
                match self.place(stage, notes, context, *ix, when)? {
                    Some(node) => {
                        placements.push((*ix, node));
                        lacking = with;
                    }
                    None => refused.add(stage, *ix),
                }
            }
            if lacking.is_over() {
                return Ok(Some(placements));
            }
            told::half(notes, context, placements.len(), lacking.count());
            stage.trial.rewind(before)?;
            self.finder = finder;
        }
        Ok(None)
    }
}

/// Pods by what they ask for, the one that asks for most first.
pub fn largest_first(stage: &Stage<'_>, pods: &[PodIx]) -> Vec<PodIx> {
    let mut pods = pods.to_vec();
    let size = |ix: PodIx| {
        let pod = stage.cluster().pod(ix);
        let request = pod.map(|pod| pod.request.iter().map(|(_, amount)| amount).collect::<Vec<i64>>());
        std::cmp::Reverse(request.unwrap_or_default())
    };
    pods.sort_by_cached_key(|ix| size(*ix));
    pods
}

/// Kinds of pods that got no node.
#[derive(Default)]
pub struct Refused(Vec<(Request, ShapeIx)>);

impl Refused {
    /// Whether a pod is of such a kind.
    pub fn knows(&self, stage: &Stage<'_>, ix: PodIx) -> bool {
        let pod = stage.cluster().pod(ix);
        pod.is_some_and(|pod| self.0.iter().any(|(request, shape)| *request == pod.request && *shape == pod.shape))
    }

    /// A pod got no node.
    pub fn add(&mut self, stage: &Stage<'_>, ix: PodIx) {
        if let Some(pod) = stage.cluster().pod(ix).filter(|_| !self.knows(stage, ix)) {
            self.0.push((pod.request.clone(), pod.shape));
        }
    }
}
