//! What stands between pods. Expected values are worked out by hand from kube-scheduler's rules, as the contract words them.

mod cycle;
mod filter;
mod jobs;
mod nodes;

use crate::contract::InterPod;
use crate::testing::{CLUSTER, HOST, PolicyHarness, ZONE, forbidding, in_sets, needing, spreading};

/// The sets of the tests.
const DB: u32 = 0;
const WEB: u32 = 1;
const CLAIM: u32 = 2;

/// The constraints between pods, by number: see each line.
const IS_DB: u32 = 0;
const IS_WEB: u32 = 1;
const DB_WITHOUT_WEB: u32 = 2;
const WEB_WITHOUT_DB: u32 = 3;
const WEB_WITH_DB: u32 = 4;
const WEBS_TOGETHER: u32 = 5;
const WEBS_APART: u32 = 6;
const WEBS_SPREAD: u32 = 7;
const ONE_OF_CLAIM: u32 = 8;
const WEB_BESIDE_NO_DB: u32 = 9;
const NOT_TOLD: u32 = 99;

fn all() -> Vec<InterPod> {
    vec![
        in_sets(IS_DB, &[DB]),
        in_sets(IS_WEB, &[WEB]),
        forbidding(WEB, ZONE, in_sets(DB_WITHOUT_WEB, &[DB])),
        forbidding(DB, ZONE, in_sets(WEB_WITHOUT_DB, &[WEB])),
        needing(DB, ZONE, in_sets(WEB_WITH_DB, &[WEB])),
        needing(WEB, ZONE, in_sets(WEBS_TOGETHER, &[WEB])),
        forbidding(WEB, HOST, in_sets(WEBS_APART, &[WEB])),
        spreading(WEB, ZONE, in_sets(WEBS_SPREAD, &[WEB])),
        forbidding(CLAIM, CLUSTER, in_sets(ONE_OF_CLAIM, &[CLAIM])),
        forbidding(DB, HOST, in_sets(WEB_BESIDE_NO_DB, &[WEB])),
    ]
}

/// Creates a cluster with the laws of a system, these nodes with their cores and zones, and all constraints between pods of the tests.
fn world(laws: &str, nodes: &[(&str, u32, u32)]) -> PolicyHarness {
    let mut world = PolicyHarness::of(laws, "");
    world.zoned(nodes);
    world.inter_pods(all());
    world
}

/// Returns the victims of a plan by their short names, in order. The error is the law that refused the plan.
fn victims(world: &mut PolicyHarness, pod: &str) -> Result<Vec<String>, String> {
    let mut victims: Vec<String> =
        world.plan(pod)?.victims.into_iter().map(|name| name.trim_start_matches("default/").to_owned()).collect();
    victims.sort();
    Ok(victims)
}

fn no_node() -> Result<Vec<String>, String> {
    Err("engine/no-node".to_owned())
}
