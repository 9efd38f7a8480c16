//! The test vectors of the protocol, and conversations with a scripted policy.
#![expect(clippy::arithmetic_side_effects, reason = "tests")]

mod attempts;
mod checkpoint;
mod replaced;

use std::io::Cursor;
use std::sync::{Arc, Mutex};

use lictor_contract::ExtensionPoint;
use lictor_host::cluster::InputError;
use lictor_host::living::JsonFile;
use lictor_host::policy::Policy;
use lictor_host::session::testing::{ALL, Scripted, ScriptedEffects, ScriptedPlan, ScriptedReply};
use lictor_host::session::{Session, SessionError, StepOutput};
use lictor_host::verify::testing::{node, on, pod};
use serde_json::{Value, json};

use crate::message::{Commands, Hello, Outcomes, RequestBody, ResponseHeader};
use crate::wire::{ProtocolFrame, kind};
use crate::{ConnectionObserver, ConnectionSetup, SchedulerConnection, say};

const VECTORS: &str = include_str!("../../kube-scheduler/vectors/frames.json");

fn bytes(hex: &str) -> Vec<u8> {
    let pairs = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
    pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}

/// Returns the payload of a frame, read as its type and written again.
fn said(frame: &ProtocolFrame) -> Value {
    fn again<T: serde::de::DeserializeOwned + serde::Serialize>(payload: &[u8]) -> Value {
        serde_json::to_value(serde_json::from_slice::<T>(payload).unwrap()).unwrap()
    }
    match frame.kind {
        kind::HELLO => again::<Hello>(&frame.payload),
        kind::OUTCOMES => again::<Outcomes>(&frame.payload),
        kind::COMMANDS => again::<Commands>(&frame.payload),
        kind::NODES => again::<Vec<(u32, String)>>(&frame.payload),
        16..=21 => {
            let mut asked = again::<RequestBody>(&frame.payload);
            if asked["pod"] == "" {
                asked.as_object_mut().unwrap().remove("pod");
            }
            asked
        }
        _ => serde_json::from_slice(&frame.payload).unwrap(),
    }
}

#[test]
fn frames_are_read_and_written_as_the_vectors_say() {
    let vectors: Value = serde_json::from_str(VECTORS).unwrap();
    for vector in vectors["frames"].as_array().unwrap() {
        let (name, bytes) = (&vector["name"], bytes(vector["hex"].as_str().unwrap()));
        let frame = ProtocolFrame::read(&mut Cursor::new(&bytes)).unwrap().unwrap();
        assert_eq!(
            (Value::from(frame.kind), Value::from(frame.number)),
            (vector["kind"].clone(), vector["number"].clone())
        );
        let mut written = Vec::new();
        frame.write(&mut written).unwrap();
        assert_eq!(written, bytes, "{name}");
        if let Some(json) = vector.get("json") {
            assert_eq!(said(&frame), *json, "{name}");
        }
        if let Some(text) = vector.get("text") {
            assert_eq!(std::str::from_utf8(&frame.payload).unwrap(), text.as_str().unwrap(), "{name}");
        }
        if let Some(head) = vector.get("head") {
            let (found, codes) = answered(&frame);
            assert_eq!(serde_json::to_value(found).unwrap(), *head, "{name}");
            assert_eq!(codes, self::bytes(vector["codes"].as_str().unwrap()), "{name}");
        }
    }
}

#[test]
fn what_is_no_frame_is_refused() {
    let vectors: Value = serde_json::from_str(VECTORS).unwrap();
    for vector in vectors["bad"].as_array().unwrap() {
        let bytes = bytes(vector["hex"].as_str().unwrap());
        assert!(ProtocolFrame::read(&mut Cursor::new(&bytes)).is_err(), "{}", vector["name"]);
    }
    assert_eq!(ProtocolFrame::read(&mut Cursor::new(&[])).unwrap(), None);
}

/// A stream that is cut after these bytes, is interrupted before each read, and remembers the largest buffer that it was to fill.
struct Cut(Cursor<Vec<u8>>, bool, usize);

impl std::io::Read for Cut {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        self.1 = !self.1;
        self.2 = self.2.max(to.len());
        if self.1 { Err(std::io::ErrorKind::Interrupted.into()) } else { self.0.read(to) }
    }
}

#[test]
fn a_header_takes_no_memory_for_bytes_that_do_not_come_and_signals_cut_no_frame() {
    let frame = |payload: u32, bytes: &[u8]| {
        let head = (payload + 5).to_be_bytes().into_iter().chain([kind::HELLO, 0, 0, 0, 1]);
        Cut(Cursor::new(head.chain(bytes.iter().copied()).collect()), false, 0)
    };
    let mut cut = frame(64 << 20, b"{}");
    assert_eq!(ProtocolFrame::read(&mut cut).unwrap_err().kind(), std::io::ErrorKind::UnexpectedEof);
    assert!(cut.2 < 1 << 20, "{} bytes were made ready", cut.2);
    let whole = ProtocolFrame::read(&mut frame(2, b"{}")).unwrap().unwrap();
    assert_eq!((whole.kind, whole.payload.as_slice()), (kind::HELLO, b"{}".as_slice()));
    let longest = crate::wire::MAX_HELLO_PAYLOAD;
    assert!(ProtocolFrame::read_at_most(longest, &mut frame(u32::try_from(longest).unwrap() + 1, b"")).is_err());
}

/// Splits an answer into its head and its codes.
fn answered(frame: &ProtocolFrame) -> (ResponseHeader, Vec<u8>) {
    let (length, rest) = frame.payload.split_at(4);
    let length = u32::from_be_bytes(length.try_into().unwrap());
    let (head, codes) = rest.split_at(usize::try_from(length).unwrap());
    (serde_json::from_slice(head).unwrap(), codes.to_vec())
}

/// The time of all events.
const NOW: i64 = 5_000_000;

#[derive(Default)]
struct Silent(Mutex<Vec<String>>);

impl ConnectionObserver for Silent {
    fn step(&self, _: &StepOutput, _: &Session) {}
    fn error(&self, error: &SessionError) {
        self.0.lock().unwrap().push(error.to_string());
    }
    fn object_invalid(&self, mistake: &InputError) {
        self.0.lock().unwrap().push(mistake.message.clone());
    }
    fn write_line(&self, _: &str) {}
}

struct Talk(SchedulerConnection, u32);

/// Returns a conversation without inputs.
fn opened(policy: &Scripted) -> SchedulerConnection {
    opened_with(policy, None)
}

/// Returns a conversation without inputs that keeps a checkpoint in this store.
pub(crate) fn opened_with(policy: &Scripted, checkpoint: Option<Arc<JsonFile>>) -> SchedulerConnection {
    let described = policy.clone().describe().unwrap();
    let session = Session::open(Box::new(policy.clone()), "", "").unwrap();
    let welcome = say::welcome(&described, &described.systems[0]);
    let opened = ConnectionSetup { session, recorder: None, checkpoint, right: None, points: ALL.to_vec(), welcome };
    SchedulerConnection::begin(opened, Arc::new(Silent::default()))
}

impl Talk {
    fn begin(policy: &Scripted, cluster: impl IntoIterator<Item = Value>) -> Talk {
        Talk::told(opened(policy), cluster)
    }

    /// Sends all objects of a cluster.
    fn told(mut conversation: SchedulerConnection, cluster: impl IntoIterator<Item = Value>) -> Talk {
        let mut frames: Vec<ProtocolFrame> = cluster.into_iter().map(|object| there(&object)).collect();
        frames.push(ProtocolFrame { kind: kind::SYNCED, number: 0, payload: Vec::new() });
        let came = conversation.take(NOW, frames).unwrap();
        assert_eq!(came[0].kind, kind::NODES);
        Talk(conversation, 0)
    }

    /// Asks a question. Returns the answer, and the commands before it.
    fn ask(&mut self, kind: u8, asked: Value) -> (ResponseHeader, Vec<u8>, Commands) {
        self.1 += 1;
        let question = ProtocolFrame { kind, number: self.1, payload: serde_json::to_vec(&asked).unwrap() };
        let mut came = self.0.take(NOW, vec![question]).unwrap();
        let answer = came.pop().unwrap();
        assert_eq!((answer.kind, answer.number), (kind + kind::RESPONSE, self.1), "{answer:?}");
        let mut commands = Commands::default();
        for frame in came {
            assert_eq!(frame.kind, kind::COMMANDS);
            let more: Commands = serde_json::from_slice(&frame.payload).unwrap();
            commands.commands.extend(more.commands);
            commands.released.extend(more.released);
        }
        let (head, codes) = answered(&answer);
        (head, codes, commands)
    }
}

pub(crate) fn there(object: &Value) -> ProtocolFrame {
    ProtocolFrame { kind: kind::OBJECT, number: 0, payload: serde_json::to_vec(object).unwrap() }
}

fn of(pod: &str) -> Value {
    json!({"pod": format!("default/{pod}")})
}

fn on_node(pod: &str, node: &str) -> Value {
    json!({"pod": format!("default/{pod}"), "node": node})
}

#[test]
fn objects_of_two_groups_may_share_kind_and_name() {
    let other = json!({"apiVersion": "metrics.example.com/v1", "kind": "Node", "metadata": {"name": "n1"}});
    let mut talk = Talk::begin(&Scripted::deciding(ALL), [node("n1", 4), other, pod("a", 1, 0)]);
    assert_eq!(talk.0.session().mirror().nodes().count(), 1);
    assert_eq!(talk.ask(kind::PRE_FILTER_AND_FILTER, of("a")).0.verdict, "pass");
}

#[test]
fn nothing_is_answered_before_all_was_told() {
    let (kind, payload) = (kind::PRE_FILTER_AND_FILTER, serde_json::to_vec(&of("a")).unwrap());
    let question = ProtocolFrame { kind, number: 1, payload };
    let came = opened(&Scripted::deciding(ALL)).take(NOW, vec![there(&pod("a", 1, 0)), question]).unwrap();
    assert_eq!(came.iter().map(|frame| (frame.kind, frame.number)).collect::<Vec<_>>(), [(kind::ERROR, 1)]);
}

#[test]
fn a_gang_of_two_is_tried_reserved_and_permitted_together() {
    let admits = ScriptedEffects { admits: &["default/a"], ..ScriptedEffects::default() };
    let policy = Scripted::deciding(ALL)
        .reply("filter default/a", ScriptedReply::Fits(&["n2"]))
        .reply("permit default/a", ScriptedReply::Wait(10, ScriptedEffects::default()))
        .reply("permit default/b", ScriptedReply::Allow(admits));
    let mut talk = Talk::begin(&policy, [node("n1", 4), node("n2", 4), pod("a", 1, 0), pod("b", 1, 0)]);
    let (tried, codes, _) = talk.ask(kind::PRE_FILTER_AND_FILTER, of("a"));
    assert_eq!((tried.verdict.as_str(), codes.len()), ("pass", 2));
    let n2 = usize::try_from(talk.0.session().mirror().node_id("n2").unwrap()).unwrap();
    let refusing: Vec<usize> = (0..2).filter(|place| codes[*place] != 0).collect();
    assert!(refusing.len() == 1 && refusing[0] != n2, "{codes:?}");
    talk.ask(kind::RESERVE, on_node("a", "n2"));
    let (permitted, _, commands) = talk.ask(kind::PERMIT, of("a"));
    assert_eq!((permitted.verdict.as_str(), permitted.wait, commands.is_empty()), ("wait", 10, true));
    talk.ask(kind::PRE_FILTER_AND_FILTER, of("b"));
    talk.ask(kind::RESERVE, on_node("b", "n1"));
    let (permitted, _, commands) = talk.ask(kind::PERMIT, of("b"));
    assert_eq!(permitted.verdict, "allow");
    let bound: Vec<(&str, &str)> =
        commands.commands.iter().map(|order| (order.action.as_str(), order.object.name.as_str())).collect();
    assert_eq!(bound, [("bind", "b"), ("bind", "a")]);
    // The scheduler cannot bind `a`: it waits for a node again.
    talk.ask(kind::UNRESERVE, of("a"));
    let pending: Vec<_> = talk.0.session().pending().collect();
    assert_eq!(pending, [talk.0.session().mirror().pod_id("default/a").unwrap()]);
}

#[test]
fn the_scores_of_the_policy_come_behind_its_verdicts() {
    let points: Vec<ExtensionPoint> = ALL.iter().copied().chain([ExtensionPoint::Score]).collect();
    let policy = Scripted::deciding(&points)
        .reply("filter default/a", ScriptedReply::Fits(&["n1", "n3"]))
        .reply("score default/a", ScriptedReply::Scores(vec![40, 100]));
    let mut talk = Talk::begin(&policy, [node("n1", 4), node("n2", 4), node("n3", 4), pod("a", 1, 0)]);
    let numbers = ["n1", "n2", "n3"].map(|name| talk.0.session().mirror().node_id(name));
    assert_eq!(numbers, [Some(0), Some(1), Some(2)]);
    let (tried, bytes, _) = talk.ask(kind::PRE_FILTER_AND_FILTER, of("a"));
    assert_eq!((tried.verdict.as_str(), tried.scores), ("pass", 3));
    assert_eq!(bytes, [0, 1, 0, 40, 0, 100]);
}

#[test]
fn a_plan_comes_as_commands_before_its_answer() {
    let plan = ScriptedPlan { id: 5, nominations: &[("default/p", "n1")], victims: &["default/v"], soft: false };
    let policy = Scripted::deciding(ALL)
        .reply("filter default/p", ScriptedReply::Fits(&[]))
        .reply("post-filter default/p", ScriptedReply::Plan(plan, ScriptedEffects::default()));
    let mut talk = Talk::begin(&policy, [node("n1", 4), on("n1", pod("v", 4, 0)), pod("p", 3, 9)]);
    let (_, codes, _) = talk.ask(kind::PRE_FILTER_AND_FILTER, of("p"));
    assert_eq!(codes, [1]);
    let (planned, _, commands) = talk.ask(kind::POST_FILTER, of("p"));
    assert_eq!((planned.verdict.as_str(), planned.node.as_str()), ("planned", "n1"));
    let done: Vec<&str> = commands.commands.iter().map(|order| order.action.as_str()).collect();
    assert_eq!(done, ["nominate", "evict"]);
    assert!(commands.commands[1].delete);
}

#[test]
fn who_waits_too_long_loses_its_node_and_the_scheduler_hears_it() {
    let policy = Scripted::deciding(ALL).reply("permit default/a", ScriptedReply::Wait(10, ScriptedEffects::default()));
    let mut talk = Talk::begin(&policy, [node("n1", 4), pod("a", 1, 0)]);
    talk.ask(kind::RESERVE, on_node("a", "n1"));
    talk.ask(kind::PERMIT, of("a"));
    assert_eq!(talk.0.wake_at(), Some(NOW + 10));
    let came = talk.0.take(NOW + 10, Vec::new()).unwrap();
    let commands: Commands = serde_json::from_slice(&came[0].payload).unwrap();
    assert_eq!((commands.released[0].pod.as_str(), commands.released[0].cause.as_str()), ("default/a", "timeout"));
}

#[test]
fn a_question_that_cannot_be_answered_is_an_error_and_the_next_one_is_answered() {
    let policy = Scripted::deciding(ALL);
    let mut talk = Talk::begin(&policy, [node("n1", 4), pod("a", 1, 0)]);
    let vain = [(kind::PRE_FILTER_AND_FILTER, of("x")), (kind::PERMIT, of("a")), (kind::RESERVE, on_node("a", "n9"))];
    for (kind, asked) in vain {
        let payload = serde_json::to_vec(&asked).unwrap();
        let came = talk.0.take(NOW, vec![ProtocolFrame { kind, number: 9, payload }]).unwrap();
        assert_eq!((came[0].kind, came[0].number), (kind::ERROR, 9));
    }
    assert_eq!(talk.ask(kind::PRE_FILTER_AND_FILTER, of("a")).0.verdict, "pass");
    assert!(talk.0.take(NOW, vec![ProtocolFrame { kind: 99, number: 1, payload: Vec::new() }]).is_err());
}
