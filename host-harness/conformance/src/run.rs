//! Runs a scenario against a policy.

use lictor_contract::ConfigError;

use super::act::take;
use super::actual::StepOutcome;
use super::failure::ExpectationFailure;
use super::format::{Scenario, ScenarioAction, ScenarioStep};
use super::report::{ScenarioReport, StepReport};
use super::status;
use lictor_host::driver::VirtualDriver;
use lictor_host::policy::Policy;
use lictor_host::session::{FaultRules, OpenError, SessionError};

/// Runs a scenario against a policy, which is configured from the beginning. Stops at the first step that cannot be taken.
pub fn run(scenario: &Scenario, policy: Box<dyn Policy>) -> ScenarioReport {
    run_with(scenario, policy, |_| Ok(()))
}

/// Runs a scenario with an explanation of every attempt, where the policy has explanations.
pub fn run_explained(scenario: &Scenario, policy: Box<dyn Policy>) -> ScenarioReport {
    run_with(scenario, policy, |session| session.explain().map(drop))
}

/// Runs a scenario in a session that `prepare` changes before its first input, for example to record it or to switch explanations on.
pub fn run_with(
    scenario: &Scenario,
    policy: Box<dyn Policy>,
    prepare: impl FnOnce(&mut VirtualDriver) -> Result<(), SessionError>,
) -> ScenarioReport {
    let mut report = ScenarioReport {
        scenario: scenario.name.clone(),
        file: scenario.origin.file().to_string(),
        laws: scenario.system.clone(),
        passed: false,
        error: None,
        steps: Vec::new(),
        findings: Vec::new(),
    };
    let arguments = serde_json::Value::Object(scenario.args.clone()).to_string();
    match VirtualDriver::open(policy, &scenario.system, &arguments) {
        Ok(mut session) => {
            session.set_fault_rules(FaultRules::ONCE);
            if !scenario.schedulers.is_empty() {
                session.set_schedulers(scenario.schedulers.iter().cloned());
            }
            let prepared = prepare(&mut session).map_err(|error| error.cause.to_string());
            report.error = prepared.and_then(|()| run_steps(scenario, &mut session, &mut report.steps)).err();
            report.findings = session.findings().to_vec();
        }
        Err(error) => report.error = Some(not_opened(scenario, &error)),
    }
    report.passed = report.error.is_none() && report.steps.iter().all(|step| step.failures.is_empty());
    report
}

/// Takes the steps one after the other, if all objects of the scenario can be read.
fn run_steps(scenario: &Scenario, session: &mut VirtualDriver, reports: &mut Vec<StepReport>) -> Result<(), String> {
    let applied = scenario.steps.iter().filter_map(|step| match &step.action {
        ScenarioAction::Apply(objects) => Some(objects),
        _ => None,
    });
    let objects = scenario.cluster.iter().chain(applied.flatten());
    if let Some(mistake) = session.mirror().mistakes_in(objects).into_iter().next() {
        return Err(format!("line {}: {}; {}", mistake.line, mistake.message, mistake.remedy));
    }
    session.apply(scenario.cluster.clone()).map_err(|error| format!("initial cluster: {}", error.cause))?;
    session.take_report();
    for (place, step) in (1usize..).zip(&scenario.steps) {
        let title = step.action.title();
        let taken = take(&step.action, session);
        let actual = taken.map_err(|error| format!("line {}, step {place}: {title}: {error}", step.line))?;
        let failures = check(step, &actual);
        reports.push(StepReport { step: place, line: step.line, action: title, actual, failures });
    }
    Ok(())
}

/// Returns the expectations of a step that do not hold.
fn check(step: &ScenarioStep, actual: &StepOutcome) -> Vec<ExpectationFailure> {
    let mut failures = step.expect.check(actual);
    match (&step.action, &actual.order, &actual.status) {
        (ScenarioAction::Order(expected), Some(queue), _) => failures.extend(check_order(expected, queue)),
        (ScenarioAction::Status(expected), _, Some(books)) => failures.extend(status::check(expected, books)),
        _ => {}
    }
    failures
}

/// Checks that the named pods are in the queue in this relative order.
fn check_order(expected: &[String], queue: &[String]) -> Option<ExpectationFailure> {
    let found: Vec<&String> = queue.iter().filter(|pod| expected.contains(pod)).collect();
    (!found.iter().copied().eq(expected)).then(|| ExpectationFailure::new("order", expected, found))
}

/// Returns the message about a policy that could not be configured, with the line of what it refuses.
fn not_opened(scenario: &Scenario, error: &OpenError) -> String {
    let pointer = match error {
        OpenError::Refused(ConfigError::UnknownSystem(_)) => "/spec/policy/laws".to_owned(),
        OpenError::Refused(ConfigError::UnknownArgument(name)) => format!("/spec/policy/args/{name}"),
        OpenError::Refused(ConfigError::BadArgument(bad)) => format!("/spec/policy/args/{}", bad.name),
        _ => "/spec/policy".to_owned(),
    };
    format!("line {}: {error}", scenario.origin.line(&pointer))
}

#[cfg(test)]
mod tests {

    use serde_json::{Value, json};

    use super::*;
    use crate::read::read;
    use crate::same;
    use lictor_host::cluster::load;
    use lictor_host::session::testing::{ALL, Scripted, ScriptedEffects, ScriptedPlan, ScriptedReply, host_reason};
    use lictor_host::verify::testing::{node, on, pod, slot};

    /// Returns a scenario of one node full with `v` and `w`, and the pending `p`. Its steps begin at line 4.
    fn scenario(steps: &str) -> Scenario {
        let cluster = [node("n1", 4), on("n1", pod("v", 3, 0)), on("n1", pod("w", 1, 0)), pod("p", 3, 9)];
        let head = format!(
            "{{apiVersion: lictor.dev/v1alpha1, kind: Scenario, metadata: {{name: it}}, spec: {{cluster: {},",
            Value::from(cluster.to_vec())
        );
        let text = format!("{head}\npolicy: {{laws: test,\nargs: {{}}}},\nsteps: [\n{steps}\n]}}}}");
        read(load::read("it.yaml", &text).unwrap().pop().unwrap()).unwrap()
    }

    /// Returns a policy that evicts `v` for `p`.
    fn evicting() -> Scripted {
        let plan = ScriptedPlan {
            id: 1,
            nominations: &[("default/p", "n1")],
            victims: &["default/v"],
            ..ScriptedPlan::default()
        };
        Scripted::deciding(ALL)
            .reply("filter default/p", ScriptedReply::Fits(&[]))
            .reply("post-filter default/p", ScriptedReply::Plan(plan, ScriptedEffects::default()))
    }

    /// Returns the actual outcome of a step as JSON.
    fn actual(report: &ScenarioReport, step: usize) -> Value {
        serde_json::to_value(&report.steps.get(step).unwrap().actual).unwrap()
    }

    #[test]
    fn every_step_says_what_came_of_it() {
        let scenario = scenario(
            "{schedule: default/p},\n{advance: 1s},\n{evictionsComplete: true},\n{cycle: 1},\n{order: []},\n\
             {status: {}}",
        );
        let report = run(&scenario, Box::new(evicting()));
        assert!(report.passed, "{report}");
        let quiet = json!({"bound": {}, "nominated": {}, "victims": [], "waiting": []});
        let nominated = json!({"default/p": "n1"});
        let plan = json!({"plan": 1, "preemptor": "default/p", "nominated": nominated, "victims": ["default/v"]});
        assert_eq!(
            actual(&report, 0),
            json!({
                "result": "Nominated", "node": "n1", "bound": {}, "nominated": nominated,
                "victims": ["default/v"], "plans": [plan], "eviction": "Delete", "waiting": [],
                "reason": "0/1 nodes are available: 1 Insufficient cpu; preemption: needs room",
                "reasons": [host_reason("needs room")],
            })
        );
        assert_eq!(actual(&report, 1), quiet);
        assert_eq!(actual(&report, 2), quiet);
        let tried = json!([{"pod": "default/p", "result": "Scheduled", "node": "n1", "reason": "the gang",
                            "reasons": [host_reason("the gang")]}]);
        assert_eq!(
            actual(&report, 3),
            json!({"bound": {"default/p": "n1"}, "nominated": {}, "victims": [], "waiting": [], "attempts": tried})
        );
        assert_eq!(actual(&report, 4).get("order").unwrap(), &json!([]));
        assert_eq!(actual(&report, 5).get("status").unwrap(), &json!({}));
    }

    #[test]
    fn an_expectation_that_does_not_hold_fails_the_scenario_and_the_steps_go_on() {
        let steps = "{schedule: default/p, expect: {result: Scheduled, victims: [default/v]}},\n{advance: 1s}";
        let report = run(&scenario(steps), Box::new(evicting()));
        assert!(!report.passed);
        assert_eq!(report.steps.len(), 2);
        assert_eq!(
            report.to_string(),
            "FAIL it (it.yaml)\n  line 5, step 1: schedule default/p\n    \
             result: expected \"Scheduled\", got \"Nominated\"\n    \
             reason: 0/1 nodes are available: 1 Insufficient cpu; preemption: needs room\n"
        );
    }

    #[test]
    fn the_order_is_relative() {
        let apply = format!("{{apply: [{}, {}]}},", pod("q", 1, 0), pod("r", 1, 0));
        for (order, passes) in [
            ("[default/p, default/r]", true),
            ("[default/q]", true),
            ("[default/r, default/p]", false),
            ("[default/p, default/x]", false),
            ("[default/p, default/v]", false),
        ] {
            let report = run(&scenario(&format!("{apply}\n{{order: {order}}}")), Box::new(Scripted::deciding(ALL)));
            assert_eq!(report.passed, passes, "{order}: {report}");
        }
    }

    #[test]
    fn books_that_the_policy_does_not_keep_are_not_as_expected() {
        let report = run(&scenario("{status: {quota/a: {used: {cpu: 0}}}}"), Box::new(Scripted::deciding(ALL)));
        assert!(
            report.to_string().contains("status quota/a: expected {\"used\":{\"cpu\":0}}, got \"no such account\"")
        );
    }

    #[test]
    fn a_step_that_cannot_be_taken_ends_the_scenario() {
        for (step, said) in [
            ("{schedule: default/x}", "line 5, step 1: schedule default/x: there is no pod `default/x`"),
            (
                "{schedule: default/v}",
                "line 5, step 1: schedule default/v: `default/v` cannot be tried: it is bound already",
            ),
            ("{delete: [Pod/default/x]}", "line 5, step 1: delete Pod/default/x: there is no object `Pod/default/x`"),
        ] {
            let report = run(&scenario(&format!("{step},\n{{cycle: 1}}")), Box::new(Scripted::deciding(ALL)));
            assert_eq!((report.passed, report.error.as_deref(), report.steps.len()), (false, Some(said), 0));
        }
    }

    #[test]
    fn an_object_of_a_placed_kind_that_cannot_be_read_ends_the_scenario() {
        let mut wrong = slot("s", 1, None);
        wrong["status"]["state"] = json!("Nowhere");
        let report = run(&scenario(&format!("{{cycle: 1}},\n{{apply: [{wrong}]}}")), Box::new(Scripted::deciding(ALL)));
        let said =
            "line 6: status.state of Slot s: `Nowhere` is not a phase; write Waiting, Open, Full, Lost, Over or Broken";
        assert_eq!((report.passed, report.error.as_deref(), report.steps.len()), (false, Some(said), 0));
    }

    #[test]
    fn a_fault_fails_the_scenario_with_its_message() {
        let policy = Scripted::deciding(ALL).reply("filter default/p", ScriptedReply::CallError);
        let report = run(&scenario("{schedule: default/p}"), Box::new(policy));
        let said = "line 5, step 1: schedule default/p: the policy cannot answer `filter`: WrongState(\"scripted\")";
        assert_eq!(report.error.as_deref(), Some(said));
        assert_eq!(report.to_string(), format!("FAIL it (it.yaml)\n  {said}\n"));
    }

    #[test]
    fn what_the_policy_refuses_in_its_configuration_is_named_with_its_line() {
        let mut unknown = scenario("{cycle: 1}");
        unknown.args.insert("speed".to_owned(), json!(1));
        let report = run(&unknown, Box::new(Scripted::deciding(ALL)));
        assert_eq!(report.error.unwrap(), "line 3: the system takes no argument `speed`");
        unknown.system = "other".to_owned();
        let report = run(&unknown, Box::new(Scripted::deciding(ALL)));
        assert_eq!(report.error.unwrap(), "line 2: no such system; the policy knows `test`");
    }

    #[test]
    fn two_runs_are_the_same_where_the_outcomes_are() {
        let plain = run(&scenario("{schedule: default/p}"), Box::new(evicting()));
        let expecting = run(&scenario("{schedule: default/p, expect: {result: Waiting}}"), Box::new(evicting()));
        assert!(same(&plain, &expecting));
        let idle = Scripted::deciding(ALL).reply("filter default/p", ScriptedReply::Fits(&[]));
        assert!(!same(&plain, &run(&scenario("{schedule: default/p}"), Box::new(idle))));
        let broken = Scripted::deciding(ALL).reply("filter default/p", ScriptedReply::CallError);
        assert!(!same(&plain, &run(&scenario("{schedule: default/p}"), Box::new(broken))));
    }
}
