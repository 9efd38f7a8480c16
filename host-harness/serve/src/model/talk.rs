//! The conversation of the plugin with the host (`talk.go`, and `client.go` of the package `wire`).

use crate::message::{Commands, ErrorMessage, RequestBody, ResponseHeader};
use crate::say;
use crate::wire::{ProtocolFrame, kind};

use super::play::SchedulerSimulation;
use super::plugin::PermitSignal;
use super::world::{SECOND, is_being_deleted, name_of, node_of, nominated, text};

/// How long an answer may take.
const DEADLINE: i64 = 5 * SECOND;
/// How long released pods may take.
const SETTLING: i64 = 5 * SECOND;

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RequestError {
    /// There is no answer.
    NoHost,
    /// The answer did not arrive in time, or is an error.
    Other(String),
}

impl SchedulerSimulation<'_> {
    /// Connects to a host that is there again, and lets go of the pods that wait at Permit.
    pub(super) fn connect(&mut self) {
        if self.host.returns_at.is_none_or(|back| back > self.now()) {
            return;
        }
        self.host.skew = self.faults.skew;
        let kinds = self.host.begin(self.system.name, self.arguments, self.faults.has_checkpoint);
        self.scheduler.kinds = kinds.into_iter().chain(["Pod", "Node"].map(str::to_owned)).collect();
        let (number, skew, keeps) = (self.host.number, self.faults.skew, self.faults.has_checkpoint);
        self.add_line(|| format!("host {number} begins, {skew} ns ahead, checkpoint: {keeps}"));
        let holding = self.plugin.reserved.iter().filter(|(_, held)| held.bind == 0);
        let holding: Vec<String> = holding.map(|(pod, _)| pod.clone()).collect();
        for pod in holding {
            self.signal_waiting(&pod, PermitSignal::Preempt);
        }
        self.plugin.begins = Some(self.now() + SETTLING);
    }

    /// Sends all objects to a new host, as soon as the released pods hold no node any more.
    pub(super) fn begin_connection(&mut self) {
        if self.plugin.begins.is_none_or(|late| self.plugin.is_holding() && late > self.now()) {
            return;
        }
        self.plugin.begins = None;
        if self.host.is_available() {
            self.feed_begin();
            self.plugin.numbers.clear();
            self.plugin.connection = Some(self.host.number);
            let woken = self.plugin.hints.host_returned();
            self.activate(woken);
        }
    }

    /// Ends the host, and the conversation with it. Another one is there after a while.
    pub(super) fn lose_host(&mut self, back: i64) {
        let number = self.host.number;
        self.add_line(|| format!("host {number} ends"));
        self.host.end(back);
        (self.plugin.connection, self.plugin.begins, self.plugin.feed.is_connected) = (None, None, false);
    }

    fn is_answered(&self) -> bool {
        self.plugin.connection.is_some() && self.plugin.feed.listed
    }

    /// Sends a message about a pod to the host, and does not wait for the answer. Returns the number of the question.
    pub(super) fn send_request(&mut self, kind: u8, asked: &RequestBody) -> Result<u32, RequestError> {
        if !self.is_answered() || !self.host.is_available() {
            return Err(RequestError::NoHost);
        }
        self.plugin.requests += 1;
        let number = self.plugin.requests;
        self.host.inbox.push_back(say::encode_frame(kind, number, asked).unwrap());
        let now = self.now();
        self.observer.record_request(now, kind, &asked.pod);
        Ok(number)
    }

    /// Asks the host, and waits for the answer. Other things happen meanwhile.
    pub(super) fn request(&mut self, kind: u8, asked: &RequestBody) -> Result<(ResponseHeader, Vec<u8>), RequestError> {
        let talk = self.plugin.connection;
        let number = self.send_request(kind, asked)?;
        self.host.pending.insert(number);
        let deadline = self.now() + DEADLINE;
        loop {
            self.pump();
            if let Some(frame) = self.host.responses.remove(&number) {
                let read = read(&frame, kind);
                self.add_line(|| match &read {
                    Ok((head, _)) => format!("answer to {kind} {asked:?}: {head:?}"),
                    Err(why) => format!("answer to {kind} {asked:?}: {why:?}"),
                });
                return read.map(|(head, bytes)| {
                    (ResponseHeader { again: self.plugin.hints.local(head.again), ..head }, bytes)
                });
            }
            if self.plugin.connection != talk || !self.host.is_available() {
                return Err(RequestError::NoHost);
            }
            if self.now() >= deadline {
                self.host.pending.remove(&number);
                return Err(RequestError::Other("the host has not answered in time".to_owned()));
            }
            self.set_now((self.now() + SECOND / 5).min(deadline));
            self.run_background();
        }
    }

    /// Passes the waiting frames to the host, and takes the frames that the host sends.
    pub(super) fn pump(&mut self) {
        let now = self.now();
        if self.host.stalled <= now {
            for frame in self.host.inbox.clone() {
                self.add_line(|| format!("told {}", in_short(&frame)));
            }
        }
        match self.host.take(now) {
            Ok(frames) => frames.into_iter().for_each(|frame| self.receive_frame(frame)),
            Err(why) => {
                self.observer.violate(format!("the host ends the conversation: {why}"));
                self.lose_host(now);
            }
        }
        let said = std::mem::take(&mut *self.host.lines.0.lock().unwrap());
        said.faults.into_iter().for_each(|fault| self.observer.violate(fault));
        for line in said.lines {
            self.add_line(|| format!("host: {line}"));
        }
    }

    fn receive_frame(&mut self, frame: ProtocolFrame) {
        match frame.kind {
            kind::NODES => {
                let numbers: Vec<(u32, String)> = serde_json::from_slice(&frame.payload).unwrap();
                self.plugin.numbers.extend(numbers.into_iter().map(|(number, node)| (node, number)));
            }
            kind::COMMANDS => {
                let commands: Commands = serde_json::from_slice(&frame.payload).unwrap();
                self.apply_commands(commands);
            }
            _ if self.host.pending.remove(&frame.number) => drop(self.host.responses.insert(frame.number, frame)),
            // An answer is late if its question has been given up.
            _ => {}
        }
    }
}

/// Returns a frame to the host as a line.
fn in_short(frame: &ProtocolFrame) -> String {
    let payload = String::from_utf8_lossy(&frame.payload);
    if frame.kind != kind::OBJECT {
        return format!("{} {payload}", frame.kind);
    }
    let object: serde_json::Value = serde_json::from_slice(&frame.payload).unwrap();
    let version = text(&object, "/metadata/resourceVersion");
    let at = format!("node `{}` nominated `{}`", node_of(&object), nominated(&object));
    format!(
        "{} {} at version {version}, {at} {}",
        object["kind"],
        name_of(&object),
        if is_being_deleted(&object) { "leaves" } else { "" }
    )
}

/// Takes an answer apart.
fn read(frame: &ProtocolFrame, kind: u8) -> Result<(ResponseHeader, Vec<u8>), RequestError> {
    if frame.kind == kind::ERROR {
        let fault: ErrorMessage = serde_json::from_slice(&frame.payload).unwrap();
        return Err(RequestError::Other(fault.message));
    }
    assert_eq!(frame.kind, kind + kind::RESPONSE);
    let (length, rest) = frame.payload.split_at(4);
    let length = u32::from_be_bytes(length.try_into().unwrap());
    let (head, bytes) = rest.split_at(usize::try_from(length).unwrap());
    Ok((serde_json::from_slice(head).unwrap(), bytes.to_vec()))
}
