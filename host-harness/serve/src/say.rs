//! Frames made of a session's steps and answers, and questions made of frames.

use lictor_contract::{Description, MarkPlace, ReleaseCause, SystemInfo};
use lictor_host::cluster::kinds_read;
use lictor_host::replace::{ReplacementState, Transition};
use lictor_host::session::{Command, CommandAction, PermitDecision, PluginRequest, PluginResponse, StepOutput};
use serde::Serialize;

use crate::message::{
    CommandMessage, Commands, Hello, KindName, MarkMessage, ReleaseMessage, RequestBody, ResponseHeader,
    RetryConditions, Welcome,
};
use crate::wire::{ProtocolFrame, VERSION, kind};

impl CommandMessage {
    fn of(command: Command) -> CommandMessage {
        let Command { id, object, action } = command;
        let mut order = CommandMessage {
            id,
            action: String::new(),
            object,
            node: String::new(),
            delete: false,
            plan: 0,
            marks: Vec::new(),
        };
        let (name, marks) = match action {
            CommandAction::Bind { node, marks } => {
                order.node = node;
                ("bind", marks)
            }
            CommandAction::Nominate { node } => {
                order.node = node.unwrap_or_default();
                ("nominate", Vec::new())
            }
            CommandAction::Evict { delete, marks, plan } => {
                (order.delete, order.plan) = (delete, plan);
                ("evict", marks)
            }
            CommandAction::Confirm => ("confirm", Vec::new()),
        };
        order.action = name.to_owned();
        order.marks = marks
            .into_iter()
            .map(|mark| {
                let place = match mark.place {
                    MarkPlace::Label => "label",
                    MarkPlace::Annotation => "annotation",
                };
                MarkMessage { place: place.to_owned(), key: mark.key, value: mark.value }
            })
            .collect();
        order
    }
}

impl Commands {
    /// Makes the commands of a step, and the releases of pods. `asked`: the pod of the question, whose release the scheduler knows already.
    pub fn of(step: &StepOutput, asked: Option<&str>) -> Commands {
        let released = step.happened.released.iter().filter(|released| Some(&*released.pod) != asked);
        let released = released
            .map(|released| ReleaseMessage { pod: released.pod.clone(), cause: cause(released.cause).to_owned() });
        let commands = step.commands.iter().cloned().map(CommandMessage::of).collect();
        Commands { commands, released: released.collect(), anew: step.replacement.iter().any(changes_the_policy) }
    }

    /// Returns whether the message is empty.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty() && self.released.is_empty() && !self.anew
    }
}

/// Returns whether another policy decides after a transition than before it.
fn changes_the_policy(transition: &Transition) -> bool {
    let is_new = |state| matches!(state, ReplacementState::Watching | ReplacementState::Done);
    is_new(transition.from) != is_new(transition.to)
}

fn cause(cause: ReleaseCause) -> &'static str {
    match cause {
        ReleaseCause::Timeout => "timeout",
        ReleaseCause::Released => "released",
        ReleaseCause::Preempted => "preempted",
        ReleaseCause::Removed => "removed",
        ReleaseCause::Failed => "failed",
    }
}

/// Reads the question of a frame. `None`: the frame is no question.
pub fn decode_request(frame: &ProtocolFrame) -> Option<Result<PluginRequest, serde_json::Error>> {
    let of = |make: fn(RequestBody) -> PluginRequest| Some(serde_json::from_slice(&frame.payload).map(make));
    match frame.kind {
        kind::PRE_FILTER_AND_FILTER => of(|asked| PluginRequest::Try(asked.pod)),
        kind::POST_FILTER => of(|asked| PluginRequest::PostFilter(asked.pod)),
        kind::RESERVE => of(|asked| PluginRequest::Reserve(asked.pod, asked.node)),
        kind::PERMIT => of(|asked| PluginRequest::Permit(asked.pod)),
        kind::UNRESERVE => of(|asked| PluginRequest::Unreserve(asked.pod)),
        kind::QUEUE_KEYS => of(|asked| PluginRequest::Keys(asked.pods)),
        _ => None,
    }
}

/// Makes a frame with this value as JSON.
///
/// # Errors
/// Never for the values that are sent here.
pub fn encode_frame(kind: u8, number: u32, said: &impl Serialize) -> Result<ProtocolFrame, serde_json::Error> {
    Ok(ProtocolFrame { kind, number, payload: serde_json::to_vec(said)? })
}

/// Makes the answer to a question at this time, in nanoseconds since 1970.
///
/// # Errors
/// Never for the values that are sent here.
pub fn encode_response(
    question: &ProtocolFrame,
    answer: PluginResponse,
    now: i64,
) -> Result<ProtocolFrame, serde_json::Error> {
    let mut head = ResponseHeader::default();
    let mut codes = Vec::new();
    match answer {
        PluginResponse::FilterResult(tried) => {
            let verdict = match (&tried.refused, tried.is_final) {
                (None, _) => "pass",
                (Some(_), false) => "refused",
                (Some(_), true) => "final",
            };
            head.verdict = verdict.to_owned();
            head.message = tried.refused.map(|reason| reason.message).unwrap_or_default();
            head.again = RetryConditions::of(tried.retry, now);
            (head.obstacles, codes) = (tried.obstacles, tried.codes);
            head.scores = tried.scores.len();
            codes.extend(tried.scores);
        }
        PluginResponse::Attempt(attempt) => {
            head.verdict = if attempt.node.is_some() { "planned" } else { "none" }.to_owned();
            head.message = attempt.preemption.as_ref().map(|reason| reason.message.clone()).unwrap_or_default();
            head.node = attempt.node.unwrap_or_default();
            head.again = RetryConditions::of(attempt.retry, now);
        }
        PluginResponse::PermitResult(allowed) => {
            let (verdict, wait) = match allowed.verdict {
                PermitDecision::Allow => ("allow", 0),
                PermitDecision::Wait(nanoseconds) => ("wait", nanoseconds),
                PermitDecision::Reject => ("reject", 0),
            };
            (head.verdict, head.wait) = (verdict.to_owned(), wait);
            (head.message, head.again) = (allowed.reason.message, RetryConditions::of(allowed.retry, now));
        }
        PluginResponse::Keys(epoch, keys) => {
            head.epoch = epoch;
            head.keys = keys.into_iter().map(|(pod, key)| (pod, hexadecimal(&key))).collect();
        }
        PluginResponse::Done => {}
    }
    let text = serde_json::to_vec(&head)?;
    let mut payload = u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes().to_vec();
    payload.extend(text);
    payload.extend(codes);
    Ok(ProtocolFrame { kind: question.kind.saturating_add(kind::RESPONSE), number: question.number, payload })
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Checks that this side understands the client.
///
/// # Errors
/// The versions differ.
pub fn check_version(hello: &Hello) -> Result<(), String> {
    match hello.version {
        VERSION => Ok(()),
        other => Err(format!(
            "`{}` speaks version {other} of the protocol, and this host version {VERSION}: use the plugin of this host's version",
            hello.client
        )),
    }
}

/// Makes the first message of the host, with this policy and system.
pub fn welcome(policy: &Description, system: &SystemInfo) -> Welcome {
    let interests = &system.interests;
    let is_placed = |group: &str, kind: &str| {
        interests.placed_kinds.iter().any(|placed| (&*placed.group, &*placed.kind) == (group, kind))
    };
    let kinds = kinds_read(interests).into_iter().map(|(group, kind)| {
        let placed = is_placed(&group, &kind);
        KindName { group, kind, placed }
    });
    Welcome {
        version: VERSION,
        host: format!("lictor {}", env!("CARGO_PKG_VERSION")),
        policy: format!("{} {}", policy.name, policy.version),
        system: system.name.clone(),
        points: system.extension_points.clone(),
        kinds: kinds.collect(),
        labels: interests.labels.clone(),
        annotations: interests.annotations.clone(),
    }
}
