//! Why a step could not be taken.

use lictor_contract::{ConfigError, ExtensionPoint, NodeId, PodId};

use crate::cluster::BadPlacedKind;
use crate::policy::CallError;
use crate::reason::time;
use crate::verify::Violation;

/// Why a session could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The policy refuses the configuration.
    #[error("{}", refused(.0))]
    Refused(ConfigError),
    /// The policy did not answer.
    #[error(transparent)]
    CallError(#[from] CallError),
    /// It took a configuration for laws that it does not describe.
    #[error("the policy accepts the system `{0}`, but does not describe it")]
    Undescribed(String),
    /// The system decides at a point whose interface the policy lacks.
    #[error("`{system}` decides at `{point}`, but the policy does not export `{}`", .point.interface())]
    Lacks {
        /// The system.
        system: String,
        /// The extension point.
        point: ExtensionPoint,
    },
    /// The system declares a placed kind that cannot be.
    #[error(transparent)]
    PlacedKind(#[from] BadPlacedKind),
}

/// A refused configuration in words.
fn refused(error: &ConfigError) -> String {
    match error {
        ConfigError::UnknownSystem(known) => format!("no such system; the policy knows {}", quoted(known)),
        ConfigError::UnknownArgument(name) => format!("the system takes no argument `{name}`"),
        ConfigError::BadArgument(bad) => {
            format!("argument `{}`: expected {}, found {}", bad.name, bad.expected, bad.found)
        }
        ConfigError::Malformed(why) => format!("the arguments are not a JSON object: {why}"),
    }
}

/// Names in backticks.
fn quoted(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    if quoted.is_empty() { "none".to_owned() } else { quoted.join(", ") }
}

/// An input that could not be served. What the cluster says in it is kept; nothing that was decided in it is carried out, and the next
/// input is served.
#[derive(Debug, thiserror::Error)]
#[error("{input}: {cause}")]
pub struct SessionError {
    /// The input, such as `attempt for default/a`.
    pub input: String,
    /// Why.
    pub cause: Cause,
}

/// Why an input could not be served.
#[derive(Debug, thiserror::Error)]
pub enum Cause {
    /// The policy did not answer.
    #[error(transparent)]
    CallError(#[from] CallError),
    /// The policy answered with something that is no answer.
    #[error("the policy's answer to `{call}` cannot be: {protocol_error}")]
    ProtocolError {
        /// The function that was called.
        call: &'static str,
        /// What is wrong.
        protocol_error: ProtocolError,
    },
    /// A pod that does not wait for a node was to be tried.
    #[error("`{pod}` cannot be tried: it {state}")]
    NotPending {
        /// The pod.
        pod: String,
        /// What it does instead.
        state: &'static str,
    },
    /// A pod was to be tried that there is not.
    #[error("there is no pod `{0}`")]
    NoSuchPod(String),
    /// A node was named that there is not.
    #[error("there is no node `{0}`")]
    NoSuchNode(String),
    /// A pod was to be permitted that holds no node.
    #[error("`{0}` is not reserved")]
    NotReserved(String),
    /// An object was to be removed, and objects of several API groups have its name.
    #[error("`{key}` names several objects: write {}", or(.keys))]
    Ambiguous {
        /// What was to be removed.
        key: String,
        /// How to name each of the objects.
        keys: Vec<String>,
    },
    /// A new instance of the policy refuses the configuration that the first one took.
    #[error("a new instance of the policy refuses its configuration: {}", refused(.0))]
    Refused(ConfigError),
    /// The policy has failed again and again, and is not asked.
    #[error("the policy is not asked before {}: it failed {faults} times in a row; the last time: {last}", time(*.until))]
    BreakerOpen {
        /// How many inputs in a row it failed.
        faults: u32,
        /// When it is asked again, nanoseconds since 1970.
        until: i64,
        /// The last of these failures.
        last: String,
    },
    /// A checkpoint of another layout.
    #[error("the checkpoint has format {found}, and this host knows format {known}")]
    CheckpointFormat {
        /// Its layout.
        found: u32,
        /// The layout that is known.
        known: u32,
    },
}

impl Cause {
    /// Returns whether the policy has failed: what it holds may differ from what is so, and a new instance takes its place.
    pub fn is_fault(&self) -> bool {
        match self {
            Cause::NotPending { .. } | Cause::NoSuchPod(_) => false,
            Cause::NoSuchNode(_) | Cause::NotReserved(_) => false,
            Cause::Ambiguous { .. } | Cause::CheckpointFormat { .. } | Cause::BreakerOpen { .. } => false,
            Cause::CallError(fault) => !matches!(fault, CallError::Lacks(_)),
            Cause::ProtocolError { .. } | Cause::Refused(_) => true,
        }
    }
}

/// Several keys to choose from.
fn or(keys: &[String]) -> String {
    keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" or ")
}

/// An answer that no honest policy gives.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// It names a pod that there is not.
    #[error("no pod has the number {0}")]
    UnknownPod(PodId),
    /// There is not one key for each pod that was asked about.
    #[error("{asked} pods were to be ordered, and {answered} keys came back")]
    Keys {
        /// How many pods were asked about.
        asked: usize,
        /// How many keys came back.
        answered: usize,
    },
    /// There is not one membership for each pod that was asked about.
    #[error("{asked} pods were asked about, and {answered} memberships came back")]
    MembershipCount {
        /// How many pods were asked about.
        asked: usize,
        /// How many memberships came back.
        answered: usize,
    },
    /// There is not one list of threats for each pod that was asked about.
    #[error("{asked} pods were asked about, and {answered} standings came back")]
    StandingCount {
        /// How many pods were asked about.
        asked: usize,
        /// How many standings came back.
        answered: usize,
    },
    /// It names a queue that is none of its own.
    #[error("there is no queue `{0}` among its queues")]
    UnknownQueue(String),
    /// It names a job otherwise than by a namespace and a name.
    #[error("`{0}` is no name of a job: it is not `namespace/name`")]
    JobName(String),
    /// It leaves a node without a verdict.
    #[error("{codes} codes leave node `{node}`, number {id}, without a verdict")]
    MissingVerdict {
        /// How many codes came.
        codes: usize,
        /// The number of the node.
        id: NodeId,
        /// The node.
        node: String,
    },
    /// It has codes for more nodes than have a number.
    #[error("{codes} codes for nodes whose highest number is {highest}")]
    TooManyVerdicts {
        /// How many codes came.
        codes: usize,
        /// The highest number of a node.
        highest: NodeId,
    },
    /// A code that stands for nothing.
    #[error("the code {code} of node `{node}` is none of the {obstacles} obstacles")]
    UnknownCode {
        /// The code.
        code: u8,
        /// The node.
        node: String,
        /// How many obstacles there are.
        obstacles: usize,
    },
    /// Scores for other nodes than were asked about.
    #[error("{scores} scores for {nodes} nodes")]
    ScoreCount {
        /// How many nodes were asked about.
        nodes: usize,
        /// How many scores came.
        scores: usize,
    },
    /// A score out of range.
    #[error("the score {0} is not between 0 and 100")]
    ScoreRange(i64),
    /// The number of a plan came before.
    #[error("the number {0} was given to an earlier plan")]
    PlanReused(u64),
    /// A length of time that is negative.
    #[error("a wait of {0} ns")]
    NegativeWait(i64),
    /// A plan whose parts are not where it says.
    #[error("plan {plan} ends at {end} of {length} {list}, after {start}")]
    Ragged {
        /// The plan.
        plan: u64,
        /// The list.
        list: &'static str,
        /// Where the plan's part begins.
        start: usize,
        /// Where it is said to end.
        end: usize,
        /// How long the list is.
        length: usize,
    },
    /// A cycle of the policy's own that does not end.
    #[error("the cycle has more than {0} steps")]
    Endless(usize),
    /// A reason that has facts and names no law.
    #[error("a reason with {0} facts names no law")]
    Lawless(usize),
    /// A reason of the host in the policy's mouth.
    #[error("the reason `{0}` is the host's alone to give")]
    SpeaksForHost(String),
    /// A placement that breaks an invariant.
    #[error("{0}")]
    Unsound(Violation),
}

impl ProtocolError {
    /// The lie as the error of a call.
    pub(super) fn in_answer_to(self, call: &'static str) -> Cause {
        Cause::ProtocolError { call, protocol_error: self }
    }
}
