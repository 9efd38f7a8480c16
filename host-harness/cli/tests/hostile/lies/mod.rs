//! Components whose answers lie: each lie ends in its own error, nothing of the answer is carried out, and the next answer is right.

mod image;
mod rails;

use lictor_host::sandbox::{Sandbox, SandboxLimits};
use lictor_host::session::{
    CommandAction, FailureCause, FaultKind, ProtocolError, Session, SessionError, SessionInput, StepOutput,
};
use lictor_host::verify::testing::{node, object, on, pod};

use image::{Image, LIE, Planned, TRUTH};

/// The end of a lie.
enum Ends {
    /// The plan breaks an invariant of the host: its code and case.
    Refused(&'static str, &'static str),
    /// The answer cannot be.
    In(ProtocolError),
}

/// The pods by number: `v` runs on node 0 and `w` on node 1; the policy lies about `l` and not about `p`.
const V: u32 = 0;
const L: u32 = 1;
const P: u32 = 2;
const W: u32 = 3;

/// Returns the cluster: two nodes of 4 cores, and pods that request so many cores.
fn cluster(cores: u32) -> Vec<serde_json::Value> {
    let running = |node: &str, name: &str| on(node, pod(name, cores, 0));
    vec![node("n1", 4), node("n2", 4), running("n1", "v"), pod("l", cores, 9), pod("p", cores, 9), running("n2", "w")]
}

fn session(component: &[u8], cores: u32) -> Session {
    let sandbox = Sandbox::new(SandboxLimits::default()).unwrap();
    let policy = sandbox.load(component).unwrap().start().unwrap();
    let mut session = Session::open(Box::new(policy), "", "").unwrap();
    session.handle(SessionInput::Objects(cluster(cores).into_iter().map(object).collect())).unwrap();
    session
}

fn attempt(session: &mut Session, name: &str) -> Result<StepOutput, SessionError> {
    session.handle(SessionInput::Attempt(format!("default/{name}")))
}

/// Checks the end of the lie: its own error, and nothing in the cluster.
#[track_caller]
fn ended(name: &str, session: &Session, answer: Result<StepOutput, SessionError>, ends: &Ends) {
    match (ends, answer) {
        (Ends::Refused(code, case), Ok(step)) => {
            let refused = &step.happened.refused.first().unwrap_or_else(|| panic!("{name}: {step:?}")).reason;
            assert_eq!((refused.code.as_str(), refused.case.as_str()), (*code, *case), "{name}");
            assert!(step.commands.is_empty() && step.happened.victims.is_empty(), "{name}: {step:?}");
            assert!(session.counters().plans_refused > 0, "{name}");
        }
        (Ends::In(expected), Err(SessionError { cause: FailureCause::ProtocolError { protocol_error, .. }, .. })) => {
            assert_eq!(protocol_error, *expected, "{name}");
            // The lie is answered twice: the second time by a fresh instance.
            assert_eq!(session.counters().faults, [(FaultKind::ProtocolError, 2)].into(), "{name}");
        }
        (_, answer) => panic!("{name}: {answer:?}"),
    }
    assert!(session.mirror().pods().all(|pod| !pod.terminating && pod.nominated.is_none()), "{name}");
    assert_eq!((session.commands_in_flight(), session.waiting().len()), (0, 0), "{name}");
}

const SOUND: Planned = Planned { preemptor: P, nominations: &[(P, 0)], victims: &[V], code: "", facts: 0 };

/// Returns a policy that plans so for `l`, and evicts `v` for `p`.
fn planner(lie: Planned) -> Image {
    let mut image = Image::deciding_at(&["post-filter"]);
    image.plan(LIE, lie);
    image.plan(TRUTH, SOUND);
    image
}

/// Returns `post-filter`, which raises the number of its plans by this step.
fn post_filter(step: u32) -> String {
    let number = |answer: usize| {
        let at = answer + 16;
        format!(
            "(i64.store (i32.const {at}) (i64.add (i64.load (i32.const {at})) (i64.const {step}))) (i32.const {answer})"
        )
    };
    format!(
        r#"(func (export "lictor:policy/placement@0.1.0#post-filter") (param i32 i32 i32 i32 i32 i32) (result i32)
        (if (result i32) (i32.eq (i32.load (local.get 0)) (i32.const {L})) (then {}) (else {})))"#,
        number(LIE),
        number(TRUTH)
    )
}

/// Checks a lie about `l`, then the truth about `p`.
fn lie_of_a_plan(name: &str, component: &[u8], ends: &Ends) {
    let mut session = session(component, 4);
    let answer = attempt(&mut session, "l");
    ended(name, &session, answer, ends);
    let step = attempt(&mut session, "p").unwrap_or_else(|error| panic!("{name}: {error}"));
    let evicted: Vec<&str> = step
        .commands
        .iter()
        .filter(|command| matches!(command.action, CommandAction::Evict { .. }))
        .map(|command| command.object.name.as_str())
        .collect();
    assert_eq!(evicted, ["v"], "{name}");
    assert_eq!(step.happened.nominated, [("default/p".to_owned(), "n1".to_owned())].into(), "{name}");
}

#[test]
fn a_plan_that_lies_is_refused_and_the_next_one_is_carried_out() {
    let plan = |nominations, victims| Planned { preemptor: L, nominations, victims, code: "", facts: 0 };
    let rows = [
        ("a victim that there is not", plan(&[(L, 0)], &[99]), Ends::Refused("host/known", "pod")),
        ("a node that there is not", plan(&[(L, 77)], &[V]), Ends::Refused("host/known", "node")),
        ("a victim twice", plan(&[(L, 0)], &[V, V]), Ends::Refused("host/distinct", "victim")),
        ("a pod with two nodes", plan(&[(L, 0), (L, 1)], &[V, W]), Ends::Refused("host/distinct", "placed")),
        ("the preemptor as a victim", plan(&[(L, 0)], &[V, L]), Ends::Refused("host/apart", "")),
        ("a victim of its own gang", plan(&[(L, 0), (P, 1)], &[V, W, P]), Ends::Refused("host/apart", "")),
        ("half a gang: the preemptor is left out", plan(&[(P, 0)], &[V]), Ends::Refused("host/purpose", "preemptor")),
        ("room for half a gang", plan(&[(L, 0), (P, 1)], &[V]), Ends::Refused("host/fits", "")),
        ("a plan that does not help", plan(&[(L, 0)], &[W]), Ends::Refused("host/fits", "")),
        ("an eviction for nobody", plan(&[], &[V]), Ends::Refused("host/purpose", "preemptor")),
        ("a victim that holds nothing", plan(&[(L, 0)], &[V, P]), Ends::Refused("host/running", "")),
        ("a pod that does not wait", plan(&[(L, 0), (W, 0)], &[V]), Ends::Refused("host/pending", "")),
    ];
    for (name, lie, ends) in rows {
        lie_of_a_plan(name, &planner(lie).component(&post_filter(1)), &ends);
    }
}

#[test]
fn a_plan_with_what_cannot_be_is_no_answer_and_the_next_one_is_carried_out() {
    let lie = Planned { preemptor: L, nominations: &[(L, 0)], victims: &[V], code: "", facts: 0 };
    let rows = [
        ("facts that name no law", Planned { facts: 2, ..lie }, ProtocolError::FactsWithoutCode(2)),
        (
            "a reason of the host",
            Planned { code: "host/fits", ..lie },
            ProtocolError::ReservedCode("host/fits".to_owned()),
        ),
    ];
    for (name, lie, ends) in rows {
        lie_of_a_plan(name, &planner(lie).component(&post_filter(1)), &Ends::In(ends));
    }
    // The first plan does not help; the second has its number.
    let useless = Planned { victims: &[W], ..lie };
    let reused = Ends::In(ProtocolError::PlanReused(0));
    lie_of_a_plan("two answers of one number", &planner(useless).component(&post_filter(0)), &reused);
    let mut releasing = planner(lie);
    releasing.list(LIE + 128, &99_u32.to_le_bytes(), 1);
    let ends = Ends::In(ProtocolError::UnknownPod(99));
    lie_of_a_plan("a release of a pod that there is not", &releasing.component(&post_filter(1)), &ends);
}

/// Returns a function of `placement` or `permit` that answers with the lie about `l` and the truth about others.
fn of_pod(interface: &str, name: &str, parameters: &str) -> String {
    format!(
        r#"(func (export "lictor:policy/{interface}@0.1.0#{name}") (param {parameters}) (result i32)
        (select (i32.const {LIE}) (i32.const {TRUTH}) (i32.eq (local.get 0) (i32.const {L}))))"#
    )
}

#[test]
fn an_answer_that_cannot_be_ends_in_its_own_error_and_the_next_pod_is_bound() {
    let filter = |bytes: &[u8], length| {
        let mut image = Image::deciding_at(&["filter"]);
        image.list(LIE + 4, bytes, length);
        image.list(TRUTH + 4, &[0, 0], 2);
        image.component(&of_pod("placement", "filter", "i32"))
    };
    let mut refusing = Image::deciding_at(&["pre-filter"]);
    refusing.set(LIE + 8, &[2]);
    refusing.reason(LIE + 12, "", 1);
    let mut waiting = Image::deciding_at(&["permit"]);
    waiting.set(LIE + 8, &[1]);
    waiting.set(LIE + 16, &(-5_i64).to_le_bytes());
    let missing = ProtocolError::MissingVerdict { codes: 1, id: 1, node: "n2".to_owned() };
    let unknown = ProtocolError::UnknownCode { code: 7, node: "n2".to_owned(), obstacles: 0 };
    let rows = [
        ("a node without a verdict", filter(&[0], 1), missing),
        ("two verdicts on a node", filter(&[0, 0, 0], 3), ProtocolError::TooManyVerdicts { codes: 3, highest: 1 }),
        ("a verdict that stands for nothing", filter(&[0, 7], 2), unknown),
        (
            "a refusal that names no law",
            refusing.component(&of_pod("placement", "pre-filter", "i32")),
            ProtocolError::FactsWithoutCode(1),
        ),
        (
            "a wait that is negative",
            waiting.component(&of_pod("permit", "permit", "i32")),
            ProtocolError::NegativeWait(-5),
        ),
    ];
    for (name, component, ends) in rows {
        let mut session = session(&component, 1);
        let answer = attempt(&mut session, "l");
        ended(name, &session, answer, &Ends::In(ends));
        let step = attempt(&mut session, "p").unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(step.happened.bound.into_keys().collect::<Vec<_>>(), ["default/p"], "{name}");
    }
}

#[test]
fn one_answer_to_two_questions_is_none_and_to_one_question_it_is_right() {
    let mut image = Image::deciding_at(&["queue-order"]);
    image.list(LIE + 16, &[0; 8], 1);
    let keys = r#"(func (export "lictor:policy/queue@0.1.0#queue-keys") (param i32 i32) (result i32) (i32.const 512))"#;
    let mut session = session(&image.component(keys), 1);
    let answer = session.handle(SessionInput::Cycle);
    ended("one key for two pods", &session, answer, &Ends::In(ProtocolError::Keys { asked: 2, answered: 1 }));
    session.handle(SessionInput::Removed("Pod/default/l".to_owned())).unwrap();
    let step = session.handle(SessionInput::Cycle).unwrap();
    assert_eq!(step.happened.bound.into_keys().collect::<Vec<_>>(), ["default/p"]);
}

#[test]
fn a_pod_that_is_said_to_be_where_it_cannot_be_is_no_answer_and_the_next_one_is_taken() {
    // One pod's membership has 24 bytes: a queue and a job, each a case and a text.
    let (v, job) = (24, 12);
    let member = |image: &mut Image, at: usize, text: &str| {
        let text_at = image.put(text.as_bytes());
        image.set(at, &[1]);
        image.list_at(at + 4, text_at, text.len());
    };
    let members = |count: usize, named: &[(usize, &str)]| {
        let mut image = Image::deciding_at(&[]);
        let list = image.put(&[0; 4 * 24]);
        named.iter().for_each(|(at, text)| member(&mut image, list + at, text));
        image.list_at(LIE + 4, list, count);
        let honest = image.put(&[0; 3 * 24]);
        member(&mut image, honest + job, "default/team");
        image.list_at(TRUTH + 4, honest, 3);
        // It lies about four pods, and not about three.
        image.component(&format!(
            r#"(func (export "lictor:policy/account@0.1.0#memberships") (param i32 i32) (result i32)
            (select (i32.const {LIE}) (i32.const {TRUTH}) (i32.eq (local.get 1) (i32.const 4))))"#
        ))
    };
    let rows = [
        ("three of four pods", members(3, &[]), ProtocolError::MembershipCount { asked: 4, answered: 3 }),
        ("a queue that there is not", members(4, &[(v, "ghost")]), ProtocolError::UnknownQueue("ghost".to_owned())),
        ("a job of no namespace", members(4, &[(job, "team")]), ProtocolError::JobName("team".to_owned())),
    ];
    for (name, component, ends) in rows {
        let mut session = session(&component, 1);
        let answer = session.memberships().map(|_| StepOutput::default());
        ended(name, &session, answer, &Ends::In(ends));
        session.handle(SessionInput::Removed("Pod/default/l".to_owned())).unwrap();
        let members = session.memberships().unwrap_or_else(|error| panic!("{name}: {error}"));
        let jobs: Vec<Option<&str>> = members.values().map(|it| it.job.as_deref()).collect();
        assert_eq!(jobs, [Some("default/team"), None, None], "{name}");
    }
}

#[test]
fn a_cycle_that_does_not_end_is_cut_off_and_one_that_ends_is_served() {
    let mut image = Image::deciding_at(&["act"]);
    image.set(LIE + 88, &[1]);
    // The policy always has a next step, until it has received more events than the cluster has at first.
    let act = format!(
        r#"(global $told (mut i32) (i32.const 0))
        (func (export "lictor:policy/core@0.1.0#apply") (param i32 i32 i32 i32) (result i32)
          (global.set $told (i32.add (global.get $told) (local.get 3))) (i32.const 0))
        (func (export "lictor:policy/cycle@0.1.0#act") (result i32)
          (select (i32.const {LIE}) (i32.const 0) (i32.lt_u (global.get $told) (i32.const 50))))"#
    );
    let mut session = session(&image.component(&act), 1);
    let answer = session.handle(SessionInput::Cycle);
    ended("a cycle without an end", &session, answer, &Ends::In(ProtocolError::TooManySteps(64)));
    let nodes = (0..50).map(|number| object(node(&format!("m{number}"), 1))).collect();
    session.handle(SessionInput::Objects(nodes)).unwrap();
    assert!(session.handle(SessionInput::Cycle).unwrap().commands.is_empty());
}

#[test]
fn an_answer_stands_when_the_policy_breaks_over_its_checkpoint_and_that_counts_as_a_fault() {
    let save = r#"(func (export "lictor:policy/state@0.1.0#save") (result i32) unreachable)"#;
    let component = planner(SOUND).component(&(post_filter(1) + save));
    let mut session = session(&component, 4);
    let step = attempt(&mut session, "p").unwrap();
    assert!(step.happened.victims.contains_key("default/v"));
    let counters = session.counters();
    assert_eq!((counters.faults, counters.failed), ([(FaultKind::Trap, 1)].into(), 0));
    assert_eq!((counters.breaker.faults_in_row, counters.second_tries), (1, 0));
    // A new instance receives the decisions of the last one.
    attempt(&mut session, "l").unwrap();
    assert_eq!(session.counters().restarts, 1);
}
