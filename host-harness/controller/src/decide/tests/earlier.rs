//! Plans that an earlier process has made.

use super::*;

#[test]
fn what_an_earlier_process_has_nominated_is_taken_back_where_nothing_moves() {
    let mut session = Session::open(Box::new(Scripted::deciding(ALL)), "test", "").unwrap();
    session.set_fault_rules(FaultRules::ONCE);
    let nominated = with(named(pod("p", 3, 9)), "/status", "nominatedNodeName", json!("n1"));
    let cluster = [node("n1", 4), named(on("n1", pod("v", 4, 0))), nominated].map(object).into();
    let talk = RecordableSession::new(session, None);
    let (mut decider, mut turn) = Decider::begin(talk, RunMode::Enforce, &[], SECOND, cluster, None);
    decider.recover(std::iter::empty(), true, &mut turn);
    let turn = decider.apply_facts(400 * SECOND, Vec::new());
    assert_eq!(words(&turn.tasks), ["withdraw p"]);
}

#[test]
fn of_the_plans_of_an_earlier_process_the_end_of_each_is_said() {
    let over = ScriptedEffects { withdrawn: &["default/p"], ..ScriptedEffects::default() };
    let policy = Scripted::deciding(ALL)
        .reply("filter default/p", ScriptedReply::Fits(&[]))
        .reply("post-filter default/p", ScriptedReply::NoPlan("its group is gone", over))
        .reply("filter default/q", ScriptedReply::Fits(&[]))
        .reply("post-filter default/q", ScriptedReply::NoPlan("its victim leaves", ScriptedEffects::default()));
    let nominated = |name| with(named(pod(name, 2, 9)), "/status", "nominatedNodeName", json!("n1"));
    let cluster = [node("n1", 4), nominated("p"), nominated("q")].map(object).into();
    let mut decider = enforcing(policy, cluster, None).0;
    decider.recover(std::iter::empty(), true, &mut DeciderOutput::default());
    let given_up = decider.decide(ALL_AT_ONCE).given_up;
    let pods: Vec<&str> = given_up.iter().flat_map(|it| &it.pods).map(|pod| pod.name.as_str()).collect();
    assert_eq!((pods, given_up[0].reason.ends_with("its group is gone")), (vec!["p"], true), "q still waits");
}

#[test]
fn a_plan_of_an_earlier_process_for_a_node_that_is_gone_is_given_up_aloud() {
    let nominated = with(named(pod("p", 3, 9)), "/status", "nominatedNodeName", json!("n2"));
    let cluster = [node("n1", 1), nominated].map(object).into();
    let mut decider = enforcing(Scripted::deciding(ALL), cluster, None).0;
    decider.recover(std::iter::empty(), true, &mut DeciderOutput::default());
    let turn = decider.apply_facts(2 * SECOND, Vec::new());
    let pods: Vec<&str> = turn.given_up.iter().flat_map(|it| &it.pods).map(|pod| pod.name.as_str()).collect();
    assert_eq!((pods, words(&turn.tasks)), (vec!["p"], vec!["withdraw p".to_owned()]));
    assert!(decider.apply_facts(3 * SECOND, Vec::new()).given_up.is_empty(), "once");
}

#[test]
fn a_plan_of_an_earlier_process_whose_pod_was_not_let_go_after_all_is_given_up_aloud() {
    let begin = |policy: Scripted, saved| {
        let nominated = with(named(pod("p", 3, 9)), "/status", "nominatedNodeName", json!("n1"));
        let cluster = [node("n1", 4), named(on("n1", pod("v", 1, 0))), nominated].map(object).into();
        enforcing(policy, cluster, saved)
    };
    let (mut first, _) = begin(Scripted::deciding(ALL), None);
    assert_eq!(words(&first.decide(ALL_AT_ONCE).tasks), ["bind p n1"]);
    let over = ScriptedEffects { withdrawn: &["default/p"], ..ScriptedEffects::default() };
    let policy = Scripted::deciding(ALL)
        .reply("filter default/p", ScriptedReply::Fits(&[]))
        .reply("post-filter default/p", ScriptedReply::NoPlan("its group is gone", over));
    let (mut second, mut turn) = begin(policy, Some(first.checkpoint().unwrap()));
    assert_eq!(words(&turn.tasks), ["confirm p true"]);
    second.recover(std::iter::empty(), true, &mut turn);
    assert!(second.apply_facts(SECOND, Vec::new()).given_up.is_empty(), "it may have been let go");
    let not_done = CommandOutcome::Failed("it was not carried out".to_owned());
    second.apply_facts(SECOND, vec![outcome(&turn.tasks[0], not_done)]);
    let given_up = second.decide(ALL_AT_ONCE).given_up;
    assert_eq!(given_up.iter().flat_map(|it| &it.pods).map(|pod| pod.name.as_str()).collect::<Vec<_>>(), ["p"]);
}
