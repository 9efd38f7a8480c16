//! Connections that fail, threads that do not start, and silent clients.

use std::cell::RefCell;
use std::io::Read;

use lictor_host::cluster::InputError;
use lictor_host::living::JsonFile;
use lictor_host::session::testing::{ALL, Scripted, ScriptedEffects, ScriptedReply};
use lictor_host::session::{Session, SessionError, StepOutput};
use lictor_host::verify::testing::{node, pod};
use serde_json::json;

use super::*;
use crate::message::Commands;
use crate::tests::{opened_with, there};

#[derive(Default)]
struct Lines(Mutex<Vec<String>>);

impl ConnectionObserver for Lines {
    fn step(&self, _: &StepOutput, _: &Session) {}
    fn error(&self, _: &SessionError) {}
    fn object_invalid(&self, _: &InputError) {}
    fn write_line(&self, line: &str) {
        self.0.lock().unwrap().push(line.to_owned());
    }
}

fn server(name: &str) -> (Server, PathBuf, Arc<Lines>) {
    let path = std::env::temp_dir().join(format!("lictor-serve-{name}-{}", std::process::id()));
    let (open, lines) = (|_: &Hello| Err("no session here".to_owned()), Arc::new(Lines::default()));
    (Server::listen(&path, Arc::new(open), lines.clone()).unwrap(), path, lines)
}

fn start(work: Box<dyn FnOnce() + Send>) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().spawn(work)
}

/// Lets these connections arrive, and then stops.
fn come(server: &Server, path: &Path, accepted: Vec<io::Result<UnixStream>>, start: &ThreadStarter) {
    let (accepted, stop) = (RefCell::new(accepted.into_iter()), server.stop(path));
    server.take(
        || {
            let next = accepted.borrow_mut().next();
            next.unwrap_or_else(|| {
                stop.stop();
                Err(io::ErrorKind::ConnectionAborted.into())
            })
        },
        start,
    );
}

#[test]
fn a_connection_that_cannot_be_accepted_does_not_end_the_server() {
    let (server, path, lines) = server("accept");
    let (mut client, served) = UnixStream::pair().unwrap();
    let hello = br#"{"version": 1, "client": "c", "schedulers": []}"#;
    ProtocolFrame { kind: kind::HELLO, number: 1, payload: hello.to_vec() }.write(&mut client).unwrap();
    // Too many open files, twice.
    let full = || Err(io::Error::from_raw_os_error(24));
    let reads = thread::spawn(move || {
        let answer = ProtocolFrame::read(&mut client);
        (answer.unwrap().unwrap().kind, client)
    });
    let aborted = Err(io::ErrorKind::ConnectionAborted.into());
    let (accepted, stop) = (RefCell::new(vec![full(), full(), aborted, Ok(served)].into_iter()), server.stop(&path));
    let reads = RefCell::new(Some(reads));
    server.take(
        || {
            let next = accepted.borrow_mut().next();
            next.unwrap_or_else(|| {
                // The scheduler was answered.
                let answered = reads.borrow_mut().take().map(|reads| reads.join().unwrap().0);
                assert_eq!(answered, Some(kind::ERROR));
                stop.stop();
                Err(io::ErrorKind::ConnectionAborted.into())
            })
        },
        &start,
    );
    let said = lines.0.lock().unwrap();
    assert_eq!(said.iter().filter(|line| line.contains("Too many open files")).count(), 1, "{said:?}");
}

#[test]
fn a_client_that_gets_no_thread_is_cut_off() {
    let (server, path, _) = server("thread");
    let (mut client, served) = UnixStream::pair().unwrap();
    come(&server, &path, vec![Ok(served)], &|_| Err(io::ErrorKind::OutOfMemory.into()));
    assert_eq!(client.read(&mut [0; 8]).unwrap(), 0, "the connection is closed");
}

#[test]
fn a_server_that_is_stopped_ends_its_conversations() {
    let (server, path, lines) = server("stops");
    let (client, served) = UnixStream::pair().unwrap();
    come(&server, &path, vec![Ok(served)], &start);
    assert!(lines.0.lock().unwrap().iter().any(|line| line.starts_with("the scheduler is gone")));
    drop(client);
}

#[test]
fn connections_are_bounded() {
    let (server, path, lines) = server("many");
    let (clients, served): (Vec<_>, Vec<_>) = (0..=CONNECTIONS).map(|_| UnixStream::pair().unwrap()).unzip();
    come(&server, &path, served.into_iter().map(Ok).collect(), &start);
    let said = lines.0.lock().unwrap();
    assert!(said.iter().any(|line| line.contains("too many are connected")), "{said:?}");
    drop(clients);
}

/// Frames that tell a node and two pods, reserve the node for one of the pods, and ask whether this one may be bound.
fn frames(name: &str) -> Vec<ProtocolFrame> {
    let ask =
        |kind, asked| ProtocolFrame { kind, number: u32::from(kind), payload: serde_json::to_vec(&asked).unwrap() };
    let mut frames: Vec<ProtocolFrame> = [node("n1", 4), pod("a", 1, 0), pod("b", 1, 0)].iter().map(there).collect();
    frames.push(ProtocolFrame { kind: kind::SYNCED, number: 0, payload: Vec::new() });
    frames.push(ask(kind::RESERVE, json!({"pod": format!("default/{name}"), "node": "n1"})));
    frames.push(ask(kind::PERMIT, json!({"pod": format!("default/{name}")})));
    frames
}

#[test]
fn time_goes_on_from_a_checkpoint_that_is_ahead_of_the_clock() {
    let file = std::env::temp_dir().join(format!("lictor-serve-ahead-{}.json", std::process::id()));
    let kept = || Some(Arc::new(JsonFile::at(&file)));
    let policy = Scripted::deciding(ALL).reply("permit default/a", ScriptedReply::Wait(10, ScriptedEffects::default()));
    // A command is kept, an hour ahead.
    let hour = SessionClock::start().now().saturating_add(3_600_000_000_000);
    opened_with(&policy, kept()).take(hour, frames("b")).unwrap();
    let mut conversation = opened_with(&policy, kept());
    let (mut client, served) = UnixStream::pair().unwrap();
    let (send, receive) = sync_channel(MAX_WAITING_FRAMES);
    frames("a").into_iter().for_each(|frame| send.send(Ok(Some(frame))).unwrap());
    let serves = thread::spawn(move || {
        serve_connection(&mut conversation, &receive, &served, (&CandidateSlot::default(), 0), &AtomicI64::new(0))
    });
    // Otherwise the wait of 10 ns would be over in an hour.
    client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let released = std::iter::from_fn(|| ProtocolFrame::read(&mut client).unwrap()).find_map(|frame| {
        let commands: Option<Commands> =
            (frame.kind == kind::COMMANDS).then(|| serde_json::from_slice(&frame.payload).unwrap());
        commands.and_then(|commands| commands.released.into_iter().next())
    });
    assert_eq!(released.unwrap().cause, "timeout");
    drop(send);
    serves.join().unwrap();
    std::fs::remove_file(&file).unwrap();
}
