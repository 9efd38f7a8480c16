//! Laws that need quotas.

use serde_json::json;

use super::pod_groups::GROUP;
use crate::contract::Object;
use crate::testing::{PolicyHarness, object, pod};

#[test]
fn what_a_gang_holds_at_permit_is_spared_while_pods_leave_for_it() {
    for is_planned in [false, true] {
        let mut world = PolicyHarness::of("coscheduling", "{}");
        for (name, min) in [("a/q", 0), ("b/q", 2)] {
            let quota = object("ElasticQuota", name, [&[], &[]], json!({"spec": {"min": {"cpu": min}}}));
            world.object(Object { group: GROUP.to_owned(), ..quota });
        }
        world.node("n", "cpu=2");
        world.node("m", "cpu=1");
        let member = |name: &str| {
            let named = pod(name).requests("cpu=2").label("pod-group/name", "g");
            named.label("pod-group/min-available", "2")
        };
        world.pod(member("a/g-1"));
        world.pod(if is_planned { member("a/g-2").nominated("m") } else { member("a/g-2") });
        world.pod(pod("b/w").requests("cpu=2"));
        world.reserve("a/g-1", "n");
        assert_eq!(world.plan("b/w").is_err(), is_planned);
    }
}
