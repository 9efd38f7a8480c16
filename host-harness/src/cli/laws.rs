//! `lictor laws`: the laws of the built-in policy.

use clap::Args;
use lictor_policy::{Entry, rules};
use serde::Serialize;

use super::exit::Exit;
use super::failure::Failure;
use super::page::{Page, table};
use super::screen::{Screen, print_json};

/// How alike two codes are for one to be taken for the other, of 1.
const ALIKE: f64 = 0.75;

/// List every law of the built-in policy, or show one in full
#[derive(Debug, Args)]
pub(super) struct Asked {
    /// The code of a law, such as `koordinator/may-preempt`, or the name of a system
    #[arg(value_name = "CODE")]
    code: Option<String>,
    /// How to print them
    #[arg(long, value_enum, default_value = "text")]
    output: Output,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Output {
    Text,
    Json,
}

/// A law as it is told.
#[derive(Debug, Serialize)]
struct Told {
    code: &'static str,
    laws: String,
    question: String,
    sentence: &'static str,
    source: &'static str,
    file: String,
    /// The manual page, where one law is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
}

/// Shows laws.
pub(super) fn run(asked: &Asked) -> Result<Exit, Failure> {
    let mut rules = rules();
    if let Some(code) = &asked.code {
        if let Some((laws, entry)) = rules.iter().find(|(_, entry)| entry.code == code) {
            let law = told(laws.clone(), entry, true);
            match asked.output {
                Output::Json => print_json(&law)?,
                Output::Text => one(&law).print()?,
            }
            return Ok(Exit::Done);
        }
        if !rules.iter().any(|(laws, _)| laws == code) {
            return Err(Failure::UnknownLaw(code.clone(), near(code, &rules)));
        }
        rules.retain(|(laws, _)| laws == code);
    }
    let laws: Vec<Told> = rules.into_iter().map(|(laws, entry)| told(laws, &entry, false)).collect();
    match asked.output {
        Output::Json => print_json(&laws)?,
        Output::Text => all(&laws).print()?,
    }
    Ok(Exit::Done)
}

fn told(laws: String, entry: &Entry, in_full: bool) -> Told {
    let Entry { code, question, sentence, source, name, .. } = *entry;
    let question = format!("{question:?}").to_lowercase();
    let file = format!("guest/policy/src/laws/{question}/{}.rs", name.replace('-', "_"));
    let page = in_full.then(|| entry.page());
    Told { code, laws, question, sentence, source, file, page }
}

/// The laws a word may mean: those with the same name in another system, else those that are written alike.
fn near(code: &str, rules: &[(String, Entry)]) -> Vec<String> {
    let name = |code: &str| code.rsplit('/').next().unwrap_or_default().to_owned();
    let same = |known: &&str| !name(code).is_empty() && name(known).contains(&name(code));
    let mut near: Vec<&str> = rules.iter().map(|(_, entry)| entry.code).filter(same).collect();
    if near.is_empty() {
        let alike =
            |known: &str| strsim::jaro_winkler(known, code).max(strsim::jaro_winkler(&name(known), &name(code)));
        near = rules.iter().map(|(_, entry)| entry.code).filter(|known| alike(known) > ALIKE).collect();
        near.sort_by(|a, b| alike(b).total_cmp(&alike(a)).then(a.cmp(b)));
    }
    near.into_iter().take(3).map(str::to_owned).collect()
}

/// All laws, a line for each.
fn all(laws: &[Told]) -> Page {
    let mut page = Page::new(Screen::stdout());
    let mut rows = table(["CODE", "QUESTION", "WHAT MUST HOLD"]);
    for law in laws {
        rows.add_row([law.code, &law.question, law.sentence]);
    }
    page.table(0, rows);
    page
}

/// One law in full.
fn one(law: &Told) -> Page {
    let mut page = Page::new(Screen::stdout());
    page.heading(law.code);
    page.paragraph("", 0, &format!("{}: {}", law.question, law.sentence));
    page.line(format!("source: {}", law.source));
    page.line(format!("file:   {}", law.file));
    page.line("");
    for line in law.page.iter().flat_map(|page| page.lines()) {
        page.line(line);
    }
    page
}
