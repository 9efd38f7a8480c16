//! `lictor bench`, but for what it measures.

use crate::run::{file, lictor};

/// Checks that arguments reach the policy, and that a bad argument is reported with its place.
#[test]
fn arguments_of_the_system_are_in_force() {
    let args = file("bench.args.yaml", "minCandidateNodesAbsolute: many\n");
    let ran = lictor(&["bench", "kubernetes-1", "--native", "--args", &args]).exits(2);
    ran.tells(&["error: ", "`minCandidateNodesAbsolute`", &format!("  --> {args}:1\n")]);
}

/// Checks that an option without effect is refused.
#[test]
fn budgets_are_refused_where_no_system_reads_them() {
    let ran = lictor(&["bench", "kubernetes-1", "volcano-1", "--native", "--budgets", "1"]).exits(2).prints_nothing();
    ran.tells(&["error: `--budgets`", "`coscheduling`"]);
}
