//! Each ruling explains a difference in its situation, and none in another one.

use serde_json::{Value, json};

use super::{Table, asking, leaving, member, of, promised, ranks, waits, with};
use crate::tests::{binds, nominates, pod, refuses};

/// Returns an outcome with another result, for this reason.
fn rejects(mut outcome: Value, reason: &str) -> Value {
    outcome["result"] = json!("Rejected");
    outcome["reason"] = json!(reason);
    outcome
}

/// Returns a pod that bears no other constrained one.
fn constrained(mut pod: Value) -> Value {
    pod["spec"]["affinity"] = json!({"podAntiAffinity": {}});
    pod
}

/// Returns an outcome for `d/p` and `d/q`.
fn nominates_both(victims: &[&str]) -> Value {
    let both = json!({"d/p": "n1", "d/q": "n2"});
    let mut outcome = nominates("d/p", "n1", victims);
    (outcome["nominated"], outcome["standing"]) = (both.clone(), both);
    outcome
}

#[test]
fn the_last_group_gives_up_its_nodes() {
    let table = |pod: Value| {
        let pods = [pod, member("q", "g", None), member("w", "l", None), member("v", "l", None)];
        Table::new(&[1], &pods).group("g", 2).group("l", 2).held("d/w", "n1")
    };
    let of_group = table(member("p", "g", None));
    assert_eq!(of_group.judge(&waits("n1", &["d/p"])), Ok(vec!["R4"]));
    assert_eq!(of_group.judge(&waits("n1", &["d/p", "d/w"])), Err("upstream/node"));
    assert_eq!(table(pod("p", None)).judge(&binds("d/p", "n1")), Err("upstream/node"));
}

#[test]
fn members_that_leave_or_are_not_tried_are_none() {
    let table = |other: Value| Table::new(&[2], &[member("p", "g", None), other]).group("g", 2);
    let running = || member("q", "g", Some("n1"));
    let nothing = |table: &Table| table.judge(&table.nothing(&[]));
    assert_eq!(nothing(&table(leaving(running()))), Ok(vec!["R3"]));
    assert_eq!(nothing(&table(running())), Err("upstream/node"));
    let short = |other: Value| {
        let pods = [member("p", "g", None), member("q", "g", None), other];
        Table::new(&[1, 1], &pods).group_of_least("g", 2, 2).judge(&waits("n1", &["d/p"]))
    };
    let on_n2 = || member("r", "g", Some("n2"));
    assert_eq!(short(leaving(on_n2())), Ok(vec!["R3"]), "what r holds counts as free");
    assert_eq!(short(on_n2()), Err("upstream/permit"));
    assert_eq!(short(leaving(pod("r", Some("n2")))), Err("upstream/node"), "r is of no group");
    let gated = with("q", None, |pod| {
        *pod = member("q", "g", None);
        pod["spec"]["schedulingGates"] = json!([{"name": "g"}]);
    });
    let foreign = with("q", None, |pod| {
        *pod = member("q", "g", None);
        pod["spec"]["schedulerName"] = json!("other");
    });
    assert_eq!(nothing(&table(gated)), Ok(vec!["R18"]));
    assert_eq!(nothing(&table(foreign)), Ok(vec!["R18"]));
    assert_eq!(nothing(&table(member("q", "g", None))), Err("upstream/node"));
}

#[test]
fn a_pod_whose_group_is_missing_evicts_nobody() {
    let table = || Table::new(&[1], &[pod("v", Some("n1")), asking("p")]);
    let refused = |table: &Table| table.judge(&rejects(table.nothing(&[]), "no PodGroup"));
    assert_eq!(refused(&table()), Ok(vec!["R19"]));
    assert_eq!(refused(&table().group("g", 1)), Err("upstream/plan"));
}

#[test]
fn who_is_leaving_is_not_evicted_again() {
    let table = |l: Value| Table::new(&[2], &[l, pod("v", Some("n1")), ranks(pod("p", None), 1)]);
    let running = || pod("l", Some("n1"));
    assert_eq!(table(leaving(running())).judge(&nominates("d/p", "n1", &[])), Ok(vec!["K10"]));
    assert_eq!(table(leaving(running())).judge(&nominates("d/p", "n1", &["d/v"])), Err("upstream/victims"));
    assert_eq!(table(running()).judge(&nominates("d/p", "n1", &[])), Err("upstream/victims"));
}

#[test]
fn a_group_holds_nodes_as_long_as_it_can_be_complete() {
    let table = |size: u32| Table::new(&[size], &[asking("p"), asking("q")]).group("g", 2);
    let nothing = |table: &Table, waiting: &[&str]| table.judge(&table.nothing(waiting));
    assert_eq!(nothing(&table(1), &[]), Ok(vec!["R25"]));
    assert_eq!(nothing(&table(2), &[]), Err("upstream/node"));
    let beside = |others: &[Value]| {
        let pods: Vec<Value> = [asking("p"), asking("w")].iter().chain(others).cloned().collect();
        Table::new(&[1], &pods).group("g", 2).held("d/w", "n1")
    };
    assert_eq!(nothing(&beside(&[asking("q")]), &["d/w"]), Ok(vec!["R25"]));
    assert_eq!(nothing(&beside(&[]), &["d/w"]), Err("upstream/permit"), "it needs this pod");
    assert_eq!(nothing(&beside(&[]), &[]), Ok(vec![]));
}

#[test]
fn a_group_evicts_pods_for_all_that_it_lacks_or_none() {
    let table = |sizes: &[u32], victims: &[Value]| {
        let pods: Vec<Value> = victims.iter().cloned().chain([asking("p"), asking("q")]).collect();
        Table::new(sizes, &pods).group("g", 2)
    };
    let one = table(&[1], &[pod("v", Some("n1"))]);
    assert_eq!(one.judge(&one.nothing(&[])), Ok(vec!["R13"]));
    let unlike = Table::new(&[1], &[pod("v", Some("n1")), asking("p"), ranks(asking("q"), 20)]).group("g", 2);
    assert_eq!(unlike.judge(&unlike.nothing(&[])), Ok(vec!["R13"]), "that q evicts p completes no group");
    let two = table(&[1, 2], &[pod("v", Some("n1")), pod("u", Some("n2")), pod("t", Some("n2"))]);
    assert_eq!(two.judge(&two.nothing(&[])), Err("upstream/plan"), "both can be placed");
    assert_eq!(two.judge(&nominates_both(&["d/u", "d/v"])), Ok(vec!["R30"]));
    assert_eq!(two.judge(&nominates_both(&["d/t", "d/u", "d/v"])), Err("upstream/victims"), "one would do");
    assert_eq!(two.judge(&nominates_both(&["d/v"])), Err("upstream/victims"), "n2 is full");
    let equal = table(&[1, 1], &[pod("v", Some("n1")), ranks(pod("u", Some("n2")), 1)]);
    assert_eq!(equal.judge(&nominates_both(&["d/u", "d/v"])), Err("upstream/victims"), "u ranks as high");
}

#[test]
fn a_plan_in_flight_stands() {
    let waiting = |l: Value| Table::new(&[1, 1], &[l, pod("v", Some("n2")), promised(ranks(pod("p", None), 1), "n1")]);
    let nothing = |table: &Table| table.judge(&table.nothing(&[]));
    let above = |node| ranks(pod("l", Some(node)), 5);
    assert_eq!(nothing(&waiting(leaving(above("n1")))), Ok(vec!["R50"]));
    assert_eq!(nothing(&waiting(above("n1"))), Err("upstream/plan"));
    let of_group = |l: Value| {
        let pods = [l, pod("v", Some("n1")), asking("p"), promised(asking("q"), "n2")];
        Table::new(&[1, 1], &pods).group("g", 1)
    };
    assert_eq!(nothing(&of_group(leaving(above("n2")))), Ok(vec!["R56"]));
    assert_eq!(nothing(&of_group(above("n2"))), Err("upstream/plan"), "the room does not come");
}

#[test]
fn a_plan_holds_with_the_nominated_pods() {
    let nominated = |name| promised(ranks(pod(name, None), 1), "n1");
    let table = |max: u32| {
        let pods = [pod("r", Some("n1")), nominated("x"), nominated("y"), ranks(pod("p", None), 1)];
        Table::new(&[5], &pods).quota("d", 1, Some(max)).quota("e", 9, None)
    };
    let nothing = |table: &Table| table.judge(&table.nothing(&[]));
    assert_eq!(nothing(&table(2)), Ok(vec!["R59"]));
    assert_eq!(nothing(&table(3)), Err("upstream/plan"));
    let on_the_node = |max: u32| {
        let others = ["x", "y"].map(|name| promised(ranks(pod(name, None), 1), "n2"));
        let pods: Vec<Value> = [pod("r", Some("n1")), nominated("p")].into_iter().chain(others).collect();
        let table = Table::new(&[1, 5], &pods).quota("d", 1, Some(max)).quota("e", 9, None);
        table.judge(&refuses(&json!({"d/x": "n2", "d/y": "n2"})))
    };
    assert_eq!(on_the_node(2), Ok(vec!["R59"]), "upstream takes r off its node twice");
    assert_eq!(on_the_node(3), Err("upstream/plan"));
    let of_group = |waiting: &[&str]| {
        let others = ["x", "y"].map(|name| promised(ranks(pod(name, None), 1), "n2"));
        let pods: Vec<Value> = [pod("r", Some("n1")), asking("p"), asking("w")].into_iter().chain(others).collect();
        let table =
            Table::new(&[1, 5], &pods).group("g", 2).held("d/w", "n2").quota("d", 1, Some(3)).quota("e", 9, None);
        table.judge(&table.nothing(waiting))
    };
    assert_eq!(of_group(&[]), Ok(vec!["R59"]), "its group gives up");
}

#[test]
fn a_gang_that_is_too_small_goes_first() {
    let table = |minimum: u32| {
        let c = of("e", ranks(member("c", "c", Some("n1")), 5));
        let pods = [c, of("e", pod("r", Some("n2"))), pod("p", None)];
        Table::new(&[1, 1], &pods).group("e/c", minimum).quota("d", 5, None).quota("e", 0, None)
    };
    assert_eq!(table(2).judge(&nominates("d/p", "n1", &["e/c"])), Ok(vec!["R29"]));
    assert_eq!(table(1).judge(&nominates("d/p", "n1", &["e/c"])), Err("upstream/plan"));
}

#[test]
fn a_plan_is_for_the_first_members() {
    let table = |q: Value| {
        let pods = [pod("v", Some("n1")), pod("u", Some("n2")), constrained(asking("p")), q, asking("s")];
        Table::new(&[1, 1], &pods).group("g", 2)
    };
    let nothing = |table: &Table| table.judge(&table.nothing(&[]));
    assert_eq!(nothing(&table(constrained(asking("q")))), Ok(vec!["R58"]));
    assert_eq!(nothing(&table(asking("q"))), Err("upstream/plan"));
}

#[test]
fn a_nominated_pod_counts_in_its_domain() {
    let table = |x: Value| Table::new(&[1, 1], &[promised(x, "n2"), constrained(pod("p", None))]);
    let nothing = |table: &Table| table.judge(&table.nothing(&[]));
    assert_eq!(nothing(&table(constrained(pod("x", None)))), Ok(vec!["K23"]));
    assert_eq!(nothing(&table(pod("x", None))), Err("upstream/node"));
}

#[test]
fn a_plan_counts_nominated_pods_in_their_domains() {
    let spread = |mut pod: Value| {
        pod["spec"]["topologySpreadConstraints"] = json!([{}]);
        ranks(pod, 1)
    };
    let table = |first: u32, others: &[Value]| {
        let group = ["p", "q"].map(|name| spread(member(name, "g", None)));
        let pods: Vec<Value> = [pod("v", Some("n3"))].into_iter().chain(group).chain(others.iter().cloned()).collect();
        let table = Table::new(&[first, 2, 1], &pods).group("g", 2);
        let mut outcome = nominates("d/p", "n2", &["d/v"]);
        outcome["nominated"] = json!({"d/p": "n2", "d/q": "n3"});
        outcome["standing"] = json!({"d/p": "n2", "d/q": "n3", "d/x": "n1", "d/y": "n2"});
        table.judge(&outcome)
    };
    let [x, y] = [("x", "n1"), ("y", "n2")].map(|(name, node)| promised(spread(pod(name, None)), node));
    // With p and q, there are 1, 2 and 1 of them on the nodes. To upstream, n1 has none.
    assert_eq!(table(2, &[x, y.clone()]), Ok(vec!["K23"]));
    assert_eq!(table(0, &[y]), Err("upstream/victims"), "no pod is nominated to n1");
}

#[test]
fn a_nomination_outlives_who_waits_on_its_node() {
    let table = |priority: i64| {
        let pods = [promised(pod("p", None), "n1"), ranks(member("w", "g", None), priority), member("v", "g", None)];
        Table::new(&[1], &pods).group("g", 2).held("d/w", "n1")
    };
    assert_eq!(table(1).judge(&table(1).nothing(&["d/w"])), Ok(vec!["R17"]));
    assert_eq!(table(0).judge(&table(0).nothing(&["d/w"])), Ok(vec!["R17"]));
    assert_eq!(table(-1).judge(&table(-1).nothing(&["d/w"])), Err("upstream/plan"), "the pod could evict it");
}

#[test]
fn a_group_of_unlike_pods_without_a_plan_is_compared() {
    let large = with("q", None, |pod| {
        *pod = asking("q");
        pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = json!("2");
    });
    let table = |of_n2: &[&str]| {
        let running = of_n2.iter().map(|name| pod(name, Some("n2"))).chain([pod("v", Some("n1"))]);
        let pods: Vec<Value> = running.chain([asking("p"), large.clone()]).collect();
        Table::new(&[1, u32::try_from(of_n2.len()).unwrap()], &pods).group("g", 2)
    };
    let judge = |table: &Table| table.judge(&table.nothing(&[]));
    assert_eq!(judge(&table(&["t", "u"])), Err("upstream/plan"), "both find a node after the evictions");
    assert_eq!(judge(&table(&["u"])), Ok(vec!["R13"]), "the large one finds none");
}

#[test]
fn a_refusal_at_pre_filter_ends_what_is_promised_to_the_group() {
    let table = |minimum: u32| {
        Table::new(&[1, 1], &[promised(asking("p"), "n2"), asking("w"), pod("v", Some("n2"))]).group("g", minimum)
    };
    let mut rejected = rejects(table(3).nothing(&[]), "too few pods");
    assert_eq!(table(3).judge(&rejected), Ok(vec![]), "it stands in upstream, too");
    rejected["standing"] = json!({});
    assert_eq!(table(3).judge(&rejected), Ok(vec!["R43"]));
    let beside_held = |waiting: &[&str]| {
        let others = [leaving(member("r", "g", Some("n2"))), asking("w"), asking("u")];
        let pods: Vec<Value> = [promised(asking("p"), "n1")].into_iter().chain(others).collect();
        let table = Table::new(&[3, 1], &pods).group("g", 4).held("d/u", "n1").held("d/w", "n1");
        let mut outcome = rejects(table.nothing(waiting), "too few pods");
        outcome["standing"] = json!({});
        table.judge(&outcome)
    };
    assert_eq!(beside_held(&[]), Ok(vec!["R3", "R43"]), "the group has lost r, so those at Permit give up their nodes");
    assert_eq!(beside_held(&["d/u"]), Err("upstream/node"), "one of them stays");
}

#[test]
fn a_refusal_at_pre_filter_rejects_nobody() {
    let table = |minimum: u32| Table::new(&[1], &[asking("p"), asking("w")]).group("g", minimum).held("d/w", "n1");
    let rejected = |table: &Table| table.judge(&rejects(table.nothing(&["d/w"]), "too few pods"));
    assert_eq!(rejected(&table(3)), Ok(vec!["R10"]));
    assert_eq!(rejected(&table(2)), Err("upstream/permit"), "Filter refuses it");
}
