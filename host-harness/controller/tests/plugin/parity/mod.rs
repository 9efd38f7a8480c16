//! Parity: scenarios end in a living cluster as in the harness.
//!
//! A scenario becomes a story ([`story`]) where a real scheduler can play it: what there is at the start and what happens, with all pods tried until
//! nothing more comes of it in place of single attempts. The story is played in the harness ([`harness`]) and by a kube-scheduler with the plugin
//! ([`cluster`]), and each time that it settles, the two are compared: who is bound, who waits at Permit, who is nominated and where, who was
//! evicted. Where the scenario names the nodes of a pod, it is bound to one of these; else kube-scheduler chooses.

mod cluster;
mod harness;
mod hold;
mod known;
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

const SCENARIOS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/scenarios");

/// A story, and its ends in the harness; else why a real scheduler cannot play the scenario so.
fn playable(scenario: &Scenario) -> Result<(Story, Vec<End>), String> {
    let story = Story::of(scenario)?;
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
    Ok((story, ends))
}

/// Whether an end in the cluster is that of the harness.
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
            eprintln!("  {} not: {reason}: {}", names.len(), names.iter().take(3).cloned().collect::<Vec<_>>().join(", "));
        }
        assert!(here > 0, "{system}: {why:?}");
        played += here;
    }
    assert!(played >= AT_LEAST, "{played}");
}

/// Plays all of them; `LICTOR_SCENARIO` in the environment is a part of the names of those that are played.
pub async fn scenarios_end_as_in_the_harness(world: &World, scheduler: &Scheduler) {
    let only = std::env::var("LICTOR_SCENARIO").unwrap_or_default();
    let (mut played, mut wrong) = (0, Vec::new());
    for system in SYSTEMS {
        let stories: Vec<_> = scenarios(system).iter().filter_map(|scenario| playable(scenario).ok()).collect();
        let stories: Vec<_> =
            stories.into_iter().filter(|(story, _)| format!("{system}/{}", story.name).contains(&only)).collect();
        if stories.is_empty() {
            continue;
        }
        let began = std::time::Instant::now();
        let mut player = Player::start(world, scheduler, system).await;
        for (story, expected) in &stories {
            played += 1;
            let name = format!("{system}/{}", story.name);
            let known = known::difference(&name);
            match player.play(story, expected).await {
                Err(refused) => wrong.push(format!("{name}: {refused}")),
                Ok(ends) => {
                    let differs = ends.iter().zip(expected).find(|(there, here)| !agrees(story, here, there));
                    match (differs, known) {
                        (None, None) => {}
                        (None, Some(_)) => wrong.push(format!("{name}: is listed as different, and is the same")),
                        (Some(_), Some(_)) => {}
                        (Some((there, here)), None) => wrong.push(format!(
                            "{name}:\n  in the harness {}\n  in the cluster {}",
                            serde_json::to_string(here).unwrap(),
                            serde_json::to_string(there).unwrap()
                        )),
                    }
                }
            }
        }
        eprintln!("{system}: {} scenarios in {:.0?}", stories.len(), began.elapsed());
    }
    assert!(wrong.is_empty(), "{} of {played}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(played >= AT_LEAST || !only.is_empty(), "{played}");
}
