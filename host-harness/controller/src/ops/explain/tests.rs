//! Questions over a real socket.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use super::*;

fn socket(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("lictor-{name}-{}.sock", std::process::id()))
}

fn question(pod: &str) -> ExplainRequest {
    ExplainRequest { explain: pod.to_owned() }
}

fn answer(pod: &str) -> SocketResponse {
    SocketResponse::Answer(Box::new(LiveExplanation {
        api_version: "lictor.dev/v1alpha1".to_owned(),
        kind: "LiveExplanation".to_owned(),
        pod: pod.to_owned(),
        system: "volcano".to_owned(),
        state: LivePodState::Refused,
        node: None,
        tried: None,
        said: vec![StateReason { law: "a/b".to_owned(), message: "c".to_owned() }],
        retry: None,
        evicted_for: None,
        standing: None,
        attempt: None,
    }))
}

/// Starts a server that answers each question with the name in it.
fn listen(path: &std::path::Path) -> SocketServer {
    SocketServer::listen(path, |asked, reply| {
        reply.send(match asked.explain.as_str() {
            "none" => SocketResponse::Error { message: "there is no pod `none`".to_owned(), hint: "look".to_owned() },
            pod => answer(pod),
        });
        true
    })
    .unwrap()
}

#[test]
fn a_question_is_answered() {
    let path = socket("answered");
    let server = listen(&path);
    assert_eq!(
        SocketResponse::Answer(Box::new(request_explanation(&path, &question("default/a")).unwrap())),
        answer("default/a")
    );
    let refused = request_explanation(&path, &question("none")).unwrap_err();
    assert_eq!(refused.to_string(), "there is no pod `none`");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    drop(server);
    assert!(!path.exists());
    assert!(matches!(request_explanation(&path, &question("default/a")), Err(SocketError::NotListening { .. })));
}

#[test]
fn what_is_no_question_is_refused_and_a_long_one_is_not_read_to_its_end() {
    let path = socket("refused");
    let _server = listen(&path);
    for said in ["what?\n".to_owned(), "{\"explain\": 3}\n".to_owned(), format!("{}\n", "x".repeat(100_000))] {
        let mut stream = UnixStream::connect(&path).unwrap();
        let _broken = stream.write_all(said.as_bytes());
        let mut text = String::new();
        let _reset = stream.read_to_string(&mut text);
        assert!(text.is_empty() || text.contains("this is no question"), "{text}");
        assert!(!text.is_empty() || said.len() > 4096, "{said}");
    }
    assert!(request_explanation(&path, &question("default/a")).is_ok(), "the next one is served");
}

#[test]
fn an_answer_that_is_too_long_is_none() {
    let path = socket("long");
    let _server = SocketServer::listen(&path, |asked, reply| {
        let message = "x".repeat(usize::try_from(MAX_RESPONSE_BYTES).unwrap());
        reply.send(SocketResponse::Error { message, hint: asked.explain });
        true
    })
    .unwrap();
    assert_eq!(request_explanation(&path, &question("default/a")).unwrap_err().to_string(), "the answer is too long");
}

#[test]
fn nobody_waits_for_a_process_that_does_not_decide() {
    let path = socket("ends");
    let _server = SocketServer::listen(&path, |_, _| false).unwrap();
    let refused = request_explanation(&path, &question("default/a")).unwrap_err().to_string();
    assert!(refused.starts_with("this process does not decide"), "{refused}");
}

#[test]
fn a_socket_that_is_in_use_is_left_alone_and_one_that_was_left_over_is_replaced() {
    let path = socket("twice");
    let first = listen(&path);
    assert!(SocketServer::listen(&path, |_, _| true).is_err());
    assert!(request_explanation(&path, &question("default/a")).is_ok(), "the first one goes on");
    drop(first);
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(path.exists(), "as a process leaves it that was killed");
    let second = listen(&path);
    assert!(request_explanation(&path, &question("default/a")).is_ok());
    drop(second);
    std::fs::write(&path, "a file").unwrap();
    assert!(SocketServer::listen(&path, |_, _| true).is_err());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "a file");
    std::fs::remove_file(&path).unwrap();
}

/// Sends a byte every few milliseconds until the server closes the connection. The channel reports when the first bytes are sent.
fn trickle(path: &std::path::Path) -> (std::sync::mpsc::Receiver<()>, std::thread::JoinHandle<()>) {
    let mut stream = UnixStream::connect(path).unwrap();
    let (begun, begins) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        while stream.write_all(b" ").is_ok() {
            let _once = begun.send(());
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    });
    (begins, thread)
}

#[test]
fn a_client_that_sends_a_byte_now_and_then_does_not_keep_others_waiting_for_ever() {
    let path = socket("trickle");
    let server = listen(&path);
    let (begins, slow) = trickle(&path);
    begins.recv().unwrap();
    assert_eq!(
        SocketResponse::Answer(Box::new(request_explanation(&path, &question("default/a")).unwrap())),
        answer("default/a")
    );
    slow.join().unwrap();
    drop(server);
}

#[test]
fn a_client_that_is_served_does_not_keep_a_server_from_ending() {
    let path = socket("ends");
    let server = listen(&path);
    let (begins, slow) = trickle(&path);
    begins.recv().unwrap();
    drop(server);
    slow.join().unwrap();
}
