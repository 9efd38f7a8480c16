//! PostFilter: the pod was refused or found no node. Is there a plan for it?

mod one_by_one;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::contract::{Effects, Outcome, PodId, PolicyError, PostFiltered, Reason, Refuted, Retry, Subject};
use crate::laws::{ActiveLaw, Denial, LawCheck, Laws, Preemptor, ReasonFacts};
use crate::model::{NodeIx, PodInfo, PodIx, PodLocation};

use super::Engine;
use super::closed_nominations::closed_nominations;
use super::plan::PlanDraft;
use super::rearranged::Rearranged;
use super::reasons::{NO_NODE, OTHER_GANG, ROOM_IS_CLAIMED, ROOM_IS_COMING};
use super::refusals::RetryHints;
use super::search::{self, Branch, PlanObstacle, PreemptionContext, PreemptionSearch};

impl Engine {
    /// Implements `placement.post-filter`: returns a plan for pods that were refused or found no node, or the reason why there is none.
    pub fn post_filter(&mut self, pods: &[PodId], refuted: &Refuted) -> Result<PostFiltered, PolicyError> {
        self.laws()?;
        let asked = self.pending_pods_of_job(pods)?;
        let lead = asked.first().map_or(PodId::MAX, |lead| lead.0);
        let preemptor = self.preemptor(lead)?;
        self.trace.plan(preemptor.pod);
        self.trace.retry_hints = RetryHints::default();
        let laws = Arc::clone(self.laws()?);
        let search = search::for_laws(&laws);
        let several = asked.len() > 1;
        if several && !asked.iter().all(|ix| preemptor.pods.contains(ix)) {
            return self.plan_each_pod(search.as_ref(), &preemptor, (&laws, &asked, refuted));
        }
        let chosen = preemptor.pods.iter().copied().filter(|ix| !several || asked.contains(ix)).collect();
        let preemptor = preemptor.with(&self.cluster, chosen);
        let gangs = search.gangs_to_plan(&self.cluster, &laws, preemptor);
        // Where several pods are tried together, all of them are needed.
        let needed = |(at, gang)| if several && at == 0 { gang } else { search.gang_to_plan(&self.cluster, gang) };
        let mut whole = Preemptor::join(&self.cluster, gangs.clone());
        let mut gangs = Preemptor::join(&self.cluster, gangs.into_iter().enumerate().map(needed).collect());
        let closed = gangs
            .first()
            .map(|gang| closed_nominations((&self.cluster, &self.plans_in_flight), &laws, gang))
            .unwrap_or_default();
        [&mut whole, &mut gangs].into_iter().for_each(|gangs| Preemptor::close(gangs, &self.cluster, &closed));
        if let Some(reason) = self.first_failed_precondition(&whole, &laws.preconditions.in_flight) {
            return Ok(self.no_plan_answer(reason, Effects::default()));
        }
        if !several && let Some(reason) = self.unneeded_pod_reason(search.as_ref(), (&laws, &gangs, refuted)) {
            return Ok(self.no_plan_answer(reason, Effects::default()));
        }
        let preemptor = gangs.first().ok_or(PolicyError::UnknownPod(lead))?;
        // The gang of the preemptor has passed PreFilter, the others that are planned with it have not.
        let others =
            self.first_failed_precondition(gangs.get(1..).unwrap_or_default(), &laws.preconditions.unresolvable);
        if let Some(reason) = others.or_else(|| self.first_failed_precondition(&gangs, &laws.preconditions.preemption))
        {
            self.cluster.release_required_node(preemptor.pod);
            if self.plan_stands(&laws, &gangs, refuted) {
                return Ok(self.no_plan_answer(reason, Effects::default()));
            }
            return self.failure_answer(search.as_ref(), preemptor, (&laws, refuted), (reason, false));
        }
        self.plans_in_flight.drop_proposed();
        let (ledger, notes, branch) = (&self.plans_in_flight, &mut self.trace, &Branch::default());
        let mut context = PreemptionContext { preemptor, gangs: &gangs, laws: &laws, ledger, refuted, branch, notes };
        let found = search.find(&mut self.cluster, &mut context).and_then(|plan| plan.require_nodes_for(&asked));
        let found = found.and_then(|plan| self.unless_reclaimed(&laws, &gangs, plan));
        if self.stays_in_flight(&found, (&laws, &gangs, refuted)) {
            let reason = self.no_plan_reason(&gangs, PlanObstacle::GangWillFit);
            return Ok(self.no_plan_answer(reason, Effects::default()));
        }
        match found {
            Err(obstacle) => {
                match obstacle {
                    PlanObstacle::NoNode { .. } => self.cluster.pin_required_node(preemptor.pod),
                    _ => self.cluster.release_required_node(preemptor.pod),
                }
                let reason = self.no_plan_reason(&gangs, obstacle);
                self.failure_answer(search.as_ref(), preemptor, (&laws, refuted), (reason, true))
            }
            Ok(plan) => match self.awaited_obstacle(&plan) {
                Some(obstacle) => {
                    let reason = self.no_plan_reason(&gangs, obstacle);
                    Ok(self.no_plan_answer(reason, Effects::default()))
                }
                None => self.plan_answer(search.as_ref(), &gangs, &plan),
            },
        }
    }

    /// Returns the answer for a pod that has neither a node nor a plan: its gang gets other nodes, or gives up what it cannot use. `has_searched`:
    /// the search for a plan has run.
    fn failure_answer(
        &mut self,
        search: &dyn PreemptionSearch,
        preemptor: &Preemptor,
        ground: (&Laws, &Refuted),
        (reason, has_searched): (Reason, bool),
    ) -> Result<PostFiltered, PolicyError> {
        if let Some(Rearranged { plan, gangs, releases }) = self.rearranged(search, preemptor, ground) {
            let planned = self.plan_answer(search, &gangs, &plan)?;
            return Ok(PostFiltered { effects: Effects { releases, ..planned.effects }, ..planned });
        }
        let effects = self.failure_effects(preemptor, search.withdrawn_on_failure(preemptor, has_searched));
        Ok(self.no_plan_answer(reason, effects))
    }

    /// Returns these pods, each once, after checking that they wait for a node and are of one job. Otherwise the error says what is wrong.
    fn pending_pods_of_job(&self, pods: &[PodId]) -> Result<Vec<PodIx>, PolicyError> {
        let wrong = |what: &str| PolicyError::WrongState(what.to_owned());
        let mut jobs = BTreeSet::new();
        let mut asked = BTreeSet::new();
        for id in pods {
            let pod = self.cluster.pod(PodIx(*id)).ok_or(PolicyError::UnknownPod(*id))?;
            if !pod.is_schedulable() {
                return Err(wrong("the pod does not wait for a node"));
            }
            if !asked.insert(PodIx(*id)) {
                return Err(wrong("a pod is named twice"));
            }
            jobs.insert(pod.attributes.job);
        }
        match (pods, jobs.len()) {
            ([], _) => Err(wrong("no pod is named")),
            ([_], _) => Ok(asked.into_iter().collect()),
            (_, 1) if !jobs.contains(&None) => Ok(pods.iter().copied().map(PodIx).collect()),
            _ => Err(wrong("the pods are not of one job")),
        }
    }

    /// Returns the answer with a plan, and withdraws the nominations that the plan replaces.
    fn plan_answer(
        &mut self,
        search: &dyn PreemptionSearch,
        gangs: &[Preemptor],
        plan: &PlanDraft,
    ) -> Result<PostFiltered, PolicyError> {
        let mut withdrawn = self.outranked_nominations(search, gangs, &plan.nominations);
        withdrawn.retain(|pod| gangs.iter().all(|gang| !gang.closed_nominations.contains(pod)));
        withdrawn.extend(self.nominated_victims_at_permit(&plan.victims));
        let withdrawn = self.withdraw_nominations(withdrawn);
        let plan = self.register_plan(plan)?;
        let jobs = gangs.iter().filter_map(|gang| gang.job);
        jobs.for_each(|job| self.cluster.recover(job));
        let effects = Effects { withdrawn, ..Effects::default() };
        Ok(PostFiltered { reason: plan.reason.clone(), plan: Some(plan), retry: Retry::default(), effects })
    }

    /// Returns the victims that hold a node at Permit and were nominated to a node: the plan takes the capacity that was promised to them.
    fn nominated_victims_at_permit(&self, victims: &[PodIx]) -> Vec<PodIx> {
        let is_held =
            |pod: &PodInfo| matches!(pod.state.location, PodLocation::Reserved(_)) && pod.state.nominated == pod.node();
        let held = victims.iter().filter(|ix| self.cluster.pod(**ix).is_some_and(is_held));
        held.copied().collect()
    }

    /// Notes a law that the preemptor breaks, and returns it as a reason.
    pub(super) fn denied(&mut self, rule: &ActiveLaw, denial: &Denial) -> Reason {
        self.trace.record_denial_and_hint(&self.cluster, Subject::Preemptor, Outcome::Barred, rule, denial);
        self.reason(rule, denial)
    }

    /// Returns the answer without a plan.
    fn no_plan_answer(&self, reason: Reason, effects: Effects) -> PostFiltered {
        PostFiltered { plan: None, reason, retry: self.retry(), effects }
    }

    /// Returns the reason of the first gate that does not hold for one of these parts.
    fn first_failed_precondition(&mut self, gangs: &[Preemptor], gates: &[LawCheck]) -> Option<Reason> {
        let (at, rule, denial) = gangs.iter().enumerate().find_map(|(at, gang)| {
            let (rule, denial) =
                gang.context_for_plan(&self.cluster, &self.plans_in_flight).first_failed_check(gates)?;
            Some((at, rule, denial))
        })?;
        let job = |at: usize| gangs.get(at).and_then(|gang| gang.job);
        if job(at) == job(0) {
            return Some(self.denied(&rule, &denial));
        }
        self.trace.retry_hints.add_denial(&rule, &denial, self.cluster.now());
        let other = job(at).and_then(|job| self.cluster.job(job));
        let gang = other.map(|job| job.key.clone()).unwrap_or_default();
        let reason = rule.reason(denial.detail(&self.cluster).with_context(&OTHER_GANG).job("other-gang", &gang));
        self.trace.add(Subject::Preemptor, Outcome::Barred, || reason.clone());
        Some(reason)
    }

    /// Returns the effects on other pods where there is no plan for a pod. `void` are the pods that lose their nominations then.
    ///
    /// A strict gang that is complete, or can still be complete without the pod, is not given up: its other pods keep their nodes and promises. A
    /// gang that cannot be complete gives up all of them, so that pods after it in the queue find free capacity (upstream coscheduling/core/core.go
    /// PostFilter; kube-scheduler `schedule_one_podgroup.go`). A pod that may not preempt keeps its nomination, because no search ran (kube-scheduler
    /// framework/preemption, `evaluate`).
    fn failure_effects(&mut self, preemptor: &Preemptor, void: Vec<PodIx>) -> Effects {
        let pod = preemptor.pod;
        let retry_at = self.trace.retry_hints.at();
        let is_over = self.fail_attempt(pod, retry_at);
        let job = preemptor.job.filter(|job| self.cluster.is_strict(*job));
        let may_preempt = self.cluster.pod(pod).is_some_and(|pod| pod.attributes.may_preempt);
        let is_short = job.is_some_and(|job| !self.cluster.is_complete(job));
        let is_own = |ix: &PodIx| self.cluster.pod(*ix).is_some_and(|other| other.attributes.job == preemptor.job);
        let void = match (preemptor.job.filter(|_| is_over), job) {
            (Some(job), _) => self.cluster.nominated_of_group(job),
            (None, _) if !may_preempt && !is_short => Vec::new(),
            (None, Some(_)) => void.into_iter().filter(|ix| *ix == pod).collect(),
            // The nodes promised to other gangs of the group, by plans of their own, stay promised.
            (None, None) => void.into_iter().filter(|ix| is_own(ix)).collect(),
        };
        let withdrawn = void.into_iter().filter(|ix| self.cluster.is_nominated(*ix)).collect();
        let withdrawn = self.withdraw_nominations(withdrawn);
        let releases = if is_over { self.gang_pods_at_permit(pod) } else { Vec::new() };
        Effects { releases, withdrawn, ..Effects::default() }
    }

    /// Notes an obstacle, and returns it as a reason.
    fn no_plan_reason(&mut self, gangs: &[Preemptor], obstacle: PlanObstacle) -> Reason {
        let (rule, detail) = match obstacle {
            PlanObstacle::Law(rule, denial) => return self.denied(&rule, &denial),
            // The search has noted it.
            PlanObstacle::GangWillFit => {
                self.trace.retry_hints.add_reason(&ROOM_IS_COMING);
                return ROOM_IS_COMING.reason(ReasonFacts::case("gang"));
            }
            PlanObstacle::NodeWillFit(node) => (ROOM_IS_COMING, ReasonFacts::default().node("node", node)),
            PlanObstacle::WouldBeReclaimed(pod) => (ROOM_IS_CLAIMED, ReasonFacts::default().pod("pod", pod)),
            PlanObstacle::NoNode { pod, planned } => {
                let pods = gangs.first().map_or(0, |gang| gang.pods.len());
                let case = if gangs.len() > 1 { "gang-group" } else { "job" };
                let detail = match pods {
                    1 => ReasonFacts::default(),
                    pods => ReasonFacts::case(case).pod("pod", pod).count("planned", planned).count("pods", pods),
                };
                (NO_NODE, detail)
            }
        };
        self.trace.retry_hints.add_reason(&rule);
        let reason = rule.reason(detail);
        self.trace.add(Subject::Preemptor, Outcome::Barred, || reason.clone());
        reason
    }

    /// Returns the pods that lose their nominations to the nodes of a plan: every gang of the plan outranks them.
    fn outranked_nominations(
        &self,
        search: &dyn PreemptionSearch,
        gangs: &[Preemptor],
        nominations: &[(PodIx, NodeIx)],
    ) -> Vec<PodIx> {
        let is_taken = |node: NodeIx| nominations.iter().any(|(_, other)| *other == node);
        let outranked = self.cluster.nominated().filter(|(_, pod)| {
            pod.state.nominated.is_some_and(is_taken)
                && gangs.iter().all(|gang| search.may_take_nomination_of(gang, pod))
        });
        outranked.map(|(ix, _)| ix).collect()
    }
}
