//! PreFilter: may this pod be tried?

use crate::contract::*;
use crate::laws::{ActiveLaw, Denial, LawCheck, Preemptor};
use crate::model::{Cluster, JobIx, PlansInFlight, PodIx, Trial};

use super::Engine;
use super::closed_nominations::closed_to;
use super::refusals::RetryHints;
use super::search;

impl Engine {
    /// Implements `placement.pre-filter`: returns whether a pod may be tried, and begins an attempt for it.
    pub fn pre_filter(&mut self, pod: PodId) -> Result<PreFiltered, PolicyError> {
        let preemptor = self.preemptor(pod)?;
        self.cluster.begin_attempt(PodIx(pod));
        let laws = self.laws()?;
        let admitted = search::for_laws(laws).gang_at_prefilter(&self.cluster, preemptor);
        let parts = Preemptor::join(&self.cluster, vec![admitted]);
        let r#final =
            first_failed_precondition(&parts, &self.cluster, &self.plans_in_flight, &laws.preconditions.unresolvable);
        let is_final = r#final.is_some();
        if is_final {
            self.cluster.release_required_node(PodIx(pod));
        }
        self.trace.begin(PodIx(pod));
        self.trace.retry_hints = RetryHints::default();
        let effects = match (&r#final, &mut self.system) {
            (None, Some(system)) => system.on_pre_filter_passed(&mut self.cluster, PodIx(pod)),
            (None, None) => Effects::default(),
            (Some((_, denial)), _) => self.final_refusal_effects(PodIx(pod), denial, &parts),
        };
        let broken = match r#final {
            None => self.first_failed_after_release(PodIx(pod), parts, &effects.releases)?,
            r#final => r#final,
        };
        let admission = match broken {
            None => Admission::Pass,
            Some((rule, denial)) => {
                self.trace.record_denial_and_hint(&self.cluster, Subject::Preemptor, Outcome::Barred, &rule, &denial);
                let reason = self.reason(&rule, &denial);
                if is_final { Admission::Final(reason) } else { Admission::Refused(reason) }
            }
        };
        Ok(PreFiltered { admission, retry: self.retry(), effects })
    }

    /// Returns the effects on other pods of a final refusal. No pod of the gang group can start now, so the capacity that was promised to them is
    /// free for others. Upstream, too, a pod that PostFilter finds no plan for loses its nomination (schedule_one.go, handleSchedulingFailure). The
    /// pods of a strict gang group that wait at Permit give up their nodes for the same reason.
    fn final_refusal_effects(&mut self, pod: PodIx, denial: &Denial, parts: &[Preemptor]) -> Effects {
        let Some(refused) = self.cluster.pod(pod) else { return Effects::default() };
        let (job, own) = (refused.attributes.job, refused.state.nominated.map(|_| pod));
        let Some(job) = job else { return self.withdraw_as_effects(own.into_iter().collect()) };
        if self.waits_for_its_turn(job, denial) || self.waits_for_leaving_pods(parts, denial) {
            return Effects::default();
        }
        // A problem of a gang keeps its whole group from being tried. The demand of one pod is checked at the turn of that pod: it fails then, and
        // the others go on if they can do without it.
        let is_of_the_pod =
            matches!(denial, Denial::UnsupportedField { job: None, .. } | Denial::Resource(..) | Denial::Queue(..));
        let is_over = is_of_the_pod && self.fail_attempt(pod, None);
        if is_of_the_pod && !is_over {
            return self.withdraw_as_effects(own.into_iter().collect());
        }
        // Where the round is over, the pods at Permit have been released. The amounts that a single gang lacks may become free while its pods wait.
        let may_come = matches!(denial, Denial::ClusterTooSmall { .. }) && self.cluster.gang_group(job).len() < 2;
        let cannot_start = !may_come && !matches!(denial, Denial::Failed { .. });
        let effects = self.withdraw_as_effects(self.cluster.nominated_of_group(job));
        // A gang that is not described any more has no mode: its pods could hold their nodes for nothing but their timeout.
        let is_unknown = matches!(denial, Denial::UndescribedGang { member: None, .. });
        let gives_up = is_over || cannot_start && (is_unknown || self.cluster.is_strict(job));
        let releases = if gives_up { self.gang_pods_at_permit(pod) } else { Vec::new() };
        Effects { releases, ..effects }
    }

    /// Checks whether a pod of this job is not tried because another gang of the group is served first. The pod gets its turn later, so no pod gives
    /// up anything.
    fn waits_for_its_turn(&self, job: JobIx, denial: &Denial) -> bool {
        let Denial::Incomplete { job: other, case: "", .. } = denial else { return false };
        self.cluster.served_before(job).is_some_and(|(first, ..)| first == *other)
    }

    /// Checks whether the amounts that a gang lacks are free once the pods have left that leave now: some of them leave for the gang itself, and would
    /// have left in vain.
    fn waits_for_leaving_pods(&mut self, parts: &[Preemptor], denial: &Denial) -> bool {
        let Engine { system, cluster, plans_in_flight: ledger, .. } = self;
        let leaving = ledger.leaving(cluster);
        match (system, denial) {
            (Some(system), Denial::ClusterTooSmall { .. }) if !leaving.is_empty() => {
                let mut after = Trial::new(cluster);
                leaving.into_iter().for_each(|ix| after.evict(ix));
                first_failed_precondition(parts, after.cluster(), ledger, &system.laws().preconditions.unresolvable)
                    .is_none()
            }
            _ => false,
        }
    }

    /// Withdraws the nominations of these pods, and returns that as effects.
    fn withdraw_as_effects(&mut self, pods: Vec<PodIx>) -> Effects {
        Effects { withdrawn: self.withdraw_nominations(pods), ..Effects::default() }
    }

    /// Returns the first gate that a part does not pass, after the release of pods at Permit. The released pods then use no capacity and no quota
    /// against the pod whose turn releases them.
    fn first_failed_after_release(
        &mut self,
        pod: PodIx,
        mut parts: Vec<Preemptor>,
        releases: &[PodId],
    ) -> Result<Option<(ActiveLaw, Denial)>, PolicyError> {
        let Engine { system, cluster, plans_in_flight: ledger, .. } = self;
        let laws = system.as_ref().ok_or(PolicyError::NotConfigured)?.laws();
        let mut released = Trial::new(cluster);
        releases.iter().for_each(|pod| released.unreserve(PodIx(*pod)));
        if laws.queue_rules.reclaims_within_min {
            let closed = closed_to((released.cluster(), ledger), laws, pod);
            Preemptor::close(&mut parts, released.cluster(), &closed);
        }
        Ok(first_failed_precondition(&parts, released.cluster(), ledger, &laws.preconditions.resolvable))
    }
}

/// Returns the first of these gates that does not hold for one of the parts.
fn first_failed_precondition(
    parts: &[Preemptor],
    cluster: &Cluster,
    ledger: &PlansInFlight,
    gates: &[LawCheck],
) -> Option<(ActiveLaw, Denial)> {
    parts.iter().find_map(|part| part.context_for_plan(cluster, ledger).first_failed_check(gates))
}
