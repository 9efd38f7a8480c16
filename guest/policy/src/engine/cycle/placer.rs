//! The placer: finds nodes for pods and gangs under their laws.

use std::collections::BTreeSet;

use super::allocate::Placements;
use super::pending_jobs::PendingJob;
use super::{CycleContext, FirstFit, IdleCapacity, Simulation, trace};
use crate::contract::{Outcome, Subject};
use crate::engine::DecisionTrace;
use crate::engine::reasons::HAS_ROOM;
use crate::laws::LawCheck;
use crate::model::{ClassIx, NodeIx, PodIx};

/// Places pods in the simulation of a step.
pub struct Placer<'a, 'c> {
    /// The cluster as the step leaves it.
    pub simulation: &'a mut Simulation<'c>,
    /// Where the explanations are recorded.
    pub notes: &'a mut DecisionTrace,
    context: &'a CycleContext<'a>,
    /// The laws for each pod.
    laws: &'a [LawCheck],
    finder: FirstFit,
}

impl<'a, 'c> Placer<'a, 'c> {
    /// Creates a placer that checks these laws for each pod.
    pub fn new(
        simulation: &'a mut Simulation<'c>,
        notes: &'a mut DecisionTrace,
        context: &'a CycleContext<'a>,
        laws: &'a [LawCheck],
    ) -> Placer<'a, 'c> {
        let finder = FirstFit::new(simulation.cluster());
        Placer { simulation, notes, context, laws, finder }
    }

    /// Places a job: all pods that the gang lacks, or one more pod of a complete gang. Returns the placements; empty: nothing fits.
    pub fn place_job(&mut self, pending_job: &mut PendingJob) -> Placements {
        let is_whole = pending_job.lead().is_some_and(|lead| self.simulation.cluster().shortage(lead).is_empty());
        let new = if is_whole && !pending_job.pods.iter().any(|ix| self.simulation.is_promised(*ix)) {
            self.place_next_pod(pending_job)
        } else {
            self.place_gang(pending_job)
        };
        pending_job.pods.retain(|pod| new.iter().all(|(ix, _)| ix != pod));
        new
    }

    /// Places a pod on a node that fits and returns the node. `None`: a law denies the pod, or no node fits.
    pub fn place(&mut self, ix: PodIx, when: IdleCapacity) -> Option<NodeIx> {
        if let Some((rule, denial)) = self.context.first_failed_check(self.simulation.cluster(), self.laws, &[ix]) {
            self.notes.record_denial_and_hint(
                self.simulation.cluster(),
                Subject::Preemptor,
                Outcome::Barred,
                &rule,
                &denial,
            );
            return None;
        }
        let node = self.finder.find(self.simulation, ix, when);
        match node {
            Some(node) => self.simulation.trial.place(ix, node),
            None if when == IdleCapacity::Current => {
                self.notes.retry_hints.add_reason(&HAS_ROOM);
                trace::explain_nodes(self.simulation, self.notes, ix);
            }
            None => {}
        }
        node
    }

    /// Places the first pod of a job that fits and removes the pods before it from the job. Returns one placement, or none.
    pub fn place_next_pod(&mut self, pending_job: &mut PendingJob) -> Placements {
        let mut refused = UnplaceableClasses::default();
        while let Some(ix) = pending_job.lead() {
            if !refused.contains(self.simulation, ix)
                && let Some(node) = self.place(ix, IdleCapacity::Current)
            {
                return vec![(ix, node)];
            }
            refused.add(self.simulation, ix);
            pending_job.pods.retain(|pod| *pod != ix);
        }
        Vec::new()
    }

    /// Places all pods that a gang lacks, or none. Withdraws the nominations of the gang first, and restores them if the gang does not fit.
    fn place_gang(&mut self, pending_job: &mut PendingJob) -> Placements {
        let mut promised = Vec::new();
        for ix in &pending_job.pods {
            promised.extend(self.simulation.withdraw(*ix).map(|node| (*ix, node)));
        }
        if !promised.is_empty() {
            self.finder.reset();
        }
        if pending_job.lead().is_some_and(|lead| self.simulation.cluster().shortage(lead).is_empty()) {
            return self.place_next_pod(pending_job);
        }
        if let Some(placements) = self.all_or_none(pending_job, IdleCapacity::Current) {
            return placements;
        }
        if promised.is_empty() {
            let before = self.simulation.trial.savepoint();
            promised = self.all_or_none(pending_job, IdleCapacity::Future).unwrap_or_default();
            self.simulation.trial.rewind(before);
            trace::explain_promise(self.notes, &promised);
        }
        promised.into_iter().for_each(|(ix, node)| self.simulation.promise(ix, node));
        Vec::new()
    }

    /// Returns nodes for all pods that a gang lacks, or none. Four orders of pods are tried: their own, the largest first, the smallest first, which
    /// helps where a large pod takes the capacity of two small ones that complete the gang without it, and the pods with the fewest nodes first.
    fn all_or_none(&mut self, pending_job: &PendingJob, when: IdleCapacity) -> Option<Placements> {
        let cluster = self.simulation.cluster();
        let pods = &pending_job.pods;
        let largest_first = cluster.largest_first(pods);
        let fewest_nodes_first = cluster.fewest_nodes_first(largest_first.clone());
        let mut orders = vec![pods.clone(), largest_first, cluster.smallest_first(pods), fewest_nodes_first];
        // The others of the gang may be the company that a pod needs.
        orders.iter_mut().for_each(|order| order.sort_by_key(|ix| cluster.has_required_affinity(*ix)));
        orders.dedup();
        for order in &orders {
            let (before, finder) = (self.simulation.trial.savepoint(), self.finder.clone());
            let (mut placements, mut refused) = (Vec::new(), UnplaceableClasses::default());
            let mut lacking =
                pending_job.lead().map(|lead| self.simulation.cluster().shortage(lead)).unwrap_or_default();
            for ix in order {
                let mut with = lacking.clone();
                let useful = self.simulation.cluster().pod(*ix).is_some_and(|pod| with.take(pod));
                if !useful || refused.contains(self.simulation, *ix) {
                    continue;
                }
                match self.place(*ix, when) {
                    Some(node) => {
                        placements.push((*ix, node));
                        lacking = with;
                    }
                    None => refused.add(self.simulation, *ix),
                }
            }
            if lacking.is_empty() {
                return Some(placements);
            }
            trace::explain_partial_gang(self.notes, self.context, placements.len(), lacking.count());
            self.simulation.trial.rewind(before);
            self.finder = finder;
        }
        None
    }
}

/// The equivalence classes of pods that fit on no node.
#[derive(Default)]
pub struct UnplaceableClasses(BTreeSet<ClassIx>);

impl UnplaceableClasses {
    /// Checks whether a pod belongs to one of these classes, so that it need not be tried.
    pub fn contains(&self, simulation: &Simulation<'_>, ix: PodIx) -> bool {
        simulation.cluster().pod(ix).is_some_and(|pod| self.0.contains(&pod.requirements.class))
    }

    /// Adds the class of a pod, unless a node may take it once more pods are placed.
    pub fn add(&mut self, simulation: &Simulation<'_>, ix: PodIx) {
        let cluster = simulation.cluster();
        self.0.extend(
            cluster.pod(ix).filter(|_| !cluster.may_fit_after_placements(ix)).map(|pod| pod.requirements.class),
        );
    }
}
