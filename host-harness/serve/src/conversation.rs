//! The conversation of one scheduler with a session of its own. It reads and writes no socket; it stores the checkpoint and the recording.

mod checkpoint;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use lictor_contract::{ExtensionPoint, NodeId};
use lictor_host::cluster::KubernetesObject;
use lictor_host::living::{InitialObjects, JsonFile};
use lictor_host::recording::Recorder;
use lictor_host::replace::ReplacementState;
use lictor_host::session::{PluginRequest, PluginResponse, Session, SessionError, SessionInput, StepOutput};

use crate::exclusive::ExclusiveGuard;
use crate::message::{Commands, ErrorMessage, Outcomes};
use crate::offer::CandidateFactory;
use crate::opened::{ConnectionObserver, ConnectionSetup, FrameError};
use crate::say;
use crate::wire::{ProtocolFrame, kind};

/// The least time between two inputs for the time where nothing is due, in nanoseconds.
const TICK: i64 = 1_000_000;

/// The time between two questions for the excess of queues, while something happens. 1 s.
const ENFORCE: i64 = 1_000_000_000;

/// The time between two inputs for the time while a policy is replaced: 100 ms.
const TURN: i64 = 100_000_000;

/// A conversation.
pub struct SchedulerConnection {
    session: Session,
    recorder: Option<Arc<Recorder>>,
    checkpoint: Option<Arc<JsonFile>>,
    /// Whether there are commands to send that the checkpoint does not contain.
    commanded: bool,
    report: Arc<dyn ConnectionObserver>,
    /// The objects before all were received. `None`: all objects were received.
    listing: Option<InitialObjects>,
    /// The objects that the session has not received yet.
    objects: Vec<KubernetesObject>,
    told_nodes: BTreeSet<NodeId>,
    /// Whether there are new nodes whose numbers must be sent.
    has_nodes: bool,
    told_at: i64,
    wake_at: Option<i64>,
    /// When queues are next asked for their excess. `None`: nothing has happened since the last time.
    enforce_at: Option<i64>,
    enforces: bool,
    /// The policy that should replace the one in force.
    offer: Option<Arc<CandidateFactory>>,
    file: Arc<str>,
    out: Vec<ProtocolFrame>,
    /// The exclusive right, which is given back last.
    _right: Option<ExclusiveGuard>,
}

impl SchedulerConnection {
    /// Begins with a session without inputs.
    pub fn begin(opened: ConnectionSetup, report: Arc<dyn ConnectionObserver>) -> SchedulerConnection {
        SchedulerConnection {
            session: opened.session,
            recorder: opened.recorder,
            checkpoint: opened.checkpoint,
            commanded: false,
            report,
            listing: Some(InitialObjects::default()),
            objects: Vec::new(),
            told_nodes: BTreeSet::new(),
            has_nodes: false,
            told_at: 0,
            wake_at: None,
            enforce_at: None,
            enforces: opened.points.contains(&ExtensionPoint::Enforce),
            offer: None,
            file: Arc::from("the scheduler"),
            out: Vec::new(),
            _right: opened.right,
        }
    }

    /// Returns the session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns by when the session needs the next input for the time, in nanoseconds since 1970. `None`: it does not wait for a time.
    pub fn wake_at(&self) -> Option<i64> {
        let turn = self.offer.is_some().then(|| self.told_at.saturating_add(TURN));
        self.wake_at.into_iter().chain(self.enforce_at).chain(turn).min()
    }

    /// Begins to replace the policy. Where that is not possible, the policy in force stays.
    pub fn replace(&mut self, offer: Arc<CandidateFactory>) {
        let begun = (offer.make)()
            .and_then(|candidate| self.session.replace(candidate, offer.terms).map_err(|error| error.to_string()));
        match begun {
            Ok(()) => self.offer = Some(offer),
            Err(error) => self.report.say(&format!("the policy {} is not taken: {error}", offer.name)),
        }
    }

    /// Takes frames, in their order. Returns the frames to send.
    ///
    /// # Errors
    /// The other side does not keep to the protocol: no further frame of it is taken.
    pub fn take(&mut self, now: i64, frames: Vec<ProtocolFrame>) -> Result<Vec<ProtocolFrame>, FrameError> {
        let is_due = self.wake_at().is_some_and(|at| at <= now);
        if is_due || now.saturating_sub(self.told_at) >= TICK {
            self.told_at = now;
            self.hand(SessionInput::Clock(now), None);
        }
        for frame in frames {
            self.take_one(&frame)?;
        }
        self.hand_objects();
        self.enforce(now);
        self.keep();
        self.report.turned(self.listing.is_none().then_some(&self.session));
        Ok(std::mem::take(&mut self.out))
    }

    fn take_one(&mut self, frame: &ProtocolFrame) -> Result<(), FrameError> {
        let unreadable = |why: String| FrameError::Unreadable { kind: frame.kind, why };
        let text = || std::str::from_utf8(&frame.payload).map_err(|error| unreadable(error.to_string()));
        match frame.kind {
            kind::OBJECT => {
                let value = serde_json::from_slice(&frame.payload).map_err(|error| unreadable(error.to_string()))?;
                match KubernetesObject::from_json(value, &self.file) {
                    Ok(object) => self.there(object),
                    Err(mistake) => self.report.unread(&mistake),
                }
            }
            kind::REMOVED => {
                let key = text()?.to_owned();
                match &mut self.listing {
                    Some(listed) => listed.gone(&key),
                    None => {
                        self.hand_objects();
                        self.hand(SessionInput::Removed(key), None);
                    }
                }
            }
            kind::SYNCED => {
                if let Some(listed) = self.listing.take() {
                    self.has_nodes = true;
                    let objects: Vec<KubernetesObject> = listed.into_objects().collect();
                    self.report.objects(&objects);
                    self.hand(SessionInput::Listed(objects), None);
                    self.go_on();
                }
            }
            kind::OUTCOMES => {
                let outcomes: Outcomes =
                    serde_json::from_slice(&frame.payload).map_err(|error| unreadable(error.to_string()))?;
                self.hand_objects();
                outcomes.iter().for_each(|(command, outcome)| self.report.settled(*command, outcome));
                self.hand(SessionInput::Outcomes(outcomes), None);
            }
            other => {
                let question = say::question(frame).ok_or(FrameError::Unexpected(other))?;
                let question = question.map_err(|error| unreadable(error.to_string()))?;
                self.hand_objects();
                self.answer(frame, &question);
            }
        }
        Ok(())
    }

    fn there(&mut self, object: KubernetesObject) {
        self.has_nodes |= object.full_key().starts_with("Node/");
        match &mut self.listing {
            Some(listed) => listed.there(object),
            None => self.objects.push(object),
        }
    }

    fn hand_objects(&mut self) {
        if !self.objects.is_empty() {
            let objects = std::mem::take(&mut self.objects);
            self.report.objects(&objects);
            self.hand(SessionInput::Objects(objects), None);
        }
    }

    /// Hands an input to the session. `asked`: the pod of the question that is being answered.
    fn hand(&mut self, input: SessionInput, asked: Option<&str>) {
        let is_news = !matches!(input, SessionInput::Clock(_));
        let served = match &self.recorder {
            None => self.session.handle(input),
            Some(recorder) => recorder.handle(&mut self.session, input),
        };
        if is_news && self.enforces {
            self.enforce_at.get_or_insert(self.told_at);
        }
        self.number_nodes();
        match served {
            Ok(step) => self.push(&step, asked),
            Err(error) => self.report.error(&error),
        }
    }

    fn ask(&mut self, question: &PluginRequest) -> Result<(PluginResponse, StepOutput), SessionError> {
        match &self.recorder {
            None => self.session.question(question),
            Some(recorder) => recorder.question(&mut self.session, question),
        }
    }

    /// Answers a question. The commands are sent before the answer: a scheduler with the answer has the commands, too.
    fn answer(&mut self, frame: &ProtocolFrame, question: &PluginRequest) {
        let fault = |message: String| say::frame(kind::ERROR, frame.number, &ErrorMessage { message });
        if self.listing.is_some() {
            return self.out.extend(fault("not all objects have been told".to_owned()));
        }
        let asked = match question {
            PluginRequest::Unreserve(pod) | PluginRequest::Permit(pod) => Some(pod.as_str()),
            _ => None,
        };
        let began = Instant::now();
        let said = match self.ask(question) {
            Ok((answer, step)) => {
                let took = began.elapsed();
                self.push(&step, asked);
                self.report.answered(question, &answer, took);
                say::answer(frame, answer, self.session.mirror().now())
            }
            Err(error) => {
                self.report.error(&error);
                if error.cause.is_fault() {
                    self.report.attempt_failed();
                }
                fault(error.to_string())
            }
        };
        self.out.extend(said);
    }

    /// Asks queues for their excess, when it is due: for a while after something has happened, and at the time that was set.
    fn enforce(&mut self, now: i64) {
        if self.listing.is_some() || self.enforce_at.is_none_or(|at| at > now) {
            return;
        }
        self.enforce_at = None;
        match self.ask(&PluginRequest::Enforce) {
            Ok((_, step)) => {
                if !step.commands.is_empty() {
                    self.enforce_at = Some(now.saturating_add(ENFORCE));
                }
                self.push(&step, None);
            }
            Err(error) => {
                self.enforce_at = Some(now.saturating_add(ENFORCE));
                self.report.error(&error);
            }
        }
    }

    /// Sends the numbers of new nodes, before any answer that uses them.
    fn number_nodes(&mut self) {
        if !std::mem::take(&mut self.has_nodes) {
            return;
        }
        let nodes = self.session.mirror().nodes().filter(|node| !self.told_nodes.contains(&node.id));
        let new: Vec<(NodeId, String)> = nodes.map(|node| (node.id, node.name.clone())).collect();
        if !new.is_empty() {
            self.told_nodes.extend(new.iter().map(|(id, _)| *id));
            self.out.extend(say::frame(kind::NODES, 0, &new));
        }
    }

    fn push(&mut self, step: &StepOutput, asked: Option<&str>) {
        self.report.step(step, &self.session);
        self.wake_at = step.wake_at;
        for transition in step.replacement.iter().filter(|transition| transition.to.is_final()) {
            if let Some(offer) = self.offer.take().filter(|_| transition.to == ReplacementState::Done) {
                (offer.settled)();
            }
        }
        let commands = Commands::of(step, asked);
        self.commanded |= !step.commands.is_empty();
        if !commands.is_empty() {
            self.out.extend(say::frame(kind::COMMANDS, 0, &commands));
        }
    }
}
