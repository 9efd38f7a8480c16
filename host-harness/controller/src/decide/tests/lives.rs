//! The ends of plans.

use super::super::leftovers::Leftover;
use super::super::lives::GivenUpReason;
use super::*;
use crate::watch::store::{ObjectChange, VisibleObject};

#[test]
fn a_plan_whose_eviction_is_refused_is_given_up_and_not_made_again_at_once() {
    let again = ScriptedPlan { id: 6, nominations: &[("default/p", "n1")], victims: &["default/v"], soft: false };
    let more = ScriptedPlan { id: 7, ..again };
    let policy = evicting()
        .reply("filter default/p", ScriptedReply::Fits(&[]))
        .reply("post-filter default/p", ScriptedReply::Plan(again, ScriptedEffects::default()))
        .reply("filter default/p", ScriptedReply::Fits(&[]))
        .reply("post-filter default/p", ScriptedReply::Plan(more, ScriptedEffects::default()));
    let (mut decider, evict) = under_way(&policy);
    let refused = CommandOutcome::Refused { reason: "forbidden".to_owned(), until: 0, budget: false };
    let turn = decider.apply_facts(SECOND, vec![outcome(&evict, refused)]);
    let [given_up] = turn.given_up.as_slice() else { panic!("{:?}", turn.given_up) };
    assert_eq!((given_up.plan, given_up.why, given_up.pods[0].name.as_str()), (5, GivenUpReason::Refused, "p"));
    assert_eq!(given_up.reason, "the eviction of default/v is refused: forbidden");
    assert_eq!(words(&turn.tasks), ["nominate p"], "the nomination is taken back");
    assert!(!decider.is_due(), "nothing has changed");
    assert_eq!(decider.wake_at(), Some(2 * SECOND));
    decider.apply_facts(2 * SECOND, Vec::new());
    assert_eq!(words(&decider.decide(ALL_AT_ONCE).tasks), ["nominate p"]);
}

#[test]
fn a_plan_whose_eviction_was_not_carried_out_is_given_up_for_that_reason() {
    let (mut decider, evict) = under_way(&refusing_twice());
    let turn = decider.apply_facts(SECOND, vec![outcome(&evict, CommandOutcome::Failed("it is gone".to_owned()))]);
    let mut given_up = turn.given_up;
    given_up.extend(decider.decide(ALL_AT_ONCE).given_up);
    let [given_up] = given_up.as_slice() else { panic!("{given_up:?}") };
    assert_eq!((given_up.plan, given_up.why), (5, GivenUpReason::NotAdmitted));
    let said =
        "its nominations were taken back, and the room is for others: default/v could not be evicted: it is gone";
    assert_eq!(given_up.reason, said);
}

/// Returns a policy that evicts, and then finds no node for `p` in two attempts.
fn refusing_twice() -> Scripted {
    let none = || ScriptedReply::Fits(&[]);
    evicting().reply("filter default/p", none()).reply("filter default/p", none())
}

#[test]
fn a_plan_whose_job_is_refused_after_its_victims_have_left_is_given_up() {
    let policy = refusing_twice();
    let (mut decider, evict) = under_way(&policy);
    decider.apply_facts(SECOND, vec![outcome(&evict, CommandOutcome::Accepted)]);
    decider.apply_facts(2 * SECOND, vec![SessionFact::Deleted("Pod/default/v".to_owned())]);
    assert!(decider.decide(ALL_AT_ONCE).tasks.is_empty());
    assert!(decider.apply_facts(61 * SECOND, Vec::new()).given_up.is_empty());
    let turn = decider.apply_facts(62 * SECOND, Vec::new());
    assert_eq!((turn.given_up[0].why, words(&turn.tasks)), (GivenUpReason::NotAdmitted, vec!["withdraw p".to_owned()]));
    assert!(decider.apply_facts(99 * SECOND, Vec::new()).given_up.is_empty(), "once");
}

/// Decides that `p` takes the room of `v`, and removes `v` at 2 s while `w`, which a user has deleted, is leaving the same node.
fn beside_a_pod_that_leaves() -> Decider {
    let policy = refusing_twice();
    let (mut decider, evict) = under_way(&policy);
    decider.apply_facts(SECOND, vec![outcome(&evict, CommandOutcome::Accepted)]);
    let leaves = with(named(on("n1", pod("w", 1, 0))), "/metadata", "deletionTimestamp", json!("1970-01-01T00:00:01Z"));
    let seen = vec![SessionFact::Upserted(Box::new(object(leaves))), SessionFact::Deleted("Pod/default/v".to_owned())];
    decider.apply_facts(2 * SECOND, seen);
    assert!(decider.decide(ALL_AT_ONCE).tasks.is_empty());
    decider
}

#[test]
fn a_plan_whose_job_is_refused_is_not_given_up_while_another_pod_leaves_its_node() {
    let mut decider = beside_a_pod_that_leaves();
    assert!(decider.apply_facts(62 * SECOND, Vec::new()).given_up.is_empty(), "w has not left");
    assert_eq!(decider.wake_at(), Some(122 * SECOND));
    decider.apply_facts(100 * SECOND, vec![SessionFact::Deleted("Pod/default/w".to_owned())]);
    assert!(decider.apply_facts(121 * SECOND, Vec::new()).given_up.is_empty());
    assert_eq!(decider.apply_facts(122 * SECOND, Vec::new()).given_up[0].why, GivenUpReason::NotAdmitted);
}

#[test]
fn a_plan_whose_job_is_refused_is_not_given_up_while_a_marked_victim_of_another_plan_is_on_its_node() {
    let other = ScriptedPlan { id: 6, nominations: &[("default/q", "n1")], victims: &["default/w"], soft: true };
    let calls = ["p", "p", "p", "q"].map(|pod| format!("filter default/{pod}"));
    let policy = calls.iter().fold(evicting(), |policy, call| policy.reply(call, ScriptedReply::Fits(&[])));
    let policy = policy.reply("post-filter default/q", ScriptedReply::Plan(other, ScriptedEffects::default()));
    let (mut decider, evict) = under_way(&policy);
    decider.apply_facts(SECOND, vec![outcome(&evict, CommandOutcome::Accepted)]);
    let there = [named(on("n1", pod("w", 1, 0))), named(pod("q", 1, 9))]
        .map(|pod| SessionFact::Upserted(Box::new(object(pod))));
    decider
        .apply_facts(2 * SECOND, there.into_iter().chain([SessionFact::Deleted("Pod/default/v".to_owned())]).collect());
    assert_eq!(words(&decider.decide(ALL_AT_ONCE).tasks), ["nominate q"]);
    assert!(decider.apply_facts(62 * SECOND, Vec::new()).given_up.is_empty(), "w is to leave");
}

#[test]
fn a_plan_is_given_up_where_another_pod_does_not_leave_its_node_for_a_long_time() {
    let mut decider = beside_a_pod_that_leaves();
    for seconds in [62, 122, 182, 242, 301] {
        assert!(decider.apply_facts(seconds * SECOND, Vec::new()).given_up.is_empty(), "{seconds}");
    }
    let turn = decider.apply_facts(302 * SECOND, Vec::new());
    assert_eq!((turn.given_up[0].why, words(&turn.tasks)), (GivenUpReason::NoProgress, vec!["withdraw p".to_owned()]));
}

/// Returns the change that a pod is being deleted, with a grace in seconds.
fn stops(name: &str, grace: i64) -> ObjectChange {
    let leaves = with(named(pod(name, 1, 0)), "/metadata", "deletionTimestamp", json!("1970-01-01T00:00:01Z"));
    let object = with(leaves, "/metadata", "deletionGracePeriodSeconds", json!(grace));
    let key = format!("Pod/default/{name}");
    let admission_state = crate::view::AdmissionState::Unmanaged;
    ObjectChange::Upserted(VisibleObject { key, object, admission_state, raw: None })
}

#[test]
fn a_plan_waits_for_a_pod_that_leaves_its_node_until_the_end_of_the_grace_of_that_pod_and_as_long_again() {
    let mut decider = beside_a_pod_that_leaves();
    decider.observe(&stops("w", 600), 2 * SECOND);
    for seconds in (62..902).step_by(60) {
        assert!(decider.apply_facts(seconds * SECOND, Vec::new()).given_up.is_empty(), "{seconds}");
    }
    assert!(decider.apply_facts(901 * SECOND, Vec::new()).given_up.is_empty());
    let turn = decider.apply_facts(902 * SECOND, Vec::new());
    assert_eq!((turn.given_up[0].why, words(&turn.tasks)), (GivenUpReason::NoProgress, vec!["withdraw p".to_owned()]));
    assert_eq!(turn.given_up[0].reason, "nothing has moved for 300 s: default/w still on its nodes");
}

#[test]
fn a_plan_does_not_wait_for_pods_that_begin_to_leave_its_node_when_nothing_has_moved_for_a_long_time() {
    let mut decider = beside_a_pod_that_leaves();
    decider.observe(&stops("w", 200), 200 * SECOND);
    assert!(decider.apply_facts(699 * SECOND, Vec::new()).given_up.is_empty(), "until 200 + 200 + 300");
    // The same pod once more, as another pod that would leave then.
    decider.observe(&stops("w", 100), 699 * SECOND);
    assert_eq!(decider.apply_facts(700 * SECOND, Vec::new()).given_up[0].why, GivenUpReason::NoProgress);
}

#[test]
fn a_plan_in_which_nothing_moves_is_given_up_and_its_marks_are_taken_off() {
    for (soft, expected) in [(false, vec!["withdraw p"]), (true, vec!["withdraw p", "unmark v"])] {
        let plan = ScriptedPlan { id: 5, nominations: &[("default/p", "n1")], victims: &["default/v"], soft };
        let policy = Scripted::deciding(ALL)
            .reply("filter default/p", ScriptedReply::Fits(&[]))
            .reply("post-filter default/p", ScriptedReply::Plan(plan, ScriptedEffects::default()));
        let (mut decider, evict) = under_way(&policy);
        decider.apply_facts(2 * SECOND, vec![outcome(&evict, CommandOutcome::Accepted)]);
        assert!(decider.apply_facts(300 * SECOND, Vec::new()).given_up.is_empty());
        // A victim that is being deleted has until the end of its grace, and as long again.
        decider.observe(&stops("v", 30), 70 * SECOND);
        assert!(decider.apply_facts(399 * SECOND, Vec::new()).given_up.is_empty());
        let turn = decider.apply_facts(400 * SECOND, Vec::new());
        assert_eq!(turn.given_up[0].why, GivenUpReason::NoProgress);
        let tasks = words(&turn.tasks);
        assert_eq!(tasks.iter().filter(|task| !task.starts_with("confirm")).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn the_end_of_a_plan_that_evicts_no_pod_is_said_where_one_was_evicted_for_the_plan_before() {
    let more = ScriptedPlan { id: 6, nominations: &[("default/p", "n1")], victims: &[], soft: false };
    let over = ScriptedEffects { withdrawn: &["default/p"], ..ScriptedEffects::default() };
    let policy = evicting()
        .reply("filter default/p", ScriptedReply::Fits(&[]))
        .reply("post-filter default/p", ScriptedReply::Plan(more, ScriptedEffects::default()))
        .reply("filter default/p", ScriptedReply::Fits(&[]))
        .reply("post-filter default/p", ScriptedReply::NoPlan("no node is left", over));
    let (mut decider, evict) = under_way(&policy);
    decider.apply_facts(SECOND, vec![outcome(&evict, CommandOutcome::Accepted)]);
    let mut given_up = Vec::new();
    for _ in 0..2 {
        decider.request_cycle();
        given_up.extend(decider.decide(ALL_AT_ONCE).given_up);
    }
    assert_eq!(given_up.iter().map(|it| (it.plan, it.why)).collect::<Vec<_>>(), [(6, GivenUpReason::NotAdmitted)]);
}

#[test]
fn a_plan_of_two_pods_that_lose_their_nominations_one_after_the_other_is_given_up_for_each() {
    let taken = |pod: &'static [&'static str]| ScriptedEffects { withdrawn: pod, ..ScriptedEffects::default() };
    let nominations = &[("default/p", "n1"), ("default/q", "n1")];
    let plan = ScriptedPlan { id: 5, nominations, victims: &["default/v"], soft: false };
    let policy = Scripted::deciding(ALL)
        .reply("filter default/p", ScriptedReply::Fits(&[]))
        .reply("post-filter default/p", ScriptedReply::Plan(plan, ScriptedEffects::default()))
        .reply("filter default/q", ScriptedReply::Fits(&[]))
        .reply("post-filter default/q", ScriptedReply::NoPlan("its victim leaves", ScriptedEffects::default()))
        .reply("filter default/p", ScriptedReply::Fits(&[]))
        .reply("post-filter default/p", ScriptedReply::NoPlan("another gang is first", taken(&["default/p"])))
        .reply("filter default/q", ScriptedReply::Fits(&[]))
        .reply("post-filter default/q", ScriptedReply::NoPlan("its gang waits", ScriptedEffects::default()))
        .reply("filter default/p", ScriptedReply::Fits(&[]))
        .reply("post-filter default/p", ScriptedReply::NoPlan("another gang is first", ScriptedEffects::default()))
        .reply("filter default/q", ScriptedReply::Fits(&[]))
        .reply("post-filter default/q", ScriptedReply::NoPlan("its gang has failed", taken(&["default/q"])));
    let pods = [named(on("n1", pod("v", 4, 0))), named(pod("p", 2, 9)), named(pod("q", 2, 9))];
    let cluster = [node("n1", 4)].into_iter().chain(pods).map(object).collect();
    let mut decider = enforcing(policy, cluster, None).0;
    let nominate = decider.decide(ALL_AT_ONCE).tasks;
    assert_eq!(words(&nominate), ["nominate p", "nominate q"]);
    let done = nominate.iter().map(|task| outcome(task, CommandOutcome::Done)).collect();
    let evict = decider.apply_facts(SECOND, done).tasks;
    let gone = SessionFact::Deleted("Pod/default/v".to_owned());
    decider.apply_facts(SECOND, vec![outcome(&evict[0], CommandOutcome::Accepted), gone]);
    let mut given_up = Vec::new();
    for _ in 0..2 {
        decider.request_cycle();
        let turn = decider.decide(ALL_AT_ONCE);
        assert_eq!(turn.tasks.len(), 1, "a nomination is taken back");
        given_up.push(turn.given_up);
    }
    let pods = |all: &Vec<GivenUpPlan>| all.iter().flat_map(|it| &it.pods).map(|pod| &*pod.name).collect::<String>();
    assert_eq!(given_up.iter().map(pods).collect::<Vec<_>>(), ["p", "q"]);
    assert_eq!(given_up.iter().flatten().map(|it| it.counts).collect::<Vec<_>>(), [true, false], "one plan");
}

#[test]
fn a_plan_whose_pod_cannot_be_let_go_is_given_up_aloud() {
    let (mut decider, evict) = under_way(&evicting());
    decider.apply_facts(SECOND, vec![outcome(&evict, CommandOutcome::Accepted)]);
    decider.apply_facts(SECOND, vec![SessionFact::Deleted("Pod/default/v".to_owned())]);
    let bind = decider.decide(ALL_AT_ONCE).tasks;
    assert_eq!(words(&bind), ["bind p n1"]);
    assert!(decider.apply_facts(2 * SECOND, Vec::new()).given_up.is_empty(), "it may succeed");
    // The executor has taken its own nomination off.
    let shown = SessionFact::Upserted(Box::new(object(named(pod("p", 3, 9)))));
    let refused = CommandOutcome::Refused { reason: "forbidden".to_owned(), until: 0, budget: false };
    let given_up = decider.apply_facts(3 * SECOND, vec![shown, outcome(&bind[0], refused)]).given_up;
    let why = "its nominations were taken back, and the room is for others: default/p could not be let go: forbidden";
    assert_eq!(given_up.iter().map(|it| it.reason.as_str()).collect::<Vec<_>>(), [why]);
}

#[test]
fn a_nomination_without_a_plan_is_taken_back_aloud_and_counts_as_no_plan() {
    let (decider, evict) = under_way(&evicting());
    let pod = ObjectRef { name: "q".to_owned(), uid: String::new(), ..evict.object().clone() };
    let turn = decider.remove_leftovers(vec![Leftover { pod, node: "n1".to_owned(), is_marked: false }]);
    assert_eq!(words(&turn.tasks), ["withdraw q"]);
    let given_up: Vec<_> = turn.given_up.iter().map(|it| (it.why, it.counts)).collect();
    assert_eq!(given_up, [(GivenUpReason::NotAdmitted, false)]);
}
