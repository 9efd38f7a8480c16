//! Verdicts of PreFilter on the quota.

use super::*;

/// Returns an outcome that refuses the pod for its quota.
fn refused() -> Value {
    because("Rejected", "preemptible-job-leaves-min")
}

/// Returns a cluster in which upstream admits the pod: `a` has room for one more pod.
fn with_room_for_one() -> Table {
    Table::new().feasible("n2").account("a", |quota| quota.max = cpu(2000))
}

#[test]
fn c3_counts_the_whole_job_and_what_is_set_aside() {
    let table = || with_room_for_one().add("q", None);
    assert_eq!(table().judge(&refused()), Err("upstream/quota"));
    assert_eq!(table().gang("x", 2, &["p", "q"], &json!({})).judge(&refused()), Ok(vec!["C3"]));
    assert_eq!(table().labelled("q", "preemptible", "false").judge(&refused()), Ok(vec!["C3"]));
}

#[test]
fn c36_counts_nominated_pods() {
    let table = || with_room_for_one().add("q", None).nominated("q", "n1");
    assert_eq!(table().judge(&refused()), Ok(vec!["C36"]));
    assert_eq!(table().labelled("q", "name", "b").judge(&refused()), Err("upstream/quota"));
}

#[test]
fn c1_reads_the_class_of_a_pod_without_a_label() {
    let table = || Table::new().feasible("n2").account("a", |quota| quota.min = cpu(500));
    assert_eq!(table().argument("disableDefaultPreemptiable").judge(&refused()), Ok(vec!["C1"]));
    assert_eq!(table().judge(&refused()), Err("upstream/quota"));
    let labelled = table().argument("disableDefaultPreemptiable").labelled("p", "preemptible", "true");
    assert_eq!(labelled.labelled("v", "preemptible", "true").judge(&refused()), Err("upstream/quota"));
}

#[test]
fn c66_checks_the_min_of_quotas_above() {
    let table = || {
        let table = Table::new().feasible("n2").labelled("p", "preemptible", "false");
        table.account("a", |quota| quota.parent = "b".to_owned()).account("b", |quota| quota.min = cpu(500))
    };
    assert_eq!(table().argument("enableCheckParentQuota").judge(&refused()), Ok(vec!["C66"]));
    assert_eq!(table().judge(&refused()), Err("upstream/quota"));
}

#[test]
fn a_verdict_that_only_upstream_gives_is_a_difference() {
    let table = Table::new().over_quota();
    assert_eq!(table.judge(&binds("d/p", "n2")), Err("upstream/quota"));
    assert_eq!(table.judge(&nothing()), Err("upstream/quota"));
    assert_eq!(table.judge(&refused()), Ok(vec![]));
}

#[test]
fn what_the_policy_says_is_used_is_what_upstream_says() {
    let said = |used: &str| {
        let mut outcome = refused();
        outcome["standing"] = json!({"d/q": "n2"});
        outcome["reasons"][0]["facts"] = json!({"queue": "a", "preemptible-used": {"cpu": used}});
        outcome
    };
    let table = || Table::new().over_quota().add("q", None);
    assert_eq!(table().judge(&said("1")), Ok(vec![]));
    assert_eq!(table().judge(&said("2")), Err("upstream/usage"));
    assert_eq!(table().nominated("q", "n2").judge(&said("2")), Ok(vec![]), "one is promised");
    let both = |used: &str| {
        let mut outcome = said("0");
        outcome["reasons"][0]["facts"]["non-preemptible-used"] = json!({"cpu": used});
        outcome
    };
    assert_eq!(table().judge(&both("1")), Ok(vec![]));
    assert_eq!(table().judge(&both("500m")), Err("upstream/usage"));
}
