//! `lictor laws`: the laws of the built-in policy, and the reasons of its engine and of the host.

mod markdown;
mod near;
mod proofs;

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use lictor_decide::laws::{ENGINE, HOST, RegisteredRule, registered};
use lictor_policy::list_laws;
use serde::Serialize;

use super::exit::Exit;
use super::failure::CommandError;
use super::page::{TextPage, keep_whole, table};
use super::screen::{Screen, TextJsonOrMarkdown, print, print_json};
use near::laws_with_words;
pub(super) use near::similar_laws;
use proofs::{Proof, ProvingScenarios};

/// List the laws of the built-in policy, or show one in full
#[derive(Debug, Args)]
pub(super) struct LawsArgs {
    /// The code of a law, such as `koordinator/may-preempt`, which is shown in full; or the name of a system, or words, whose laws are listed
    #[arg(value_name = "CODE|SYSTEM|WORDS")]
    wanted: Option<String>,
    /// Only those of one system, such as `yunikorn`
    #[arg(long = "system", alias = "laws", value_name = "NAME", conflicts_with = "wanted", value_parser = systems())]
    laws: Option<String>,
    /// The scenarios that prove them [default: fixtures/scenarios, where that is]
    #[arg(long, value_name = "DIR")]
    scenarios: Option<PathBuf>,
    /// How to print them
    #[arg(long, value_enum, default_value = "text")]
    output: TextJsonOrMarkdown,
}

/// Returns the names that `--system` accepts: the systems, and the engine and the host with their own reasons.
fn systems() -> PossibleValuesParser {
    let mut systems: Vec<&str> =
        list_laws().iter().filter_map(|(_, entry)| Some(entry.code.split_once('/')?.0)).collect();
    systems.dedup();
    systems.extend([ENGINE, HOST]);
    systems.into()
}

/// A law as it is printed.
#[derive(Debug, Serialize)]
struct LawRow {
    code: &'static str,
    laws: String,
    question: String,
    sentence: &'static str,
    source: &'static str,
    /// Which preemptors it does not apply to.
    #[serde(skip_serializing_if = "Option::is_none")]
    exempt: Option<&'static str>,
    file: String,
    /// The scenarios in which it denies.
    denies: Vec<Proof>,
    /// The scenarios in which it is asked and allows.
    allows: Vec<Proof>,
    /// The manual page, where one law is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
}

/// Shows laws.
pub(super) fn run(asked: &LawsArgs) -> Result<Exit, CommandError> {
    let registered = registered();
    let wanted = asked.wanted.as_deref().or(asked.laws.as_deref());
    if let Some(law) = wanted.and_then(|code| registered.iter().find(|law| law.code == code)) {
        let law = law_row(law, &ProvingScenarios::find(asked.scenarios.as_deref())?, true);
        match asked.output {
            TextJsonOrMarkdown::Json => print_json(&law)?,
            TextJsonOrMarkdown::Markdown => print(&markdown::register(&[law]))?,
            TextJsonOrMarkdown::Text => one(&law).print()?,
        }
        return Ok(Exit::Success);
    }
    let chosen = choose(wanted, &registered)?;
    // A list as text does not name the scenarios, of which there are many to read.
    let proofs = match (asked.output, &asked.scenarios) {
        (TextJsonOrMarkdown::Text, None) => ProvingScenarios::default(),
        (_, named) => ProvingScenarios::find(named.as_deref())?,
    };
    let laws: Vec<LawRow> = chosen.into_iter().map(|law| law_row(law, &proofs, false)).collect();
    match asked.output {
        TextJsonOrMarkdown::Json => print_json(&laws)?,
        TextJsonOrMarkdown::Markdown => print(&markdown::register(&laws))?,
        TextJsonOrMarkdown::Text => all(&laws).print()?,
    }
    Ok(Exit::Success)
}

/// Returns the laws of a system or those with these words; all, where nothing is named.
///
/// # Errors
/// No law has them, or a code is named that no law has.
fn choose<'r>(wanted: Option<&str>, registered: &'r [RegisteredRule]) -> Result<Vec<&'r RegisteredRule>, CommandError> {
    let Some(wanted) = wanted else { return Ok(registered.iter().collect()) };
    let mut chosen: Vec<&RegisteredRule> = registered.iter().filter(|law| law.system == wanted).collect();
    // A word with a slash is meant as a code.
    if chosen.is_empty() && !wanted.contains('/') {
        chosen = laws_with_words(wanted, registered).collect();
    }
    if chosen.is_empty() {
        return Err(CommandError::UnknownLaw(wanted.to_owned(), similar_laws(wanted, registered)));
    }
    Ok(chosen)
}

fn law_row(law: &RegisteredRule, proofs: &ProvingScenarios, in_full: bool) -> LawRow {
    let RegisteredRule { code, sentence, source, exempt, .. } = *law;
    let (laws, question, file) = (law.system.clone(), law.question.clone(), law.file.clone());
    let page = in_full.then(|| law.page.clone());
    let (denies, allows) = (proofs.denies(code), proofs.allows(code));
    LawRow { code, laws, question, sentence, source, exempt, file, denies, allows, page }
}

/// Makes the page of all laws, with a line for each.
fn all(laws: &[LawRow]) -> TextPage {
    let mut page = TextPage::new(Screen::stdout());
    let mut rows = table(["CODE", "QUESTION", "WHAT MUST HOLD"]);
    for law in laws {
        rows.add_row([law.code, &law.question, law.sentence]);
    }
    keep_whole(&mut rows, 0);
    page.table(0, rows);
    page
}

/// Makes the page of one law.
fn one(law: &LawRow) -> TextPage {
    let mut page = TextPage::new(Screen::stdout());
    page.heading(law.code);
    page.paragraph(&format!("{}: ", law.question), 2, law.sentence);
    page.paragraph("source: ", 8, law.source);
    if let Some(exempt) = law.exempt {
        page.paragraph("exempt: ", 8, exempt);
    }
    page.line(format!("file:   {}", law.file));
    for (word, proofs) in [("denies: ", &law.denies), ("allows: ", &law.allows)] {
        for (proof, lead) in proofs.iter().zip(std::iter::once(word).chain(std::iter::repeat("        "))) {
            page.line(format!("{lead}{}", proof.file));
        }
    }
    for paragraph in law.page.iter().flat_map(|page| page.split("\n\n")) {
        match paragraph.strip_prefix("# ") {
            Some(heading) => page.heading(heading),
            None if law.laws == ENGINE || law.laws == HOST => {
                page.line("");
                page.paragraph("", 0, paragraph);
            }
            None => page.paragraph("", 0, paragraph),
        }
    }
    page
}
