//! What was asked for and is not seen yet.

use super::*;
use crate::cluster::mirror::objects::StoredObjectKey;

fn bind(node: &str) -> PodChange {
    PodChange::Bind { node: node.to_owned(), at: 5, marks: Vec::new() }
}

fn to(node: &str) -> PodChange {
    PodChange::Nominate(Some(node.to_owned()))
}

/// Returns a mirror with a pod and two nodes whose events were drained.
fn told() -> Mirror {
    let mut mirror = mirror();
    apply(&mut mirror, &[node("n"), node("m"), pod("p", "")].concat());
    mirror.drain_events();
    mirror
}

#[test]
fn an_object_that_was_written_before_does_not_take_an_assumption_back() {
    let mut mirror = told();
    mirror.assume(0, 1, bind("n"));
    assert_eq!(the_pod(&mirror, "default/p").node, Some(0));
    mirror.drain_events();
    apply(&mut mirror, &pod("p", "priority: 7"));
    let known = the_pod(&mirror, "default/p");
    assert_eq!((known.node, known.template.priority, known.started), (Some(0), Some(7), Some(5)));
    assert_eq!(mirror.shows(0, 1), Some(ChangeVisibility::No));
    assert_eq!(mirror.drain_reobserved(), [0].into());
    apply(&mut mirror, &pod("p", "priority: 7, nodeName: n"));
    assert_eq!(mirror.shows(0, 1), Some(ChangeVisibility::Yes));
    apply(&mut mirror, &pod("p", "nodeName: m"));
    assert_eq!(mirror.shows(0, 1), Some(ChangeVisibility::Never));
}

#[test]
fn what_is_retracted_leaves_what_the_cluster_shows_and_the_other_assumptions() {
    let mut mirror = told();
    mirror.assume(0, 1, to("m"));
    mirror.assume(0, 2, bind("n"));
    assert_eq!(the_pod(&mirror, "default/p").nominated, None);
    apply(&mut mirror, &pod("p", "priority: 3"));
    assert_eq!(mirror.retract(0, 2), Some(bind("n")));
    let known = the_pod(&mirror, "default/p").clone();
    assert_eq!((known.node, known.nominated, known.phase), (None, Some(1), Phase::Pending));
    assert_eq!((known.template.priority, known.started), (Some(3), None));
    assert_eq!(mirror.retract(0, 2), None);
    assert_eq!(mirror.retract(0, 1), Some(to("m")));
    assert_eq!(the_pod(&mirror, "default/p").nominated, None);
}

#[test]
fn what_is_confirmed_is_seen() {
    let mut mirror = told();
    mirror.assume(0, 1, to("m"));
    mirror.assume(0, 2, bind("n"));
    mirror.drain_events();
    // The outcome of the nomination was lost. The nomination happened before the binding.
    mirror.confirm(0, 2);
    assert_eq!(drained(&mut mirror), [""; 0]);
    assert_eq!((mirror.shows(0, 1), mirror.shows(0, 2)), (None, None));
    let known = the_pod(&mirror, "default/p");
    assert_eq!((known.node, known.nominated), (Some(0), None));
    // An object that arrives now is newer than the confirmation.
    apply(&mut mirror, &pod("p", ""));
    assert_eq!(the_pod(&mirror, "default/p").node, None);
}

#[test]
fn who_is_only_assumed_to_be_bound_outlives_the_node() {
    let mut mirror = told();
    mirror.assume(0, 1, bind("n"));
    mirror.drain_events();
    assert!(mirror.remove("Node/n"));
    let known = the_pod(&mirror, "default/p");
    assert_eq!((known.node, known.phase), (None, Phase::Running));
    mirror.retract(0, 1);
    assert_eq!(the_pod(&mirror, "default/p").phase, Phase::Pending);
    mirror.assume(0, 2, bind("m"));
    mirror.confirm(0, 2);
    assert!(mirror.remove("Node/m"));
    assert_eq!(mirror.pod_id("default/p"), None);
}

#[test]
fn a_nomination_that_has_happened_says_which_earlier_ones_are_of_the_past() {
    let mut mirror = told();
    for (number, node) in [(1, "n"), (2, "m"), (3, "n"), (4, "m")] {
        mirror.assume(0, number, PodChange::Nominate(Some(node.to_owned())));
    }
    assert_eq!(mirror.confirm(0, 3), [1, 2]);
    assert_eq!(mirror.shows(0, 2), None);
    assert_eq!(mirror.shows(0, 4), Some(ChangeVisibility::No));
    assert!(mirror.confirm(0, 4).is_empty());
}

#[test]
fn the_object_behind_a_slot_follows() {
    let mut mirror = mirror();
    apply(&mut mirror, &[&node("n"), SLOT].concat());
    let json =
        |mirror: &Mirror| mirror.objects.json(&StoredObjectKey::new("example.com", "Slot", "", "r")).unwrap().clone();
    let before = json(&mirror);
    mirror.assume(0, 1, bind("n"));
    assert_eq!(json(&mirror)["status"]["placement"]["node"], "n");
    apply(&mut mirror, SLOT);
    assert_eq!(json(&mirror)["status"]["placement"]["node"], "n");
    mirror.retract(0, 1);
    assert_eq!(json(&mirror), before);
}

#[test]
fn evictions_are_seen_by_the_deletion() {
    let mut mirror = told();
    mirror.assume(0, 1, PodChange::Evict { deleted: Some(3), marks: Vec::new() });
    assert!(the_pod(&mirror, "default/p").terminating);
    assert_eq!(mirror.shows(0, 1), Some(ChangeVisibility::No));
    apply(&mut mirror, &pod("p", "").replace("{name: p}", "{name: p, deletionTimestamp: '1970-01-01T00:00:09Z'}"));
    assert_eq!(mirror.shows(0, 1), Some(ChangeVisibility::Yes));
    assert!(mirror.remove("Pod/p"));
    mirror.confirm(0, 1);
    assert_eq!(mirror.shows(0, 1), None);
}

#[test]
fn what_has_ended_stays_so_whatever_is_learned_late_of_its_binding_or_eviction() {
    for change in [bind("n"), to("n"), PodChange::Evict { deleted: Some(3), marks: Vec::new() }] {
        let mut mirror = told();
        apply(
            &mut mirror,
            &format!(
                "{}status: {{phase: Succeeded}}}}\n",
                pod("p", "nodeName: n").trim_end().trim_end_matches('}').to_owned() + "}, "
            ),
        );
        let before = the_pod(&mirror, "default/p").clone();
        assert_eq!((before.phase, before.terminating), (Phase::Succeeded, false));
        // A restored session assumes again the changes that were under way.
        mirror.assume(0, 1, change.clone());
        assert_eq!(*the_pod(&mirror, "default/p"), before, "{change:?}");
        mirror.confirm(0, 1);
        assert_eq!(*the_pod(&mirror, "default/p"), before, "{change:?}");
    }
}

#[test]
fn a_slot_that_has_ended_is_not_taken_back_into_use() {
    let mut mirror = mirror();
    let over = format!("{SLOT}status: {{state: Over, placement: {{node: n}}}}\n");
    apply(&mut mirror, &[node("n"), over].concat());
    let json =
        |mirror: &Mirror| mirror.objects.json(&StoredObjectKey::new("example.com", "Slot", "", "r")).unwrap().clone();
    let before = json(&mirror);
    mirror.assume(0, 1, bind("n"));
    mirror.confirm(0, 1);
    assert_eq!(json(&mirror), before);
}
