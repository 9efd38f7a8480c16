//! Keys of the queue: they compare as the order of the system, and hold as long as their epoch.

use std::cmp::{Ordering, Reverse};

use proptest::prelude::*;

use crate::contract::{Event, PodId, SortKeys};
use crate::laws::QueueOrdering;
use crate::model::{Cluster, PodInfo, PodIx};
use crate::systems;
use crate::testing::{PodBuilder, PolicyHarness, pod};

/// A random pod: priority, creation, entry, job or queue, and whether it is on the node.
type Traits = (i32, i64, i64, usize, bool);

const JOBS: [&str; 3] = ["a", "a-b", "b"];

fn draft(system: &str, at: usize, (priority, created, entered, job, runs): Traits) -> PodBuilder {
    // Names of which one begins as another, and two namespaces of which one begins as the other.
    let namespace = ["n", "n-m"].get(at % 2).copied().unwrap_or_default();
    let draft = pod(&format!("{namespace}/p{at}")).requests("cpu=1").priority(priority);
    let draft = draft.with(|pod| (pod.created, pod.entered) = (created, entered));
    let draft = if runs { draft.on("n") } else { draft };
    match (system, JOBS.get(job)) {
        ("coscheduling", Some(job)) => draft.label("pod-group/name", job).label("pod-group/min-available", "2"),
        ("yunikorn", Some(job)) => draft.label("queue", &format!("root.{job}")),
        ("volcano", Some(job)) => draft.annotation("scheduling.volcano.sh/queue-name", job),
        _ => draft,
    }
}

/// Compares two pods in the order of the system. For orders by keys, the rule is restated here independently of the law.
fn restated(system: &str, cluster: &Cluster, a: &PodInfo, b: &PodInfo) -> Ordering {
    let laws = systems::configure(system, "").unwrap();
    if let QueueOrdering::Compare(compare) = laws.laws().queue_order.by {
        return compare(cluster, a, b).then_with(|| a.name.cmp(&b.name));
    }
    let by_age = |pod: &PodInfo| (Reverse(pod.priority()), pod.times.entered, pod.times.created, pod.name.clone());
    let by_gang = |pod: &PodInfo| {
        let gang = pod.attributes.job.and_then(|job| cluster.job(job));
        let members: Vec<&PodInfo> =
            gang.iter().flat_map(|gang| &gang.members).filter_map(|ix| cluster.pod(*ix)).collect();
        let time = members.iter().map(|pod| pod.times.created).min().unwrap_or(pod.times.created);
        let least = members.iter().map(|pod| pod.priority()).min().unwrap_or_else(|| pod.priority());
        let key = gang.map(|gang| gang.key.clone());
        (Reverse(least), time, key, Reverse(pod.priority()), pod.times.created, pod.name.clone())
    };
    if system == "coscheduling" { by_gang(a).cmp(&by_gang(b)) } else { by_age(a).cmp(&by_age(b)) }
}

fn world(system: &str, pods: &[Traits]) -> (PolicyHarness, Vec<PodId>) {
    let mut world = PolicyHarness::of(system, "");
    world.node("n", "cpu=64");
    let drafts: Vec<PodBuilder> = pods.iter().enumerate().map(|(at, some)| draft(system, at, *some)).collect();
    let waiting = drafts.iter().zip(pods).filter(|(_, (.., runs))| !runs);
    let names: Vec<String> = waiting.map(|(draft, _)| draft.name()).collect();
    drafts.into_iter().for_each(|draft| world.pod(draft));
    let ids = names.iter().map(|name| world.id(name)).collect();
    (world, ids)
}

fn pods() -> impl Strategy<Value = Vec<Traits>> {
    let few = || prop_oneof![Just(i64::MIN), -1..2_i64, Just(i64::MAX)];
    let some = (
        prop_oneof![Just(i32::MIN), -1..2_i32, Just(i32::MAX)],
        few(),
        few(),
        0..4_usize,
        proptest::bool::weighted(0.2),
    );
    proptest::collection::vec(some, 0..10)
}

fn names() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec!["koordinator", "kubernetes", "coscheduling", "yunikorn", "volcano"])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn keys_compare_as_the_order_of_the_system(system in names(), pods in pods()) {
        let (mut world, ids) = world(system, &pods);
        let by_key = world.queue(&ids);
        let cluster = world.engine.cluster();
        let mut by_law: Vec<(&PodInfo, PodId)> = ids.iter().filter_map(|id| Some((cluster.pod(PodIx(*id))?, *id))).collect();
        by_law.sort_by(|(a, _), (b, _)| restated(system, cluster, a, b));
        prop_assert_eq!(by_key, by_law.into_iter().map(|(_, id)| id).collect::<Vec<_>>());
    }

    #[test]
    fn pods_of_one_job_stand_in_the_same_order_without_their_keys(system in names(), pods in pods()) {
        let (mut world, ids) = world(system, &pods);
        world.queue(&ids);
        let cluster = world.engine.cluster();
        let order = systems::configure(system, "").unwrap().laws().queue_order;
        for job in ids.iter().filter_map(|id| cluster.pod(PodIx(*id))).map(|pod| pod.attributes.job) {
            let of_job = ids.iter().filter_map(|id| Some((*id, cluster.pod(PodIx(*id))?)));
            let mut by_law: Vec<(PodId, &PodInfo)> = of_job.filter(|(_, pod)| pod.attributes.job == job).collect();
            let mut by_key = by_law.clone();
            by_law.truncate(if job.is_some() { usize::MAX } else { 1 });
            by_key.truncate(by_law.len());
            order.sort_job(cluster, &mut by_law);
            order.sort(cluster, &mut by_key);
            prop_assert_eq!(by_law, by_key);
        }
    }

    #[test]
    fn a_key_holds_as_long_as_its_epoch(system in names(), pods in pods(), gone in 0..10_usize, new in pods()) {
        let (mut world, mut ids) = world(system, &pods);
        let before = world.engine.queue_keys(&ids).unwrap();
        let mut keys: Vec<_> = ids.iter().copied().zip(before.keys).collect();
        if gone < ids.len() {
            let gone = ids.remove(gone);
            world.apply(vec![Event::PodRemoved(gone)]);
            keys.retain(|(id, _)| *id != gone);
        }
        for (at, some) in new.into_iter().enumerate().take(2) {
            world.pod(draft(system, 100_usize.saturating_add(at), some));
        }
        let SortKeys { epoch, keys: after } = world.engine.queue_keys(&ids).unwrap();
        prop_assert!(epoch >= before.epoch);
        if epoch == before.epoch {
            prop_assert_eq!(keys, ids.into_iter().zip(after).collect::<Vec<_>>());
        }
    }
}

/// Returns the epoch of keys that are made now.
fn epoch(world: &mut PolicyHarness) -> u64 {
    world.engine.queue_keys(&[]).unwrap().epoch
}

#[test]
fn an_epoch_ends_when_a_gang_gets_another_time_and_not_before() {
    let member = |at, created| draft("coscheduling", at, (0, created, 0, 0, false));
    let mut world = PolicyHarness::of("coscheduling", "");
    world.pod(member(0, 5));
    world.pod(member(2, 7));
    let first = epoch(&mut world);
    world.pod(draft("coscheduling", 4, (0, 1, 0, 1, false)));
    world.pod(member(6, 8));
    assert_eq!(epoch(&mut world), first, "another gang and a younger member change no key");
    world.pod(member(8, 3));
    let second = epoch(&mut world);
    assert!(second > first, "the gang is of 3 now");
    assert_eq!(epoch(&mut world), second);
}

#[test]
fn an_order_by_pods_alone_has_one_epoch_and_an_order_by_shares_one_for_each_question() {
    for (system, lasts) in [("koordinator", true), ("kubernetes", true), ("yunikorn", false), ("volcano", false)] {
        let (mut world, ids) = world(system, &[(0, 0, 0, 0, false), (0, 0, 0, 1, false)]);
        let before = epoch(&mut world);
        world.apply(vec![Event::PodRemoved(ids.first().copied().unwrap())]);
        assert_eq!(epoch(&mut world) == before, lasts, "{system}");
    }
}
