//! What a run has compared, as a section of `DIFFERENCES.md`.

use lictor_oracle::SystemKind;

use crate::departure::{departures, upstream};
use crate::tally::ComparisonCounts;

/// How many attempts a run must have compared to say that a ruling is dead.
const ENOUGH: u64 = 100_000;

/// Returns the rulings of a system that explain no difference in a long run: their situation never occurs, or upstream decides alike in it.
pub fn dead(system: SystemKind, tally: &ComparisonCounts) -> Vec<&'static str> {
    let is_used = |id: &str| tally.departures.get(id).is_some_and(|count| *count > 0);
    let ids = departures(system).into_iter().map(|departure| departure.id).filter(|id| !is_used(id));
    if tally.attempts < ENOUGH { Vec::new() } else { ids.collect() }
}

/// Writes the section of a system, of a run of these cases.
pub fn section(system: SystemKind, tally: &ComparisonCounts, (seed, cases): (u64, u64)) -> String {
    let ComparisonCounts { attempts, same: alike, .. } = tally;
    let upstream = upstream(system).unwrap_or_default();
    let mut text = format!("## `{system}` and {upstream}\n\n");
    let mut line = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    line(format!(
        "{cases} random clusters of seed {seed}, {attempts} attempts: {alike} are decided alike, and {} as a ruling says.",
        attempts.saturating_sub(*alike)
    ));
    for (reason, count) in &tally.not_compared {
        line(format!("Not compared are {count} more: {reason}."));
    }
    line(format!("\n| ruling | {upstream} | Lictor | differences | one of them |\n|---|---|---|---|---|"));
    for departure in departures(system) {
        let count = tally.departures.get(departure.id).copied().unwrap_or(0);
        let case = tally.examples.get(departure.id);
        let case = case.map_or_else(String::new, |case| format!("`--from {case} --cases 1`"));
        line(format!("| {} | {} | {} | {count} | {case} |", departure.id, departure.upstream, departure.policy));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ruling_is_in_the_document_with_what_both_do() {
        let document = include_str!("../DIFFERENCES.md");
        for system in SystemKind::ALL {
            assert_eq!(document.contains(&format!("\n## `{system}` and ")), upstream(system).is_some(), "{system}");
            for departure in departures(system) {
                let row = format!("\n| {} | {} | {} |", departure.id, departure.upstream, departure.policy);
                assert!(document.contains(&row), "make DIFFERENCES.md anew with `differences.sh`: {row}");
            }
        }
    }

    #[test]
    fn a_ruling_that_explains_nothing_in_a_long_run_is_dead() {
        let mut tally = ComparisonCounts { attempts: ENOUGH, ..ComparisonCounts::default() };
        let all = departures(SystemKind::Yunikorn).len();
        assert_eq!(dead(SystemKind::Yunikorn, &tally).len(), all);
        tally.departures.insert("D1", 1);
        assert!(!dead(SystemKind::Yunikorn, &tally).contains(&"D1"));
        tally.attempts = ENOUGH.saturating_sub(1);
        assert_eq!(dead(SystemKind::Yunikorn, &tally), Vec::<&str>::new());
    }
}
