//! What the policies of the tests say of running pods: what is written on them, and whether they are safe.

use lictor_contract::*;
use lictor_host::policy::CallError;

use super::good::{Answer, Good, reason};
use super::mutant::{Mutant, said};

impl Good {
    /// Returns the threats of the test policy: pods of priority 10 and more are evicted for no pod, and all others for every pod of a higher
    /// priority.
    fn threats(&self, pod: PodId) -> Answer<Vec<Threat>> {
        let pod = self.known(pod)?;
        let runs = pod.node.is_some() && !pod.terminating && !matches!(pod.phase, Phase::Succeeded | Phase::Failed);
        let by = by::POD.to_owned();
        let priority = self.priority(pod.id);
        let threat = match priority {
            10.. => Threat { by, priority: None, spared: Some(reason("no-way", Vec::new())) },
            _ => Threat { by, priority: Some(priority + 1), spared: None },
        };
        Ok(if runs { vec![threat] } else { Vec::new() })
    }
}

impl Mutant {
    pub(super) fn marked(&self, pod: PodId, node: NodeId) -> Result<Vec<Mark>, CallError> {
        match self.good.known(pod) {
            Err(_) if self.is("marks/unknown-pod") => Err(CallError::Broke { call: "marks", cause: "boom".into() }),
            Err(error) => said("marks", Err(error)),
            Ok(_) => {
                let value = self.good.nodes.get(&node).map(|node| node.name.clone()).unwrap_or_default();
                let mark = Mark { place: MarkPlace::Annotation, key: "example.com/given".to_owned(), value };
                Ok(vec![mark; 1 + usize::from(self.is("marks/keys-once"))])
            }
        }
    }

    pub(super) fn threats(&mut self, pods: &[PodId]) -> Result<Vec<Vec<Threat>>, CallError> {
        self.count += i64::from(self.is("standing/changes-no-decision"));
        if self.is("standing/unknown-pod") && pods.iter().any(|pod| self.good.known(*pod).is_err()) {
            return Err(CallError::Broke { call: "standings", cause: "boom".into() });
        }
        let mut lists = said("standings", pods.iter().map(|pod| self.good.threats(*pod)).collect::<Answer<Vec<_>>>())?;
        let asked = i32::try_from(pods.len()).unwrap();
        for (threats, pod) in lists.iter_mut().zip(pods) {
            match (self.breaks, threats.first_mut()) {
                ("standing/threats-are-sound", Some(first)) => first.priority = Some(1),
                ("standing/same-question-same-answer", Some(first)) => {
                    first.priority = first.priority.map(|least| least + asked);
                }
                ("standing/running-pods-only", None) if self.good.known(*pod).is_ok_and(|pod| pod.node.is_none()) => {
                    threats.push(Threat { by: by::POD.to_owned(), priority: None, spared: None });
                }
                (UNREGISTERED, Some(first)) => {
                    first.spared = first.spared.as_ref().map(|_| reason("unheard-of", Vec::new()))
                }
                _ => {}
            }
        }
        if self.is("standing/one-answer-a-pod") {
            lists.pop();
        }
        Ok(lists)
    }
}

/// The name of the mutant that names an undescribed law in a standing.
pub(super) const UNREGISTERED: &str = "the law of a standing is not described";

#[test]
fn the_laws_of_standings_are_held_to_what_all_reasons_are() {
    let rule = |check: &&super::Check| check.id == "core/reasons-are-registered";
    let mut conformance = super::held(UNREGISTERED, super::checks().filter(rule));
    let report = conformance.checks.pop().unwrap();
    assert_eq!(report.outcome, super::CheckOutcome::Failed);
    assert!(report.flaws[0].found.contains("standing.standings"), "{:?}", report.flaws);
}
