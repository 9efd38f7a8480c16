//! The conversation of one scheduler with a session of its own. It reads and writes no socket; it stores the checkpoint and the recording.

mod checkpoint;
mod incoming;
mod timers;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use lictor_contract::{ExtensionPoint, NodeId};
use lictor_host::cluster::KubernetesObject;
use lictor_host::living::JsonFile;
use lictor_host::recording::Recorder;
use lictor_host::replace::ReplacementState;
use lictor_host::session::{PluginRequest, PluginResponse, Session, SessionError, SessionInput, StepOutput};

use crate::exclusive::ExclusiveGuard;
use crate::message::{Commands, ErrorMessage, Outcomes};
use crate::offer::CandidateFactory;
use crate::opened::{ConnectionObserver, ConnectionSetup, FrameError};
use crate::say;
use crate::wire::{ProtocolFrame, kind};
use incoming::IncomingObjects;
use timers::ConversationTimers;

/// A conversation.
pub struct SchedulerConnection {
    session: Session,
    recorder: Option<Arc<Recorder>>,
    checkpoint: Option<Arc<JsonFile>>,
    /// Whether there are commands to send that the checkpoint does not contain.
    has_unsaved_commands: bool,
    observer: Arc<dyn ConnectionObserver>,
    incoming: IncomingObjects,
    sent_nodes: BTreeSet<NodeId>,
    /// Whether there are new nodes whose numbers must be sent.
    has_nodes: bool,
    timers: ConversationTimers,
    /// The policy that should replace the one in force.
    candidate: Option<Arc<CandidateFactory>>,
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
            has_unsaved_commands: false,
            observer: report,
            incoming: IncomingObjects::new(),
            sent_nodes: BTreeSet::new(),
            has_nodes: false,
            timers: ConversationTimers::new(opened.points.contains(&ExtensionPoint::Enforce)),
            candidate: None,
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
        self.timers.wake_at(self.candidate.is_some())
    }

    /// Begins to replace the policy. Where that is not possible, the policy in force stays.
    pub fn replace(&mut self, offer: Arc<CandidateFactory>) {
        let begun = (offer.make)()
            .and_then(|candidate| self.session.replace(candidate, offer.terms).map_err(|error| error.to_string()));
        match begun {
            Ok(()) => self.candidate = Some(offer),
            Err(error) => self.observer.write_line(&format!("the policy {} is not taken: {error}", offer.name)),
        }
    }

    /// Takes frames, in their order. Returns the frames to send.
    ///
    /// # Errors
    /// The other side does not keep to the protocol: no further frame of it is taken.
    pub fn take(&mut self, now: i64, frames: Vec<ProtocolFrame>) -> Result<Vec<ProtocolFrame>, FrameError> {
        if self.timers.begin_input(now, self.candidate.is_some()) {
            self.feed(SessionInput::Clock(now), None);
        }
        for frame in frames {
            self.take_one(&frame)?;
        }
        self.feed_objects();
        self.enforce(now);
        self.store_checkpoint();
        self.observer.batch_handled((!self.incoming.is_listing()).then_some(&self.session));
        Ok(std::mem::take(&mut self.out))
    }

    fn take_one(&mut self, frame: &ProtocolFrame) -> Result<(), FrameError> {
        let unreadable = |why: String| FrameError::Unreadable { kind: frame.kind, why };
        let text = || std::str::from_utf8(&frame.payload).map_err(|error| unreadable(error.to_string()));
        match frame.kind {
            kind::OBJECT => {
                let value = serde_json::from_slice(&frame.payload).map_err(|error| unreadable(error.to_string()))?;
                match self.incoming.read(value) {
                    Ok(object) => self.upsert(object),
                    Err(mistake) => self.observer.object_invalid(&mistake),
                }
            }
            kind::REMOVED => {
                let key = text()?.to_owned();
                if !self.incoming.remove_from_list(&key) {
                    self.feed_objects();
                    self.feed(SessionInput::Removed(key), None);
                }
            }
            kind::SYNCED => {
                if let Some(objects) = self.incoming.end_list() {
                    self.has_nodes = true;
                    self.observer.objects(&objects);
                    self.feed(SessionInput::InitialList(objects), None);
                    self.restore_checkpoint();
                }
            }
            kind::OUTCOMES => {
                let outcomes: Outcomes =
                    serde_json::from_slice(&frame.payload).map_err(|error| unreadable(error.to_string()))?;
                self.feed_objects();
                outcomes.iter().for_each(|(command, outcome)| self.observer.command_settled(*command, outcome));
                self.feed(SessionInput::Outcomes(outcomes), None);
            }
            other => {
                let question = say::decode_request(frame).ok_or(FrameError::Unexpected(other))?;
                let question = question.map_err(|error| unreadable(error.to_string()))?;
                self.feed_objects();
                self.respond(frame, &question);
            }
        }
        Ok(())
    }

    fn upsert(&mut self, object: KubernetesObject) {
        self.has_nodes |= object.full_key().starts_with("Node/");
        self.incoming.upsert(object);
    }

    fn feed_objects(&mut self) {
        let objects = self.incoming.take_changed();
        if !objects.is_empty() {
            self.observer.objects(&objects);
            self.feed(SessionInput::Objects(objects), None);
        }
    }

    /// Hands an input to the session. `asked`: the pod of the question that is being answered.
    fn feed(&mut self, input: SessionInput, asked: Option<&str>) {
        let is_news = !matches!(input, SessionInput::Clock(_));
        let served = match &self.recorder {
            None => self.session.handle(input),
            Some(recorder) => recorder.handle(&mut self.session, input),
        };
        if is_news {
            self.timers.record_change();
        }
        self.send_node_numbers();
        match served {
            Ok(step) => self.push(&step, asked),
            Err(error) => self.observer.error(&error),
        }
    }

    fn handle_request(&mut self, question: &PluginRequest) -> Result<(PluginResponse, StepOutput), SessionError> {
        match &self.recorder {
            None => self.session.serve_request(question),
            Some(recorder) => recorder.serve_request(&mut self.session, question),
        }
    }

    /// Answers a question. The commands are sent before the answer: a scheduler with the answer has the commands, too.
    fn respond(&mut self, frame: &ProtocolFrame, question: &PluginRequest) {
        let fault = |message: String| say::encode_frame(kind::ERROR, frame.number, &ErrorMessage { message });
        if self.incoming.is_listing() {
            return self.out.extend(fault("not all objects have been told".to_owned()));
        }
        let asked = match question {
            PluginRequest::Unreserve(pod) | PluginRequest::Permit(pod) => Some(pod.as_str()),
            _ => None,
        };
        let began = Instant::now();
        let said = match self.handle_request(question) {
            Ok((answer, step)) => {
                let took = began.elapsed();
                self.push(&step, asked);
                self.observer.request_handled(question, &answer, took);
                say::encode_response(frame, answer, self.session.mirror().now())
            }
            Err(error) => {
                self.observer.error(&error);
                if error.cause.is_fault() {
                    self.observer.attempt_failed();
                }
                fault(error.to_string())
            }
        };
        self.out.extend(said);
    }

    /// Asks queues for their excess, when it is due: for a while after something has happened, and at the time that was set.
    fn enforce(&mut self, now: i64) {
        if self.incoming.is_listing() || !self.timers.begin_enforcement(now) {
            return;
        }
        match self.handle_request(&PluginRequest::Enforce) {
            Ok((_, step)) => {
                if !step.commands.is_empty() {
                    self.timers.repeat_enforcement(now);
                }
                self.push(&step, None);
            }
            Err(error) => {
                self.timers.repeat_enforcement(now);
                self.observer.error(&error);
            }
        }
    }

    /// Sends the numbers of new nodes, before any answer that uses them.
    fn send_node_numbers(&mut self) {
        if !std::mem::take(&mut self.has_nodes) {
            return;
        }
        let nodes = self.session.mirror().nodes().filter(|node| !self.sent_nodes.contains(&node.id));
        let new: Vec<(NodeId, String)> = nodes.map(|node| (node.id, node.name.clone())).collect();
        if !new.is_empty() {
            self.sent_nodes.extend(new.iter().map(|(id, _)| *id));
            self.out.extend(say::encode_frame(kind::NODES, 0, &new));
        }
    }

    fn push(&mut self, step: &StepOutput, asked: Option<&str>) {
        self.observer.step(step, &self.session);
        self.timers.set_wake(step.wake_at);
        for transition in step.replacement.iter().filter(|transition| transition.to.is_final()) {
            if let Some(offer) = self.candidate.take().filter(|_| transition.to == ReplacementState::Done) {
                (offer.settled)();
            }
        }
        let commands = Commands::of(step, asked);
        self.has_unsaved_commands |= !step.commands.is_empty();
        if !commands.is_empty() {
            self.out.extend(say::encode_frame(kind::COMMANDS, 0, &commands));
        }
    }
}
