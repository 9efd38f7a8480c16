//! The attributes of pods.

use serde_json::json;

use super::{ELASTIC, group, member, read, world};
use crate::contract::{Event, Phase};
use crate::model::PodIx;
use crate::testing::{PodBuilder, PolicyHarness};

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
        assert_eq!((pod.protected_until(), findings), (until, reported), "{label:?} {annotation:?}");
    }
}

#[test]
fn the_priority_is_the_task_priority_then_that_of_the_pod_then_1() {
    let task = |text: &str| member("p").priority(5).annotation("volcano.sh/task-priority", text);
    assert_eq!(read(member("p").with(|pod| pod.template_mut().priority = None)).0.priority(), 1);
    assert_eq!(read(member("p").priority(5)).0.priority(), 5);
    assert_eq!(read(task("9")).0.priority(), 9);
    let (pod, reported) = read(task("high"));
    assert_eq!((pod.priority(), reported), (5, 1));
}

/// Creates the pods of a gang that needs two. The last event of `a` is the whole pod, or its status.
fn told(by_status: bool, a: &PodBuilder) -> PolicyHarness {
    let mut world = world();
    group(&mut world, &[ELASTIC], json!({"minMember": 2}));
    for name in ["a", "b", "c"] {
        world.pod(member(name).label("volcano.sh/cooldown-time", "1s"));
    }
    let [eligibility, whole] = world.numbers.pod(a);
    let Event::PodUpserted(pod) = &whole else { panic!("no pod") };
    let event = if by_status { Event::PodStatus(pod.status()) } else { whole.clone() };
    world.apply(vec![eligibility, event]);
    world
}

#[test]
fn a_status_says_as_much_as_the_whole_pod() {
    let a = || member("a").label("volcano.sh/cooldown-time", "1s");
    let ended = |phase| a().on("n").with(|pod| pod.phase = phase);
    for a in [
        a(),
        a().nominated("n"),
        a().on("n").with(|pod| (pod.started, pod.scheduled) = (Some(5), Some(7))),
        a().on("n").with(|pod| (pod.terminating, pod.preempted) = (true, true)),
        ended(Phase::Succeeded),
        ended(Phase::Failed),
    ] {
        let [whole, status] = [false, true].map(|by_status| told(by_status, &a));
        for name in ["a", "b", "c"] {
            let [whole, status] = [&whole, &status].map(|world| world.engine.cluster().pod(PodIx(world.id(name))));
            assert_eq!(whole, status, "{name} after {a:?}");
        }
    }
}
