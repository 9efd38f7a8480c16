//! Parity: scenarios end in a living cluster as in the harness.
//!
//! A scenario becomes a story ([`story`]) where a real scheduler can play it: the objects at the start, and what happens then. In place of single
//! attempts, all pods are tried until nothing more comes of it. The story is played in the harness ([`harness`]) and by a kube-scheduler with the
//! plugin ([`cluster`]). Each time that the story settles, the two are compared: the bound pods, the pods that wait at Permit, the nominated pods with
//! their nodes, and the evicted pods. Where the scenario names the nodes of a pod, it is bound to one of these; else kube-scheduler chooses.

mod cluster;
mod harness;
mod hold;
mod known;
mod settle;
mod story;

use std::collections::BTreeMap;
use std::path::Path;

use lictor_conformance::{Scenario, load};

use crate::scheduler::Scheduler;
use crate::world::World;
use cluster::Player;
use harness::{Ages, End};
use story::Story;

/// The systems.
const SYSTEMS: [&str; 5] = ["coscheduling", "koordinator", "kubernetes", "volcano", "yunikorn"];

/// So many scenarios are played at least.
const AT_LEAST: usize = 60;

/// The number of scenarios of each system that are played where not all are requested.
const OF_EACH: usize = 24;

const SCENARIOS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/scenarios");

/// Returns a story, and its ends in the harness. Fails with the reason why a real scheduler cannot play the scenario so.
fn playable(scenario: &Scenario) -> Result<(Story, Vec<End>), String> {
    let mut story = Story::of(scenario)?;
    let ends = harness::ends(&story, Ages::AsTold)?;
    if ends != harness::ends(&story, Ages::TheSame)? {
        return Err("rests on the ages of objects, which the API server gives".to_owned());
    }
    let stands = harness::as_it_stands(scenario)?;
    // What was added lets victims leave; what comes of it is no matter here.
    let told = ends.iter().take(ends.len().saturating_sub(1));
    let mut all = End::default();
    for end in told {
        all.bound.extend(end.bound.clone());
        all.nominated.extend(end.nominated.clone());
        all.victims.extend(end.victims.clone());
    }
    let same_nominated = all.nominated.keys().eq(stands.nominated.keys());
    let bound = stands.bound.keys().all(|pod| all.bound.contains_key(pod) || all.victims.contains(pod));
    if stands.victims != all.victims || !same_nominated || !bound {
        return Err("is another one where all pods that wait are tried again and again".to_owned());
    }
    let node = |end: &End, pod: &str| end.bound.get(pod).cloned();
    // Of nodes that are alike, the harness takes the first name.
    for names in story.other_names() {
        let others = harness::ends(&story.renamed(&names), Ages::AsTold)?;
        let is_forced = |pod: &str| {
            let mut both = ends.iter().zip(&others);
            both.all(|(one, other)| node(one, pod).and_then(|node| names.get(&node).cloned()) == node(other, pod))
        };
        story.named.retain(|pod, _| is_forced(pod));
    }
    Ok((story, ends))
}

/// Returns whether an end in the cluster is that of the harness.
fn agrees(story: &Story, harness: &End, cluster: &End) -> bool {
    let is_named = |pod, node| story.named.get(pod).is_none_or(|named| named.contains(node));
    let nodes = cluster.bound.iter().all(|(pod, node)| is_named(pod, node) || harness.bound.get(pod) == Some(node));
    let bound = harness.bound.keys().eq(cluster.bound.keys());
    let rest = |end: &End| End { bound: BTreeMap::new(), ..end.clone() };
    nodes && bound && rest(harness) == rest(cluster)
}

fn scenarios(system: &str) -> Vec<Scenario> {
    load(&[Path::new(SCENARIOS).join(system)]).unwrap()
}

#[test]
fn scenarios_that_a_real_scheduler_can_play() {
    let mut played = 0;
    for system in SYSTEMS {
        let (mut why, mut here) = (BTreeMap::<String, Vec<String>>::new(), 0);
        for scenario in scenarios(system) {
            match playable(&scenario) {
                Ok(_) => here += 1,
                Err(reason) => why.entry(reason).or_default().push(scenario.name),
            }
        }
        eprintln!("{system}: {here} are played");
        for (reason, names) in &why {
            eprintln!(
                "  {} not: {reason}: {}",
                names.len(),
                names.iter().take(3).cloned().collect::<Vec<_>>().join(", ")
            );
        }
        assert!(here > 0 || system == "volcano", "{system}: {why:?}");
        played += here;
    }
    assert!(played >= AT_LEAST, "{played}");
}

#[test]
fn a_node_is_forced_where_no_other_one_is_alike() {
    let named = |name: &str| {
        let file = Path::new(SCENARIOS).join(format!("{name}.yaml"));
        playable(&load(&[file]).unwrap()[0]).unwrap().0.named
    };
    // Four empty nodes take the pod; one plan is the best.
    assert!(!named("coscheduling/cos-pod-groups-of-two-kinds-share-a-name").contains_key("default/b"));
    assert!(!named("kubernetes/kube-group-is-bound-together").contains_key("default/a2"));
    assert!(named("kubernetes/kube-pick-latest-start")["default/p"].contains("node2"));
}

/// Returns the stories to play: of each system the first [`OF_EACH`] that can be, taken from the whole list evenly. `LICTOR_PARITY=all` in the
/// environment plays all, `LICTOR_SCENARIO` those with this in their names.
fn chosen(system: &str) -> Vec<(Story, Vec<End>)> {
    let wanted = |name| std::env::var(name).unwrap_or_default();
    let (only, all) = (wanted("LICTOR_SCENARIO"), scenarios(system));
    let most = if wanted("LICTOR_PARITY") == "all" || !only.is_empty() { usize::MAX } else { OF_EACH };
    let stride = all.len().div_ceil(OF_EACH).max(1);
    let evenly = (0..stride).flat_map(|first| all.iter().skip(first).step_by(stride));
    let named = evenly.filter(|scenario| format!("{system}/{}", scenario.name).contains(&only));
    named.filter_map(|scenario| playable(scenario).ok()).take(most).collect()
}

/// Returns what is wrong with how a story was played. `None`: it ended as expected.
fn wrong(name: &str, expected: &[End], story: &Story, played: Result<Vec<End>, String>) -> Option<String> {
    let differs = match played {
        Err(refused) => Some(refused),
        Ok(ends) => {
            let differs = ends.iter().zip(expected).filter(|(there, here)| !agrees(story, here, there));
            let mut differs = differs.map(|(there, here)| [here, there].map(|end| serde_json::to_string(end).unwrap()));
            let first = differs.find(|[_, there]| known::now_and_then(name, there).is_none());
            first.map(|[here, there]| format!("\n  in the harness {here}\n  in the cluster {there}"))
        }
    };
    match (differs, known::difference(name)) {
        (None, None) | (Some(_), Some(_)) => None,
        (None, Some(_)) => Some(format!("{name}: is listed as different, and ends the same")),
        (Some(differs), None) => Some(format!("{name}: {differs}")),
    }
}

/// Plays them.
pub async fn scenarios_end_as_in_the_harness(world: &World, scheduler: &Scheduler) {
    let (mut played, mut faults) = (0, Vec::new());
    for system in SYSTEMS {
        let stories = chosen(system);
        if stories.is_empty() {
            continue;
        }
        let began = std::time::Instant::now();
        let mut player = Player::start(world, scheduler, system).await;
        for (story, expected) in &stories {
            let name = format!("{system}/{}", story.name);
            let ends = player.play(story, expected).await;
            faults.extend(wrong(&name, expected, story, ends));
        }
        played += stories.len();
        eprintln!("{system}: {} scenarios in {:.0?}", stories.len(), began.elapsed());
    }
    assert!(faults.is_empty(), "{} of {played}:\n{}", faults.len(), faults.join("\n"));
    assert!(played >= AT_LEAST || std::env::var_os("LICTOR_SCENARIO").is_some(), "{played}");
}
