//! The attributes of pods.

use super::{member, read};

#[test]
fn the_preemptable_annotation_precedes_the_label() {
    const KEY: &str = "volcano.sh/preemptable";
    for (label, annotation, opted_out, reported) in [
        (None, None, false, 0),
        (Some("false"), None, true, 0),
        (Some("true"), None, false, 0),
        (Some("false"), Some("true"), false, 0),
        (Some("true"), Some("false"), true, 0),
        (Some("perhaps"), None, true, 1),
        (None, Some(""), true, 1),
    ] {
        let draft = label.into_iter().fold(member("p"), |draft, text| draft.label(KEY, text));
        let draft = annotation.into_iter().fold(draft, |draft, text| draft.annotation(KEY, text));
        let (pod, findings) = read(draft);
        assert_eq!((pod.attributes.opted_out, findings), (opted_out, reported), "{label:?} {annotation:?}");
    }
}

#[test]
fn the_cooldown_label_precedes_the_annotation() {
    const KEY: &str = "volcano.sh/cooldown-time";
    for (label, annotation, scheduled, until, reported) in [
        (None, None, Some(7), None, 0),
        (Some("1s"), None, Some(7), Some(1_000_000_007), 0),
        (Some("1s"), Some("2s"), Some(7), Some(1_000_000_007), 0),
        (None, Some("2s"), Some(7), Some(2_000_000_007), 0),
        (None, Some("2s"), None, None, 0),
        (None, Some("long"), Some(7), None, 1),
    ] {
        let draft = label.into_iter().fold(member("p"), |draft, text| draft.label(KEY, text));
        let draft = annotation.into_iter().fold(draft, |draft, text| draft.annotation(KEY, text));
        let (pod, findings) = read(draft.with(|pod| pod.scheduled = scheduled));
        assert_eq!((pod.attributes.task.protected_until, findings), (until, reported), "{label:?} {annotation:?}");
    }
}

#[test]
fn the_priority_is_the_task_priority_then_that_of_the_pod_then_1() {
    let task = |text: &str| member("p").priority(5).annotation("volcano.sh/task-priority", text);
    assert_eq!(read(member("p").with(|pod| pod.priority = None)).0.priority(), 1);
    assert_eq!(read(member("p").priority(5)).0.priority(), 5);
    assert_eq!(read(task("9")).0.priority(), 9);
    let (pod, reported) = read(task("high"));
    assert_eq!((pod.priority(), reported), (5, 1));
}
