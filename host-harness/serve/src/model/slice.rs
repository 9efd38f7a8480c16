//! Plays by hand, without trouble.

use super::play::SchedulerSimulation;
use super::system::named;
use super::world::{SECOND, node_of, refusal};

#[test]
fn what_a_scheduler_has_not_heard_is_found_by_the_next_one() {
    let system = named("coscheduling");
    let mut play = SchedulerSimulation::begin(&system, 1);
    play.create_cluster(1);
    play.start();
    play.create_pod("p", None, 1, false);
    // The watch loses it, and never lists anew.
    play.api_server.watches.clear();
    play.rest();
    let violations = &play.observer.violations;
    assert_eq!(violations[0], "default/p does not run, and nothing says why");
    assert!(violations[1].starts_with("a scheduler that begins anew finds something to do"), "{violations:?}");
    assert_eq!(violations.len(), 2);
}

#[test]
fn a_gang_of_three_runs_in_the_place_of_its_victims() {
    let system = named("coscheduling");
    let mut play = SchedulerSimulation::begin(&system, 0);
    play.observer.story = Some(Vec::new());
    play.create_cluster(4);
    for number in 0..4 {
        play.create_pod(&format!("low-{number}"), None, 6, false);
    }
    play.start();
    play.pass(10 * SECOND);
    play.kubelets();
    let running = |play: &SchedulerSimulation<'_>, name: &str| {
        let all = play.api_server.all("Pod").filter(|pod| super::world::text(pod, "/metadata/name").starts_with(name));
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

/// Ends the host, and removes these pods. The next host does not see them, and begins with the last checkpoint or without.
fn replace_host(play: &mut SchedulerSimulation<'_>, keeps: bool, gone: &[&str]) {
    play.faults.has_checkpoint = keeps;
    play.lose_host(play.now() + SECOND);
    gone.iter().for_each(|pod| play.api_server.remove("Pod", pod));
    play.pass(2 * SECOND);
}

#[test]
fn what_one_host_has_refused_the_next_one_is_asked_about() {
    let system = named("koordinator");
    let mut play = SchedulerSimulation::begin(&system, 1);
    play.create_cluster(1);
    play.faults.has_checkpoint = true;
    play.start();
    // A gang has been complete once. The host that is there next does not know it.
    play.create_gang("g1h", 3, 1, true);
    play.pass(10 * SECOND);
    replace_host(&mut play, false, &["default/g1h-0", "default/g1h-1", "default/g1h-2"]);
    play.create_pod("g1h-1", Some("g1h"), 1, true);
    play.pass(10 * SECOND);
    let again = |play: &SchedulerSimulation<'_>| play.api_server.pod("default/g1h-1").unwrap().clone();
    assert_eq!((node_of(&again(&play)), refusal(&again(&play)).contains("less than minAvailable")), ("", true));
    // The host after that begins from the checkpoint of the first one.
    replace_host(&mut play, true, &[]);
    play.pass(10 * SECOND);
    assert_eq!(node_of(&again(&play)), "n0", "{}", refusal(&again(&play)));
}

#[test]
fn a_scheduler_that_cannot_know_the_queue_of_an_application_may_find_something_to_do() {
    let system = named("yunikorn");
    let mut play = SchedulerSimulation::begin(&system, 1);
    play.create_cluster(1);
    play.start();
    // The first pod puts the application into the queue that is owed less.
    play.create_pod("first", Some("app"), 1, false);
    play.create_pod("low-0", None, 3, false);
    play.create_pod("low-1", None, 4, false);
    play.pass(10 * SECOND);
    play.create_pod("second", Some("app"), 4, true);
    play.pass(10 * SECOND);
    play.api_server.remove("Pod", "default/first");
    play.rest();
    let violations = &play.observer.violations;
    assert!(violations.is_empty(), "{violations:?}");
    // A scheduler that has seen the second pod alone takes the application to be in the queue that is owed more.
    assert_eq!(play.observer.calls.get("delete"), Some(&1));
    assert_eq!(node_of(play.api_server.pod("default/second").unwrap()), "n0");
}
