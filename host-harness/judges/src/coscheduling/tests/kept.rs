//! Nodes that are kept for a group whose time at Permit runs out.

use serde_json::Value;

use super::{Table, member, promised};
use crate::tests::{binds, pod};

#[test]
fn the_nodes_of_a_group_whose_time_runs_out_are_kept_while_its_plan_is_under_way() {
    let table = |nominated: Value| {
        let pods = [pod("p", None), member("q", "g", None), nominated];
        Table::new(&[1, 1], &pods).group("g", 2).held("d/q", "n1")
    };
    let has_a_plan = || table(promised(member("r", "g", None), "n2"));
    let nothing = |table: &Table| table.judge(&table.nothing(&[]));
    assert_eq!(nothing(&has_a_plan().late()), Ok(vec!["R38"]));
    assert_eq!(nothing(&table(member("r", "g", None)).late()), Err("upstream/node"));
    assert_eq!(has_a_plan().late().judge(&binds("d/p", "n1")), Ok(vec![]));
}
