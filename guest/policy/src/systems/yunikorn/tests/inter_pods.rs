//! What stands between pods, in the search for a group on one node. Expected victims follow from kube-scheduler's rules.

use super::{Scene, of};
use crate::testing::{HOST, PodBuilder, ZONE, forbidding, in_sets, needing};

const DB: u32 = 0;
const WEB: u32 = 1;

const IS_DB: u32 = 0;
const IS_WEB: u32 = 1;
const DB_WITHOUT_WEB: u32 = 2;
const WEB_WITHOUT_DB: u32 = 3;
const WEB_WITH_DB: u32 = 4;

/// Creates nodes with their cores, a queue that is guaranteed 4 cores, and a queue that is guaranteed nothing.
fn scene(nodes: &[(&str, u32, u32)], pods: impl IntoIterator<Item = PodBuilder>) -> Scene {
    let mut scene = Scene::new("- {name: prod, resources: {guaranteed: {vcore: 4}}}\n- {name: test}");
    scene.0.zoned(nodes);
    scene.0.inter_pods([
        in_sets(IS_DB, &[DB]),
        in_sets(IS_WEB, &[WEB]),
        forbidding(WEB, ZONE, in_sets(DB_WITHOUT_WEB, &[DB])),
        forbidding(DB, HOST, in_sets(WEB_WITHOUT_DB, &[WEB])),
        needing(DB, ZONE, in_sets(WEB_WITH_DB, &[WEB])),
    ]);
    scene.pods(pods).after(30)
}

fn victims(names: &[&str]) -> Result<Vec<String>, String> {
    Ok(names.iter().map(|name| (*name).to_owned()).collect())
}

#[test]
fn the_pod_in_the_way_is_the_victim_and_not_its_like() {
    for (there, asked) in [(DB_WITHOUT_WEB, IS_WEB), (IS_DB, WEB_WITHOUT_DB)] {
        // Equal for the laws except for the constraints between pods; the pod that must be evicted is neither first nor last.
        let like = |name: &str| of(name, "root.test", 2).on("n1");
        let pods = [like("u"), like("v").inter_pod(there), like("w"), of("p", "root.prod", 2).inter_pod(asked)];
        let mut scene = scene(&[("n1", 9, 1)], pods);
        assert_eq!(scene.victims("p"), victims(&["v"]), "{there} {asked}");
        assert!(!scene.takes("n1", "p"));
    }
}

#[test]
fn room_is_coming_only_where_the_other_pods_allow_the_pod() {
    for (asked, expected) in [(IS_WEB, "engine/room-is-coming"), (WEB_WITHOUT_DB, "engine/no-node")] {
        let leaving = of("leaving", "root.test", 2).on("n1").with(|pod| pod.terminating = true);
        let there = of("db", "root.prod", 1).inter_pod(IS_DB).on("n1");
        let mut scene = scene(&[("n1", 4, 1)], [leaving, there, of("p", "root.prod", 2).inter_pod(asked)]);
        assert_eq!(scene.victims("p"), Err(expected.to_owned()), "{asked}");
    }
}

#[test]
fn nobody_is_evicted_whom_the_pod_needs() {
    let there = |name: &str, inter_pod: u32| of(name, "root.test", 2).inter_pod(inter_pod).on("n1");
    let pods = || [there("needed", IS_DB), there("other", IS_WEB)];
    let p = |cores: u32| of("p", "root.prod", cores).inter_pod(WEB_WITH_DB);
    assert_eq!(scene(&[("n1", 4, 1)], pods().into_iter().chain([p(2)])).victims("p"), victims(&["other"]));
    let without = of("p", "root.prod", 4);
    assert_eq!(scene(&[("n1", 4, 1)], pods().into_iter().chain([without])).victims("p"), victims(&["needed", "other"]));
    let nobody = scene(&[("n1", 4, 1)], pods().into_iter().chain([p(4)])).victims("p");
    assert_eq!(nobody, Err("engine/no-node".to_owned()), "there is room without both only");
}

#[test]
fn a_pod_that_is_nominated_counts_whatever_its_priority() {
    let high = of("high", "root.prod", 1).inter_pod(IS_WEB).priority(9);
    let promised = of("promised", "root.prod", 1).inter_pod(DB_WITHOUT_WEB).nominated("n1");
    let mut scene = scene(&[("n1", 9, 1), ("n2", 9, 1), ("n3", 9, 2)], [promised, high]);
    assert!(!scene.takes("n1", "high") && !scene.takes("n2", "high") && scene.takes("n3", "high"));
}
