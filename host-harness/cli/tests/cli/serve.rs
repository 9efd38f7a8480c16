//! `lictor serve`, asked over its socket.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use lictor_serve::wire::{ProtocolFrame, kind};
use serde_json::{Value, json};

use crate::run::{file, lictor};

/// A host, until this is dropped.
struct Host(Child, PathBuf);

impl Drop for Host {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _gone = self.0.wait();
    }
}

impl Host {
    fn start(socket: &str, more: &[&str]) -> Host {
        let socket = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(socket);
        let mut command = Command::new(env!("CARGO_BIN_EXE_lictor"));
        command.args(["serve", "--native", "--system", "kubernetes", "--socket"]).arg(&socket).args(more);
        Host(command.stderr(Stdio::null()).spawn().unwrap(), socket)
    }

    /// Greets the host as a scheduler; the connection and the answer.
    fn greet(&self) -> (UnixStream, ProtocolFrame) {
        let mut stream = loop {
            match UnixStream::connect(&self.1) {
                Ok(stream) => break stream,
                Err(_) => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        tell(
            &mut stream,
            kind::HELLO,
            0,
            &json!({"version": 1, "client": "a test", "schedulers": ["default-scheduler"]}),
        );
        let answer = ProtocolFrame::read(&mut stream).unwrap().unwrap();
        (stream, answer)
    }
}

fn tell(stream: &mut UnixStream, kind: u8, number: u32, said: &Value) {
    let payload = if said.is_null() { Vec::new() } else { serde_json::to_vec(said).unwrap() };
    ProtocolFrame { kind, number, payload }.write(stream).unwrap();
    stream.flush().unwrap();
}

/// Sends a question, and returns the head of the answer.
fn ask(stream: &mut UnixStream, question: u8, asked: &Value) -> Value {
    tell(stream, question, 7, asked);
    loop {
        let frame = ProtocolFrame::read(stream).unwrap().unwrap();
        if frame.number == 7 {
            assert_eq!(frame.kind, question + kind::RESPONSE);
            let length = u32::from_be_bytes(frame.payload[..4].try_into().unwrap()) as usize;
            return serde_json::from_slice(&frame.payload[4..4 + length]).unwrap();
        }
    }
}

#[test]
fn what_a_scheduler_asks_is_recorded_and_kept_for_one_scheduler_at_a_time_and_replays_equal() {
    let [recording, checkpoint] = [file("serve.rec", ""), file("serve.json", "")];
    for path in [&recording, &checkpoint] {
        std::fs::remove_file(path).unwrap();
    }
    let host = Host::start("serve.sock", &["--record", &recording, "--checkpoint", &checkpoint]);
    let (mut stream, welcome) = host.greet();
    assert_eq!(welcome.kind, kind::WELCOME);
    let (_, refused) = host.greet();
    let message = String::from_utf8(refused.payload).unwrap();
    assert!(refused.kind == kind::ERROR && message.contains("one scheduler at a time"), "{message}");
    let container = |cpu: &str| json!([{"name": "c", "resources": {"requests": {"cpu": cpu}}}]);
    for object in [
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "uid": "n1"},
            "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}),
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "d", "name": "v", "uid": "v"},
            "spec": {"nodeName": "n1", "priority": 0, "schedulerName": "default-scheduler", "containers": container("3")},
            "status": {"phase": "Running", "startTime": "2026-01-01T00:00:00Z"}}),
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "d", "name": "p", "uid": "p"},
            "spec": {"priority": 9, "schedulerName": "default-scheduler", "containers": container("3")}}),
    ] {
        tell(&mut stream, kind::OBJECT, 0, &object);
    }
    tell(&mut stream, kind::SYNCED, 0, &Value::Null);
    let pod = json!({"pod": "d/p"});
    assert_eq!(ask(&mut stream, kind::PRE_FILTER_AND_FILTER, &pod)["verdict"], "pass");
    assert_eq!(ask(&mut stream, kind::POST_FILTER, &pod)["node"], "n1");
    // The outcome of the plan is not sent to the host: the next host would ask for it.
    assert!(std::fs::read_to_string(&checkpoint).unwrap().contains("\"v\""));
    drop(host);
    lictor(&["replay", "--native", &recording]).exits(0).prints(&["the same: "]);
}

#[test]
fn a_cluster_without_anything_of_the_system_is_warned_of_once_and_not_while_it_is_empty() {
    let log = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("serve-fits.log");
    let said = |socket: &str, system: &str, objects: &[Value]| {
        let socket = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(socket);
        let mut command = Command::new(env!("CARGO_BIN_EXE_lictor"));
        command.args(["serve", "--native", "--system", system, "--socket"]).arg(&socket);
        let host = Host(command.stderr(std::fs::File::create(&log).unwrap()).spawn().unwrap(), socket);
        let (mut stream, _) = host.greet();
        tell(&mut stream, kind::SYNCED, 0, &Value::Null);
        objects.iter().for_each(|object| tell(&mut stream, kind::OBJECT, 0, object));
        // When this message is answered, the host has handled all messages before it.
        tell(&mut stream, kind::PRE_FILTER_AND_FILTER, 7, &json!({"pod": "d/p"}));
        while ProtocolFrame::read(&mut stream).unwrap().unwrap().number != 7 {}
        drop(host);
        std::fs::read_to_string(&log).unwrap()
    };
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}});
    let pod = |name: &str| {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "d", "name": name, "uid": name},
            "spec": {"schedulerName": "default-scheduler", "containers": [{"name": "c"}]}})
    };
    let warning = "warning: nothing in the cluster is of system `coscheduling`: ";
    let empty = said("fits-1.sock", "coscheduling", std::slice::from_ref(&node));
    assert!(!empty.contains("warning"), "{empty}");
    let lacking = said("fits-2.sock", "coscheduling", &[node.clone(), pod("p"), pod("q")]);
    assert_eq!(lacking.matches(warning).count(), 1, "{lacking}");
    assert!(lacking.contains("--system"), "{lacking}");
    let plain = said("fits-3.sock", "kubernetes", &[node, pod("p")]);
    assert!(!plain.contains("warning"), "{plain}");
}

#[test]
fn without_a_system_it_says_which_there_are() {
    // No cluster is known before a scheduler connects, so none is chosen.
    lictor(&["serve", "--native", "--socket", "/nowhere/lictor.sock"]).exits(2).prints_nothing().tells(&[
        "no system is named",
        "--system",
        "`koordinator`",
        "`kubernetes`",
    ]);
}

#[test]
fn a_signal_ends_it_with_what_was_recorded_and_no_socket_is_left() {
    for signal in ["TERM", "INT"] {
        let recording = file("signal.rec", "");
        std::fs::remove_file(&recording).unwrap();
        let log = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("serve-signal.log");
        let socket = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("signal.sock");
        let mut command = Command::new(env!("CARGO_BIN_EXE_lictor"));
        command.args(["serve", "--native", "--system", "kubernetes", "--record", &recording, "--socket"]).arg(&socket);
        let mut host = Host(command.stderr(std::fs::File::create(&log).unwrap()).spawn().unwrap(), socket.clone());
        let (mut stream, _) = host.greet();
        tell(&mut stream, kind::SYNCED, 0, &Value::Null);
        assert_eq!(ask(&mut stream, kind::UNRESERVE, &json!({"pod": "d/p"})), json!({}));
        let id = host.0.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        let ended = host.0.wait().unwrap();
        let said = std::fs::read_to_string(&log).unwrap();
        assert!(ended.success() && said.ends_with(&format!("ended by SIG{signal}\n")), "{ended}: {said}");
        assert!(!socket.exists());
        lictor(&["replay", "--native", &recording]).exits(0).prints(&["the same: "]);
    }
}

#[test]
fn a_system_that_only_marks_its_victims_says_at_the_start_who_must_delete_them() {
    let said = |socket: &str, system: &str, arguments: &str| {
        let log = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("serve-marks.log");
        let socket = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(socket);
        let arguments = file("serve-marks.yaml", arguments);
        let mut command = Command::new(env!("CARGO_BIN_EXE_lictor"));
        command.args(["serve", "--native", "--system", system, "--args", &arguments, "--socket"]).arg(&socket);
        let host = Host(command.stderr(std::fs::File::create(&log).unwrap()).spawn().unwrap(), socket);
        let _greeted = host.greet();
        drop(host);
        std::fs::read_to_string(&log).unwrap()
    };
    let warning = "warning: victims are only marked";
    let marks = said("marks-1.sock", "koordinator", "{}\n");
    assert_eq!(marks.matches(warning).count(), 1, "{marks}");
    assert!(marks.contains("podShouldBeDeletedWhenPreempted: true (--args)"), "{marks}");
    let deletes = said("marks-2.sock", "koordinator", "podShouldBeDeletedWhenPreempted: true\n");
    assert!(!deletes.contains(warning), "{deletes}");
    let other = said("marks-3.sock", "kubernetes", "{}\n");
    assert!(!other.contains(warning), "{other}");
}
