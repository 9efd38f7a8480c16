//! PreFilter: may this pod be tried?

use crate::contract::*;
use crate::model::PodIx;

use super::Engine;
use super::refusals::Refusals;
use super::search;

impl Engine {
    /// See `placement.pre-filter`.
    pub fn pre_filter(&mut self, pod: PodId) -> Result<PreFiltered, PolicyError> {
        let preemptor = self.preemptor(pod)?;
        let laws = self.laws()?;
        let preemptor = search::of(laws).admitted(&self.cluster, preemptor);
        let case = preemptor.admission(&self.cluster, &self.ledger);
        let (r#final, refused) = (case.first_broken(&laws.final_gates), case.first_broken(&laws.gates));
        let is_final = r#final.is_some();
        self.notes.begin(PodIx(pod));
        self.notes.refusals = Refusals::default();
        let effects = match &mut self.system {
            Some(system) if !is_final => system.pre_filtered(&mut self.cluster, PodIx(pod)),
            _ => Effects::default(),
        };
        let admission = match r#final.or(refused) {
            None => Admission::Pass,
            Some((rule, denial)) => {
                self.notes.refused(&self.cluster, Subject::Preemptor, Outcome::Barred, &rule, &denial);
                let reason = self.reason(&rule, &denial);
                if is_final { Admission::Final(reason) } else { Admission::Refused(reason) }
            }
        };
        Ok(PreFiltered { admission, retry: self.retry(), effects })
    }
}
