//! Tests of two controllers at a real API server, with the rights of `deploy/` and no others: one leads, what happens is reported, questions are
//! answered, and the other controller takes over when the first one ends.
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "tests")]

#[path = "../support/get.rs"]
mod get;
mod rights;
#[expect(dead_code, reason = "this test needs a part of it")]
#[path = "../support/mod.rs"]
mod support;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use get::{free_address, get};
use kube::Client;
use kube::api::ListParams;
use lictor::Native;
use lictor_contract::ExtensionPoint;
use lictor_controller::cluster::{ClusterAccess, connect};
use lictor_controller::decide::RecordableSession;
use lictor_controller::lease::{ElectionConfig, LeaseTimings};
use lictor_controller::mark::SAFE;
use lictor_controller::names::{SCHEDULING_GATE, STANDING};
use lictor_controller::ops::explain::{ExplainRequest, LiveExplanation, LivePodState, request_explanation};
use lictor_controller::ops::start::{OperationsConfig, start};
use lictor_controller::report::{ADMITTED, ReportMode};
use lictor_controller::run::log::LogObserver;
use lictor_controller::run::{LoopDependencies, SessionSetup, Settings, run};
use lictor_host::policy::Policy;
use lictor_host::session::Session;
use serde_json::{Value, json};
use support::objects::{SOON, api, create, create_namespace, get_pod, merge, node, node_of, pod, wait_for};
use support::testbed::Testbed;
use tokio::sync::watch;
use tokio::task::JoinHandle;

const DEPLOY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy");
const SYSTEM: &str = "kubernetes";

/// A controller that runs.
struct Controller {
    address: SocketAddr,
    socket: PathBuf,
    stop: watch::Sender<bool>,
    ended: JoinHandle<()>,
}

fn open() -> Result<SessionSetup, String> {
    let mut policy = Native::default();
    let described = policy.describe().map_err(|error| error.to_string())?;
    let info = described.systems.into_iter().find(|info| info.name == SYSTEM).ok_or("no such system")?;
    let points = info.extension_points.iter().filter_map(|point| ExtensionPoint::named(point)).collect();
    let mut session = Session::open(Box::new(policy), SYSTEM, "").map_err(|error| error.to_string())?;
    session.set_schedulers(Settings::default().schedulers);
    Ok(SessionSetup {
        session: RecordableSession::new(session, None),
        interests: info.interests,
        points,
        deletes_victims: true,
    })
}

/// Starts a controller as `lictor run --lease lictor-system/lictor --listen ... --explain-socket ...` does.
async fn controller(name: &str, kubeconfig: &Path) -> Controller {
    begin(name, kubeconfig, true).await
}

/// Starts the same, with or without a Lease.
async fn begin(name: &str, kubeconfig: &Path, is_elected: bool) -> Controller {
    let address = free_address();
    let socket = std::env::temp_dir().join(format!("lictor-operations-{name}-{}.sock", std::process::id()));
    let access = ClusterAccess { kubeconfig: Some(kubeconfig.to_owned()), context: None };
    let client = connect(&access).await.unwrap();
    let [namespace, lease, identity] = ["lictor-system", "lictor", name].map(str::to_owned);
    let wanted = OperationsConfig {
        lease: is_elected.then(|| ElectionConfig {
            namespace,
            name: lease,
            identity: identity.clone(),
            terms: LeaseTimings::default(),
        }),
        listen: Some(address),
        socket: Some(socket.clone()),
        replacements: None,
        reports: true,
        standing: true,
        mode: ReportMode::Enforce,
        explains: false,
        system: SYSTEM.to_owned(),
        policy: ("lictor 1".to_owned(), String::new()),
        identity,
    };
    let started = start(client.clone(), wanted).await.unwrap();
    let (stop, stopped) = watch::channel(false);
    let ended = tokio::spawn(async move {
        let (listener, leads) = ((LogObserver::default(), started.observer), started.leads);
        let with = LoopDependencies { client, open, observer: listener, checkpoint_store: None, leads, stop: stopped };
        run(Settings::default(), with).await.unwrap();
        started.handle.shut_down().await;
    });
    Controller { address, socket, stop, ended }
}

impl Controller {
    fn get(&self, path: &str) -> String {
        get(self.address, path)
    }

    fn says(&self, readiness: &str) -> bool {
        self.get("/readyz").ends_with(&format!("{readiness}\n"))
    }

    async fn explain(&self, pod: &str) -> LiveExplanation {
        let (socket, question) = (self.socket.clone(), ExplainRequest { explain: pod.to_owned() });
        tokio::task::spawn_blocking(move || request_explanation(&socket, &question)).await.unwrap().unwrap()
    }
}

/// Returns the events about an object, by reason.
async fn events(admin: &Client, namespace: &str, name: &str, reason: &str) -> Vec<Value> {
    let all = api(admin, "events.k8s.io/v1", "Event", namespace).list(&ListParams::default()).await.unwrap();
    let all = all.items.into_iter().map(|event| serde_json::to_value(event).unwrap());
    all.filter(|event| event["regarding"]["name"] == name && event["reason"] == reason)
        .filter(|event| event["reportingController"] == "lictor.dev/lictor")
        .collect()
}

fn held(name: &str, cpu: &str, class: &str) -> Value {
    merge(
        pod("team", name, cpu),
        &json!({"spec": {"schedulingGates": [{"name": SCHEDULING_GATE}], "priorityClassName": class}}),
    )
}

fn admitted(pod: &Value) -> Option<&Value> {
    pod.pointer("/status/conditions")?.as_array()?.iter().find(|condition| condition["type"] == ADMITTED)
}

#[tokio::test(flavor = "multi_thread")]
async fn one_leads_and_says_what_it_does_and_the_other_goes_on() {
    let Some(testbed) = Testbed::up(&[]) else { return };
    let admin = testbed.admin().await;
    rights::without_a_right(&testbed).await;
    for file in ["namespace.yaml", "service-account.yaml", "cluster-role.yaml", "role.yaml"] {
        testbed.apply_path(&Path::new(DEPLOY).join(file)).await;
    }
    create_namespace(&admin, "team").await;
    for (name, value) in [("low", 0), ("high", 1000)] {
        let kind = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"});
        create(&admin, &merge(kind, &json!({"metadata": {"name": name}, "value": value}))).await;
    }
    create(&admin, &node("a", 4)).await;
    create(&admin, &merge(pod("team", "victim", "3"), &json!({"spec": {"priorityClassName": "low"}}))).await;

    let first = controller("first", &testbed.ready.user.kubeconfig).await;
    wait_for("the first one leads", SOON, async || first.says("ok: leads").then_some(())).await;
    let second = controller("second", &testbed.ready.user.kubeconfig).await;
    wait_for("the second one stands by", SOON, async || second.says("ok: stands by").then_some(())).await;

    let (first, second) = hangs(&testbed, first, second).await;
    refuses(&first, &admin).await;
    marks(&first, &admin).await;
    preempts(&first, &admin).await;
    hands_over(first, second, &admin).await;
}

/// Pauses the API server for longer than a Lease lasts: the leader does not lead any more when its time is over, and when the API server continues, one of
/// the two processes leads. Returns the one that leads, and the other one.
async fn hangs(testbed: &Testbed, first: Controller, second: Controller) -> (Controller, Controller) {
    testbed.command("pause kube-apiserver").await;
    let leads = || first.says("ok: leads") || second.says("ok: leads");
    let stands_down = async || (!leads()).then_some(());
    wait_for("nobody says that it leads", SOON, stands_down).await;
    testbed.command("resume kube-apiserver").await;
    wait_for("one of them leads again", SOON, async || leads().then_some(())).await;
    if first.says("ok: leads") { (first, second) } else { (second, first) }
}

/// Checks what is said of a pod that fits nowhere: event, condition and answer have the same law and sentence.
async fn refuses(leader: &Controller, admin: &Client) {
    create(admin, &held("large", "64", "high")).await;
    let told = wait_for("the refusal is reported", SOON, async || {
        events(admin, "team", "large", "FailedScheduling").await.into_iter().next()
    });
    let event = told.await;
    assert_eq!((&event["type"], &event["action"]), (&json!("Warning"), &json!("Scheduling")));
    let condition = wait_for("the condition is written", SOON, async || {
        admitted(&get_pod(admin, "team", "large").await.unwrap()).cloned()
    });
    let condition = condition.await;
    assert_eq!((&condition["status"], &condition["message"]), (&json!("False"), &event["note"]));
    let reason = condition["reason"].as_str().unwrap();
    assert!(reason.starts_with(char::is_uppercase) && reason.chars().all(char::is_alphanumeric), "{reason}");
    let answer = leader.explain("large").await;
    assert_eq!((answer.pod.as_str(), answer.state), ("team/large", LivePodState::Refused));
    assert!(!answer.said.is_empty());
    for said in &answer.said {
        let note = event["note"].as_str().unwrap();
        assert_eq!(note.matches(&said.message).count(), 1, "`{}` once in {note}", said.message);
    }
}

/// Checks that a running pod is marked, and that the answer says the same as its condition.
async fn marks(leader: &Controller, admin: &Client) {
    let marked = wait_for("the running pod is marked", SOON, async || {
        let pod = get_pod(admin, "team", "victim").await.unwrap();
        let condition = pod.pointer("/status/conditions")?.as_array()?.iter().find(|it| it["type"] == SAFE)?.clone();
        (pod.pointer("/metadata/labels")?.get(STANDING)? == "evictable").then_some(condition)
    });
    let condition = marked.await;
    assert_eq!((&condition["status"], &condition["reason"]), (&json!("False"), &json!("MayBeEvicted")));
    let message = "may be evicted by a pod of priority 1 or higher";
    assert_eq!(condition["message"], message);
    let answer = leader.explain("victim").await;
    assert_eq!(answer.state, LivePodState::Bound);
    assert_eq!(answer.standing.unwrap()["sentence"], message);
    assert_eq!(leader.explain("large").await.standing, None, "it does not run");
}

/// Creates a pod that preempts, and checks that the event of the victim names the preemptor.
async fn preempts(leader: &Controller, admin: &Client) {
    create(admin, &held("preemptor", "3", "high")).await;
    let bound = async || get_pod(admin, "team", "preemptor").await.filter(|pod| !node_of(pod).is_empty());
    wait_for("the preemptor is bound", SOON, bound).await;
    let told = wait_for("the victim is told", SOON, async || {
        events(admin, "team", "victim", "Preempted").await.into_iter().next()
    });
    let event = told.await;
    let why = "(0/1 nodes are available: 1 Insufficient cpu), by the laws of kubernetes";
    let note = format!("Preempted by pod team/preemptor on node a: evicts 1 pod for 1 pod {why}");
    assert_eq!(event["note"], note);
    assert_eq!(event["related"]["name"], "preemptor");
    assert_eq!(leader.explain("team/preemptor").await.state, LivePodState::Bound);
    let metrics = leader.get("/metrics");
    for line in [
        "lictor_evictions_total{system=\"kubernetes\",how=\"delete\"} 1",
        "lictor_pods_admitted_total{system=\"kubernetes\"} 1",
        "lictor_commands_total{action=\"bind\",outcome=",
        "lictor_api_requests_total{verb=\"create\",code=\"201\"} ",
        "leader_election_master_status{name=\"lictor\"} 1",
        "lictor_breaker_state{state=\"closed\"} 1",
    ] {
        assert!(metrics.lines().any(|have| have.starts_with(line)), "{line}\n{metrics}");
    }
    assert!(!metrics.contains("code=\"403\""), "the rights suffice: {metrics}");
}

/// Checks that the first controller ends and gives the lease back, and that the second one admits the next pod.
async fn hands_over(first: Controller, second: Controller, admin: &Client) {
    first.stop.send_replace(true);
    first.ended.await.unwrap();
    wait_for("the second one leads", SOON, async || second.says("ok: leads").then_some(())).await;
    create(admin, &held("next", "1", "high")).await;
    let bound = async || get_pod(admin, "team", "next").await.filter(|pod| !node_of(pod).is_empty());
    wait_for("the next pod is bound", SOON, bound).await;
    // The second controller does not report again, by an event of another name, what it receives again: there is at most one event of each process.
    assert!(events(admin, "team", "large", "FailedScheduling").await.len() <= 2);
    second.stop.send_replace(true);
    second.ended.await.unwrap();
    let lease = api(admin, "coordination.k8s.io/v1", "Lease", "lictor-system").get("lictor").await.unwrap();
    let holder = lease.data.pointer("/spec/holderIdentity").and_then(Value::as_str).unwrap_or_default();
    assert_eq!(holder, "", "it was given back");
}
