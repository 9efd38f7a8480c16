//! What was found in objects, of a session that lives for weeks.

use std::collections::BTreeSet;

use lictor_contract::Finding;

/// The maximum number of findings. Beyond it, half of them are dropped. An object that stays wrong gives a finding at each of its changes.
const MAX_FINDINGS: usize = 16_384;

/// The findings of a session, the oldest first. Each is handed out once.
#[derive(Debug, Default)]
pub(super) struct Findings {
    list: Vec<Finding>,
    /// The number of findings that have been handed out.
    delivered: usize,
}

impl Findings {
    /// Returns the findings: at least the last 8,192 where there are so many.
    pub(super) fn as_slice(&self) -> &[Finding] {
        &self.list
    }

    /// Adds findings.
    pub(super) fn extend(&mut self, found: impl IntoIterator<Item = Finding>) {
        self.list.extend(found);
    }

    /// Adds findings without those that are known in the same words, as a new instance finds them again.
    pub(super) fn extend_new(&mut self, found: Vec<Finding>) {
        let of = |finding: &Finding| (finding.object.clone(), finding.path.clone(), finding.message.clone());
        let known: BTreeSet<_> = self.list.iter().map(of).collect();
        self.list.extend(found.into_iter().filter(|finding| !known.contains(&of(finding))));
    }

    /// Hands out the findings that were not handed out yet, and forgets the oldest ones where there are too many.
    pub(super) fn deliver(&mut self) -> Vec<Finding> {
        let new = self.list.get(self.delivered..).unwrap_or_default().to_vec();
        self.delivered = self.list.len();
        if self.list.len() > MAX_FINDINGS {
            let surplus = self.list.len().saturating_sub(MAX_FINDINGS / 2);
            self.list.drain(..surplus);
            self.delivered = self.list.len();
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use lictor_contract::Severity;

    use super::*;

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
        let (mut findings, mut delivered) = (Findings::default(), 0);
        for number in 0..5 * MAX_FINDINGS {
            findings.extend([finding(number)]);
            if number % 7 == 0 {
                delivered += findings.deliver().len();
            }
        }
        delivered += findings.deliver().len();
        assert_eq!(delivered, 5 * MAX_FINDINGS);
        assert!(findings.as_slice().len() <= MAX_FINDINGS, "{}", findings.as_slice().len());
        assert_eq!(findings.as_slice().last(), Some(&finding(5 * MAX_FINDINGS - 1)));
    }

    #[test]
    fn what_a_new_instance_finds_again_is_not_said_again() {
        let mut findings = Findings::default();
        findings.extend_new(vec![finding(1), finding(2)]);
        findings.extend_new(vec![finding(2), finding(3)]);
        assert_eq!(findings.as_slice(), [finding(1), finding(2), finding(3)]);
    }
}
