//! Commands fail, are late, are lost, or are answered after the cluster has changed.

use super::*;
use crate::cluster::PodChange;
use crate::verify::CommandRefusal;

fn is_pending(session: &Session, name: &str) -> bool {
    let id = session.mirror().pod_id(name).unwrap();
    session.pending().any(|pod| pod == id)
}

#[test]
fn a_binding_that_failed_leaves_the_pod_pending_and_the_policy_is_told() {
    let policy = Scripted::deciding(ALL);
    let mut session = open(&policy, [node("n1", 4), pod("a", 1, 0)]);
    assert_eq!(short(&attempt(&mut session, "a").unwrap()), ["1 bind a n1"]);
    assert!(attempt(&mut session, "a").is_err(), "it counts as bound");
    let step = answer(&mut session, 1, failed());
    assert_eq!(step.happened.failed.first().unwrap().reason, "the server is busy");
    assert_eq!(policy.received("default/a").node, None);
    assert_eq!(short(&attempt(&mut session, "a").unwrap()), ["2 bind a n1"]);
}

#[test]
fn what_the_session_does_itself_is_told_without_names_and_amounts() {
    let policy = evicting();
    let mut session = open(&policy, full());
    policy.take_received();
    attempt(&mut session, "p").unwrap();
    let (whole, small) = policy.take_received();
    let [victim, nominated] = small.as_slice() else { panic!("{small:?}") };
    assert_eq!((whole, victim.terminating, victim.preempted, victim.node), (0, true, true, Some(0)));
    assert_eq!((nominated.nominated, nominated.node, nominated.phase), (Some(0), None, Phase::Pending));
    session.handle(SessionInput::Removed("Pod/default/v".to_owned())).unwrap();
    attempt(&mut session, "p").unwrap();
    let (whole, small) = policy.take_received();
    let [bound] = small.as_slice() else { panic!("{small:?}") };
    assert_eq!((whole, bound.node, bound.nominated, bound.phase), (0, Some(0), None, Phase::Running));
    // The binding fails. A pod that loses its node is sent whole.
    let bind = session.pending_commands.last();
    answer(&mut session, bind, failed());
    assert_eq!(policy.take_received(), (1, Vec::new()));
}

#[test]
fn an_object_of_a_placed_kind_that_cannot_be_read_is_a_finding() {
    let mut session = open(&Scripted::deciding(ALL), [node("n1", 4), slot("s", 1, Some("n1"))]);
    let step = tell(&mut session, with(slot("s", 2, None), "/status", "state", json!("Nowhere")));
    let [finding] = step.findings.as_slice() else { panic!("{:?}", step.findings) };
    assert_eq!((finding.severity, &*finding.object), (Severity::Error, "Slot/s"));
    assert_eq!(finding.message, "status.state of Slot s: `Nowhere` is not a phase");
    let s = session.mirror().pod_id("Slot/s").unwrap();
    assert_eq!(session.mirror().pod(s).unwrap().node, Some(0), "what was known of it holds");
}

#[test]
fn an_eviction_that_failed_withdraws_the_promise_and_voids_the_plan() {
    let policy = evicting();
    let mut session = open(&policy, full());
    let step = attempt(&mut session, "p").unwrap();
    assert_eq!(short(&step), ["1 nominate p n1", "2 evict v true 1"]);
    let step = answer(&mut session, 2, failed());
    assert_eq!(step.happened.withdrawn, ["default/p"]);
    assert_eq!(short(&step), ["3 nominate p -"]);
    assert_eq!(policy.log().last().unwrap(), "refused 1");
    assert!(!policy.received("default/v").terminating);
    assert_eq!(session.planned_evictions.iter().count(), 0);
    // The cluster still shows the nomination until the withdrawal is done.
    answer(&mut session, 1, CommandOutcome::Done);
    assert_eq!(short(&answer(&mut session, 3, failed())), ["4 nominate p -"]);
    answer(&mut session, 4, CommandOutcome::Done);
    assert_eq!((session.commands_in_flight(), policy.received("default/p").nominated), (0, None));
}

#[test]
fn a_nomination_that_failed_is_a_promise_withdrawn() {
    let policy = evicting();
    let mut session = open(&policy, full());
    attempt(&mut session, "p").unwrap();
    let step = answer(&mut session, 1, failed());
    assert_eq!((step.happened.withdrawn.as_slice(), step.commands.len()), (["default/p".to_owned()].as_slice(), 0));
    assert_eq!(policy.received("default/p").nominated, None);
}

#[test]
fn what_became_of_a_nomination_does_not_matter_once_a_later_one_was_asked_for() {
    let objects = || full().into_iter().chain([node("n2", 4)]);
    let mut session = open(&Scripted::deciding(ALL), objects());
    let p = session.mirror().pod_id("default/p").unwrap();
    for node in [Some("n1"), None, Some("n2"), None, Some("n1")] {
        session.issue_command(p, PodChange::Nominate(node.map(str::to_owned)), 1);
    }
    session.handle(SessionInput::Clock(1)).unwrap();
    let promised = |session: &Session| {
        let mirror = session.mirror();
        mirror.pod(mirror.pod_id("default/p").unwrap()).and_then(|pod| pod.nominated)
    };
    let n1 = session.mirror().node_id("n1");
    for id in [1, 2] {
        let step = answer(&mut session, id, failed());
        assert_eq!((step.happened.withdrawn.len(), short(&step)), (0, vec![]), "command {id}");
        assert_eq!(promised(&session), n1);
    }
    // The last nomination is done. A session that is restored here does not take the others for the latest decision.
    answer(&mut session, 5, CommandOutcome::Done);
    assert_eq!(session.commands_in_flight(), 0);
    let saved = session.checkpoint().unwrap();
    let nominated = with(pod("p", 3, 9), "/status", "nominatedNodeName", json!("n1"));
    let others = objects().filter(|object| object["metadata"]["name"] != "p");
    let mut second = open(&Scripted::deciding(ALL), others.chain([nominated]));
    second.restore(saved).unwrap();
    assert_eq!(promised(&second), second.mirror().node_id("n1"));
}

#[test]
fn an_outcome_that_does_not_come_is_asked_for() {
    let mut session = open(&Scripted::deciding(ALL), [node("n1", 4), pod("a", 1, 0)]);
    session.set_outcome_timeout(10);
    let step = attempt(&mut session, "a").unwrap();
    assert_eq!(step.wake_at, Some(10));
    assert_eq!(short(&session.handle(SessionInput::Clock(9)).unwrap()), [""; 0]);
    let step = session.handle(SessionInput::Clock(10)).unwrap();
    assert_eq!((short(&step), step.wake_at), (vec!["1 confirm a".to_owned()], Some(20)));
    assert!(!is_pending(&session, "default/a"));
    answer(&mut session, 1, failed());
    assert!(is_pending(&session, "default/a"));
}

#[test]
fn what_was_accepted_counts_until_the_cluster_shows_it() {
    let mut session = open(&Scripted::deciding(ALL), [node("n1", 4), pod("a", 1, 0)]);
    attempt(&mut session, "a").unwrap();
    answer(&mut session, 1, CommandOutcome::Accepted);
    tell(&mut session, pod("a", 1, 7));
    assert!(!is_pending(&session, "default/a"));
    assert_eq!(session.commands_in_flight(), 1);
    tell(&mut session, on("n1", pod("a", 1, 7)));
    assert_eq!(session.commands_in_flight(), 0);
    assert_eq!(short(&answer(&mut session, 1, failed())), [""; 0]);
    assert!(!is_pending(&session, "default/a"), "the outcome came twice, and late");
}

#[test]
fn an_outcome_for_a_pod_that_another_has_replaced_says_nothing_of_the_new_one() {
    let mut session = open(&Scripted::deciding(ALL), [node("n1", 4), uid(pod("a", 1, 0), "old")]);
    attempt(&mut session, "a").unwrap();
    tell(&mut session, uid(pod("a", 1, 0), "new"));
    assert_eq!(session.commands_in_flight(), 0);
    answer(&mut session, 1, CommandOutcome::Done);
    assert!(is_pending(&session, "default/a"));
    let step = attempt(&mut session, "a").unwrap();
    assert_eq!(step.commands.first().unwrap().object.uid, "new");
}

#[test]
fn a_pod_that_somebody_else_bound_is_bound_there() {
    let mut session = open(&Scripted::deciding(ALL), [node("n1", 4), node("n2", 4), pod("a", 1, 0)]);
    attempt(&mut session, "a").unwrap();
    tell(&mut session, on("n2", pod("a", 1, 0)));
    let (a, n2) = (session.mirror().pod_id("default/a").unwrap(), session.mirror().node_id("n2"));
    assert_eq!((session.commands_in_flight(), session.mirror().pod(a).unwrap().node), (0, n2));
}

#[test]
fn a_held_pod_that_another_has_replaced_is_unreserved_before_the_policy_is_told() {
    let policy = Scripted::deciding(ALL).reply("permit default/a", ScriptedReply::Wait(10, ScriptedEffects::default()));
    let mut session = open(&policy, [node("n1", 4), uid(pod("a", 1, 0), "old")]);
    attempt(&mut session, "a").unwrap();
    tell(&mut session, uid(pod("a", 1, 0), "new"));
    let log = policy.log();
    assert!(log.ends_with(&["unreserve default/a Removed", "removed default/a"].map(str::to_owned)), "{log:?}");
    assert!(session.waiting().is_empty() && is_pending(&session, "default/a"));
}

#[test]
fn a_promise_is_withdrawn_with_its_node() {
    let policy = evicting();
    let mut session = open(&policy, full());
    attempt(&mut session, "p").unwrap();
    let step = session.handle(SessionInput::Removed("Node/n1".to_owned())).unwrap();
    assert_eq!(step.happened.withdrawn, ["default/p"]);
}

#[test]
fn a_policy_that_orders_no_queue_is_asked_for_no_keys() {
    let policy = Scripted::deciding(&[ExtensionPoint::Filter]);
    let mut session = open(&policy, [node("n1", 4), pod("a", 1, 0)]);
    let before = policy.log();
    let (answer, _) = session.serve_request(&PluginRequest::Keys(vec!["default/a".to_owned()])).unwrap();
    assert_eq!((answer, policy.log()), (PluginResponse::Keys(0, Vec::new()), before));
}

#[test]
fn a_plan_whose_eviction_the_api_server_refuses_is_not_made_again_at_once() {
    let plan = ScriptedPlan { id: 2, nominations: &[("default/p", "n1")], victims: &["default/v"], soft: false };
    let policy = evicting()
        .reply("filter default/p", ScriptedReply::Fits(&[]))
        .reply("post-filter default/p", ScriptedReply::Plan(plan, ScriptedEffects::default()));
    let mut session = open(&policy, full());
    attempt(&mut session, "p").unwrap();
    let refused = |budget| CommandOutcome::Refused { reason: "forbidden".to_owned(), until: 1_000, budget };
    let step = answer(&mut session, 2, refused(true));
    assert_eq!((step.happened.withdrawn.as_slice(), step.wake_at), (["default/p".to_owned()].as_slice(), Some(1_000)));
    assert!(session.handle(SessionInput::Cycle).unwrap().happened.attempts.is_empty(), "its job waits as long");
    let again = attempt(&mut session, "p").unwrap();
    assert!(again.happened.plans.is_empty());
    assert_eq!(again.happened.refused[0].reason.code, "host/leaving");
    // A change of a budget may allow the eviction.
    let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                        "metadata": {"name": "b", "namespace": "default"}});
    tell(&mut session, budget);
    assert_eq!(session.planned_evictions.next_try(0), None);
}

#[test]
fn a_pod_about_which_a_command_was_refused_is_tried_again_after_its_pause() {
    let policy = Scripted::deciding(ALL);
    let mut session = open(&policy, [node("n1", 4), pod("a", 1, 0)]);
    attempt(&mut session, "a").unwrap();
    let refused = CommandOutcome::Refused { reason: "forbidden".to_owned(), until: 1_000, budget: false };
    answer(&mut session, 1, refused);
    assert!(session.handle(SessionInput::Cycle).unwrap().commands.is_empty());
    session.handle(SessionInput::Clock(1_000)).unwrap();
    assert_eq!(short(&session.handle(SessionInput::Cycle).unwrap()), ["2 bind a n1"]);
}

#[test]
fn a_cycle_of_the_policys_own_passes_over_a_pod_until_its_pause_is_over() {
    let acts = |bindings, plans| ScriptedReply::Act { bindings, plans, more: false };
    let plan = ScriptedPlan { id: 1, nominations: &[("default/a", "n2")], victims: &["default/v"], soft: false };
    let answers = [
        acts(&[("default/a", "n1"), ("default/b", "n1")], Vec::new()),
        acts(&[], vec![plan]),
        acts(&[("default/a", "n1")], Vec::new()),
    ];
    let acting = Scripted::deciding(&[ExtensionPoint::Act]);
    let policy = answers.into_iter().fold(acting, |policy, answer| policy.reply("act", answer));
    let cluster = [node("n1", 4), node("n2", 1), on("n2", pod("v", 1, 0)), pod("a", 1, 0), pod("b", 1, 0)];
    let mut session = open(&policy, cluster);
    let cycle = |session: &mut Session| short(&session.handle(SessionInput::Cycle).unwrap());
    // The API server refuses a command about the pod, which is paused. Its sibling is bound in the same cycle.
    let a = session.mirror().pod_id("default/a").unwrap();
    session.planned_evictions.refuse(a, CommandRefusal { until: 1_000, budget: false });
    assert_eq!(cycle(&mut session), ["1 bind b n1"]);
    assert!(cycle(&mut session).is_empty(), "no pod is evicted for it either");
    assert_eq!(policy.log().last().unwrap(), "refused 1", "the policy is told that its plan is not carried out");
    session.handle(SessionInput::Clock(1_000)).unwrap();
    assert_eq!(cycle(&mut session), ["2 bind a n1"]);
}

#[test]
fn a_nomination_that_may_not_be_taken_back_now_is_taken_back_after_the_pause() {
    let policy = Scripted::deciding(ALL).reply("filter default/p", ScriptedReply::Fits(&[])).reply(
        "post-filter default/p",
        ScriptedReply::NoPlan("no", ScriptedEffects { withdrawn: &["default/p"], ..ScriptedEffects::default() }),
    );
    let nominated = || with(pod("p", 3, 9), "/status", "nominatedNodeName", json!("n1"));
    let mut session = open(&policy, [node("n1", 4), nominated()]);
    assert_eq!(short(&attempt(&mut session, "p").unwrap()), ["1 nominate p -"]);
    let refused = |until| CommandOutcome::Refused { reason: "forbidden".to_owned(), until, budget: false };
    let step = answer(&mut session, 1, refused(5));
    assert_eq!((short(&step), step.wake_at), (vec![], Some(5)), "asking at once for the same is of no use");
    assert_eq!(policy.received("default/p").nominated, None, "it is promised nothing meanwhile");
    assert_eq!(short(&session.handle(SessionInput::Clock(4)).unwrap()), [""; 0]);
    assert_eq!(short(&session.handle(SessionInput::Clock(5)).unwrap()), ["2 nominate p -"]);
    answer(&mut session, 2, refused(9));
    // Another client has cleared the nomination.
    tell(&mut session, pod("p", 3, 9));
    assert_eq!((short(&session.handle(SessionInput::Clock(9)).unwrap()), session.commands_in_flight()), (vec![], 0));
}

#[test]
fn a_nomination_whose_taking_back_fails_time_and_again_is_taken_back_less_and_less_often() {
    let policy = Scripted::deciding(ALL).reply("filter default/p", ScriptedReply::Fits(&[])).reply(
        "post-filter default/p",
        ScriptedReply::NoPlan("no", ScriptedEffects { withdrawn: &["default/p"], ..ScriptedEffects::default() }),
    );
    let nominated = with(pod("p", 3, 9), "/status", "nominatedNodeName", json!("n1"));
    let mut session = open(&policy, [node("n1", 4), nominated]);
    attempt(&mut session, "p").unwrap();
    let (mut at, mut pauses) = (0, Vec::new());
    let first = answer(&mut session, 1, CommandOutcome::Failed("forbidden".to_owned()));
    assert_eq!(short(&first), ["2 nominate p -"]);
    for number in 2..=13 {
        let step = answer(&mut session, number, CommandOutcome::Failed("forbidden".to_owned()));
        assert_eq!(short(&step), [""; 0], "asking at once for the same is of no use");
        let wake = step.wake_at.unwrap();
        pauses.push((wake - at) / 100_000_000);
        at = wake;
        let again = session.handle(SessionInput::Clock(at)).unwrap();
        assert_eq!(short(&again), [format!("{} nominate p -", number + 1)]);
    }
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]);
}
