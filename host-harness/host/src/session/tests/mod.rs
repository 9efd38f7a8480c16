mod checkpoint;
mod commands;
mod faults;
mod found;
mod recovery;
mod replace;
mod switch;
mod zones;

use lictor_contract::{ExtensionPoint, Phase, Severity};
use serde_json::{Value, json};

use super::testing::{ALL, Scripted, ScriptedEffects, ScriptedPlan, ScriptedReply};
use super::*;
use crate::verify::testing::{node, object, on, pod, slot, with};

/// Opens a session over these objects that tries every input once.
fn open(policy: &Scripted, objects: impl IntoIterator<Item = Value>) -> Session {
    with_rules(FaultRules::ONCE, policy, objects)
}

fn with_rules(rules: FaultRules, policy: &Scripted, objects: impl IntoIterator<Item = Value>) -> Session {
    let mut session = Session::open(Box::new(policy.clone()), "test", "").unwrap();
    session.set_fault_rules(rules);
    session.handle(SessionInput::Objects(objects.into_iter().map(object).collect())).unwrap();
    session
}

/// Returns a candidate policy that is to replace another one.
fn candidate(policy: impl crate::policy::Policy + 'static) -> CandidatePolicy {
    CandidatePolicy::new(Box::new(policy), "test", "").unwrap()
}

fn attempt(session: &mut Session, name: &str) -> Result<StepOutput, SessionError> {
    session.handle(SessionInput::Attempt(format!("default/{name}")))
}

fn tell(session: &mut Session, object_json: Value) -> StepOutput {
    session.handle(SessionInput::Objects(vec![object(object_json)])).unwrap()
}

fn answer(session: &mut Session, id: CommandId, outcome: CommandOutcome) -> StepOutput {
    session.handle(SessionInput::Outcomes(vec![(id, outcome)])).unwrap()
}

fn failed() -> CommandOutcome {
    CommandOutcome::Failed("the server is busy".to_owned())
}

/// Returns the commands as short texts.
fn short(step: &StepOutput) -> Vec<String> {
    let word = |command: &Command| {
        let (id, name) = (command.id, &command.object.name);
        match &command.action {
            CommandAction::Bind { node, .. } => format!("{id} bind {name} {node}"),
            CommandAction::Nominate { node } => format!("{id} nominate {name} {}", node.as_deref().unwrap_or("-")),
            CommandAction::Evict { delete, plan, .. } => format!("{id} evict {name} {delete} {plan}"),
            CommandAction::Confirm => format!("{id} confirm {name}"),
        }
    };
    step.commands.iter().map(word).collect()
}

/// Sets the uid of an object.
fn uid(object: Value, uid: &str) -> Value {
    with(object, "/metadata", "uid", json!(uid))
}

/// Returns a policy that evicts `v` for `p` by plan 1, at the first attempt for `p`.
fn evicting() -> Scripted {
    let plan =
        ScriptedPlan { id: 1, nominations: &[("default/p", "n1")], victims: &["default/v"], ..ScriptedPlan::default() };
    Scripted::deciding(ALL)
        .reply("filter default/p", ScriptedReply::Fits(&[]))
        .reply("post-filter default/p", ScriptedReply::Plan(plan, ScriptedEffects::default()))
}

/// Returns a node full with `v`, and the pending `p`.
fn full() -> [Value; 3] {
    [node("n1", 4), on("n1", pod("v", 4, 0)), pod("p", 3, 9)]
}
