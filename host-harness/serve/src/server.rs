//! The socket: a thread and a session for each scheduler that connects.

use std::collections::BTreeMap;
use std::io::{self, BufReader, BufWriter, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use lictor_host::living::{self, DeadlineStream, SessionClock};

use crate::conversation::SchedulerConnection;
use crate::message::{ErrorMessage, Hello};
use crate::offer::CandidateSlot;
use crate::opened::{ConnectionObserver, ConnectionSetup};
use crate::say;
use crate::wire::{MAX_HELLO_PAYLOAD, ProtocolFrame, kind};

/// The number of frames that may wait to be taken; beyond that, the scheduler waits.
const MAX_WAITING_FRAMES: usize = 4096;

/// How long the scheduler may take to read an answer, and to send its first message.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(10);

/// The time between two looks for an offer where nothing is due.
const IDLE: Duration = Duration::from_secs(1);

/// The most schedulers that are served at a time.
const CONNECTIONS: usize = 64;

/// The pause when a scheduler cannot be served.
const PAUSE: Duration = Duration::from_millis(100);

/// A function that starts a thread.
type ThreadStarter = dyn Fn(Box<dyn FnOnce() + Send>) -> io::Result<JoinHandle<()>>;

/// A function that opens a session for a scheduler, or returns why that is not possible.
pub type SessionOpener = dyn Fn(&Hello) -> Result<ConnectionSetup, String> + Send + Sync;

/// Why a socket cannot be listened at.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be listened at: {error}", path.display())]
pub struct ListenError {
    /// The socket.
    pub path: PathBuf,
    /// Why.
    pub error: io::Error,
}

/// The server of a socket.
pub struct Server {
    listener: UnixListener,
    open: Arc<SessionOpener>,
    observer: Arc<dyn ConnectionObserver>,
    streams: OpenStreams,
    candidates: CandidateSlot,
    clock_offset: Arc<AtomicI64>,
}

/// The open connections. `None`: no connection is served any more.
type OpenStreams = Arc<Mutex<Option<BTreeMap<u64, UnixStream>>>>;

/// The handle that ends a server.
pub struct ShutdownHandle {
    path: PathBuf,
    streams: OpenStreams,
}

impl ShutdownHandle {
    /// Cuts every connection, and makes [`Server::run`] return when the conversations have ended.
    pub fn stop(&self) {
        let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner).take();
        for stream in streams.into_iter().flat_map(BTreeMap::into_values) {
            let _ended = stream.shutdown(Shutdown::Both);
        }
        // The connection wakes the server, which then sees that it must end.
        let _woken = UnixStream::connect(&self.path);
    }
}

impl Server {
    /// Listens at this path. A socket that a killed process has left there is removed.
    ///
    /// # Errors
    /// The socket cannot be made, or another process listens there.
    pub fn listen(
        path: &Path,
        open: Arc<SessionOpener>,
        report: Arc<dyn ConnectionObserver>,
    ) -> Result<Server, ListenError> {
        let listener = living::listen(path).map_err(|error| ListenError { path: path.to_owned(), error })?;
        let streams = Arc::new(Mutex::new(Some(BTreeMap::new())));
        Ok(Server {
            listener,
            open,
            observer: report,
            streams,
            candidates: CandidateSlot::default(),
            clock_offset: Arc::default(),
        })
    }

    /// Returns the way by which policies are offered to every conversation.
    pub fn offers(&self) -> CandidateSlot {
        self.candidates.clone()
    }

    /// Returns by how much the time of sessions is ahead of the time of day, in nanoseconds, for tests that cannot wait. The value must never
    /// decrease.
    pub fn clock_offset(&self) -> Arc<AtomicI64> {
        self.clock_offset.clone()
    }

    /// Returns the handle that ends the server at this path.
    pub fn stop(&self, path: &Path) -> ShutdownHandle {
        ShutdownHandle { path: path.to_owned(), streams: self.streams.clone() }
    }

    /// Serves every scheduler that connects, until the server is stopped and all conversations have ended.
    pub fn run(&self) {
        self.take(|| self.listener.accept().map(|(stream, _)| stream), &|work| {
            thread::Builder::new().name("scheduler".to_owned()).spawn(work)
        });
    }

    /// Serves connections and threads from `accept` and `start`. A connection that cannot be accepted or served, for example because file descriptors
    /// are used up, does not prevent later ones from being served.
    fn take(&self, accept: impl Fn() -> io::Result<UnixStream>, start: &ThreadStarter) {
        let (mut threads, mut said) = (Vec::new(), String::new());
        for number in 0.. {
            let accepted = accept();
            if self.streams.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
                break;
            }
            threads.retain(|thread: &JoinHandle<()>| !thread.is_finished());
            let begun = match accepted {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Ok(_) if threads.len() >= CONNECTIONS => Err(io::Error::other("too many are connected")),
                Ok(stream) => self.begin(number, stream, start),
                Err(error) => Err(error),
            };
            match begun {
                Ok(thread) => {
                    threads.push(thread);
                    said.clear();
                }
                Err(error) => {
                    let now = error.to_string();
                    if now != said {
                        self.observer
                            .write_line(&format!("a scheduler cannot be served: {now}; the next ones are tried"));
                    }
                    said = now;
                    thread::sleep(PAUSE);
                }
            }
        }
        for thread in threads {
            let _ended = thread.join();
        }
    }

    /// Begins to serve a scheduler in a thread of its own.
    fn begin(&self, number: u64, stream: UnixStream, start: &ThreadStarter) -> io::Result<JoinHandle<()>> {
        let own = stream.try_clone()?;
        let streams = || self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams().as_mut().map(|streams| streams.insert(number, own));
        let (open, report, ended) = (self.open.clone(), self.observer.clone(), self.streams.clone());
        let (offers, ahead) = (self.candidates.clone(), self.clock_offset.clone());
        let served = start(Box::new(move || {
            let why = serve(stream, &*open, &report, (&offers, &ahead));
            if let Some(streams) = ended.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
                streams.remove(&number);
            }
            report.write_line(&format!("the scheduler is gone: {why}"));
        }));
        if served.is_err() {
            // Otherwise the client would wait for an answer.
            streams().as_mut().map(|streams| streams.remove(&number));
        }
        served
    }
}

/// Serves one scheduler. Returns how the conversation has ended.
fn serve(
    stream: UnixStream,
    open: &SessionOpener,
    report: &Arc<dyn ConnectionObserver>,
    (offers, ahead): (&CandidateSlot, &AtomicI64),
) -> String {
    // An offer from here on is newer than the policy that the session is opened with.
    let seen = offers.number();
    let (opened, reader) = match handshake(&stream, open) {
        Ok(greeted) => greeted,
        Err(why) => return why,
    };
    let report = report.connection().unwrap_or_else(|| report.clone());
    let mut conversation = SchedulerConnection::begin(opened, report.clone());
    report.write_line("a scheduler is connected");
    report.connection_changed(true);
    let (send, frames) = sync_channel(MAX_WAITING_FRAMES);
    let reading = thread::Builder::new().name("frames".to_owned()).spawn(move || {
        let mut reader = reader;
        loop {
            let read = ProtocolFrame::read(&mut reader);
            let is_last = !matches!(read, Ok(Some(_)));
            if send.send(read).is_err() || is_last {
                return;
            }
        }
    });
    let ended = match reading {
        Ok(_) => serve_connection(&mut conversation, &frames, &stream, (offers, seen), ahead),
        Err(error) => error.to_string(),
    };
    // The reader ends with the connection.
    let _closed = stream.shutdown(Shutdown::Both);
    report.connection_changed(false);
    ended
}

/// Reads the client's first message, and sends that of the host.
fn handshake(stream: &UnixStream, open: &SessionOpener) -> Result<(ConnectionSetup, BufReader<UnixStream>), String> {
    let cannot = |error: io::Error| error.to_string();
    // Only the first frame is read here: the following ones are answered after it.
    let hello = ProtocolFrame::read_at_most(MAX_HELLO_PAYLOAD, &mut DeadlineStream::within(stream, CLIENT_TIMEOUT));
    let first = hello.map_err(cannot)?.ok_or("it said nothing")?;
    stream.set_write_timeout(Some(CLIENT_TIMEOUT)).map_err(cannot)?;
    let hello: Hello = match first.kind {
        kind::HELLO => serde_json::from_slice(&first.payload).map_err(|error| error.to_string())?,
        other => return Err(format!("its first frame is of kind {other}, not {}", kind::HELLO)),
    };
    let opened = say::check_version(&hello).and_then(|()| open(&hello));
    let answer = match &opened {
        Ok(opened) => say::encode_frame(kind::WELCOME, first.number, &opened.welcome),
        Err(message) => say::encode_frame(kind::ERROR, first.number, &ErrorMessage { message: message.clone() }),
    };
    answer.map_err(|error| error.to_string())?.write(&mut &*stream).map_err(cannot)?;
    stream.set_read_timeout(None).map_err(cannot)?;
    Ok((opened?, BufReader::new(stream.try_clone().map_err(cannot)?)))
}

/// Takes frames and sends the answers, until one side has ended. Returns how the conversation has ended.
fn serve_connection(
    conversation: &mut SchedulerConnection,
    frames: &Receiver<io::Result<Option<ProtocolFrame>>>,
    stream: &UnixStream,
    (offers, mut seen): (&CandidateSlot, u64),
    ahead: &AtomicI64,
) -> String {
    let mut clock = SessionClock::start();
    let ahead = || ahead.load(Ordering::Relaxed);
    let mut writer = BufWriter::new(stream);
    loop {
        let due = conversation
            .wake_at()
            .map_or(IDLE, |at| clock.until(at.saturating_sub(ahead())).clamp(Duration::from_millis(1), IDLE));
        let first = match frames.recv_timeout(due) {
            Ok(read) => Some(read),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return "its connection ended".to_owned(),
        };
        let (mut batch, mut ended) = (Vec::new(), None);
        let rest = std::iter::from_fn(|| frames.try_recv().ok());
        for read in first.into_iter().chain(rest) {
            match read {
                Ok(Some(frame)) => batch.push(frame),
                Ok(None) => ended = Some("it ended the connection".to_owned()),
                Err(error) => ended = Some(error.to_string()),
            }
            if batch.len() >= MAX_WAITING_FRAMES || ended.is_some() {
                break;
            }
        }
        if let Some(offer) = offers.after(&mut seen) {
            conversation.replace(offer);
        }
        let answers = match conversation.take(clock.now().saturating_add(ahead()), batch) {
            Ok(answers) => answers,
            Err(over) => return over.to_string(),
        };
        // What is due after a checkpoint of a process whose clock was ahead would be late by as much.
        clock.advance_to(conversation.session().mirror().now().saturating_sub(ahead()));
        let sent = answers.iter().try_for_each(|frame| frame.write(&mut writer)).and_then(|()| writer.flush());
        if let Some(ended) = ended.or_else(|| sent.err().map(|error| error.to_string())) {
            return ended;
        }
    }
}

#[cfg(test)]
mod tests;
