//! What is written of what happened, and how often.

use std::collections::BTreeMap;

use lictor_contract::{Amount, Bound, Finding, QueueAccount, Resource, Severity};
use lictor_host::reason::NamedReason;
use lictor_host::session::{Action, Attempt, AttemptResult, Evicted, EvictedFor, FailedCommand, How, RetryHint, Step};
use serde_json::{Value, json};

use super::*;

const NOW: i64 = 1_790_000_000 * SECOND;

/// A cluster of which these objects are known.
#[derive(Default)]
struct Cluster {
    objects: BTreeMap<String, Subject>,
    groups: BTreeMap<String, Name>,
}

fn subject(group: &str, kind: &str, namespace: &str, name: &str) -> Subject {
    let [group, kind, namespace, name] = [group, kind, namespace, name].map(str::to_owned);
    let (plural, uid) = (format!("{}s", kind.to_lowercase()), format!("uid-{name}"));
    let name = Name { group, kind, namespace, name };
    Subject { name, version: "v1".to_owned(), plural, uid, ..Subject::default() }
}

impl Cluster {
    fn with(pods: &[&str]) -> Cluster {
        let mut cluster = Cluster::default();
        for pod in pods {
            cluster.add(subject("", "Pod", "team", pod));
        }
        cluster
    }

    fn add(&mut self, subject: Subject) {
        let Name { kind, namespace, name, .. } = &subject.name;
        self.objects.insert(format!("{kind}/{namespace}/{name}"), subject);
    }
}

impl Objects for Cluster {
    fn pod(&self, name: &str) -> Option<Subject> {
        self.objects.get(&format!("Pod/{name}")).cloned()
    }
    fn object(&self, name: &Name) -> Option<Subject> {
        self.objects.values().find(|subject| subject.name == *name).cloned()
    }
    fn called(&self, key: &str) -> Option<Subject> {
        self.objects.get(key).cloned()
    }
    fn group_of(&self, pod: &str) -> Option<Name> {
        self.groups.get(pod).cloned()
    }
    fn all(&self, group: &str, kind: &str) -> Vec<Subject> {
        let is = |subject: &&Subject| subject.name.group == group && subject.name.kind == kind;
        self.objects.values().filter(is).cloned().collect()
    }
}

fn reporter(mode: Mode, system: &str) -> Reporter {
    let origin = Origin { controller: "lictor.dev/lictor".to_owned(), instance: "lictor-0".to_owned() };
    Reporter::new(mode, system, origin)
}

fn named(law: &str, message: String) -> NamedReason {
    let mut reason = NamedReason::default();
    (reason.code, reason.message) = (law.to_owned(), message);
    reason
}

fn attempt(pod: &str, result: AttemptResult, law: &str, free: i64) -> Step {
    let mut step = Step::default();
    let reason = named(law, format!("free {free}"));
    step.happened.attempts.push(Attempt {
        pod: format!("team/{pod}"),
        result,
        node: Some("n1".to_owned()),
        reason: Some(reason),
        nodes: None,
        preemption: None,
        retry: RetryHint::default(),
        explanation: None,
    });
    step
}

fn refused(pod: &str, law: &str, free: i64) -> Step {
    attempt(pod, AttemptResult::Unschedulable, law, free)
}

fn bound(pod: &str) -> Step {
    let mut step = Step::default();
    step.happened.bound.insert(format!("team/{pod}"), "n1".to_owned());
    step
}

/// The events that are created.
fn events(writes: &[Write]) -> Vec<&Value> {
    writes
        .iter()
        .filter_map(|write| match &write.change {
            Change::Create(body) => Some(body),
            _ => None,
        })
        .collect()
}

/// The conditions of pods.
fn conditions(writes: &[Write]) -> Vec<&Value> {
    writes
        .iter()
        .filter_map(|write| match &write.change {
            Change::StrategicStatus(body) => body.pointer("/status/conditions/0"),
            _ => None,
        })
        .collect()
}

#[test]
fn a_refusal_is_reported_when_it_has_stood_for_a_second_with_its_law_and_its_sentence() {
    let cluster = Cluster::with(&["a"]);
    let mut reporter = reporter(Mode::CarriesOut, "koordinator");
    reporter.step(NOW, &refused("a", "koordinator/quota-has-room", 4), &cluster);
    assert_eq!(reporter.due(NOW + SECOND - 1, &cluster), []);
    assert_eq!(reporter.wake_at(), Some(NOW + SECOND));
    let writes = reporter.due(NOW + SECOND, &cluster);
    let event = events(&writes)[0];
    assert_eq!(event["reason"], "FailedScheduling");
    assert_eq!((&event["type"], &event["action"]), (&json!("Warning"), &json!("Scheduling")));
    assert_eq!(event["note"], "koordinator/quota-has-room: free 4");
    let regarding = json!({"apiVersion": "v1", "kind": "Pod", "namespace": "team", "name": "a", "uid": "uid-a"});
    assert_eq!(event["regarding"], regarding);
    assert_eq!(event["eventTime"], "2026-09-21T14:13:21.000000Z");
    let condition = conditions(&writes)[0];
    assert_eq!(condition["type"], ADMITTED);
    assert_eq!(condition["status"], "False");
    assert_eq!(condition["reason"], "koordinator/quota-has-room");
    assert_eq!(condition["message"], "koordinator/quota-has-room: free 4");
}

#[test]
fn nothing_is_said_of_a_pod_that_is_placed_within_a_second() {
    let cluster = Cluster::with(&["a"]);
    let mut reporter = reporter(Mode::CarriesOut, "koordinator");
    reporter.step(NOW, &refused("a", "a/b", 4), &cluster);
    reporter.step(NOW + SECOND / 2, &bound("a"), &cluster);
    assert_eq!(reporter.due(NOW + 10 * SECOND, &cluster), []);
    assert_eq!(reporter.wake_at(), None);
}

#[test]
fn the_same_refusal_is_written_once_and_then_counted() {
    let cluster = Cluster::with(&["a"]);
    let mut reporter = reporter(Mode::CarriesOut, "koordinator");
    let mut writes = Vec::new();
    for cycle in 0..100 {
        let now = NOW + cycle * SECOND / 10;
        reporter.step(now, &refused("a", "a/b", 4), &cluster);
        writes.extend(reporter.due(now, &cluster));
    }
    assert_eq!((events(&writes).len(), conditions(&writes).len()), (1, 1));
    // The count is written when nothing has come for 6 minutes: it was reported at 1 s, and came 89 times after that.
    let writes = reporter.due(NOW + 400 * SECOND, &cluster);
    let [Write { change: Change::Merge(body), .. }] = writes.as_slice() else { panic!("{writes:?}") };
    assert_eq!(body["series"]["count"], 90);
}

#[test]
fn another_law_is_another_event_and_other_numbers_are_told_after_a_minute() {
    let cluster = Cluster::with(&["a"]);
    let mut reporter = reporter(Mode::CarriesOut, "koordinator");
    let mut at = |now: i64, law: &str, free: i64| {
        reporter.step(now, &refused("a", law, free), &cluster);
        reporter.due(now + SECOND, &cluster)
    };
    assert_eq!(conditions(&at(NOW, "a/b", 4)).len(), 1);
    assert_eq!(conditions(&at(NOW + 5 * SECOND, "a/b", 3)).len(), 0);
    let later = at(NOW + 62 * SECOND, "a/b", 2);
    assert_eq!(conditions(&later)[0]["message"], "a/b: free 2");
    assert_eq!(events(&later).len(), 0, "the event counts it");
    let other = at(NOW + 70 * SECOND, "a/c", 2);
    assert_eq!((conditions(&other)[0]["reason"].clone(), events(&other).len()), (json!("a/c"), 1));
}

#[test]
fn the_condition_turns_when_the_pod_is_let_go() {
    let cluster = Cluster::with(&["a"]);
    let mut reporter = reporter(Mode::CarriesOut, "koordinator");
    reporter.step(NOW, &refused("a", "a/b", 4), &cluster);
    reporter.due(NOW + SECOND, &cluster);
    reporter.step(NOW + 2 * SECOND, &attempt("a", AttemptResult::Nominated, "a/c", 4), &cluster);
    let nominated = reporter.due(NOW + 3 * SECOND, &cluster);
    assert_eq!(conditions(&nominated)[0]["message"], "nominated to n1: a/c: free 4");
    assert_eq!(events(&nominated).len(), 0, "a pod that gets its room has not failed");
    reporter.step(NOW + 4 * SECOND, &bound("a"), &cluster);
    let let_go = reporter.due(NOW + 4 * SECOND, &cluster);
    assert_eq!(conditions(&let_go)[0]["status"], "True");
    reporter.step(NOW + 5 * SECOND, &bound("a"), &cluster);
    assert_eq!(reporter.due(NOW + 9 * SECOND, &cluster), []);
}

fn victim(how: How, for_whom: EvictedFor) -> Step {
    let mut step = Step::default();
    let reason = named("a/b", "because".to_owned());
    let evicted = Evicted { how, node: Some("n1".to_owned()), plan: 7, for_whom, reason };
    step.happened.victims.insert("team/v".to_owned(), evicted);
    step
}

#[test]
fn a_victim_is_told_by_whom_in_the_words_of_kube_scheduler_and_why() {
    let cluster = Cluster::with(&["p", "v"]);
    let mut reporter = reporter(Mode::CarriesOut, "koordinator");
    let preemptor = EvictedFor::Preemptor("team/p".to_owned());
    reporter.step(NOW, &victim(How::Delete, preemptor.clone()), &cluster);
    let writes = reporter.due(NOW, &cluster);
    let event = events(&writes)[0];
    assert_eq!(
        (&event["reason"], &event["action"], &event["type"]),
        (&json!("Preempted"), &json!("Preempting"), &json!("Normal"))
    );
    assert_eq!(event["note"], "Preempted by pod uid-p on node n1: a/b: because");
    assert_eq!(event["related"]["uid"], "uid-p");
    assert_eq!(conditions(&writes).len(), 0, "the Eviction API writes DisruptionTarget itself");
    // A queue that gives back has no preemptor.
    reporter.step(NOW, &victim(How::Soft, EvictedFor::Queue("q".to_owned())), &cluster);
    let writes = reporter.due(NOW, &cluster);
    let note =
        "Preempted by queue q, which gives back on node n1 (marked: another controller deletes it): a/b: because";
    assert_eq!(events(&writes)[0]["note"], note);
}

#[test]
fn who_only_says_writes_events_of_other_names_and_no_status() {
    let cluster = Cluster::with(&["p", "v", "a"]);
    let mut reporter = reporter(Mode::OnlySays, "koordinator");
    let mut step = victim(How::Delete, EvictedFor::Preemptor("team/p".to_owned()));
    step.happened.bound.insert("team/a".to_owned(), "n1".to_owned());
    reporter.step(NOW, &step, &cluster);
    reporter.step(NOW, &refused("p", "a/b", 4), &cluster);
    let writes = reporter.due(NOW + SECOND, &cluster);
    let reasons: Vec<&Value> = events(&writes).iter().map(|event| &event["reason"]).collect();
    assert_eq!(reasons, ["WouldPreempt", "WouldSchedule", "WouldNotSchedule"]);
    assert_eq!(writes.len(), 3);
}

#[test]
fn mistakes_and_failures_are_told_to_those_whom_they_concern() {
    let mut cluster = Cluster::with(&["a"]);
    cluster.add(subject("scheduling.sigs.k8s.io", "ElasticQuota", "team", "q"));
    let mut step = Step::default();
    step.findings.push(Finding {
        severity: Severity::Error,
        object: "ElasticQuota/team/q".to_owned(),
        path: "/spec/max/cpu".to_owned(),
        message: "is no quantity".to_owned(),
        remedy: "write `4`".to_owned(),
    });
    let action = Action::Bind { node: "n1".to_owned(), marks: Vec::new() };
    step.happened.failed.push(FailedCommand { pod: "team/a".to_owned(), action, reason: "409".to_owned() });
    let mut reporter = reporter(Mode::CarriesOut, "koordinator");
    reporter.step(NOW, &step, &cluster);
    let writes = reporter.due(NOW, &cluster);
    let told: Vec<(&Value, &Value)> = events(&writes).iter().map(|event| (&event["reason"], &event["note"])).collect();
    let expected = [
        ("FailedBinding", "It was not let go for n1: 409"),
        ("Misconfigured", "/spec/max/cpu: is no quantity; write `4`"),
    ];
    let expected = expected.map(|(reason, note)| (json!(reason), json!(note)));
    assert_eq!(told, expected.iter().map(|(reason, note)| (reason, note)).collect::<Vec<_>>());
}

#[test]
fn a_flood_of_refusals_is_bounded_and_evictions_are_told_all_the_same() {
    let names: Vec<String> = (0..500).map(|number| format!("p{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).chain(["v"]).collect();
    let cluster = Cluster::with(&names);
    let mut reporter = reporter(Mode::CarriesOut, "koordinator");
    for name in &names[..500] {
        reporter.step(NOW, &refused(name, "a/b", 4), &cluster);
    }
    let writes = reporter.due(NOW + SECOND, &cluster);
    assert_eq!((events(&writes).len(), reporter.dropped()), (100, 400));
    assert_eq!(conditions(&writes).len(), 500, "conditions are state: each is written once");
    reporter.step(NOW + SECOND, &victim(How::Delete, EvictedFor::Queue("q".to_owned())), &cluster);
    assert_eq!(events(&reporter.due(NOW + SECOND, &cluster)).len(), 1);
    // A second later there is room for ten more.
    for name in &names[..500] {
        reporter.step(NOW + 2 * SECOND, &refused(name, "a/c", 4), &cluster);
    }
    assert_eq!(events(&reporter.due(NOW + 3 * SECOND, &cluster)).len(), 20);
}

#[test]
fn a_text_that_is_too_long_is_cut_between_characters() {
    let cluster = Cluster::with(&["a"]);
    let mut reporter = reporter(Mode::CarriesOut, "koordinator");
    let mut step = refused("a", "a/b", 4);
    step.happened.attempts[0].reason.as_mut().unwrap().message = "ä".repeat(2_000);
    reporter.step(NOW, &step, &cluster);
    let writes = reporter.due(NOW + SECOND, &cluster);
    let note = events(&writes)[0]["note"].as_str().unwrap();
    assert!(note.len() <= 1_024 && note.len() > 1_020 && note.ends_with("ä..."), "{}", note.len());
}

#[test]
fn a_pod_that_was_recreated_is_told_anew() {
    let mut cluster = Cluster::with(&["a"]);
    let mut reporter = reporter(Mode::CarriesOut, "koordinator");
    reporter.step(NOW, &refused("a", "a/b", 4), &cluster);
    assert_eq!(events(&reporter.due(NOW + SECOND, &cluster)).len(), 1);
    reporter.forget("team/a");
    cluster.objects.values_mut().for_each(|pod| pod.uid = "another".to_owned());
    reporter.step(NOW + 2 * SECOND, &refused("a", "a/b", 4), &cluster);
    let writes = reporter.due(NOW + 3 * SECOND, &cluster);
    assert_eq!(events(&writes)[0]["regarding"]["uid"], "another");
}

/// A group of a member, and what is written of the group when the member stands so.
fn group(api: &str, status: Value, steps: &[Step]) -> Vec<Value> {
    let mut cluster = Cluster::with(&["a"]);
    let mut group = subject(api, "PodGroup", "team", "g");
    (group.status, group.generation) = (status, Some(3));
    cluster.groups.insert("team/a".to_owned(), group.name.clone());
    cluster.add(group);
    let mut reporter = reporter(Mode::CarriesOut, "volcano");
    let mut now = NOW;
    let mut written = Vec::new();
    for step in steps {
        reporter.step(now, step, &cluster);
        now += 2 * SECOND;
        let of_group = reporter.due(now, &cluster).into_iter().filter(|write| write.resource.plural == "podgroups");
        written.extend(of_group.map(|write| match write.change {
            Change::Status(body) | Change::StrategicStatus(body) => body["status"]["conditions"].clone(),
            other => panic!("{other:?}"),
        }));
    }
    written
}

#[test]
fn a_pod_group_of_kubernetes_is_told_why_it_waits_and_a_true_condition_stays() {
    let told = group("scheduling.k8s.io", json!({}), &[refused("a", "a/b", 4), bound("a")]);
    assert_eq!(told.len(), 1, "kube-scheduler writes that it is scheduled: {told:?}");
    let condition = &told[0][0];
    assert_eq!(condition["type"], "PodGroupInitiallyScheduled");
    assert_eq!((&condition["status"], &condition["reason"]), (&json!("False"), &json!("Unschedulable")));
    assert_eq!((&condition["observedGeneration"], &condition["message"]), (&json!(3), &json!("a/b: free 4")));
    let scheduled = json!({"conditions": [{"type": "PodGroupInitiallyScheduled", "status": "True"}]});
    assert_eq!(group("scheduling.k8s.io", scheduled, &[refused("a", "a/b", 4)]), Vec::<Value>::new());
}

#[test]
fn a_pod_group_of_volcano_has_volcanos_conditions_and_keeps_the_others() {
    let before =
        json!({"conditions": [{"type": "Other", "status": "True"}, {"type": "Unschedulable", "status": "False"}]});
    let told = group("scheduling.volcano.sh", before, &[refused("a", "a/b", 4), bound("a")]);
    assert_eq!(told.len(), 2);
    let kinds = |told: &Value| told.as_array().unwrap().iter().map(|it| it["type"].clone()).collect::<Vec<_>>();
    assert_eq!(kinds(&told[0]), ["Other", "Unschedulable"]);
    assert_eq!((&told[0][1]["status"], &told[0][1]["reason"]), (&json!("True"), &json!("NotEnoughResources")));
    assert_eq!(told[1][2]["reason"], "tasks in gang are ready to be scheduled");
}

#[test]
fn the_groups_of_scheduler_plugins_are_left_to_their_controller() {
    assert_eq!(group("scheduling.x-k8s.io", json!({}), &[refused("a", "a/b", 4), bound("a")]), Vec::<Value>::new());
}

#[test]
fn volcanos_groups_enter_the_queue_at_once() {
    let reporter = reporter(Mode::CarriesOut, "volcano");
    let mut group = subject("scheduling.volcano.sh", "PodGroup", "team", "g");
    group.status = json!({"phase": "Pending"});
    let Some(Write { change: Change::Status(body), .. }) = reporter.group_told(&group) else { panic!() };
    assert_eq!(body["status"], json!({"phase": "Inqueue"}));
    group.status = json!({"phase": "Running"});
    assert_eq!(reporter.group_told(&group), None);
    assert_eq!(reporter.group_told(&subject("scheduling.k8s.io", "PodGroup", "team", "g")), None);
}

#[test]
fn the_group_of_a_pod_is_found_where_each_system_names_it() {
    for (pod, group) in [
        (json!({"spec": {"schedulingGroup": {"podGroupName": "g"}}}), "scheduling.k8s.io"),
        (json!({"metadata": {"labels": {"scheduling.x-k8s.io/pod-group": "g"}}}), "scheduling.x-k8s.io"),
        (json!({"metadata": {"labels": {"pod-group.scheduling.sigs.k8s.io": "g"}}}), "scheduling.sigs.k8s.io"),
        (json!({"metadata": {"annotations": {"scheduling.k8s.io/group-name": "g"}}}), "scheduling.volcano.sh"),
    ] {
        let name = group_of(&pod).unwrap();
        assert_eq!((&*name.group, &*name.name, &*name.namespace), (group, "g", "default"));
    }
    assert_eq!(group_of(&json!({"metadata": {"name": "a"}})), None);
}

/// The books of a queue that bounds cpu and gpu, with this much cpu in millicores.
fn account(name: &str, used: i64, pending: i64) -> QueueAccount {
    let of = |resource, value| Amount { resource, value };
    QueueAccount {
        kind: "quota".to_owned(),
        name: name.to_owned(),
        parent: None,
        bounds: vec![
            Bound { name: "max".to_owned(), amounts: vec![of(0, 8000), of(1, 4)] },
            Bound { name: "runtime".to_owned(), amounts: vec![of(0, 5000)] },
        ],
        used: vec![of(0, used), of(2, 3)],
        promised: Vec::new(),
        pending: vec![of(0, pending)],
    }
}

fn resources() -> Vec<Resource> {
    ["cpu", "gpu", "pods"].map(|name| Resource { name: name.to_owned(), everywhere: 0 }).to_vec()
}

/// What is written of an object of this kind.
fn accounted(system: &str, mut object: Subject, status: Value, name: &str) -> Vec<Value> {
    object.status = status;
    let mut cluster = Cluster::default();
    cluster.add(object);
    let mut reporter = reporter(Mode::CarriesOut, system);
    let accounts = [account(name, 2500, 500)];
    let writes = reporter.accounts(NOW, &accounts, &resources(), &cluster);
    assert_eq!(reporter.accounts(NOW + SECOND - 1, &accounts, &resources(), &cluster), [], "once a second");
    let body = |write: Write| match write.change {
        Change::Status(body) => body["status"].clone(),
        Change::Merge(body) => body["metadata"]["annotations"].clone(),
        other => panic!("{other:?}"),
    };
    writes.into_iter().map(body).collect()
}

#[test]
fn quotas_and_queues_say_what_they_use_where_upstream_writes_it() {
    let quota = || subject("scheduling.sigs.k8s.io", "ElasticQuota", "team", "q");
    let used = json!({"used": {"cpu": "2500m", "gpu": "0"}});
    let annotations = json!({
        "quota.scheduling.koordinator.sh/request": "{\"cpu\":\"3\",\"gpu\":\"0\"}",
        "quota.scheduling.koordinator.sh/runtime": "{\"cpu\":\"5\",\"gpu\":\"0\"}",
    });
    assert_eq!(accounted("koordinator", quota(), Value::Null, "q"), [used.clone(), annotations]);
    // scheduler-plugins: the quota of the namespace. What it does not count any more goes.
    let quota = subject("scheduling.x-k8s.io", "ElasticQuota", "team", "any");
    let stale = json!({"used": {"cpu": "1", "memory": "1Gi"}});
    let expected = json!({"used": {"cpu": "2500m", "gpu": "0", "memory": null}});
    assert_eq!(accounted("coscheduling", quota.clone(), stale, "team"), [expected]);
    assert_eq!(accounted("coscheduling", quota, used, "team"), Vec::<Value>::new(), "nothing has changed");
    let queue = subject("scheduling.volcano.sh", "Queue", "", "q");
    assert_eq!(accounted("volcano", queue, Value::Null, "q"), [json!({"allocated": {"cpu": "2500m", "gpu": "0"}})]);
    let config = subject("", "ConfigMap", "yunikorn", "q");
    assert_eq!(accounted("yunikorn", config, Value::Null, "q"), Vec::<Value>::new());
}
