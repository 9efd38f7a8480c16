//! `lictor fuzz`.

use crate::run::lictor;

#[test]
fn cases_are_played_side_by_side_and_counted() {
    let ran = lictor(&["fuzz", "--system", "kubernetes", "--seed", "4", "--cases", "5"]).exits(0);
    ran.prints(&["plans 0 above the fewest victims", "kubernetes, seed 4: 5 cases from 0, ", ", 0 broke a law\n"]);
}

#[test]
fn a_run_can_be_repeated_from_any_case() {
    let count = |from: &str, cases: &str| {
        let ran = lictor(&["fuzz", "--system", "koordinator", "--native", "--from", from, "--cases", cases]).exits(0);
        let line = ran.out.lines().find(|line| line.starts_with("scheduled")).unwrap().to_owned();
        line.split_whitespace().last().unwrap().parse::<u64>().unwrap()
    };
    assert_eq!(count("0", "6") + count("6", "6"), count("0", "12"));
}

#[test]
fn unknown_laws_are_refused() {
    let ran = lictor(&["fuzz", "--system", "slurm"]).exits(2).prints_nothing();
    ran.tells(&["unknown system `slurm`; the model has kubernetes, coscheduling, koordinator, yunikorn and volcano"]);
}
