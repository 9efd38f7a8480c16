//! Plays by hand, without trouble.

use super::play::Play;
use super::system;
use super::world::{SECOND, node_of};

#[test]
fn what_a_scheduler_has_not_heard_is_found_by_the_next_one() {
    let all = system::all();
    let system = all.iter().find(|system| system.name == "coscheduling").unwrap();
    let mut play = Play::begin(system, 1);
    play.create_cluster(1);
    play.start();
    play.create_pod("p", None, 1, false);
    // The watch loses it, and never lists anew.
    play.world.watches.clear();
    play.rest();
    let violations = &play.observer.violations;
    assert_eq!(violations[0], "default/p does not run, and nothing says why");
    assert!(violations[1].starts_with("a scheduler that begins anew finds something to do"), "{violations:?}");
    assert_eq!(violations.len(), 2);
}

#[test]
fn a_gang_of_three_runs_in_the_place_of_its_victims() {
    let all = system::all();
    let system = all.iter().find(|system| system.name == "coscheduling").unwrap();
    let mut play = Play::begin(system, 0);
    play.observer.story = Some(Vec::new());
    play.create_cluster(4);
    for number in 0..4 {
        play.create_pod(&format!("low-{number}"), None, 6, false);
    }
    play.start();
    play.pass(10 * SECOND);
    play.kubelets();
    let running = |play: &Play<'_>, name: &str| {
        let all = play.world.all("Pod").filter(|pod| super::world::text(pod, "/metadata/name").starts_with(name));
        all.filter(|pod| !node_of(pod).is_empty()).count()
    };
    assert_eq!(running(&play, "low"), 4);
    play.create_gang("g1h", 3, 5, true);
    play.rest();
    let story = play.observer.story.take().unwrap().join("\n");
    assert!(play.observer.violations.is_empty(), "{:?}\n{story}", play.observer.violations);
    assert_eq!(running(&play, "g1h"), 3, "{story}");
    assert_eq!(play.observer.calls.get("delete"), Some(&3), "{story}");
}
