//! The events of all connections, as lines on the standard error.

use std::sync::{Mutex, MutexGuard, PoisonError};

use lictor_contract::{Finding, Severity};
use lictor_decide::Problem;
use lictor_host::cluster::{InputError, KubernetesObject};
use lictor_host::living::MARKS;
use lictor_host::session::{AppliedPlan, Session, SessionError, StepOutput};
use lictor_serve::ConnectionObserver;
use lictor_serve::marked::{MarkedVictims, OverdueVictim};

use super::fits::SystemMatch;
use crate::failure::format_problem;

/// The reporter that writes lines on the standard error.
pub(super) struct ConnectionLog {
    system_match: SystemMatch,
    /// The victims that were only marked, over all connections: a scheduler that connects again does not know that they were marked.
    marked: Mutex<MarkedVictims>,
}

/// Returns the warning at the start where victims are only marked.
pub(super) fn marks() -> Problem {
    let message = "victims are only marked, not deleted: another controller must delete them, or a gang that preempts never starts";
    Problem::error(message).remedy(MARKS).of(Severity::Warning)
}

impl ConnectionLog {
    /// Makes a reporter. `fits` warns of a system that does not fit the cluster.
    pub(super) fn new(fits: SystemMatch) -> ConnectionLog {
        ConnectionLog { system_match: fits, marked: Mutex::default() }
    }

    fn marked(&self) -> MutexGuard<'_, MarkedVictims> {
        self.marked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionObserver for ConnectionLog {
    fn objects(&self, objects: &[KubernetesObject]) {
        if let Some(warning) = self.system_match.warning(objects) {
            anstream::eprint!("{}", format_problem(&warning));
        }
    }

    fn step(&self, step: &StepOutput, session: &Session) {
        self.marked().step(step, session);
        for plan in &step.happened.plans {
            anstream::eprintln!("{}", made(plan));
        }
        for refused in &step.happened.refused {
            anstream::eprintln!("plan {} for {} refused: {}", refused.plan, refused.for_whom, refused.reason.message);
        }
        for failed in &step.happened.failed {
            anstream::eprintln!("command for {} failed: {}", failed.pod, failed.reason);
        }
        for transition in &step.replacement {
            anstream::eprintln!("replacement of the policy: {:?}, {:?}", transition.to, transition.reason);
        }
        for finding in &step.findings {
            anstream::eprintln!("{}", found(finding));
        }
    }

    fn batch_handled(&self, session: Option<&Session>) {
        let Some(session) = session else { return };
        for standing in self.marked().take_overdue(session.mirror()) {
            let OverdueVictim { pod, by } = standing;
            let by = by.map_or_else(String::new, |(plan, for_whom)| format!(" by plan {plan} for {for_whom}"));
            let message = format!("{pod} was marked{by} a minute ago or before, and still runs");
            let warning = Problem::error(message).remedy(MARKS).of(Severity::Warning);
            anstream::eprint!("{}", format_problem(&warning));
        }
    }

    fn connection_changed(&self, is: bool) {
        if is {
            self.marked().adopt_marked();
        }
    }

    fn count_overdue(&self) -> usize {
        self.marked().overdue()
    }

    fn error(&self, error: &SessionError) {
        anstream::eprintln!("not served: {error}");
    }

    fn object_invalid(&self, mistake: &InputError) {
        anstream::eprintln!("not read: {}: {}", mistake.message, mistake.remedy);
    }

    fn write_line(&self, line: &str) {
        anstream::eprintln!("{line}");
    }
}

/// Returns the line of a finding. One of the recorder names no object.
fn found(finding: &Finding) -> String {
    let parts = [&finding.object, &finding.message, &finding.remedy].map(String::as_str);
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
}

/// Returns the line of a plan. A plan that evicts no pod is a nomination: it gives free capacity to a pod.
fn made(plan: &AppliedPlan) -> String {
    let AppliedPlan { plan: number, for_whom, nominated, victims } = plan;
    if victims.is_empty() {
        return format!("nomination {number} for {for_whom}: {nominated:?}");
    }
    let victims: Vec<&str> = victims.iter().map(String::as_str).collect();
    format!("plan {number} for {for_whom}: {nominated:?}, evicts {victims:?}")
}

#[cfg(test)]
mod tests {
    use lictor_host::session::EvictionBeneficiary;

    use super::*;

    #[test]
    fn a_finding_about_no_object_begins_with_what_is_wrong() {
        let finding = |object: &str| Finding {
            severity: Severity::Error,
            object: object.to_owned(),
            path: String::new(),
            message: "it is wrong".to_owned(),
            remedy: "mend it".to_owned(),
        };
        assert_eq!(found(&finding("Node/n")), "Node/n: it is wrong: mend it");
        assert_eq!(found(&finding("")), "it is wrong: mend it");
    }

    #[test]
    fn a_plan_that_evicts_no_pod_is_a_nomination() {
        let plan = |victims: &[&str]| AppliedPlan {
            plan: 3,
            for_whom: EvictionBeneficiary::Preemptor("d/a".to_owned()),
            nominated: [("d/a".to_owned(), "n1".to_owned())].into(),
            victims: victims.iter().map(|victim| (*victim).to_owned()).collect(),
        };
        assert_eq!(made(&plan(&[])), r#"nomination 3 for d/a: {"d/a": "n1"}"#);
        assert_eq!(made(&plan(&["d/v"])), r#"plan 3 for d/a: {"d/a": "n1"}, evicts ["d/v"]"#);
    }
}
