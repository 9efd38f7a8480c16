//! The process of `lictor serve`, without its socket: one conversation, its clock, its checkpoint.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use lictor_contract::{Description, ExtensionPoint};
use lictor_decide::Native;
use lictor_host::cluster::InputError;
use lictor_host::living::JsonFile;
use lictor_host::policy::Policy;
use lictor_host::rails::Rails;
use lictor_host::session::{FailureCause, Session, SessionError, StepOutput};

use crate::wire::ProtocolFrame;
use crate::{ConnectionObserver, ConnectionSetup, SchedulerConnection, say};

/// The lines that the host says, in place of its log.
#[derive(Debug, Default)]
pub(super) struct HostOutput {
    pub(super) lines: Vec<String>,
    /// Faults of the session that no trouble explains.
    pub(super) faults: Vec<String>,
}

#[derive(Default)]
pub(super) struct HostLog(pub(super) Mutex<HostOutput>);

impl ConnectionObserver for HostLog {
    fn step(&self, step: &StepOutput, _: &Session) {
        let lines = &mut self.0.lock().unwrap().lines;
        lines.extend(step.happened.plans.iter().map(|plan| format!("plans {plan:?}")));
        lines.extend(step.happened.refused.iter().map(|refused| format!("plan refused {refused:?}")));
        lines.extend(step.happened.withdrawn.iter().map(|pod| format!("the nomination of {pod} was withdrawn")));
        lines.extend(step.happened.failed.iter().map(|failed| format!("command failed {failed:?}")));
    }

    fn error(&self, error: &SessionError) {
        let said = &mut *self.0.lock().unwrap();
        said.lines.push(format!("not served: {error}"));
        // What a late question names may be gone by then.
        let is_late = matches!(
            error.cause,
            FailureCause::NotPending { .. }
                | FailureCause::NoSuchPod(_)
                | FailureCause::NoSuchNode(_)
                | FailureCause::NotReserved(_)
        );
        if !is_late {
            said.faults.push(format!("the policy or the session is at fault: {error}"));
        }
    }

    fn object_invalid(&self, mistake: &InputError) {
        self.0.lock().unwrap().faults.push(format!("not read: {}", mistake.message));
    }

    fn write_line(&self, line: &str) {
        self.0.lock().unwrap().lines.push(line.to_owned());
    }
}

/// The host, and the connection to it.
pub(super) struct Host {
    conversation: Option<SchedulerConnection>,
    pub(super) lines: Arc<HostLog>,
    /// Counts conversations.
    pub(super) number: u64,
    /// The frames that the host has not taken yet.
    pub(super) inbox: VecDeque<ProtocolFrame>,
    /// The answers that have come, by the number of the question.
    pub(super) responses: BTreeMap<u32, ProtocolFrame>,
    /// The questions whose answers are waited for.
    pub(super) pending: BTreeSet<u32>,
    /// How much the clock of the host is ahead of that of the cluster, in nanoseconds.
    pub(super) skew: i64,
    /// Until when the host takes nothing.
    pub(super) stalled: i64,
    /// When a host is there to connect to; none while it is running.
    pub(super) returns_at: Option<i64>,
    pub(super) file: PathBuf,
    /// The latest time of the conversation: its clock never goes back.
    last_time: i64,
}

impl Host {
    pub(super) fn new(name: &str) -> Host {
        let name = format!("lictor-serve-model-{}-{name}.json", std::process::id());
        Host {
            conversation: None,
            lines: Arc::default(),
            number: 0,
            inbox: VecDeque::new(),
            responses: BTreeMap::new(),
            pending: BTreeSet::new(),
            skew: 0,
            stalled: 0,
            returns_at: Some(0),
            file: std::env::temp_dir().join(name),
            last_time: 0,
        }
    }

    /// Begins a conversation, with or without a checkpoint. Returns the kinds that the host reads.
    pub(super) fn begin(&mut self, system: &str, arguments: &str, with_checkpoint: bool) -> Vec<String> {
        static DESCRIBED: OnceLock<Description> = OnceLock::new();
        let described = DESCRIBED.get_or_init(|| Native::default().describe().unwrap());
        let info = described.systems.iter().find(|info| info.name == system).unwrap();
        let mut session = Session::open(Box::<Native>::default(), system, arguments).unwrap();
        session.set_schedulers(["default-scheduler".to_owned()]);
        session.set_rails(Rails::of_command());
        let welcome = say::welcome(described, info);
        let kinds = welcome.kinds.iter().map(|kind| match kind.group.as_str() {
            "" => kind.kind.clone(),
            group => format!("{}.{group}", kind.kind),
        });
        let kinds = kinds.collect();
        let opened = ConnectionSetup {
            session,
            recorder: None,
            checkpoint: with_checkpoint.then(|| Arc::new(JsonFile::at(&self.file))),
            right: None,
            points: info.extension_points.iter().filter_map(|point| ExtensionPoint::named(point)).collect(),
            welcome,
        };
        self.conversation = Some(SchedulerConnection::begin(opened, self.lines.clone()));
        self.number += 1;
        (self.returns_at, self.last_time) = (None, 0);
        kinds
    }

    /// Ends the conversation at once. Frames that the host has not taken are lost.
    pub(super) fn end(&mut self, back: i64) {
        self.conversation = None;
        self.inbox.clear();
        self.responses.clear();
        self.pending.clear();
        (self.returns_at, self.stalled) = (Some(back), 0);
    }

    pub(super) fn is_available(&self) -> bool {
        self.conversation.is_some()
    }

    /// Returns when the host does something by time alone, by the clock of the cluster.
    pub(super) fn due(&self) -> Option<i64> {
        let at = self.conversation.as_ref()?.wake_at().map(|at| at.saturating_sub(self.skew));
        let told = (!self.inbox.is_empty()).then_some(self.stalled);
        at.into_iter().chain(told).min().map(|at| at.max(self.stalled))
    }

    /// Passes the waiting frames to the host. Returns the frames that the host sends; empty where the host is away or stalled.
    pub(super) fn take(&mut self, now: i64) -> Result<Vec<ProtocolFrame>, String> {
        let Some(conversation) = self.conversation.as_mut().filter(|_| self.stalled <= now) else {
            return Ok(Vec::new());
        };
        self.last_time = self.last_time.max(now + self.skew);
        let is_due = conversation.wake_at().is_some_and(|at| at <= self.last_time);
        if self.inbox.is_empty() && !is_due {
            return Ok(Vec::new());
        }
        let taken = conversation.take(self.last_time, self.inbox.drain(..).collect());
        // A clock that shows an earlier time than the checkpoint is set to that time (`serve_connection` in `server.rs`).
        let ahead = conversation.session().mirror().now().saturating_sub(self.last_time).max(0);
        (self.skew, self.last_time) = (self.skew + ahead, self.last_time + ahead);
        taken.map_err(|over| over.to_string())
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _gone = std::fs::remove_file(&self.file);
        let _beside = std::fs::remove_file(self.file.with_extension("new"));
    }
}
