//! The rulings on quotas: each explains a difference in its situation, and none in another one.

use serde_json::{Value, json};

use super::{Table, asking, leaving, of, promised, ranks};
use crate::tests::{binds, nominates, pod};

#[test]
fn a_promise_holds_against_another_quota() {
    let table = |other: &str| {
        let pods = [promised(of(other, pod("x", None)), "n1"), ranks(pod("p", None), 1)];
        Table::new(&[1], &pods).quota("d", 5, None).quota("e", 5, None)
    };
    let nothing = |table: &Table| table.judge(&table.nothing(&[]));
    assert_eq!(nothing(&table("e")), Ok(vec!["R36"]));
    assert_eq!(nothing(&table("f")), Ok(vec!["R36"]), "it has no quota");
    assert_eq!(nothing(&table("d")), Err("upstream/node"));
}

#[test]
fn a_group_does_not_borrow_what_a_pod_within_the_min_takes_back() {
    let table = |min: u32| {
        let x = promised(pod("x", None), "n1");
        let pods = [x, pod("r", Some("n2")), asking("p"), asking("q")];
        Table::new(&[1, 1], &pods).group("g", 2).quota("d", min, None).quota("e", 9, None)
    };
    // With x, d uses 2; with p and q, 3.
    let nothing = |table: &Table| table.judge(&table.nothing(&[]));
    assert_eq!(nothing(&table(2)), Ok(vec!["R13", "R36"]));
}

#[test]
fn a_borrower_leaves_to_others_what_they_are_promised() {
    let table = |min: u32, rest: u32| {
        let x = promised(of("e", pod("x", None)), "n2");
        let pods = [of("e", pod("r", Some("n1"))), x, pod("p", None)];
        Table::new(&[2, 1], &pods).quota("d", min, None).quota("e", 0, None).quota("f", rest, None)
    };
    let nothing = |table: &Table| table.judge(&table.nothing(&[]));
    assert_eq!(nothing(&table(0, 2)), Ok(vec!["R51"]));
    assert_eq!(nothing(&table(1, 1)), Err("upstream/node"), "it is within its min");
    assert_eq!(nothing(&table(0, 3)), Err("upstream/node"), "there is enough for both");
}

#[test]
fn pods_that_leave_and_those_for_which_they_leave_count_once() {
    let table = |v: Value| {
        let pods = [v, promised(pod("x", None), "n2"), pod("p", None)];
        Table::new(&[1, 1], &pods).quota("d", 5, Some(2))
    };
    let running = || pod("v", Some("n2"));
    assert_eq!(table(leaving(running())).judge(&binds("d/p", "n1")), Ok(vec!["R39"]));
    assert_eq!(table(running()).judge(&binds("d/p", "n1")), Err("upstream/node"));
}

#[test]
fn a_nominated_pod_waits_for_the_quota_of_pods_that_leave_elsewhere() {
    let table = |v: Value| Table::new(&[1, 1], &[v, promised(pod("p", None), "n1")]).quota("d", 5, Some(1));
    let running = || pod("v", Some("n2"));
    let nothing = |table: &Table| table.judge(&table.nothing(&[]));
    assert_eq!(nothing(&table(leaving(running()))), Ok(vec!["R55"]));
    assert_eq!(nothing(&table(running())), Err("upstream/nominations"));
}

#[test]
fn a_plan_uses_the_quota_of_pods_that_leave_elsewhere() {
    let table = |v: Value| Table::new(&[1, 1], &[v, pod("p", None)]).quota("d", 5, Some(1));
    let running = || pod("v", Some("n2"));
    assert_eq!(table(leaving(running())).judge(&nominates("d/p", "n1", &[])), Ok(vec!["R55"]));
    assert_eq!(table(leaving(running())).judge(&nominates("d/p", "n2", &[])), Ok(vec!["R55"]));
    assert_eq!(table(running()).judge(&nominates("d/p", "n1", &[])), Err("upstream/victims"));
    assert_eq!(table(running()).judge(&nominates("d/p", "n2", &[])), Err("upstream/victims"));
}

#[test]
fn a_pod_within_the_min_without_its_victims_comes_before_what_others_borrow() {
    // All quotas may use 3: u and v use 2, x is promised 2. Without v, p stays within the min of 1, and x waits.
    let table = |min: u32, v: Value, more: &[Value]| {
        let mut x = of("e", promised(ranks(pod("x", None), 1), "n2"));
        x["spec"]["containers"][0]["resources"]["requests"]["cpu"] = json!("2");
        let pods = [v, of("e", pod("u", Some("n2"))), x, ranks(pod("p", None), 1)];
        let pods: Vec<Value> = pods.into_iter().chain(more.iter().cloned()).collect();
        Table::new(&[2, 3], &pods).quota("d", min, None).quota("e", 0, None).quota("f", 3 - min, None)
    };
    let evicts = |table: &Table, victims: &[&str]| {
        let mut outcome = nominates("d/p", "n1", victims);
        outcome["standing"] = json!({"d/p": "n1", "e/x": "n2"});
        table.judge(&outcome)
    };
    let v = || pod("v", Some("n1"));
    assert_eq!(evicts(&table(1, v(), &[]), &["d/v"]), Ok(vec!["R51", "R70"]));
    assert_eq!(evicts(&table(0, v(), &[]), &["d/v"]), Err("upstream/victims"), "p would borrow without v, too");
    assert_eq!(evicts(&table(1, ranks(v(), 1), &[]), &["d/v"]), Err("upstream/victims"), "v is as important");
    assert_eq!(evicts(&table(1, v(), &[]), &[]), Err("upstream/victims"), "p would borrow");
    let two = table(2, v(), &[of("e", pod("t", Some("n2")))]);
    assert_eq!(evicts(&two, &["d/v"]), Err("upstream/victims"), "p borrows nothing beside v");
}

#[test]
fn a_quota_gives_what_it_borrows_of_resources_that_concern_both_pods() {
    let with_gpu = |mut pod: Value| {
        pod["spec"]["containers"][0]["resources"]["requests"]["nvidia.com/gpu"] = json!("1");
        pod
    };
    let gpus = |mut table: Table, namespace: &str| {
        let quota = table.objects.iter_mut().find(|object| object["metadata"]["name"] == format!("q-{namespace}"));
        quota.unwrap()["spec"]["min"]["nvidia.com/gpu"] = json!("4");
        table
    };
    // Quota e runs v and g, and borrows the GPU of g.
    let table = |min: u32, p: Value| {
        let pods = [of("e", pod("v", Some("n1"))), of("e", with_gpu(pod("g", Some("n1")))), p];
        let table = Table::new(&[2], &pods).quota("d", 1, None).quota("e", min, None).quota("f", 2, None);
        gpus(gpus(table, "f"), "d")
    };
    let nothing = |table: &Table| table.judge(&table.nothing(&[]));
    assert_eq!(nothing(&table(2, pod("p", None))), Ok(vec!["R71"]));
    assert_eq!(nothing(&table(1, pod("p", None))), Err("upstream/plan"), "e borrows cpu");
    assert_eq!(nothing(&table(2, with_gpu(pod("p", None)))), Err("upstream/plan"), "both need a GPU, and e gives g");
    assert_eq!(nothing(&gpus(table(2, pod("p", None)), "e")), Ok(vec![]), "e borrows nothing: upstream has no plan");
}

#[test]
fn no_plan_is_made_that_a_waiting_pod_of_another_quota_would_undo() {
    let running = |name: &str, cpu: &str| {
        let mut pod = pod(name, Some("n1"));
        pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = json!(cpu);
        pod
    };
    let table_of = |min: u32, running: &[Value], others: &[Value]| {
        let waiting = ["p", "q", "w"].map(asking);
        let pods = running.iter().chain(&waiting);
        let pods: Vec<Value> = pods.chain(others).cloned().collect();
        Table::new(&[2, 1], &pods).group("g", 3).held("d/w", "n2").quota("d", min, Some(3)).quota("e", 2, None)
    };
    let table = |min: u32, others: &[Value]| table_of(min, &[running("v", "2")], others);
    let waits_in_e = || of("e", pod("a", None));
    let nothing = |table: &Table| table.judge(&table.nothing(&["d/w"]));
    // p alone leaves its quota at its min, and room for a: it is with q that the group borrows, and that a has to evict one of its pods.
    assert_eq!(nothing(&table(2, &[waits_in_e()])), Ok(vec!["R84"]));
    assert_eq!(nothing(&table(3, &[waits_in_e()])), Err("upstream/plan"), "the group borrows nothing");
    assert_eq!(nothing(&table(2, &[])), Err("upstream/plan"), "no pod of e waits");
    // One pod leaves for p, and another one for q.
    let two = [running("v", "1"), running("u", "1")];
    assert_eq!(nothing(&table_of(2, &two, &[waits_in_e()])), Ok(vec!["R84"]));
    assert_eq!(nothing(&table_of(2, &two, &[])), Err("upstream/plan"), "no pod of e waits");
}

#[test]
fn a_plan_for_a_group_uses_the_quota_of_pods_that_leave() {
    let table = |is_leaving: bool| {
        let running = |name: &str, cpu: &str| {
            let mut pod = pod(name, Some("n2"));
            pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = json!(cpu);
            pod
        };
        let r = if is_leaving { leaving(running("r", "3")) } else { running("r", "3") };
        let others = ["x", "y"].map(|name| of("e", promised(ranks(pod(name, None), 1), "n1")));
        let group = [asking("p"), promised(asking("q"), "n1")];
        let pods = [r, of("e", leaving(running("s", "2")))].into_iter().chain(others).chain(group);
        let pods: Vec<Value> = pods.collect();
        let table = Table::new(&[4, 5], &pods).group("g", 2).quota("d", 4, Some(2)).quota("e", 1, None);
        let mut outcome = nominates("d/p", "n1", &[]);
        outcome["nominated"] = json!({"d/p": "n1", "d/q": "n1"});
        outcome["standing"] = json!({"d/p": "n1", "d/q": "n1", "e/x": "n1", "e/y": "n1"});
        table.judge(&outcome)
    };
    // To upstream, quota e uses more than its min until s has left, so that what it is promised does not count for p, which seems to borrow.
    assert_eq!(table(true), Ok(vec!["R30", "R55"]));
    assert_eq!(table(false), Err("upstream/victims"), "r stays");
}

#[test]
fn a_group_has_room_that_comes_and_evicts_for_the_rest() {
    let sized = |mut pod: Value, cpu: &str| {
        pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = json!(cpu);
        of("e", pod)
    };
    let table = |least: u32, sizes: &[u32], goes: fn(Value) -> Value| {
        let leaves = ["k", "l"].map(|name| goes(sized(pod(name, Some("n2")), "2")));
        let others = [sized(pod("r", Some("n2")), "2"), sized(promised(ranks(pod("x", None), 10), "n2"), "3")];
        let own = [pod("v", Some("n1")), asking("p"), asking("q")];
        let pods: Vec<Value> = leaves.into_iter().chain(others).chain(own).collect();
        let table = Table::new(sizes, &pods).group("g", 2).quota("d", 0, None).quota("e", 5, None);
        let mut outcome = nominates("d/p", "n2", &["d/v"]);
        outcome["nominated"] = json!({"d/p": "n2", "d/q": "n1"});
        outcome["standing"] = json!({"d/p": "n2", "d/q": "n1", "e/x": "n2"});
        table.quota("f", least - 5, None).judge(&outcome)
    };
    // All may use 7, and use 7. When k and l have left, r, v and what x is promised are 6: p fits on n2 then, and q where v is.
    assert_eq!(table(7, &[1, 6], leaving), Ok(vec!["R30", "R55"]));
    assert_eq!(table(7, &[1, 6], |pod| pod), Err("upstream/victims"), "k and l stay");
    assert_eq!(table(11, &[1, 6, 1], leaving), Err("upstream/victims"), "p fits on n3 now");
}

#[test]
fn a_group_that_would_borrow_takes_nothing_back() {
    let table = |size: u32, min: u32, others: &[Value]| {
        let pods: Vec<Value> = [pod("o", Some("n1")), of("e", pod("v", Some("n1"))), asking("p"), asking("q")]
            .iter()
            .chain(others)
            .cloned()
            .collect();
        Table::new(&[size], &pods).group("g", 2).quota("d", min, None).quota("e", 0, None)
    };
    // Upstream evicts v for p, which is within the min of 2, and o for q, which is not. Together they would use 3.
    let borrows = table(2, 2, &[]);
    assert_eq!(borrows.judge(&borrows.nothing(&[])), Ok(vec!["R24"]));
    let within = table(3, 3, &[of("e", pod("u", Some("n1")))]);
    assert_eq!(within.judge(&within.nothing(&[])), Err("upstream/plan"));
}
