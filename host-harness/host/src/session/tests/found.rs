//! What a policy found in the events that it took before it failed.

use std::sync::{Arc, Mutex};

use lictor_contract::*;

use super::*;
use crate::policy::{CallError, Policy};
use crate::verify::testing::interests;

/// A policy with a finding about the pod `bad`. The numbers: calls of `apply` before the first failure, and the number of failures.
#[derive(Debug, Default, Clone)]
struct Fussy(Arc<Mutex<(u32, u32)>>);

impl Policy for Fussy {
    fn restart(&mut self) -> Result<(), CallError> {
        Ok(())
    }
    fn has(&self, _: Interface) -> bool {
        false
    }
    fn describe(&mut self) -> Result<Description, CallError> {
        let system = SystemInfo {
            name: "fussy".to_owned(),
            about: String::new(),
            extension_points: Vec::new(),
            judges_room: false,
            evicts_higher_priority: false,
            schedulers: Vec::new(),
            interests: interests(),
            arguments: Vec::new(),
            templates: Vec::new(),
        };
        Ok(Description { name: "fussy".to_owned(), version: "0".to_owned(), systems: vec![system] })
    }
    fn configure(&mut self, _system: &str, _arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        Ok(Ok(()))
    }
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        let mut calls = self.0.lock().unwrap();
        match &mut *calls {
            (0, 0) => {}
            (0, fails) => {
                *fails = fails.saturating_sub(1);
                let error = PolicyError::Unannounced(Unannounced { event: 0, what: "node".to_owned(), number: 7 });
                return Err(CallError::Refused { call: "apply", error });
            }
            (calls, _) => *calls = calls.saturating_sub(1),
        }
        let bad = events.iter().filter(|event| matches!(event, Event::PodUpserted(pod) if pod.name == "bad"));
        let findings = bad.map(|_| Finding {
            severity: Severity::Warning,
            object: "Pod/default/bad".to_owned(),
            path: String::new(),
            message: "bad".to_owned(),
            remedy: String::new(),
        });
        Ok(Applied { findings: findings.collect() })
    }
}

#[test]
fn what_was_found_before_apply_failed_is_said_once() {
    for fails in 0..3 {
        let policy = Fussy::default();
        let mut session = Session::open(Box::new(policy.clone()), "", "").unwrap();
        session.set_fault_rules(FaultRules::ONCE);
        // The second of two calls fails.
        *policy.0.lock().unwrap() = (1, fails);
        let many = (0..5000).map(|number| pod(&format!("p{number}"), 1, 0));
        let all = [node("n1", 4), pod("bad", 1, 0)].into_iter().chain(many).map(object).collect();
        let mut said = Vec::new();
        let mut take = |session: &mut Session, input| {
            if let Ok(step) = session.handle(input) {
                said.extend(step.findings);
            }
        };
        take(&mut session, SessionInput::Objects(all));
        for time in 1..6 {
            take(&mut session, SessionInput::Clock(time * 3_600_000_000_000));
        }
        assert_eq!(said.iter().filter(|finding| finding.message == "bad").count(), 1, "{fails}: {said:?}");
    }
}
