//! What was found in objects, of a session that lives for weeks.

use std::collections::BTreeSet;

use lictor_contract::Finding;

use super::Session;

/// The maximum number of findings. Beyond it, half of them are dropped. An object that stays wrong gives a finding at each of its changes.
const MAX_FINDINGS: usize = 16_384;

impl Session {
    /// Adds the findings of a new instance in the same objects, without those that are known.
    pub(super) fn add_new_findings(&mut self, found: Vec<Finding>) {
        let of = |finding: &Finding| (finding.object.clone(), finding.path.clone(), finding.message.clone());
        let known: BTreeSet<_> = self.findings.iter().map(of).collect();
        self.findings.extend(found.into_iter().filter(|finding| !known.contains(&of(finding))));
    }

    /// Forgets the oldest findings that were handed out, where there are too many.
    pub(super) fn forget_findings(&mut self) {
        if self.findings.len() > MAX_FINDINGS {
            let surplus = self.findings.len().saturating_sub(MAX_FINDINGS / 2).min(self.delivered_findings);
            self.findings.drain(..surplus);
            self.delivered_findings = self.delivered_findings.saturating_sub(surplus);
        }
    }
}

#[cfg(test)]
mod tests {
    use lictor_contract::Severity;

    use super::*;
    use crate::session::testing::{ALL, Scripted, session};
    use crate::verify::testing::node;

    fn finding(number: usize) -> Finding {
        Finding {
            severity: Severity::Warning,
            object: format!("Pod/default/p{number}"),
            path: String::new(),
            message: "wrong".to_owned(),
            remedy: String::new(),
        }
    }

    #[test]
    fn findings_are_bounded_and_each_is_handed_out_once() {
        let mut session = session(&Scripted::deciding(ALL), [node("n1", 4)]).session;
        session.step();
        let mut told = 0;
        for number in 0..5 * MAX_FINDINGS {
            session.findings.push(finding(number));
            if number % 7 == 0 {
                told += session.step().findings.len();
            }
        }
        told += session.step().findings.len();
        assert_eq!(told, 5 * MAX_FINDINGS);
        assert!(session.findings().len() <= MAX_FINDINGS, "{}", session.findings().len());
        assert_eq!(session.findings().last(), Some(&finding(5 * MAX_FINDINGS - 1)));
    }

    #[test]
    fn what_a_new_instance_finds_again_is_not_said_again() {
        let mut session = session(&Scripted::deciding(ALL), [node("n1", 4)]).session;
        session.add_new_findings(vec![finding(1), finding(2)]);
        session.add_new_findings(vec![finding(2), finding(3)]);
        assert_eq!(session.findings(), [finding(1), finding(2), finding(3)]);
    }
}
