//! `lictor laws`: the laws of the built-in policy.

mod markdown;
mod near;
mod proofs;

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use lictor_policy::{Entry, rules};
use serde::Serialize;

use super::exit::Exit;
use super::failure::Failure;
use super::page::{Page, keep_whole, table};
use super::screen::{Screen, print, print_json};
pub(super) use near::near;
use proofs::{Proof, Proofs};

/// List every law of the built-in policy, or show one in full
#[derive(Debug, Args)]
pub(super) struct Asked {
    /// The code of a law, such as `koordinator/may-preempt`
    #[arg(value_name = "CODE")]
    code: Option<String>,
    /// Only those of one system, such as `yunikorn`
    #[arg(long, value_name = "NAME", conflicts_with = "code", value_parser = systems())]
    laws: Option<String>,
    /// The scenarios that prove them [default: fixtures/scenarios, where that is]
    #[arg(long, value_name = "DIR")]
    scenarios: Option<PathBuf>,
    /// How to print them
    #[arg(long, value_enum, default_value = "text")]
    output: Output,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Output {
    Text,
    Json,
    /// The whole register, as in LAWS.md
    Markdown,
}

/// The systems that have laws.
fn systems() -> PossibleValuesParser {
    let mut systems: Vec<&str> = rules().iter().filter_map(|(_, entry)| Some(entry.code.split_once('/')?.0)).collect();
    systems.dedup();
    systems.into()
}

/// A law as it is told.
#[derive(Debug, Serialize)]
struct Reported {
    code: &'static str,
    laws: String,
    question: String,
    sentence: &'static str,
    source: &'static str,
    file: String,
    /// The scenarios in which it denies.
    denies: Vec<Proof>,
    /// The scenarios in which it is asked and allows.
    allows: Vec<Proof>,
    /// The manual page, where one law is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
}

/// Shows laws.
pub(super) fn run(asked: &Asked) -> Result<Exit, Failure> {
    let rules = rules();
    let proofs = Proofs::find(asked.scenarios.as_deref())?;
    let of_system = |laws: &str| asked.laws.as_deref().is_none_or(|only| only == laws);
    let of_code = |entry: &Entry| asked.code.as_deref().is_none_or(|only| only == entry.code);
    let chosen = rules.iter().filter(|(laws, entry)| of_system(laws) && of_code(entry));
    let laws: Vec<Reported> = chosen.map(|(laws, entry)| told(laws, entry, &proofs, asked.code.is_some())).collect();
    if let ([], Some(asked)) = (laws.as_slice(), &asked.code) {
        return Err(Failure::UnknownLaw(asked.clone(), near(asked, &rules)));
    }
    match (asked.output, &asked.code, laws.as_slice()) {
        (Output::Json, Some(_), [law]) => print_json(law)?,
        (Output::Json, ..) => print_json(&laws)?,
        (Output::Markdown, ..) => print(&markdown::register(&laws))?,
        (Output::Text, Some(_), [law]) => one(law).print()?,
        (Output::Text, ..) => all(&laws).print()?,
    }
    Ok(Exit::Done)
}

fn told(laws: &str, entry: &Entry, proofs: &Proofs, in_full: bool) -> Reported {
    let Entry { code, question, sentence, source, .. } = *entry;
    let (question, file) = (question.to_string(), entry.file());
    let page = in_full.then(|| entry.page());
    let (denies, allows) = (proofs.denies(code), proofs.allows(code));
    Reported { code, laws: laws.to_owned(), question, sentence, source, file, denies, allows, page }
}

/// All laws, a line for each.
fn all(laws: &[Reported]) -> Page {
    let mut page = Page::new(Screen::stdout());
    let mut rows = table(["CODE", "QUESTION", "WHAT MUST HOLD"]);
    for law in laws {
        rows.add_row([law.code, &law.question, law.sentence]);
    }
    keep_whole(&mut rows, 0);
    page.table(0, rows);
    page
}

/// One law in full.
fn one(law: &Reported) -> Page {
    let mut page = Page::new(Screen::stdout());
    page.heading(law.code);
    page.paragraph(&format!("{}: ", law.question), 2, law.sentence);
    page.paragraph("source: ", 8, law.source);
    page.line(format!("file:   {}", law.file));
    for (word, proofs) in [("denies: ", &law.denies), ("allows: ", &law.allows)] {
        for (proof, lead) in proofs.iter().zip(std::iter::once(word).chain(std::iter::repeat("        "))) {
            page.line(format!("{lead}{}", proof.file));
        }
    }
    for paragraph in law.page.iter().flat_map(|page| page.split("\n\n")) {
        page.line("");
        page.paragraph("", 0, paragraph);
    }
    page
}
