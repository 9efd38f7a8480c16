//! `lictor laws`: the laws of the built-in policy.

use clap::Args;
use lictor_policy::{Entry, rules};
use serde::Serialize;

use super::exit::Exit;
use super::failure::Failure;
use super::page::{Page, table};
use super::screen::{Screen, print_json};

/// How alike two codes are for one to be taken for the other, of 1.
const ALIKE: f64 = 0.85;

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

/// The laws a code may mean: those that share a word with its name, or are written much like it; the likeliest first.
pub(super) fn near(code: &str, rules: &[(String, Entry)]) -> Vec<String> {
    let name = |code: &'static str| code.rsplit('/').next().unwrap_or_default();
    let asked = code.rsplit('/').next().unwrap_or_default();
    let mut near: Vec<(usize, f64, &str)> = Vec::new();
    for (_, entry) in rules {
        let shared = name(entry.code).split('-').filter(|word| asked.split('-').any(|other| other == *word)).count();
        let alike = strsim::jaro_winkler(entry.code, code).max(strsim::jaro_winkler(name(entry.code), asked));
        if shared > 0 || alike > ALIKE {
            near.push((shared, alike, entry.code));
        }
    }
    near.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(b.2)));
    near.into_iter().take(3).map(|(_, _, code)| code.to_owned()).collect()
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
