//! Which quota a pod belongs to: label, quota named like the namespace, annotation, default.

use serde_json::json;

use super::{read, reported};
use crate::contract::{Event, Object, Severity};
use crate::testing::{DEFAULT, PodBuilder, PolicyHarness, key, object, pod, quota, reservation};

const NAMESPACES: &str = "quota.scheduling.koordinator.sh/namespaces";

fn lists(name: &str, namespaces: &str) -> Object {
    object("ElasticQuota", &format!("quotas/{name}"), [&[], &[(NAMESPACES, namespaces)]], json!({}))
}

fn home(namespace: &str) -> Object {
    object("ElasticQuota", &format!("{namespace}/{namespace}"), [&[], &[]], json!({}))
}

fn quota_of(world: &PolicyHarness, name: &str) -> Option<String> {
    let cluster = world.engine.cluster();
    read(world, name).queue.and_then(|queue| cluster.queue(queue)).map(|queue| queue.name.clone())
}

/// Returns the quota of a pod in a cluster with these quotas, whether they are announced before or after the pod.
fn mapped(quotas: &[Object], draft: PodBuilder) -> String {
    let [before, after] = [true, false].map(|before| {
        let mut world = PolicyHarness::new();
        let name = draft.name();
        if before {
            quotas.iter().for_each(|quota| world.object(quota.clone()));
        }
        world.pod(draft.clone());
        if !before {
            quotas.iter().for_each(|quota| world.object(quota.clone()));
        }
        quota_of(&world, &name).unwrap_or_default()
    });
    assert_eq!(before, after, "a quota that is created later gets its pods");
    before
}

#[test]
fn the_label_comes_before_the_namespace_before_the_annotation_before_the_default() {
    let all = [quota("labelled", "", "", ""), home("ns"), lists("listing", r#"["ns", "other"]"#)];
    assert_eq!(mapped(&all, pod("ns/p").quota("labelled")), "labelled");
    assert_eq!(mapped(&all, pod("ns/p")), "ns");
    assert_eq!(mapped(&all, pod("other/p")), "listing");
    assert_eq!(mapped(&all, pod("third/p")), DEFAULT);
}

#[test]
fn a_label_that_names_no_quota_leads_to_the_default_and_not_to_the_namespace() {
    let all = [home("ns"), lists("listing", r#"["other"]"#)];
    assert_eq!(mapped(&all, pod("ns/p").quota("unknown")), DEFAULT);
    assert_eq!(mapped(&all, pod("other/p").quota("unknown")), DEFAULT);
}

#[test]
fn an_empty_label_counts_as_absent() {
    assert_eq!(mapped(&[home("ns")], pod("ns/p").quota("")), "ns");
}

#[test]
fn a_quota_named_like_a_namespace_counts_in_that_namespace_only() {
    assert_eq!(mapped(&[quota("ns", "", "", "")], pod("ns/p")), DEFAULT, "it lies in namespace `quotas`");
    assert_eq!(mapped(&[home("ns")], pod("other/p")), DEFAULT);
}

#[test]
fn of_several_quotas_that_list_a_namespace_the_first_by_name_gets_it() {
    let [a, b] = ["a", "b"].map(|name| lists(name, r#"["ns"]"#));
    assert_eq!(mapped(&[a.clone(), b.clone()], pod("ns/p")), "a");
    assert_eq!(mapped(&[b.clone(), a.clone()], pod("ns/p")), "a");
    let mut world = PolicyHarness::new();
    world.apply(vec![Event::ObjectUpserted(b), Event::ObjectUpserted(a)]);
    let path = format!("/metadata/annotations/{}", NAMESPACES.replace('/', "~1"));
    let message = "quota `a` lists namespace `ns` as well and gets its pods";
    assert_eq!(reported(&world.findings), [(Severity::Warning, "ElasticQuota/quotas/b", path.as_str(), message)]);
}

#[test]
fn pods_of_a_removed_quota_get_the_quota_that_they_would_have_without_it() {
    let mut world = PolicyHarness::new();
    let (labelled, listing) = (quota("labelled", "", "", ""), lists("listing", r#"["ns"]"#));
    world.object(labelled.clone());
    world.object(home("ns"));
    world.object(listing);
    world.pod(pod("ns/labelled").quota("labelled"));
    world.pod(pod("ns/bare"));
    world.apply(vec![Event::ObjectRemoved(key(&labelled)), Event::ObjectRemoved(key(&home("ns")))]);
    assert_eq!(quota_of(&world, "ns/labelled").as_deref(), Some(DEFAULT));
    assert_eq!(quota_of(&world, "ns/bare").as_deref(), Some("listing"));
}

#[test]
fn a_pod_that_changes_its_label_moves_its_usage_to_the_new_quota() {
    let mut world = PolicyHarness::new();
    world.object(quota("a", "", "", ""));
    world.object(quota("b", "", "", ""));
    world.node("n", "cpu=8");
    for (name, used) in [("a", [2000, 0]), ("b", [0, 2000])] {
        world.pod(pod("p").quota(name).requests("cpu=2").on("n"));
        let amounts = ["a", "b"].map(|name| world.account(name).used.first().map_or(0, |amount| amount.value));
        assert_eq!(amounts, used);
    }
}

#[test]
fn a_reservation_has_no_quota() {
    let mut world = PolicyHarness::new();
    world.object(quota("q", "", "", ""));
    world.node("n", "cpu=8");
    world.pod(reservation("r").quota("q").requests("cpu=2").on("n"));
    assert_eq!(quota_of(&world, "Reservation/r"), None);
    assert_eq!(world.account("q").used, []);
}

#[test]
fn a_quota_that_does_not_exist_is_a_finding_that_names_it() {
    let mut world = PolicyHarness::new();
    for name in ["ns/p", "ns/q"] {
        world.pod(pod(name).quota("typo"));
    }
    let said = |world: &mut PolicyHarness| -> Vec<(String, String, String)> {
        let findings = world.findings.drain(..);
        findings.map(|found| (found.object, found.path, found.message)).collect()
    };
    let path = "/metadata/labels/quota.scheduling.koordinator.sh~1name".to_owned();
    let message = format!("quota `typo` does not exist: its pods belong to `{DEFAULT}`");
    assert_eq!(
        said(&mut world),
        [("Pod/ns/p".to_owned(), path, message)],
        "one finding for a quota, not one for a pod"
    );
    world.object(quota("typo", "", "", ""));
    world.pod(pod("ns/r").quota("typo"));
    assert_eq!(said(&mut world), []);
}
