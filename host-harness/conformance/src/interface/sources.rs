//! The sources of the suite: its digest is made of them, so that a suite that asks otherwise has another one.

/// Returns the sources, in the order of their names.
pub(crate) fn sources() -> &'static [&'static str] {
    &[
        include_str!("check.rs"),
        include_str!("cluster.rs"),
        include_str!("../../../oracle/src/random.rs"),
        include_str!("exchange.rs"),
        include_str!("lab.rs"),
        include_str!("mod.rs"),
        include_str!("names.rs"),
        include_str!("outcome.rs"),
        include_str!("play.rs"),
        include_str!("sources.rs"),
        include_str!("suite.rs"),
        include_str!("tap.rs"),
        include_str!("checks/account.rs"),
        include_str!("checks/configure.rs"),
        include_str!("checks/core.rs"),
        include_str!("checks/cycle.rs"),
        include_str!("checks/describe.rs"),
        include_str!("checks/enforce.rs"),
        include_str!("checks/explain.rs"),
        include_str!("checks/marks.rs"),
        include_str!("checks/mod.rs"),
        include_str!("checks/permit.rs"),
        include_str!("checks/placement.rs"),
        include_str!("checks/plans.rs"),
        include_str!("checks/queue.rs"),
        include_str!("checks/reasons.rs"),
        include_str!("checks/score.rs"),
        include_str!("checks/standing.rs"),
        include_str!("checks/state.rs"),
        include_str!("checks/told.rs"),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn no_source_is_left_out() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/interface");
        let listed: BTreeSet<&str> = sources().iter().copied().collect();
        for folder in [folder.clone(), folder.join("checks")] {
            let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            for file in files.filter(|file| file.extension().is_some_and(|ending| ending == "rs")) {
                let text = std::fs::read_to_string(&file).unwrap();
                assert!(listed.contains(text.as_str()), "add {} to the list", file.display());
            }
        }
    }
}
