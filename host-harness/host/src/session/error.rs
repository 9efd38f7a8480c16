//! Why a step could not be taken.

use lictor_contract::{ConfigError, ExtensionPoint, NodeId, PodId};

use crate::cluster::BadPlacedKind;
use crate::policy::CallError;
use crate::reason::time;
use crate::verify::Violation;

/// The reason why a session could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The policy refuses the configuration.
    #[error("{}", refused(.0))]
    Refused(ConfigError),
    /// A call of the policy failed.
    #[error(transparent)]
    CallError(#[from] CallError),
    /// The policy accepted a system that it does not describe.
    #[error("the policy accepts the system `{0}`, but does not describe it")]
    SystemNotDescribed(String),
    /// The system decides at a point whose interface the policy lacks.
    #[error("`{system}` decides at `{point}`, but the policy does not export `{}`", .point.interface())]
    MissingInterface {
        /// The system.
        system: String,
        /// The extension point.
        point: ExtensionPoint,
    },
    /// The system declares an invalid placed kind.
    #[error(transparent)]
    PlacedKind(#[from] BadPlacedKind),
}

/// Returns a text for a refused configuration.
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

/// Returns the names in backticks, separated by commas; `none` for an empty list.
fn quoted(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    if quoted.is_empty() { "none".to_owned() } else { quoted.join(", ") }
}

/// An input that could not be served. Its observations of the cluster are kept. Nothing that was decided in it is carried out, and the next input is
/// served.
#[derive(Debug, thiserror::Error)]
#[error("{input}: {cause}")]
pub struct SessionError {
    /// The input, such as `attempt for default/a`.
    pub input: String,
    /// The cause.
    pub cause: FailureCause,
}

/// The reason why an input could not be served.
#[derive(Debug, thiserror::Error)]
pub enum FailureCause {
    /// A call of the policy failed.
    #[error(transparent)]
    CallError(#[from] CallError),
    /// The answer of the policy is invalid.
    #[error("the policy's answer to `{call}` cannot be: {protocol_error}")]
    ProtocolError {
        /// The function that was called.
        call: &'static str,
        /// What is wrong.
        protocol_error: ProtocolError,
    },
    /// The pod to try is not pending.
    #[error("`{pod}` cannot be tried: it {state}")]
    NotPending {
        /// The pod.
        pod: String,
        /// The state of the pod.
        state: &'static str,
    },
    /// The pod does not exist.
    #[error("there is no pod `{0}`")]
    NoSuchPod(String),
    /// The node does not exist.
    #[error("there is no node `{0}`")]
    NoSuchNode(String),
    /// The pod to permit is not reserved.
    #[error("`{0}` is not reserved")]
    NotReserved(String),
    /// The key of the object to remove names objects of several API groups.
    #[error("`{key}` names several objects: write {}", or(.keys))]
    Ambiguous {
        /// The key.
        key: String,
        /// The full keys of the objects.
        keys: Vec<String>,
    },
    /// A new instance of the policy refuses the configuration that the first one took.
    #[error("a new instance of the policy refuses its configuration: {}", refused(.0))]
    Refused(ConfigError),
    /// The policy has failed too often in a row, and gets no calls for a while.
    #[error("the policy is not asked before {}: it failed {faults} times in a row; the last time: {last}", time(*.until))]
    BreakerOpen {
        /// The number of failed inputs in a row.
        faults: u32,
        /// The time of the next call, in nanoseconds since 1970.
        until: i64,
        /// The last failure.
        last: String,
    },
    /// The checkpoint has another layout.
    #[error("the checkpoint has format {found}, and this host knows format {known}")]
    CheckpointFormat {
        /// The layout of the checkpoint.
        found: u32,
        /// The known layout.
        known: u32,
    },
}

impl FailureCause {
    /// Returns whether the policy has failed. Its state may then differ from the cluster, so that a new instance replaces it.
    pub fn is_fault(&self) -> bool {
        match self {
            FailureCause::NotPending { .. } | FailureCause::NoSuchPod(_) => false,
            FailureCause::NoSuchNode(_) | FailureCause::NotReserved(_) => false,
            FailureCause::Ambiguous { .. }
            | FailureCause::CheckpointFormat { .. }
            | FailureCause::BreakerOpen { .. } => false,
            FailureCause::CallError(fault) => !matches!(fault, CallError::MissingInterface(_)),
            FailureCause::ProtocolError { .. } | FailureCause::Refused(_) => true,
        }
    }
}

/// Returns keys as alternatives, joined by `or`.
fn or(keys: &[String]) -> String {
    keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" or ")
}

/// An invalid answer of a policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// The answer names an unknown pod.
    #[error("no pod has the number {0}")]
    UnknownPod(PodId),
    /// The number of keys differs from the number of pods.
    #[error("{asked} pods were to be ordered, and {answered} keys came back")]
    Keys {
        /// The number of pods.
        asked: usize,
        /// The number of keys.
        answered: usize,
    },
    /// The number of memberships differs from the number of pods.
    #[error("{asked} pods were asked about, and {answered} memberships came back")]
    MembershipCount {
        /// The number of pods.
        asked: usize,
        /// The number of memberships.
        answered: usize,
    },
    /// The number of standings differs from the number of pods.
    #[error("{asked} pods were asked about, and {answered} standings came back")]
    StandingCount {
        /// The number of pods.
        asked: usize,
        /// The number of standings.
        answered: usize,
    },
    /// The answer names a queue that the policy does not have.
    #[error("there is no queue `{0}` among its queues")]
    UnknownQueue(String),
    /// The name of a job is not `namespace/name`.
    #[error("`{0}` is no name of a job: it is not `namespace/name`")]
    JobName(String),
    /// A node has no verdict.
    #[error("{codes} codes leave node `{node}`, number {id}, without a verdict")]
    MissingVerdict {
        /// The number of codes.
        codes: usize,
        /// The number of the node.
        id: NodeId,
        /// The node.
        node: String,
    },
    /// There are codes for more nodes than have a number.
    #[error("{codes} codes for nodes whose highest number is {highest}")]
    TooManyVerdicts {
        /// The number of codes.
        codes: usize,
        /// The highest number of a node.
        highest: NodeId,
    },
    /// A code has no obstacle.
    #[error("the code {code} of node `{node}` is none of the {obstacles} obstacles")]
    UnknownCode {
        /// The code.
        code: u8,
        /// The node.
        node: String,
        /// The number of obstacles.
        obstacles: usize,
    },
    /// The number of scores differs from the number of nodes.
    #[error("{scores} scores for {nodes} nodes")]
    ScoreCount {
        /// The number of nodes.
        nodes: usize,
        /// The number of scores.
        scores: usize,
    },
    /// A score is out of range.
    #[error("the score {0} is not between 0 and 100")]
    ScoreRange(i64),
    /// The plan number was used before.
    #[error("the number {0} was given to an earlier plan")]
    PlanReused(u64),
    /// A duration is negative.
    #[error("a wait of {0} ns")]
    NegativeWait(i64),
    /// A range of a plan lies outside of its list.
    #[error("plan {plan} ends at {end} of {length} {list}, after {start}")]
    InvalidRange {
        /// The plan.
        plan: u64,
        /// The list.
        list: &'static str,
        /// The beginning of the range.
        start: usize,
        /// The end of the range.
        end: usize,
        /// The length of the list.
        length: usize,
    },
    /// A cycle of the policy's own has too many steps.
    #[error("the cycle has more than {0} steps")]
    TooManySteps(usize),
    /// A reason has facts but names no law.
    #[error("a reason with {0} facts names no law")]
    FactsWithoutCode(usize),
    /// The policy gave a reason that only the host may give.
    #[error("the reason `{0}` is the host's alone to give")]
    ReservedCode(String),
    /// A placement breaks an invariant.
    #[error("{0}")]
    InvariantViolated(Violation),
}

impl ProtocolError {
    /// Converts an invalid answer to the cause of a failed input.
    pub(super) fn into_cause(self, call: &'static str) -> FailureCause {
        FailureCause::ProtocolError { call, protocol_error: self }
    }
}
