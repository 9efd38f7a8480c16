//! How a plan ends that cannot be carried out: it is given up aloud, and others get the room.

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use kube::api::{DeleteParams, ListParams};
use lictor::Native;
use lictor_controller::decide::lives::GivenUpReason;
use lictor_controller::names::EVICTED_FOR;
use lictor_controller::ops::explain::{ExplainRequest, LiveExplanation, LivePodState, request_explanation};
use lictor_controller::upgrade::ReplacementCandidate;
use lictor_host::living::only_marks;
use lictor_host::replace::{Period, ReplacementTerms};
use lictor_host::session::CandidatePolicy;
use serde_json::{Value, json};

use crate::controller::{Controller, How};
use crate::get::{free_address, get};
use crate::support::objects::{api, create, wait_for};
use crate::world::{DEPLOY, SOON, Step, World, is_running, nominated};

const GANG: [&str; 2] = ["g0", "g1"];

/// Returns the events about a pod of the step, by reason.
async fn events(step: &Step<'_>, pod: &str, reason: &str) -> Vec<Value> {
    let all = api(&step.world.admin, "events.k8s.io/v1", "Event", &step.namespace);
    let all = all.list(&ListParams::default()).await.unwrap();
    let all = all.items.into_iter().map(|event| serde_json::to_value(event).unwrap());
    all.filter(|event| event["regarding"]["name"] == pod && event["reason"] == reason).collect()
}

/// Returns the text of the first event with this reason about a pod of the step, when there is one.
pub async fn note(step: &Step<'_>, pod: &str, reason: &str) -> String {
    let first = async || events(step, pod, reason).await.into_iter().next();
    let event = wait_for(&format!("the event {reason} of {pod}"), SOON, first).await;
    event["note"].as_str().unwrap().to_owned()
}

/// Puts the manifests of `deploy/` in force that grant rights; without `pods/eviction` where `evicts` is false.
async fn rights(world: &World, evicts: bool) {
    let folder = Path::new(DEPLOY);
    for file in ["namespace.yaml", "service-account.yaml"] {
        world.testbed.apply_path(&folder.join(file)).await;
    }
    let text = std::fs::read_to_string(folder.join("cluster-role.yaml")).unwrap();
    let text = if evicts { text } else { text.replace("\"pods/eviction\"", "\"pods/none\"") };
    world.testbed.apply(&text).await;
}

/// The least time in which a plan may be given up for the third time: what is tried again waits for 1 s, then for 2 s.
const THREE_PLANS: Duration = Duration::from_millis(2_500);

/// So many requests are sent at most for three plans of two pods and two victims: each nominates its pods, marks its victims, tries to evict them, and
/// takes all of that back, with events and conditions.
const FEW_REQUESTS: u64 = 120;

/// Takes the right to evict away: the plan is given up and that is said, `/readyz` names the right, what is tried again is tried less and less often, and
/// with the right the gang runs.
pub async fn a_right_that_is_missing(world: &World) {
    rights(world, false).await;
    let step = world.step("forbidden", 2).await;
    step.fill().await;
    let (kubeconfig, address) = (world.testbed.ready.user.kubeconfig.clone(), free_address());
    let controller = Controller::start(&How { kubeconfig, listen: Some(address), ..world.how("coscheduling") });
    let names_it = async || get(address, "/readyz").contains("may not create pods/eviction").then_some(());
    wait_for("the missing right is named", SOON, names_it).await;
    assert!(get(address, "/readyz").starts_with("HTTP/1.1 503 "), "it cannot do what it must");
    let (began, before) = (Instant::now(), requests(address));
    step.gang("g", &GANG).await;
    let tried = async || controller.said(|said| said.given_up.len() >= 3).then_some(());
    wait_for("the plan is given up, and so are the next ones", SOON, tried).await;
    let (took, sent) = (began.elapsed(), requests(address) - before);
    eprintln!("three plans in {took:?} and {sent} requests");
    assert!(took >= THREE_PLANS, "it is tried less and less often: {took:?}");
    assert!(sent <= FEW_REQUESTS, "{sent} requests");
    controller.said(|said| {
        assert!(said.given_up.iter().all(|given_up| given_up.why == GivenUpReason::Refused), "{:?}", said.given_up);
        assert!(said.happened.plans.len() <= said.given_up.len() + 1, "{} plans", said.happened.plans.len());
    });
    assert!(note(&step, "g0", "PlanGivenUp").await.contains("pods/eviction"));
    for victim in ["v0", "v1"] {
        assert!(events(&step, victim, "Preempted").await.is_empty(), "the API server has not accepted it");
    }
    rights(world, true).await;
    step.all_run(&GANG).await;
    assert_eq!(step.evicted().len(), 2);
    controller.stop().await;
    step.end().await;
}

/// Returns how many requests a controller has sent, as its metrics count them.
fn requests(address: SocketAddr) -> u64 {
    let metrics = get(address, "/metrics");
    let counted = metrics.lines().filter(|line| line.starts_with("lictor_api_requests_total{"));
    counted.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

/// Checks a PodDisruptionBudget that forbids the evictions: that is reported at once, and no victim is reported as preempted. Without the budget
/// the gang runs.
pub async fn a_budget_that_forbids(world: &World) {
    let step = world.step("budget", 2).await;
    step.fill().await;
    let budgets = step.budget("all", json!({"maxUnavailable": 0})).await;
    let controller = Controller::start(&world.how("coscheduling"));
    step.gang("g", &GANG).await;
    assert!(note(&step, "v0", "FailedEviction").await.contains("PodDisruptionBudget `all` allows 0 disruptions"));
    assert!(events(&step, "v0", "Preempted").await.is_empty(), "the API server has not accepted it");
    // What does not happen is waited for: plan after plan would be made in this time.
    tokio::time::sleep(Duration::from_secs(5)).await;
    let plans = controller.said(|said| said.happened.plans.len());
    assert!(plans <= 2 && step.evicted().is_empty(), "{plans} plans while the budget forbids");
    budgets.delete("all", &DeleteParams::default()).await.unwrap();
    step.all_run(&GANG).await;
    let preempted = note(&step, "v0", "Preempted").await;
    let whom = |pod: &str| format!("Preempted by pod {0}/{pod} of PodGroup {0}/g on node ", step.namespace);
    assert!(GANG.iter().any(|pod| preempted.starts_with(&whom(pod))), "for whom: {preempted}");
    let law = " (0/2 nodes are available: 2 Insufficient cpu), by the laws of coscheduling";
    assert!(preempted.ends_with(law), "by which laws, with numbers: {preempted}");
    controller.stop().await;
    step.end().await;
}

/// Creates a gang of Koordinator over the pods that fill the nodes.
async fn job(step: &Step<'_>, members: &[&str]) {
    let group = json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "PodGroup",
                       "metadata": {"name": "job", "namespace": step.namespace}, "spec": {"minMember": members.len()}});
    create(&step.world.admin, &group).await;
    for name in members {
        let labels = json!({"metadata": {"labels": {"pod-group.scheduling.sigs.k8s.io": "job"}}});
        step.held(name, "high", labels).await;
    }
}

/// Deletes the PodGroup when the plan is made: the policy takes the nominations back, the plan is given up, and another pod gets the room.
pub async fn a_job_that_is_refused_for_good(world: &World) {
    let step = world.step("refused-job", 2).await;
    step.fill().await;
    let mut how = world.how("koordinator");
    how.arguments = json!({"podShouldBeDeletedWhenPreempted": true}).to_string();
    let controller = Controller::start(&how);
    job(&step, &GANG).await;
    wait_for("the victims are evicted", SOON, async || (step.evicted().len() == 2).then_some(())).await;
    let groups = api(&world.admin, "scheduling.sigs.k8s.io/v1alpha1", "PodGroup", &step.namespace);
    groups.delete("job", &DeleteParams::default()).await.unwrap();
    let given_up = note(&step, "g0", "PlanGivenUp").await;
    assert!(given_up.contains("its nominations were taken back"), "{given_up}");
    assert!(given_up.contains("no PodGroup describes the gang"), "{given_up}");
    for name in GANG {
        step.until(name, "not nominated", |pod| pod.is_some_and(|pod| nominated(pod).is_empty())).await;
    }
    step.held("other", "low", json!({})).await;
    step.all_run(&["other"]).await;
    controller.stop().await;
    step.end().await;
}

/// Creates a gang of Koordinator over the pods of a step, and waits until their victims are marked by a controller that does not delete them.
async fn marked(step: &Step<'_>, how: &How) -> Controller {
    step.fill().await;
    let controller = Controller::start(how);
    job(step, &GANG).await;
    for victim in ["v0", "v1"] {
        step.until(victim, "marked", |pod| {
            pod.is_some_and(|pod| !pod["metadata"]["annotations"][EVICTED_FOR].is_null() && is_running(Some(pod)))
        })
        .await;
    }
    controller
}

/// Waits until a controller answers that a pod is in this state, and returns its answer.
pub async fn explained(step: &Step<'_>, how: &How, pod: &str, state: LivePodState) -> LiveExplanation {
    explained_as(step, how, pod, (&format!("{state:?}"), |answer| answer.state == state)).await
}

/// Waits until a controller answers about a pod as the condition demands, and returns its answer.
async fn explained_as(
    step: &Step<'_>,
    how: &How,
    pod: &str,
    (what, condition): (&str, impl Fn(&LiveExplanation) -> bool),
) -> LiveExplanation {
    let (socket, pod) = (how.socket.clone().unwrap(), format!("{}/{pod}", step.namespace));
    let answer = async || {
        let (socket, question) = (socket.clone(), ExplainRequest { explain: pod.clone() });
        let answer =
            tokio::task::spawn_blocking(move || request_explanation(&socket, &question)).await.unwrap().ok()?;
        condition(&answer).then_some(answer)
    };
    wait_for(&format!("{pod} is {what}"), SOON, answer).await
}

/// Asks a controller about a victim that is only marked: it says that the victim is to be evicted, for which pods, by which plan and since when.
async fn says_that_it_is_to_be_evicted(step: &Step<'_>, how: &How) {
    let victim = step.pod("v0").await.unwrap();
    let marked = victim["metadata"]["annotations"][EVICTED_FOR].as_str().unwrap().to_owned();
    assert!(marked.starts_with("plan ") && marked.contains(" since 20"), "{marked}");
    // The controller may see its own mark later than this test does.
    let by_the_mark = |answer: &LiveExplanation| {
        answer.state == LivePodState::Evicted && answer.evicted_for.as_ref().is_some_and(|it| it.contains(&marked))
    };
    let answer = explained_as(step, how, "v0", ("evicted, by the plan of its mark", by_the_mark)).await;
    let said = answer.evicted_for.unwrap();
    assert!(said.starts_with(&format!("{}/g", step.namespace)), "for which pod: {said}");
    assert!(said.ends_with(&format!("({marked})")), "by which plan, since when: {said}");
}

/// Replaces the arguments of a process whose victims are only marked, while it runs: it evicts them, as one that begins with them does.
pub async fn victims_that_were_only_marked_before_other_arguments(world: &World) {
    let step = world.step("replaced-marks", 2).await;
    let socket = Some(step.world.testbed.ready.folder.join("replaced.sock"));
    let how = How { socket, ..world.how("koordinator") };
    let controller = marked(&step, &how).await;
    says_that_it_is_to_be_evicted(&step, &how).await;
    let arguments = json!({"podShouldBeDeletedWhenPreempted": true}).to_string();
    let [shadow, watch, at_most] = [1, 1, 60].map(|seconds| Period::Nanoseconds(seconds * 1_000_000_000));
    controller.offers.offer(ReplacementCandidate {
        name: "other arguments".to_owned(),
        candidate: CandidatePolicy::new(Box::new(Native::default()), "koordinator", &arguments).unwrap(),
        terms: ReplacementTerms { shadow, watch, allowed: u64::MAX, answers: 0, at_most },
        deletes_victims: !only_marks("koordinator", &arguments),
        settled: Box::new(|| {}),
    });
    step.all_run(&GANG).await;
    assert_eq!(step.evicted().len(), 2, "each once");
    controller.stop().await;
    step.end().await;
}

/// Kills a process whose victims are only marked. The next one deletes victims by its arguments: it evicts those that carry the mark.
pub async fn victims_that_were_only_marked(world: &World) {
    for kept in [false, true] {
        let step = world.step("marked", 2).await;
        let checkpoint = kept.then(|| world.testbed.ready.folder.join(format!("{}.json", step.namespace)));
        let how = How { checkpoint, ..world.how("koordinator") };
        marked(&step, &how).await.kill().await;
        // A process that does not delete victims either knows what the cluster says of them.
        let how = How { socket: Some(world.testbed.ready.folder.join("after.sock")), ..how };
        let controller = Controller::start(&how);
        says_that_it_is_to_be_evicted(&step, &how).await;
        controller.kill().await;
        let how = How { socket: None, ..how };
        let arguments = json!({"podShouldBeDeletedWhenPreempted": true}).to_string();
        let controller = Controller::start(&How { arguments, ..how });
        step.all_run(&GANG).await;
        assert_eq!(step.evicted().len(), 2, "each once");
        controller.said(|said| assert!(said.happened.failed.is_empty(), "{:?}", said.happened.failed));
        controller.stop().await;
        step.end().await;
    }
}
