//! ElasticQuotas: which quotas exist, and the tree that they form.

use serde_json::json;

use super::reported;
use crate::contract::{Event, Severity};
use crate::testing::{DEFAULT, PARENT, PolicyHarness, ROOT, amounts, key, object, quota};

const SYSTEM: &str = "koordinator-system-quota";

/// Returns the names of all quotas and of their parents.
fn tree(world: &PolicyHarness) -> Vec<(String, Option<String>)> {
    let queues = world.engine.queues().unwrap_or_default();
    queues.into_iter().map(|queue| (queue.name, queue.parent)).collect()
}

fn parent(world: &PolicyHarness, name: &str) -> Option<String> {
    world.account(name).parent
}

#[test]
fn the_root_default_and_system_quotas_always_exist_without_bounds() {
    let world = PolicyHarness::new();
    let below = Some(ROOT.to_owned());
    assert_eq!(
        tree(&world),
        [(ROOT.to_owned(), None), (DEFAULT.to_owned(), below.clone()), (SYSTEM.to_owned(), below)]
    );
    for name in [ROOT, DEFAULT, SYSTEM] {
        assert_eq!(world.account(name).bounds, []);
        assert_eq!(world.account(name).kind, "quota");
    }
}

#[test]
fn a_quota_without_a_parent_label_is_a_child_of_the_root() {
    let mut world = PolicyHarness::new();
    world.object(object("ElasticQuota", "quotas/bare", [&[], &[]], json!({})));
    world.object(quota("empty", "", "", ""));
    world.object(quota("named", ROOT, "", ""));
    world.object(quota("child", "named", "", ""));
    world.object(quota("odd", DEFAULT, "", ""));
    for (name, expected) in [("bare", ROOT), ("empty", ROOT), ("named", ROOT), ("child", "named"), ("odd", DEFAULT)] {
        assert_eq!(parent(&world, name).as_deref(), Some(expected), "{name}");
    }
    assert_eq!(reported(&world.findings), []);
}

#[test]
fn a_parent_may_be_created_later_and_may_be_removed() {
    let mut world = PolicyHarness::new();
    world.object(quota("child", "group", "", ""));
    let message = "its parent `group` does not exist; the quota is placed below the root";
    let path = format!("/metadata/labels/{}", PARENT.replace('/', "~1"));
    let warning = (Severity::Warning, "ElasticQuota/quotas/child", path.as_str(), message);
    assert_eq!(reported(&world.findings), [warning]);
    assert_eq!(parent(&world, "child").as_deref(), Some(ROOT));
    let group = quota("group", "", "", "");
    world.object(group.clone());
    assert_eq!(parent(&world, "child").as_deref(), Some("group"));
    world.apply(vec![Event::ObjectRemoved(key(&group))]);
    assert_eq!(parent(&world, "child").as_deref(), Some(ROOT));
    assert_eq!(reported(&world.findings), [warning; 2]);
}

#[test]
fn quotas_in_a_cycle_become_children_of_the_root_and_the_cycle_is_reported() {
    let mut world = PolicyHarness::new();
    world.apply(
        ["a", "b", "c"]
            .iter()
            .zip(["b", "c", "a"])
            .map(|(name, parent)| Event::ObjectUpserted(quota(name, parent, "", "")))
            .collect(),
    );
    let path = format!("/metadata/labels/{}", PARENT.replace('/', "~1"));
    let messages: Vec<(&str, &str)> =
        reported(&world.findings).into_iter().map(|(_, object, _, message)| (object, message)).collect();
    assert_eq!(
        messages,
        [
            ("ElasticQuota/quotas/a", "its parents form a cycle: a -> b -> c -> a"),
            ("ElasticQuota/quotas/b", "its parents form a cycle: b -> c -> a -> b"),
            ("ElasticQuota/quotas/c", "its parents form a cycle: c -> a -> b -> c"),
        ]
    );
    assert!(world.findings.iter().all(|finding| finding.path == path && finding.severity == Severity::Error));
    for name in ["a", "b", "c"] {
        assert_eq!(parent(&world, name).as_deref(), Some(ROOT));
    }
    // The cycle is broken: every quota has its named parent again.
    world.object(quota("c", "", "", ""));
    for (name, expected) in [("a", "b"), ("b", "c"), ("c", ROOT)] {
        assert_eq!(parent(&world, name).as_deref(), Some(expected));
    }
}

#[test]
fn a_quota_that_is_its_own_parent_is_a_cycle_of_one() {
    let mut world = PolicyHarness::new();
    world.object(quota("a", "a", "", ""));
    assert_eq!(
        world.findings.first().map(|finding| finding.message.as_str()),
        Some("its parents form a cycle: a -> a")
    );
    assert_eq!(parent(&world, "a").as_deref(), Some(ROOT));
}

#[test]
fn a_quota_keeps_its_parent_where_the_parent_itself_moves_to_the_root() {
    for (above, parent_of_above) in [("an unknown parent", "nowhere"), ("a cycle", "a")] {
        let mut world = PolicyHarness::new();
        let quotas = [("a", "b"), ("b", parent_of_above), ("c", "b")];
        world.apply(quotas.map(|(name, parent)| Event::ObjectUpserted(quota(name, parent, "", ""))).to_vec());
        assert_eq!(parent(&world, "b").as_deref(), Some(ROOT), "{above}");
        assert_eq!(parent(&world, "c").as_deref(), Some("b"), "{above}");
    }
}

#[test]
fn quotas_are_listed_by_name() {
    let mut world = PolicyHarness::new();
    // Upstream's own begin with `k`.
    for name in ["z", "a"] {
        world.object(quota(name, "", "", ""));
    }
    let names: Vec<String> = tree(&world).into_iter().map(|(name, _)| name).filter(|name| name != ROOT).collect();
    assert_eq!(names, ["a", DEFAULT, SYSTEM, "z"]);
}

#[test]
fn of_one_name_in_two_namespaces_the_first_namespace_is_used_and_the_duplicate_is_reported() {
    let max = |world: &PolicyHarness| world.account("q").bounds.into_iter().map(|bound| bound.amounts).next_back();
    let one = |namespace: &str, cores: u32| {
        object("ElasticQuota", &format!("{namespace}/q"), [&[], &[]], json!({"spec": {"max": {"cpu": cores}}}))
    };
    let (first, second) = (one("elsewhere", 8), one("quotas", 4));
    for (reported_first, reported_second, existing) in [(&first, &second, "elsewhere"), (&second, &first, "quotas")] {
        let mut world = PolicyHarness::new();
        world.object(reported_first.clone());
        world.object(reported_second.clone());
        let object = format!("ElasticQuota/{}/q", reported_second.namespace);
        let message = format!("namespace `{existing}` already has a quota of this name");
        assert_eq!(reported(&world.findings), [(Severity::Error, object.as_str(), "/metadata/name", message.as_str())]);
        assert_eq!(max(&world), Some(amounts("cpu=8")), "`elsewhere` comes before `quotas`");
        world.apply(vec![Event::ObjectRemoved(key(&first))]);
        assert_eq!(max(&world), Some(amounts("cpu=4")), "the other quota still exists");
    }
}
