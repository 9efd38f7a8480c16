//! Permit: may this reserved pod be bound?

use crate::contract::*;
use crate::laws::ReasonFacts;
use crate::model::{JobIx, PodIx, PodLocation};

use super::Engine;
use super::reasons::PERMITTED;
use super::refusals::RetryHints;

impl Engine {
    /// Implements `permit.permit`: returns whether a reserved pod may be bound, must wait, or is rejected.
    pub fn permit(&mut self, pod: PodId) -> Result<Permitted, PolicyError> {
        let ix = PodIx(pod);
        self.trace.resume(ix);
        self.trace.retry_hints = RetryHints::default();
        let preemptor = self.preemptor(pod)?;
        if !self.cluster.pod(ix).is_some_and(|pod| matches!(pod.state.location, PodLocation::Reserved(_))) {
            return Err(PolicyError::WrongState("the pod is not reserved a node".to_owned()));
        }
        let case = preemptor.context_for_plan(&self.cluster, &self.plans_in_flight);
        let laws = self.laws()?;
        let gang = preemptor.job.and_then(|job| self.cluster.job(job)).and_then(|job| job.gang());
        // The PodGroup that described the gang may have been deleted while its pods waited.
        let undescribed = preemptor.job.filter(|_| gang.is_none());
        let undescribed =
            undescribed.and_then(|job| Some((job, case.first_failed_check(&laws.preconditions.unresolvable)?)));
        if let Some((job, (rule, denial))) = undescribed {
            let reason = self.denied(&rule, &denial);
            // Whether the pods of such a gang are unreserved together is not known. None of them can be bound.
            let effects = Effects { releases: self.gang_pods_at_permit(ix), ..self.reject_unstartable_gang(job, ix) };
            let permission = Permission::Reject(reason.clone());
            return Ok(Permitted { permission, reason, retry: self.retry(), effects });
        }
        if let Some((rule, denial)) = case.first_failed_check(&laws.preconditions.permit) {
            let (timeout, fails_together) = gang.map_or((0, false), |gang| (gang.timeout, gang.releases_on_failure));
            let short = preemptor.job.filter(|job| fails_together && self.cluster.cannot_start_in_round(*job));
            let reason = self.denied(&rule, &denial);
            let (permission, effects) = match short {
                Some(job) => (Permission::Reject(reason.clone()), self.reject_unstartable_gang(job, ix)),
                None => (Permission::Wait(timeout), Effects::default()),
            };
            return Ok(Permitted { permission, reason, retry: self.retry(), effects });
        }
        let law = laws.preconditions.permit.first().map(|law| law.rule);
        let case = if gang.is_some() { "complete" } else { "single" };
        let admits = if gang.is_some() { self.gang_pods_at_permit(ix) } else { Vec::new() };
        for job in preemptor.job.map(|job| self.cluster.gang_group(job)).unwrap_or_default() {
            if let Some(job) = self.cluster.job_mut(job) {
                job.was_complete = true;
            }
        }
        if let Some(system) = &mut self.system {
            system.on_permit_allowed(&mut self.cluster, ix);
        }
        let reason =
            law.map_or_else(|| PERMITTED.reason(ReasonFacts::default()), |law| law.reason(ReasonFacts::case(case)));
        let (retry, effects) = (Retry::default(), Effects { admits, ..Effects::default() });
        Ok(Permitted { permission: Permission::Allow, reason, retry, effects })
    }

    /// Ends the round of a gang that cannot start in it, and returns the effects. The pod would hold a node in vain, and so would the nominated pods
    /// of its gang group: these nominations end (kube-scheduler `schedule_one.go`, schedulingCycle, clears the nomination of a pod that Permit
    /// rejects). When the pod is unreserved, all waiting pods of its gang are unreserved, too.
    fn reject_unstartable_gang(&mut self, job: JobIx, pod: PodIx) -> Effects {
        self.cluster.end_round(job, None);
        let mut void = self.cluster.nominated_of_group(job);
        void.extend((self.cluster.is_nominated(pod) && !void.contains(&pod)).then_some(pod));
        Effects { withdrawn: self.withdraw_nominations(void), ..Effects::default() }
    }
}
