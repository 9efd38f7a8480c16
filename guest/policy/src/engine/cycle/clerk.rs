//! The clerk: nodes for pods and gangs, within what their laws allow.

use super::allocate::Placements;
use super::teams::Team;
use super::{Context, Finder, Stage, When, told};
use crate::contract::{Outcome, Subject};
use crate::engine::Notes;
use crate::laws::Gate;
use crate::model::{NodeIx, Overflow, PodIx, Request, ShapeIx};

/// Places pods in the stage of a step.
pub struct Clerk<'a, 'c> {
    /// The cluster as the step leaves it.
    pub stage: &'a mut Stage<'c>,
    /// What is noted.
    pub notes: &'a mut Notes,
    context: &'a Context<'a>,
    /// What holds for each pod it places.
    laws: &'a [Gate],
    finder: Finder,
}

impl<'a, 'c> Clerk<'a, 'c> {
    /// One who minds these laws of each pod.
    pub fn new(
        stage: &'a mut Stage<'c>,
        notes: &'a mut Notes,
        context: &'a Context<'a>,
        laws: &'a [Gate],
    ) -> Clerk<'a, 'c> {
        let finder = Finder::new(stage.cluster());
        Clerk { stage, notes, context, laws, finder }
    }

    /// What a team gets in its turn: a gang all that it lacks, one that runs one more pod.
    pub fn serve(&mut self, team: &mut Team) -> Result<Placements, Overflow> {
        let is_whole = team.lead().is_some_and(|lead| self.stage.cluster().shortage(lead).is_over());
        let new = if is_whole && !team.pods.iter().any(|ix| self.stage.is_promised(*ix)) {
            self.one_more(team)?
        } else {
            self.gang(team)?
        };
        team.pods.retain(|pod| new.iter().all(|(ix, _)| ix != pod));
        Ok(new)
    }

    /// Places a pod where it may be and there is room.
    pub fn place(&mut self, ix: PodIx, when: When) -> Result<Option<NodeIx>, Overflow> {
        if let Some((rule, breach)) = self.context.broken(self.stage.cluster(), self.laws, &[ix])? {
            self.notes.breach(self.stage.cluster(), Subject::Asker, Outcome::Barred, &rule, &breach);
            return Ok(None);
        }
        let node = self.finder.find(self.stage, ix, when);
        match node {
            Some(node) => self.stage.trial.place(ix, node)?,
            None if when == When::Now => told::nodes(self.stage, self.notes, ix),
            None => {}
        }
        Ok(node)
    }

    /// The first pod of a team that gets a node, as a list of one; those that get none leave the team.
    pub fn one_more(&mut self, team: &mut Team) -> Result<Placements, Overflow> {
        let mut refused = Refused::default();
        while let Some(ix) = team.lead() {
            if !refused.knows(self.stage, ix)
                && let Some(node) = self.place(ix, When::Now)?
            {
                return Ok(vec![(ix, node)]);
            }
            refused.add(self.stage, ix);
            team.pods.retain(|pod| *pod != ix);
        }
        Ok(Vec::new())
    }

    /// The nodes for all that a gang lacks; none where one pod lacks one. What was promised to the gang is given up for it, and given
    /// back where nothing comes of it.
    fn gang(&mut self, team: &mut Team) -> Result<Placements, Overflow> {
        let mut promised = Vec::new();
        for ix in &team.pods {
            promised.extend(self.stage.withdraw(*ix)?.map(|node| (*ix, node)));
        }
        if !promised.is_empty() {
            self.finder.start_over();
        }
        if team.lead().is_some_and(|lead| self.stage.cluster().shortage(lead).is_over()) {
            return self.one_more(team);
        }
        if let Some(placements) = self.all_or_none(team, When::Now)? {
            return Ok(placements);
        }
        if promised.is_empty() {
            let before = self.stage.trial.mark();
            promised = self.all_or_none(team, When::Later)?.unwrap_or_default();
            self.stage.trial.rewind(before)?;
            told::promised(self.notes, &promised);
        }
        promised.into_iter().try_for_each(|(ix, node)| self.stage.promise(ix, node))?;
        Ok(Vec::new())
    }

    fn all_or_none(&mut self, team: &Team, when: When) -> Result<Option<Placements>, Overflow> {
        let orders = [team.pods.clone(), self.stage.cluster().largest_first(&team.pods)];
        for order in orders.iter().take(if orders.first() == orders.last() { 1 } else { 2 }) {
            let (before, finder) = (self.stage.trial.mark(), self.finder.clone());
            let (mut placements, mut refused) = (Vec::new(), Refused::default());
            let mut lacking = team.lead().map(|lead| self.stage.cluster().shortage(lead)).unwrap_or_default();
            for ix in order {
                let mut with = lacking.clone();
                let useful = self.stage.cluster().pod(*ix).is_some_and(|pod| with.fill(pod));
                if !useful || refused.knows(self.stage, *ix) {
                    continue;
                }
                match self.place(*ix, when)? {
                    Some(node) => {
                        placements.push((*ix, node));
                        lacking = with;
                    }
                    None => refused.add(self.stage, *ix),
                }
            }
            if lacking.is_over() {
                return Ok(Some(placements));
            }
            told::half(self.notes, self.context, placements.len(), lacking.count());
            self.stage.trial.rewind(before)?;
            self.finder = finder;
        }
        Ok(None)
    }
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
