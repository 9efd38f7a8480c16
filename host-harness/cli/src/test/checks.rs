//! The page of the checks, `CONFORMANCE.md`.

use lictor_conformance::interface::{Check, checks};

/// The text before the checks.
const HEAD: &str = "# Conformance of a policy

`lictor test --component FILE` holds a component to the checks of this page: what it exports is what is tested, in random clusters, and in
those of scenarios where some are named. Each check stands for one rule of the contract in `wit/`. `lictor test --component FILE
--interface SCENARIOS` also runs the scenarios of the systems that the component describes, and reports them apart; `--report FILE` writes
down what came of both, with the digests of component and suite.

A check that nothing came up for is not met: no system decides there, or no cluster led there. It neither passes nor fails.

This page is written by `lictor test --list-checks`.
";

/// Returns the page.
pub(super) fn markdown() -> String {
    let mut page = HEAD.to_owned();
    let mut section = "";
    for check in checks() {
        if check.section() != section {
            section = check.section();
            page.push_str(&format!("\n## {section}\n\n| check | demands | remedy | rule |\n|---|---|---|---|\n"));
        }
        let Check { id, demands, remedy, rule, .. } = check;
        page.push_str(&format!("| `{id}` | {demands} | {remedy} | {rule} |\n"));
    }
    page
}
