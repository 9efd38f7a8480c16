//! Writes what goes through a session.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lictor_contract::{Finding, Severity};

use super::frame;
use super::tap::{ObservedPolicy, RecordedReply, ReplyObserver};
use super::{Header, MemoryRecording, RecordedResult, SessionCall};
use crate::policy::{Policy, PolicyUsage};
use crate::session::{PluginRequest, PluginResponse, Session, SessionError, SessionInput, StepOutput};

/// A writer of the recording of a session. Clones write to the same recording.
///
/// A step is written before its commands are handed out. Where writing fails, nothing more is written, and the session continues. A finding of the
/// step reports the failure at once, and [`finish`](Recorder::finish) returns the error. On `wasm32` nothing can be written, because the compression
/// is missing there.
///
/// ```no_run
/// # use lictor_host::{policy::Policy, recording::Header};
/// # fn record(policy: Box<dyn Policy>, header: &Header) -> Result<(), Box<dyn std::error::Error>> {
/// use lictor_host::recording::Recorder;
/// use lictor_host::session::{Session, SessionInput};
///
/// let recorder = Recorder::begin(Box::new(std::fs::File::create("run.rec")?));
/// let policy = recorder.observe(policy, header);
/// let mut session = Session::open(policy, &header.system, &header.arguments)?;
/// let step = recorder.handle(&mut session, SessionInput::Cycle)?;
/// recorder.finish()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Recorder(Arc<Mutex<RecordWriter>>);

struct RecordWriter {
    to: Box<dyn Write + Send>,
    /// The beginning of the recording has been written.
    started: bool,
    /// The text that has not been written yet.
    text: Vec<u8>,
    /// A step has begun and has not ended.
    open: bool,
    /// The current step is the opening of a session that has received nothing yet.
    opening: bool,
    failed: Option<io::Error>,
    /// A step has reported that writing failed.
    reported: bool,
    /// Nothing more is written.
    closed: bool,
}

impl Recorder {
    /// Begins a recording. Nothing is written before the first step.
    pub fn begin(to: Box<dyn Write + Send>) -> Recorder {
        Recorder::new(to, false)
    }

    /// Begins a recording in memory, where its bytes can be taken once it is [finished](Recorder::finish).
    pub fn in_memory() -> (Recorder, MemoryRecording) {
        let memory = MemoryRecording::default();
        (Recorder::begin(Box::new(memory.clone())), memory)
    }

    /// Continues a recording. The caller places the writer at the offset that [`end_of`](super::end_of) returns.
    pub fn append(to: Box<dyn Write + Send>) -> Recorder {
        Recorder::new(to, true)
    }

    fn new(to: Box<dyn Write + Send>, started: bool) -> Recorder {
        Recorder(Arc::new(Mutex::new(RecordWriter {
            to,
            started,
            text: Vec::new(),
            open: false,
            opening: false,
            failed: None,
            reported: false,
            closed: false,
        })))
    }

    /// Begins the recording of a session that is to be opened with this policy.
    pub fn observe(&self, policy: Box<dyn Policy>, header: &Header) -> Box<dyn Policy> {
        let mut tape = self.tape();
        tape.end();
        tape.line("session", serde_json::to_string(header));
        tape.write_call(&SessionCall::Open);
        tape.opening = true;
        drop(tape);
        Box::new(ObservedPolicy::new(policy, self.0.clone()))
    }

    /// Serves an input with a session, and records the input and its result.
    ///
    /// # Errors
    /// Those of [`Session::handle`].
    pub fn handle(&self, session: &mut Session, input: SessionInput) -> Result<StepOutput, SessionError> {
        self.tape().write_input(&input);
        let mut came = session.handle(input);
        self.end_step(session, &came);
        self.report_failure(came.as_mut());
        came
    }

    /// Puts a question to a session, and records the question and its result.
    ///
    /// # Errors
    /// Those of [`Session::serve_request`].
    pub fn serve_request(
        &self,
        session: &mut Session,
        question: &PluginRequest,
    ) -> Result<(PluginResponse, StepOutput), SessionError> {
        self.tape().write_call(&SessionCall::PluginRequest(question.clone()));
        let mut answered = None;
        let mut came = session.serve_request(question).map(|(answer, step)| {
            answered = Some(answer);
            step
        });
        self.end_step(session, &came);
        self.report_failure(came.as_mut());
        came.map(|step| (answered.unwrap_or(PluginResponse::Done), step))
    }

    /// Calls another function of a session through `ask`, and records the call.
    pub fn record_call<T>(&self, session: &mut Session, told: &SessionCall, ask: impl FnOnce(&mut Session) -> T) -> T {
        self.tape().write_call(told);
        let answer = ask(session);
        self.tape().end();
        answer
    }

    /// Records the result of the last input or question, and ends the step.
    fn end_step(&self, session: &Session, came: &Result<StepOutput, SessionError>) {
        let came = RecordedResult::of(session, came);
        let mut tape = self.tape();
        tape.line("came", serde_json::to_string(&came));
        tape.end();
    }

    /// Adds to a step, once, the finding that the recording cannot be written. A step that was not served leaves the finding to the next one.
    fn report_failure<E>(&self, step: Result<&mut StepOutput, E>) {
        let Ok(step) = step else { return };
        let mut tape = self.tape();
        let Some(error) = tape.failed.as_ref().filter(|_| !tape.reported) else { return };
        step.findings.push(Finding {
            severity: Severity::Error,
            object: String::new(),
            path: String::new(),
            message: format!(
                "the recording cannot be written: {error}; this step and all that follow are not recorded"
            ),
            remedy: "make room for the recording, and start again".to_owned(),
        });
        tape.reported = true;
    }

    /// Ends the recording of a session and flushes it. A session without any step leaves nothing.
    ///
    /// # Errors
    /// Writing failed, now or before.
    pub fn finish(&self) -> io::Result<()> {
        let mut tape = self.tape();
        if tape.opening {
            (tape.open, tape.text) = (false, Vec::new());
        }
        tape.end();
        match tape.failed.take() {
            None => tape.to.flush(),
            Some(error) => Err(error),
        }
    }

    /// Ends the recording before an event that cannot be repeated. Nothing more is written.
    pub(crate) fn close(&self) {
        let mut tape = self.tape();
        tape.end();
        tape.closed = true;
    }

    fn tape(&self) -> MutexGuard<'_, RecordWriter> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RecordWriter {
    fn write_input(&mut self, input: &SessionInput) {
        self.begin_step(SessionCall::line_of(input));
    }

    fn write_call(&mut self, told: &SessionCall) {
        self.begin_step(told.line());
    }

    fn begin_step(&mut self, line: Result<String, serde_json::Error>) {
        self.end();
        self.line("told", line);
        self.open = true;
    }

    fn line(&mut self, word: &str, written: Result<String, serde_json::Error>) {
        if self.closed {
            return;
        }
        match written {
            Ok(line) => {
                self.text.extend_from_slice(word.as_bytes());
                self.text.push(b' ');
                self.text.extend_from_slice(line.as_bytes());
                self.text.push(b'\n');
            }
            Err(error) => self.failed = self.failed.take().or(Some(error.into())),
        }
        if self.text.len() >= frame::MAX_TEXT {
            self.write(false);
        }
    }

    /// Ends the step, and writes it.
    fn end(&mut self) {
        self.opening = false;
        if std::mem::take(&mut self.open) {
            self.write(true);
        }
    }

    fn write(&mut self, ends_step: bool) {
        let text = std::mem::take(&mut self.text);
        if self.failed.is_none() {
            self.failed = self.write_frames(&text, ends_step).err();
        }
    }

    fn write_frames(&mut self, text: &[u8], ends_step: bool) -> io::Result<()> {
        if !std::mem::replace(&mut self.started, true) {
            frame::start(self.to.as_mut())?;
        }
        frame::write(self.to.as_mut(), text, ends_step)?;
        self.to.flush()
    }
}

impl ReplyObserver for RecordWriter {
    fn on_reply(&mut self, answer: RecordedReply) -> Option<String> {
        self.line("answer", Ok(answer.line()));
        None
    }

    fn on_usage(&mut self, usage: PolicyUsage, recycle_bytes: Option<u64>) -> PolicyUsage {
        // Between two steps, the memory is only counted.
        let answer = RecordedReply::of_memory(usage, recycle_bytes).filter(|_| self.open);
        if let Some(answer) = answer {
            self.line("answer", Ok(answer.line()));
        }
        usage
    }

    fn recycle_bytes(&self, own: Option<u64>) -> Option<u64> {
        own
    }
}
