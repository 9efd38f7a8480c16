//! What groups are remembered: that their time at Permit ran out, and that they have failed.

use serde_json::{Value, json};

use super::{Table, member, promised, ranks};
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

#[test]
fn a_group_that_has_failed_is_turned_away() {
    let table = || Table::new(&[2], &[ranks(member("p", "g", None), 1), member("q", "g", None)]).group("g", 2);
    let mut turned_away = table().nothing(&[]);
    turned_away["result"] = json!("Rejected");
    turned_away["reasons"] = json!([{"code": "coscheduling/gang-has-not-failed"}]);
    assert_eq!(table().failed("d/q").judge(&turned_away), Ok(vec!["R32"]));
    assert_eq!(table().judge(&turned_away), Err("upstream/node"), "no attempt was in vain before");
    assert_eq!(table().failed("d/q").judge(&table().nothing(&[])), Err("upstream/node"));
}
