//! `lictor upgrade`.

use crate::run::{FOUR_TEAMS, file, lictor};

#[test]
fn the_same_policy_takes_over_and_decides_the_same() {
    let ran = lictor(&["upgrade", FOUR_TEAMS, "--native", "--to", "embedded"]).exits(0);
    ran.prints(&[
        "loading -> shadow: the new policy was told everything; it took what the old one remembers",
        "shadow -> switching: ",
        "both remember the same",
        "switching -> watching: the new policy took over between two inputs",
        "watching -> done: ",
        "the new policy decides",
    ]);
    let report = lictor(&["upgrade", FOUR_TEAMS, "--native", "--to", "native", "--output", "json"]).exits(0).json();
    assert_eq!(report["state"], "done");
    assert!(report["totals"]["compared"].as_u64().unwrap() > 0);
    assert_eq!(report["totals"]["different"], 0);
}

#[test]
fn a_policy_that_decides_otherwise_is_named_and_rolled_back() {
    // The runtime quota takes the place of max: `nlp` and `vision` may have less, see the quotas of the snapshot.
    let args = file("upgrade-args.yaml", "enableRuntimeQuota: true\n");
    let ran = lictor(&["upgrade", FOUR_TEAMS, "--native", "--to", "native", "--to-args", &args]).exits(1);
    ran.prints(&["shadow -> rolled back: ", "0 allowed", "Decided otherwise, old => new", "the old policy decides"]);
    lictor(&["upgrade", FOUR_TEAMS, "--native", "--to", "native", "--to-args", &args, "--allow", "any"])
        .exits(0)
        .prints(&["Decided otherwise, by law", "the new policy decides"]);
}

#[test]
fn a_recording_is_gone_through_and_goes_on() {
    let path = file("upgrade.rec", "");
    lictor(&["decide", FOUR_TEAMS, "--native", "--cycles", "2", "--record", &path]).exits(0);
    let ran = lictor(&["upgrade", &path, "--native", "--to", "native", "--shadow", "1", "--watch", "2"]).exits(0);
    ran.prints(&["watching -> done: ", "the new policy decides"]);
}

#[test]
fn a_policy_that_reads_something_else_is_refused() {
    let refused = lictor(&["upgrade", FOUR_TEAMS, "--native", "--to", "native", "--to-system", "volcano"]).exits(2);
    refused.prints_nothing().tells(&["error: the new policy reads other ", "start a session with it instead"]);
    lictor(&["upgrade", FOUR_TEAMS, "--native", "--to", "native", "--to-system", "volcanic"])
        .exits(2)
        .tells(&["no such system"]);
    lictor(&["upgrade", FOUR_TEAMS, "--to", "native", "--allow", "some"]).exits(2).tells(&["write a number, or `any`"]);
}
