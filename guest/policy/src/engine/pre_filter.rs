//! PreFilter: may this pod be tried?

use crate::contract::*;
use crate::laws::{Denial, Gate, Preemptor, Rule};
use crate::model::{Cluster, Ledger, PodIx, Trial};

use super::Engine;
use super::closed_nominations::closed_to;
use super::refusals::Refusals;
use super::search;

impl Engine {
    /// See `placement.pre-filter`.
    pub fn pre_filter(&mut self, pod: PodId) -> Result<PreFiltered, PolicyError> {
        let preemptor = self.preemptor(pod)?;
        self.cluster.begin_attempt(PodIx(pod));
        let laws = self.laws()?;
        let admitted = search::of(laws).admitted(&self.cluster, preemptor);
        let parts = Preemptor::join(&self.cluster, vec![admitted]);
        let r#final = first_broken(&parts, &self.cluster, &self.ledger, &laws.final_gates);
        let is_final = r#final.is_some();
        if is_final {
            self.cluster.release_required_node(PodIx(pod));
        }
        self.notes.begin(PodIx(pod));
        self.notes.refusals = Refusals::default();
        let effects = match &mut self.system {
            Some(system) if !is_final => system.pre_filtered(&mut self.cluster, PodIx(pod)),
            _ => Effects { withdrawn: self.void_nominations(PodIx(pod)), ..Effects::default() },
        };
        let broken = match r#final {
            None => self.first_broken_gate(PodIx(pod), parts, &effects.releases)?,
            r#final => r#final,
        };
        let admission = match broken {
            None => Admission::Pass,
            Some((rule, denial)) => {
                self.notes.refused(&self.cluster, Subject::Preemptor, Outcome::Barred, &rule, &denial);
                let reason = self.reason(&rule, &denial);
                if is_final { Admission::Final(reason) } else { Admission::Refused(reason) }
            }
        };
        Ok(PreFiltered { admission, retry: self.retry(), effects })
    }

    /// Returns the nominated pods of the gang group of a pod that is refused for good, or the pod itself: none of them can start now, so the
    /// room that leaves for them is free for others. Upstream a pod that PostFilter finds no plan for loses its nomination, too
    /// (schedule_one.go, handleSchedulingFailure).
    fn void_nominations(&mut self, pod: PodIx) -> Vec<PodId> {
        let void = match self.cluster.pod(pod) {
            None => Vec::new(),
            Some(refused) => match refused.attributes.job {
                Some(job) => self.cluster.nominated_of_group(job),
                None => refused.nominated.map(|_| pod).into_iter().collect(),
            },
        };
        self.withdrawn(void)
    }

    /// Returns the first gate that a part does not pass when pods that are held at Permit have been released: they hold no room and no
    /// quota for the pod whose turn releases them.
    fn first_broken_gate(
        &mut self,
        pod: PodIx,
        mut parts: Vec<Preemptor>,
        releases: &[PodId],
    ) -> Result<Option<(Rule, Denial)>, PolicyError> {
        let Engine { system, cluster, ledger, .. } = self;
        let laws = system.as_ref().ok_or(PolicyError::NotConfigured)?.laws();
        let mut released = Trial::new(cluster);
        releases.iter().for_each(|pod| released.unreserve(PodIx(*pod)));
        let closed = closed_to(released.cluster(), laws, pod);
        parts.iter_mut().for_each(|part| part.closed.clone_from(&closed));
        Ok(first_broken(&parts, released.cluster(), ledger, &laws.gates))
    }
}

/// Returns the first of these gates that does not hold for one of the parts.
fn first_broken(parts: &[Preemptor], cluster: &Cluster, ledger: &Ledger, gates: &[Gate]) -> Option<(Rule, Denial)> {
    parts.iter().find_map(|part| part.waiting(cluster, ledger).first_broken(gates))
}
