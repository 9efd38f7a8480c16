//! What is written on running pods, and how often.

use lictor_host::reason::NamedReason;
use lictor_host::session::NamedThreat;

use super::*;
use crate::report::{QualifiedName, SECOND};
use crate::view::{ManagedPods, normalize};

const NOW: i64 = 1_790_000_000 * SECOND;

fn threat(spared: Option<&str>, message: &str) -> NamedThreat {
    let said = |law: &str| {
        let mut reason = NamedReason::default();
        (reason.code, reason.message) = (law.to_owned(), message.to_owned());
        reason
    };
    NamedThreat { by: "pod".to_owned(), priority: None, spared: spared.map(said) }
}

fn safe(law: &str, message: &str) -> PodStanding {
    let sentence = format!("safe, {law}: {message}");
    PodStanding { safe: true, sentence, threats: vec![threat(Some(law), message)] }
}

fn evictable() -> PodStanding {
    PodStanding { safe: false, sentence: "may be evicted by a pod".to_owned(), threats: vec![threat(None, "")] }
}

fn subject(pod: &str) -> Option<ReportedObject> {
    let (namespace, name) = pod.split_once('/')?;
    let [group, kind, namespace, name] = ["", "Pod", namespace, name].map(str::to_owned);
    let (version, plural, uid) = ("v1".to_owned(), "pods".to_owned(), format!("uid-{name}"));
    Some(ReportedObject {
        name: QualifiedName { group, kind, namespace, name },
        version,
        plural,
        uid,
        ..ReportedObject::default()
    })
}

/// Returns a pod as the API server has it after these writes.
fn after(mut pod: Value, writes: &[ApiWrite]) -> Value {
    for write in writes {
        match &write.change {
            WriteOperation::Merge(body) => {
                let labels = body["metadata"]["labels"].as_object().unwrap();
                labels.iter().for_each(|(key, value)| pod["metadata"]["labels"][key] = value.clone());
            }
            WriteOperation::StrategicStatus(body) => {
                let new = body["status"]["conditions"][0].clone();
                let conditions = pod["status"]["conditions"].as_array_mut().unwrap();
                let old = conditions.iter().position(|old| old["type"] == new["type"]);
                let mut merged = old.map(|at| conditions.remove(at)).unwrap_or(json!({}));
                if new.get("$patch").is_none() {
                    new.as_object().unwrap().iter().for_each(|(key, value)| merged[key] = value.clone());
                    conditions.push(merged);
                }
            }
            other => panic!("{other:?}"),
        }
    }
    pod
}

fn plain() -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "labels": {"app": "x"}},
           "spec": {"nodeName": "n"}, "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}})
}

#[test]
fn a_mark_is_a_label_to_select_by_and_a_condition_that_names_the_law() {
    let mut marks = StandingMarks::default();
    marks.set_standing(NOW, "team/a", Some(&safe("kubernetes/lower-priority", "5 is not below 3")));
    let writes = marks.due(NOW, subject);
    let [
        ApiWrite { change: WriteOperation::Merge(label), .. },
        ApiWrite { change: WriteOperation::StrategicStatus(status), .. },
    ] = &*writes
    else {
        panic!("{writes:?}")
    };
    assert_eq!(*label, json!({"metadata": {"uid": "uid-a", "labels": {"lictor.dev/standing": "safe"}}}));
    assert_eq!(status["metadata"]["uid"], "uid-a");
    let condition = &status["status"]["conditions"][0];
    assert_eq!((&condition["type"], &condition["status"]), (&json!("lictor.dev/Safe"), &json!("True")));
    assert_eq!(condition["reason"], "KubernetesLowerPriority");
    assert_eq!(condition["message"], "safe, kubernetes/lower-priority: 5 is not below 3");
    assert_eq!(condition["lastTransitionTime"], "2026-09-21T14:13:20Z");
    let pod = after(plain(), &writes);
    assert_eq!(StandingMark::read(&pod), StandingMark::of(&safe("kubernetes/lower-priority", "5 is not below 3")));
    // The mark of a pod that may be evicted names the evictor.
    let evictable = StandingMark::of(&evictable());
    assert_eq!((&*evictable.label, &*evictable.status, &*evictable.reason), ("evictable", "False", "MayBeEvicted"));
    assert_eq!(evictable.message, "may be evicted by a pod");
}

#[test]
fn a_mark_that_has_arrived_is_not_written_again_and_the_session_never_sees_it() {
    let mut marks = StandingMarks::default();
    marks.set_standing(NOW, "team/a", Some(&evictable()));
    let marked = after(plain(), &marks.due(NOW, subject));
    marks.observe_mark(NOW + 1, "team/a", StandingMark::read(&marked));
    assert_eq!(marks.wake_at(NOW + 1), None);
    (0..100).for_each(|turn| marks.set_standing(NOW + turn * SECOND, "team/a", Some(&evictable())));
    assert_eq!(marks.due(NOW + 1000 * SECOND, subject), []);
    // With and without the mark, and with no other label, the pod is the same to the session.
    let ours = ManagedPods { schedulers: vec!["default-scheduler".to_owned()], ungated: false };
    let seen = |mut pod: Value| {
        normalize(&mut pod, &ours, |_| true);
        pod
    };
    assert_eq!(seen(marked.clone()), seen(plain()));
    let without = |mut pod: Value| {
        pod["metadata"]["labels"].as_object_mut().unwrap().remove("app");
        pod
    };
    let mut bare = plain();
    bare["metadata"].as_object_mut().unwrap().remove("labels");
    assert_eq!(seen(without(marked)), seen(bare));
}

#[test]
fn a_controller_that_begins_writes_nothing_where_the_cluster_has_it_already() {
    let mut marks = StandingMarks::default();
    marks.observe_mark(NOW, "team/a", StandingMark::of(&evictable()));
    assert_eq!(marks.wake_at(NOW), None, "the laws were not asked yet");
    marks.set_standing(NOW, "team/a", Some(&evictable()));
    assert_eq!(marks.due(NOW, subject), []);
    // Another answer: the label and the condition change, 10 s after nothing at once.
    marks.set_standing(NOW, "team/a", Some(&safe("a/b", "c")));
    assert_eq!(marks.due(NOW, subject).len(), 2);
}

#[test]
fn the_same_law_in_other_words_is_written_after_five_minutes_and_another_law_after_ten_seconds() {
    let mut marks = StandingMarks::default();
    let mut at = |seconds: i64, standing: PodStanding| {
        let now = NOW + seconds * SECOND;
        marks.set_standing(now, "team/a", Some(&standing));
        let writes = marks.due(now, subject);
        if !writes.is_empty() {
            marks.observe_mark(now, "team/a", StandingMark::of(&standing));
        }
        writes.len()
    };
    assert_eq!(at(0, safe("a/b", "1")), 2);
    assert_eq!(at(100, safe("a/b", "2")), 0);
    assert_eq!(at(299, safe("a/b", "3")), 0);
    assert_eq!(at(300, safe("a/b", "4")), 1, "the condition alone");
    assert_eq!(at(305, safe("a/c", "4")), 0);
    assert_eq!(at(310, safe("a/c", "4")), 1);
    assert_eq!(at(320, evictable()), 2);
}

#[test]
fn what_is_refused_is_tried_later_each_time_and_what_others_take_away_too() {
    let mut marks = StandingMarks::default();
    marks.set_standing(NOW, "team/a", Some(&evictable()));
    let tried = |marks: &mut StandingMarks, arrives: bool| {
        let (mut times, mut now) = (Vec::new(), NOW);
        while now <= NOW + 3600 * SECOND {
            if !marks.due(now, subject).is_empty() {
                times.push((now - NOW) / SECOND);
                if arrives {
                    marks.observe_mark(now, "team/a", StandingMark::of(&evictable()));
                    marks.observe_mark(now, "team/a", StandingMark::default());
                }
            }
            now += SECOND;
        }
        times
    };
    // 10 s doubled: 20, 40, 80, 160, 320, then 600.
    let times = tried(&mut marks, false);
    assert_eq!(times[..6], [0, 20, 60, 140, 300, 620]);
    assert!(times[6..].windows(2).all(|two| two[1] - two[0] == 600), "{times:?}");
    assert!(marks.take_refused_warning(NOW + 4000 * SECOND) && !marks.take_refused_warning(NOW + 4000 * SECOND));
    let mut marks = StandingMarks::default();
    marks.set_standing(NOW, "team/a", Some(&evictable()));
    let times = tried(&mut marks, true);
    assert!(times.len() < 12, "{times:?}");
    assert!(!marks.take_refused_warning(NOW + 4000 * SECOND), "it arrives");
}

#[test]
fn a_mark_about_which_the_laws_say_nothing_any_more_is_taken_off() {
    let mut marks = StandingMarks::default();
    let marked = after(
        plain(),
        &StandingMark::of(&evictable()).writes(&subject("team/a").unwrap(), &StandingMark::default(), json!(0)),
    );
    marks.observe_mark(NOW, "team/a", StandingMark::read(&marked));
    marks.set_standing(NOW, "team/a", None);
    let pod = after(marked, &marks.due(NOW, subject));
    assert_eq!(StandingMark::read(&pod), StandingMark::default());
    assert_eq!(pod["status"]["conditions"], plain()["status"]["conditions"]);
}

#[test]
fn nothing_is_written_on_a_pod_that_is_gone_or_leaving() {
    let mut marks = StandingMarks::default();
    marks.set_standing(NOW, "team/a", Some(&evictable()));
    marks.set_standing(NOW, "team/b", Some(&evictable()));
    marks.forget("team/a");
    assert_eq!(marks.due(NOW, |_| None), [], "`b` is not there");
    assert_eq!(marks.wake_at(NOW), None);
}

#[test]
fn ten_thousand_pods_are_marked_ten_a_second() {
    let mut marks = StandingMarks::default();
    let pods: Vec<String> = (0..10_000).map(|pod| format!("team/{pod:05}")).collect();
    pods.iter().for_each(|pod| marks.set_standing(NOW, pod, Some(&evictable())));
    let mut written = Vec::new();
    for turn in 0..30 {
        let now = NOW + turn * SECOND;
        let writes = marks.due(now, subject);
        writes
            .iter()
            .for_each(|it| marks.observe_mark(now, &format!("team/{}", it.name), StandingMark::of(&evictable())));
        written.push(writes.len() / 2);
    }
    assert_eq!(written[0], 20);
    assert!(written[3..].iter().all(|count| *count == 10), "{written:?}");
    assert!(marks.wake_at(NOW + 29 * SECOND).unwrap() <= NOW + 30 * SECOND);
}
