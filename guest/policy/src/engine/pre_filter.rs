//! PreFilter: may this pod be tried?

use crate::contract::*;
use crate::laws::{Denial, Preemptor, Rule};
use crate::model::{PodIx, Trial};

use super::Engine;
use super::refusals::Refusals;
use super::search;

impl Engine {
    /// See `placement.pre-filter`.
    pub fn pre_filter(&mut self, pod: PodId) -> Result<PreFiltered, PolicyError> {
        let preemptor = self.preemptor(pod)?;
        self.cluster.begin_attempt(PodIx(pod));
        let laws = self.laws()?;
        let preemptor = search::of(laws).admitted(&self.cluster, preemptor);
        let r#final = preemptor.admission(&self.cluster, &self.ledger).first_broken(&laws.final_gates);
        let is_final = r#final.is_some();
        self.notes.begin(PodIx(pod));
        self.notes.refusals = Refusals::default();
        let effects = match &mut self.system {
            Some(system) if !is_final => system.pre_filtered(&mut self.cluster, PodIx(pod)),
            _ => Effects::default(),
        };
        let broken = match r#final {
            None => self.first_broken_gate(&preemptor, &effects.releases)?,
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
    /// The first gate that a preemptor does not pass when pods that are held at permit have been released: they hold no room and no quota
    /// for the pod whose turn releases them.
    fn first_broken_gate(
        &mut self,
        preemptor: &Preemptor,
        releases: &[PodId],
    ) -> Result<Option<(Rule, Denial)>, PolicyError> {
        let Engine { system, cluster, ledger, .. } = self;
        let laws = system.as_ref().ok_or(PolicyError::NotConfigured)?.laws();
        let mut released = Trial::new(cluster);
        releases.iter().for_each(|pod| released.evict(PodIx(*pod)));
        Ok(preemptor.admission(released.cluster(), ledger).first_broken(&laws.gates))
    }
}
