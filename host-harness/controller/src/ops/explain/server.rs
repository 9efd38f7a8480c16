//! The server of the socket: a thread that hands one question after the other to the loop that can answer it.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use lictor_host::living::{self, DeadlineStream};
use serde_json::Value;
use tracing::{debug, info};

use super::{ExplainRequest, MAX_REQUEST_BYTES, MAX_RESPONSE_BYTES, SOCKET_TIMEOUT, SocketResponse, UpgradeCommand};
use crate::upgrade::ReplacementService;

/// The pause when no client can be accepted, for example because file descriptors are used up.
const PAUSE: Duration = Duration::from_millis(100);

/// The error where this process does not decide.
const NO_LEADER: &str = "this process does not decide: it stands by, or is about to end";

/// The way back of the answer to one question.
#[derive(Debug)]
pub struct ResponseSender(SyncSender<SocketResponse>);

impl ResponseSender {
    /// Sends the answer. An answer that comes too late is dropped.
    pub fn send(self, answered: SocketResponse) {
        let _late = self.0.try_send(answered);
    }
}

/// The listening socket. Dropping this value closes it.
#[derive(Debug)]
pub struct SocketServer {
    path: PathBuf,
    clients: Clients,
    thread: Option<JoinHandle<()>>,
}

/// The client that is being served, if any. `None`: the server has ended, and serves no other client.
type Clients = Arc<Mutex<Option<Option<UnixStream>>>>;

impl SocketServer {
    /// Listens at this path. `hand_on` passes each question to the loop and returns at once; false: no loop can answer any more.
    ///
    /// # Errors
    /// The socket cannot be made, or another process listens there.
    pub fn listen(
        path: &Path,
        hand_on: impl Fn(ExplainRequest, ResponseSender) -> bool + Send + 'static,
    ) -> io::Result<SocketServer> {
        SocketServer::listen_with_upgrades(path, None, hand_on)
    }

    /// Listens like [`SocketServer::listen`], and passes orders of replacements to this desk. `None`: orders are refused.
    ///
    /// # Errors
    /// As [`SocketServer::listen`] says.
    pub fn listen_with_upgrades(
        path: &Path,
        desk: Option<ReplacementService>,
        hand_on: impl Fn(ExplainRequest, ResponseSender) -> bool + Send + 'static,
    ) -> io::Result<SocketServer> {
        let listener = living::listen(path)?;
        info!(address = %path.display(), "answers questions");
        let clients: Clients = Arc::new(Mutex::new(Some(None)));
        let own = clients.clone();
        let thread = std::thread::Builder::new().name("explain".to_owned()).spawn(move || {
            for stream in listener.incoming() {
                let accepted = stream.and_then(|stream| Ok((stream.try_clone()?, stream)));
                let served = match accepted {
                    Ok((client, stream)) => {
                        if !begin(&own, Some(client)) {
                            return;
                        }
                        serve(&stream, desk.as_ref(), &hand_on)
                    }
                    Err(error) => {
                        std::thread::sleep(PAUSE);
                        Err(error)
                    }
                };
                begin(&own, None);
                if let Err(error) = served {
                    debug!(%error, "a question was not answered");
                }
            }
        })?;
        Ok(SocketServer { path: path.to_owned(), clients, thread: Some(thread) })
    }
}

/// Notes the client that is served from now on. Returns false where the server has ended.
fn begin(clients: &Clients, client: Option<UnixStream>) -> bool {
    let mut clients = clients.lock().unwrap_or_else(PoisonError::into_inner);
    if clients.is_some() {
        *clients = Some(client);
    }
    clients.is_some()
}

impl Drop for SocketServer {
    fn drop(&mut self) {
        // A client that is being served does not delay the end.
        if let Some(Some(client)) = self.clients.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ended = client.shutdown(Shutdown::Both);
        }
        // The connection wakes the thread, which then sees that it must stop.
        let woken = UnixStream::connect(&self.path).is_ok();
        let _gone = fs::remove_file(&self.path);
        if let Some(thread) = self.thread.take().filter(|_| woken) {
            let _ended = thread.join();
        }
    }
}

fn serve(
    stream: &UnixStream,
    desk: Option<&ReplacementService>,
    hand_on: &impl Fn(ExplainRequest, ResponseSender) -> bool,
) -> io::Result<()> {
    // A client that sends a byte now and then does not keep others waiting.
    let timed = || DeadlineStream::within(stream, SOCKET_TIMEOUT);
    let mut line = String::new();
    BufReader::new(timed().take(MAX_REQUEST_BYTES)).read_line(&mut line)?;
    let said = serde_json::from_str(&line).and_then(|said: Value| match said.get("explain") {
        Some(_) => serde_json::from_value(said).map(|question| handle_explain(question, hand_on)),
        None => serde_json::from_value(said).map(|order| handle_upgrade(order, desk)),
    });
    let hint = "ask `{\"explain\": \"namespace/name\"}`";
    let answered = said.unwrap_or_else(|error| refused(format!("this is no question: {error}"), hint));
    let mut text = serde_json::to_string(&answered)?;
    if u64::try_from(text.len()).unwrap_or(u64::MAX) >= MAX_RESPONSE_BYTES {
        let hint = "ask a dump of the cluster instead, with `lictor explain`";
        text = serde_json::to_string(&refused("the answer is too long".to_owned(), hint))?;
    }
    text.push('\n');
    timed().write_all(text.as_bytes())
}

fn handle_explain(
    question: ExplainRequest,
    hand_on: &impl Fn(ExplainRequest, ResponseSender) -> bool,
) -> SocketResponse {
    let (sender, receiver) = sync_channel(1);
    if !hand_on(question, ResponseSender(sender)) {
        return refused(NO_LEADER.to_owned(), "ask the one that leads");
    }
    let late = |_| refused("the loop has not answered in time".to_owned(), "look at /healthz and at the log");
    receiver.recv_timeout(SOCKET_TIMEOUT).unwrap_or_else(late)
}

/// Carries an order out, or returns the progress of a replacement.
fn handle_upgrade(order: UpgradeCommand, desk: Option<&ReplacementService>) -> SocketResponse {
    let Some(desk) = desk else {
        return refused("this process replaces no policy".to_owned(), "end it, and start another");
    };
    if !matches!(order, UpgradeCommand::Progress(_)) && !desk.leads() {
        return refused(NO_LEADER.to_owned(), "ask the one that leads");
    }
    let number = match order {
        UpgradeCommand::Upgrade(wish) => Some(desk.submit(wish)),
        UpgradeCommand::Progress(number) => number,
        UpgradeCommand::GiveUp => match desk.progress(None).filter(|progress| !progress.stage.is_final()) {
            Some(progress) => {
                desk.give_up(progress.number, "somebody gave it up");
                Some(progress.number)
            }
            None => {
                return refused("no replacement is under way".to_owned(), "`lictor upgrade --live --to` orders one");
            }
        },
    };
    match desk.progress(number) {
        Some(progress) => SocketResponse::Progress(Box::new(progress)),
        None => refused("there is no such replacement".to_owned(), "order one with `lictor upgrade --live --to`"),
    }
}

fn refused(message: String, hint: &str) -> SocketResponse {
    SocketResponse::Error { message, hint: hint.to_owned() }
}
