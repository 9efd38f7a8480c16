//! Processes that write the same ConfigMap of an API server in memory.

use std::sync::{Arc, Mutex};

use json_patch::merge;
use kube::Client;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::fence::{Fence, FenceError};
use super::{ConfigMapStore, StoreError};
use crate::deadline::CHECKPOINT;
use crate::names::CHECKPOINT_OF;
use crate::testing::{serving, silent};

/// The API server: one ConfigMap, and the writes of others before a request is served.
#[derive(Clone, Default)]
struct Server(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    map: Option<Value>,
    version: u64,
    /// The requests.
    log: Vec<String>,
    /// The writes of others before the next requests are served. `None`: others delete the ConfigMap.
    others: Vec<Option<Value>>,
    /// Whether the answer to the next write is lost.
    loses: bool,
}

impl State {
    /// Merges into the ConfigMap, which is created where it is not there.
    fn write(&mut self, body: &Value) -> Value {
        self.version = self.version.saturating_add(1);
        let map = self.map.get_or_insert_with(|| json!({"apiVersion": "v1", "kind": "ConfigMap"}));
        merge(map, body);
        map["metadata"]["resourceVersion"] = self.version.to_string().into();
        map.clone()
    }

    fn answer(&mut self, method: &str, body: &Value) -> (u16, Value) {
        self.log.push(method.to_owned());
        let is_write = method != "GET";
        if is_write && !self.others.is_empty() {
            match self.others.remove(0) {
                Some(other) => drop(self.write(&other)),
                None => self.map = None,
            }
        }
        let (asked, version) = (&body["metadata"]["resourceVersion"], self.version.to_string());
        let served = match (method, self.map.clone()) {
            ("POST", Some(_)) => failed(409),
            ("POST", None) => (201, self.write(body)),
            (_, None) => failed(404),
            ("GET", Some(map)) => (200, map),
            _ if !asked.is_null() && *asked != version => failed(409),
            _ => (200, self.write(body)),
        };
        if is_write && std::mem::take(&mut self.loses) { failed(500) } else { served }
    }
}

fn failed(code: u16) -> (u16, Value) {
    (
        code,
        json!({"kind": "Status", "status": "Failure", "code": code, "message": format!("failed with {code}"), "reason": "Test"}),
    )
}

impl Server {
    fn client(&self) -> Client {
        let state = self.0.clone();
        serving(move |method, _, body| state.lock().unwrap().answer(method, &body))
    }

    /// Returns a process of this name.
    fn process(&self, name: &str) -> Fence {
        let mut fence = Fence::new(self.client(), ("default", "checkpoint"), name);
        fence.begin();
        fence
    }

    /// Sets the writes of others before the next requests that write.
    fn before(&self, others: &[Option<Value>]) {
        self.0.lock().unwrap().others = others.to_vec();
    }

    /// Returns the checkpoint and the process that holds it.
    fn stored(&self) -> (String, String) {
        let map = self.0.lock().unwrap().map.clone().unwrap();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (text(&map["data"]["checkpoint.json"]), text(&map["metadata"]["annotations"][CHECKPOINT_OF]))
    }

    fn take_log(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().log)
    }
}

fn pair(text: &str, holder: &str) -> (String, String) {
    (text.to_owned(), holder.to_owned())
}

fn taken_over(written: Result<(), FenceError>) -> String {
    let Err(FenceError::TakenOver(by)) = written else { panic!("{written:?}") };
    by
}

#[tokio::test]
async fn who_begins_to_lead_finds_what_was_stored_and_who_led_before_is_refused() {
    let server = Server::default();
    let (mut one, mut other) = (server.process("one"), server.process("other"));
    assert_eq!(one.take_over().await.unwrap(), None);
    one.write("1").await.unwrap();
    one.write("2").await.unwrap();
    assert_eq!(server.stored(), pair("2", "one_1"));
    assert_eq!(other.take_over().await.unwrap().as_deref(), Some("2"));
    // The other process has stored nothing yet.
    assert_eq!(taken_over(one.write("3").await), "other_1");
    other.write("4").await.unwrap();
    assert_eq!(taken_over(one.write("5").await), "other_1");
    assert_eq!(server.stored(), pair("4", "other_1"));
    // The first process leads again.
    one.begin();
    assert_eq!(one.take_over().await.unwrap().as_deref(), Some("4"));
    assert_eq!((taken_over(other.write("6").await), server.stored()), ("one_2".to_owned(), pair("4", "one_2")));
}

#[tokio::test]
async fn what_a_process_has_sent_in_an_earlier_time_of_leading_is_not_its_own() {
    let server = Server::default();
    let mut one = server.process("one");
    one.take_over().await.unwrap();
    let mut earlier = one.clone();
    one.begin();
    one.take_over().await.unwrap();
    assert_eq!(taken_over(earlier.write("late").await), "one_2");
}

#[tokio::test]
async fn a_checkpoint_that_others_than_processes_change_is_still_written() {
    let server = Server::default();
    let mut one = server.process("one");
    one.take_over().await.unwrap();
    let label = Some(json!({"metadata": {"labels": {"a": "b"}}}));
    let unnamed = Some(json!({"metadata": {"annotations": {CHECKPOINT_OF: null}}}));
    for (text, other) in [("label", label), ("no name", unnamed), ("deleted", None)] {
        server.before(&[other]);
        one.write(text).await.unwrap();
        assert_eq!(server.stored(), pair(text, "one_1"));
    }
}

#[tokio::test]
async fn a_write_whose_answer_was_lost_is_found() {
    let server = Server::default();
    let mut one = server.process("one");
    one.take_over().await.unwrap();
    server.0.lock().unwrap().loses = true;
    assert!(matches!(one.write("1").await, Err(FenceError::Error(_))));
    server.take_log();
    one.write("2").await.unwrap();
    assert_eq!((server.take_log().join(" "), server.stored()), ("PATCH GET PATCH".to_owned(), pair("2", "one_1")));
}

#[tokio::test]
async fn a_config_map_that_is_created_meanwhile_is_taken_over_with_what_it_holds() {
    let server = Server::default();
    // Nothing happens before the patch, which finds none; it is created before it is created by this process.
    let other = json!({"metadata": {"annotations": {CHECKPOINT_OF: "other_1"}}, "data": {"checkpoint.json": "1"}});
    server.before(&[None, Some(other)]);
    let mut one = server.process("one");
    assert_eq!(one.take_over().await.unwrap().as_deref(), Some("1"));
    assert_eq!((server.take_log().join(" "), server.stored()), ("PATCH POST PATCH".to_owned(), pair("1", "one_1")));
}

#[tokio::test]
async fn a_checkpoint_that_changes_all_the_time_is_given_up() {
    let server = Server::default();
    let mut one = server.process("one");
    one.take_over().await.unwrap();
    let other = |number: u32| Some(json!({"metadata": {"labels": {"a": number.to_string()}}}));
    server.before(&(0..100).map(other).collect::<Vec<_>>());
    server.take_log();
    assert!(matches!(one.write("1").await, Err(FenceError::Overtaken)));
    assert_eq!(server.take_log(), ["PATCH", "GET"].repeat(5));
}

#[tokio::test]
async fn a_process_that_could_not_take_over_at_its_beginning_does_so_when_it_stores() {
    let server = Server::default();
    let mut one = server.process("one");
    server.0.lock().unwrap().loses = true;
    assert!(one.take_over().await.is_err());
    one.write("1").await.unwrap();
    assert_eq!(server.stored(), pair("1", "one_1"));
}

#[tokio::test]
async fn an_operator_is_told_who_has_taken_over() {
    let server = Server::default();
    let process = |name: &str| ConfigMapStore::new(server.client(), ("default", "checkpoint"), name);
    let (mut one, mut other) = (process("one"), process("other"));
    assert_eq!((one.begin().await, other.begin().await), (Ok(None), Ok(None)));
    let Err(StoreError::TakenOver(why)) = one.write("1").await else { panic!("the other one leads") };
    assert!(why.starts_with("checkpoint in ConfigMap default/checkpoint: `other_1` has taken it over"), "{why}");
    assert_eq!(one.read().await, Ok(None), "nothing was stored");
}

#[tokio::test(start_paused = true)]
async fn an_api_server_that_does_not_answer_delays_the_session_seldom_and_not_for_long() {
    let (client, _server) = silent();
    let mut map = ConfigMapStore::new(client, ("default", "checkpoint"), "one");
    let begun = Instant::now();
    let mut late = vec![map.begin().await.unwrap_err()];
    let wait = CHECKPOINT.as_secs();
    assert_eq!(begun.elapsed().as_secs(), wait);
    // Commands are sent every second: the process waits for some 20 s of 100.
    let (mut waited, begun) = (0, Instant::now());
    while begun.elapsed().as_secs() < 100 {
        let asked = Instant::now();
        let Err(StoreError::Failed(why)) = map.write("1").await else { panic!("nobody answers") };
        waited += asked.elapsed().as_secs();
        late.push(why);
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    }
    assert_eq!(waited, 2 * wait, "after 30 s, and 30 s after that");
    assert!(late[0].contains("no answer within 10 s") && late[1].contains("nothing is stored for 30 s"), "{late:?}");
}
