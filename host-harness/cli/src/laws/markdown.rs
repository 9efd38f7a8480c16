//! The register as a document: a matrix of laws and systems, then each system's table.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{ENGINE, HOST, LawRow, Proof};

/// The questions, in the order in which an attempt asks them.
const LAW_KINDS: [(&str, &str); 4] = [
    ("gate", "Gates (preconditions): may the preemptor preempt?"),
    ("guard", "Guards (victim filters): may this pod be evicted?"),
    ("limit", "Limits (plan invariants): does it still hold with the plan carried out?"),
    ("order", "Orders (comparators): which comes first?"),
];

const HEAD: &str = "# Laws

Every law in force, by system. Made by `cargo run -- laws --output markdown > LAWS.md`; a test keeps it current.

`coscheduling` stands on `kubernetes`, whose laws are in force there, too. A law that several systems have is one file because its sentence
is the same; its code is the system's own. `lictor laws CODE` prints the manual page. The scenarios named here are tried with the law out
of force and with the law saying the contrary (`host-harness/cli/tests/laws.rs`).
";

/// Returns the document.
pub(super) fn register(laws: &[LawRow]) -> String {
    let is_own = |law: &&LawRow| [ENGINE, HOST].contains(&law.laws.as_str());
    let mut systems: Vec<&str> = laws.iter().filter(|law| !is_own(law)).map(|law| law.laws.as_str()).collect();
    systems.sort_unstable();
    systems.dedup();
    let mut text = HEAD.to_owned();
    for (question, title) in LAW_KINDS {
        matrix(&mut text, title, &systems, laws.iter().filter(|law| law.question == question));
    }
    for system in systems {
        table(&mut text, system, laws.iter().filter(|law| law.laws == system));
    }
    reasons(&mut text, laws.iter().filter(is_own));
    text
}

/// Adds a matrix of the laws of a question: the code of each in every system.
fn matrix<'a>(text: &mut String, title: &str, systems: &[&str], laws: impl Iterator<Item = &'a LawRow>) {
    let mut rows: BTreeMap<&str, Vec<&LawRow>> = BTreeMap::new();
    for law in laws {
        rows.entry(&law.file).or_default().push(law);
    }
    heading(text, title, &["what must hold"], systems);
    for (file, laws) in rows {
        let sentence = laws.first().map_or("", |law| law.sentence);
        let mut cells = vec![format!("[{sentence}]({file})")];
        for system in systems {
            let of_system = laws.iter().filter(|law| law.laws == *system);
            cells.push(of_system.map(|law| format!("`{}`", short(law))).collect::<Vec<_>>().join(", "));
        }
        row(text, &cells);
    }
}

/// Adds the table of a system's laws in the order in which they are asked, with their sources and scenarios.
fn table<'a>(text: &mut String, system: &str, laws: impl Iterator<Item = &'a LawRow>) {
    heading(text, system, &["code", "source", "exempt", "denies", "allows"], &[]);
    for law in laws {
        let exempt = law.exempt.unwrap_or_default().to_owned();
        row(text, &[format!("`{}`", law.code), law.source.to_owned(), exempt, links(&law.denies), links(&law.allows)]);
    }
}

/// Adds the reasons of the engine and of the host, which belong to no system.
fn reasons<'a>(text: &mut String, reasons: impl Iterator<Item = &'a LawRow>) {
    heading(text, "Reasons of the engine and of the host", &["code", "what must hold"], &[]);
    for reason in reasons {
        row(text, &[format!("[`{}`]({})", reason.code, reason.file), reason.sentence.to_owned()]);
    }
}

fn heading(text: &mut String, title: &str, columns: &[&str], more: &[&str]) {
    let columns: Vec<String> = columns.iter().chain(more).map(|column| (*column).to_owned()).collect();
    // Writing to a string does not fail.
    let _ = write!(text, "\n## {title}\n\n");
    row(text, &columns);
    row(text, &vec!["---".to_owned(); columns.len()]);
}

fn row(text: &mut String, cells: &[String]) {
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

/// Returns the code of a law without its system.
fn short(law: &LawRow) -> &str {
    law.code.split_once('/').map_or(law.code, |(_, short)| short)
}

/// Returns links to the first scenarios, and how many more there are.
fn links(proofs: &[Proof]) -> String {
    const SHOWN: usize = 3;
    let links = proofs.iter().take(SHOWN).map(|proof| format!("[{}]({})", proof.scenario, proof.file));
    let more = proofs.len().checked_sub(SHOWN).filter(|more| *more > 0).map(|more| format!("{more} more"));
    links.chain(more).collect::<Vec<_>>().join(", ")
}
