//! The mutants of the laws of a system that its judge notices.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter, Write};
use std::path::Path;

use lictor_conformance::fuzz::attempt_comparing;
use lictor_judges::upstream;
use lictor_oracle::generate;

use super::scene::{Answers, Played};
use super::suspect::{Notice, Suspect};
use super::unnoticed::{Kind, reason};
use super::{Asked, append};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::fuzz::judged::start;
use crate::page::{Page, table};
use crate::progress::Progress;
use crate::screen::Screen;
use crate::{Native, mutants};

/// Plays cases with each mutant next to the policy, and appends the result to a file.
pub(super) fn run(asked: &Asked, judge: &Path, file: &Path) -> Result<Exit, Failure> {
    let mut program = start(asked.laws, judge)?;
    let is_of = |code: &str| code.split_once('/').is_some_and(|(system, _)| system == asked.laws.name());
    let mut suspects: Vec<Suspect> = mutants().filter(|mutant| is_of(mutant.code)).map(Suspect::new).collect();
    let progress = Progress::of_parts("playing cases", usize::try_from(asked.cases).unwrap_or(usize::MAX));
    let mut played = 0u64;
    for index in (asked.from..).take(usize::try_from(asked.cases).unwrap_or(usize::MAX)) {
        if suspects.iter().all(Suspect::is_settled) {
            break;
        }
        let case = generate(asked.laws, asked.seed, index);
        let mut steps = Vec::new();
        let (_, failure) = attempt_comparing(&case, Box::new(Native::default()), None, |step, outcome| {
            steps.push((step.clone(), outcome.clone()));
            Ok(())
        });
        played = played.saturating_add(1);
        progress.part_done();
        // A run without mutants reports such a case.
        if failure.is_some() {
            continue;
        }
        let case = Played { case, steps };
        let mut answers = Answers { program: &mut program, known: BTreeMap::new() };
        for suspect in suspects.iter_mut().filter(|suspect| !suspect.is_settled()) {
            suspect.look(&case, &mut answers).map_err(|error| Failure::NoJudge {
                message: error.to_string(),
                remedy: "see what the judge writes to stderr, and play the case without `--mutants`",
            })?;
        }
    }
    drop(progress);
    page(asked, &suspects, played).print()?;
    append(file, &section(asked, &suspects, played))?;
    let is_unexplained = |suspect: &Suspect| suspect.noticed.is_none() && reason(suspect).is_none();
    Ok(if suspects.iter().any(is_unexplained) { Exit::Failed } else { Exit::Done })
}

/// A number of mutants, and how many of them were noticed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Share {
    noticed: usize,
    all: usize,
}

impl Share {
    /// Counts mutants.
    fn of<'s>(suspects: impl Iterator<Item = &'s Suspect>) -> Share {
        suspects.fold(Share::default(), |share, suspect| Share {
            noticed: share.noticed.saturating_add(usize::from(suspect.noticed.is_some())),
            all: share.all.saturating_add(1),
        })
    }
}

impl Display for Share {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        let percent = self.noticed.saturating_mul(100).checked_div(self.all).unwrap_or(100);
        write!(to, "{} of {} ({percent} %)", self.noticed, self.all)
    }
}

/// Returns whether upstream has the law of a mutant, so that its judge can notice it.
fn has_counterpart(suspect: &Suspect) -> bool {
    !matches!(reason(suspect), Some((Kind::NoCounterpart, _)))
}

/// Returns the result for people.
fn page(asked: &Asked, suspects: &[Suspect], played: u64) -> Page {
    let mut page = Page::new(Screen::stdout());
    let mut rows = table(["LAW", "SWITCHED", "NOTICED", "IN CASE", "COMPARED", "VERDICTS"]);
    for Suspect { mutant, noticed, compared, verdicts, faults } in suspects {
        let (how, case) = match noticed {
            Some((case, Notice::Difference(_))) => ("difference".to_owned(), case.to_string()),
            Some((case, Notice::Ruling(ids))) => (format!("ruling {}", ids.join(", ")), case.to_string()),
            None => ("NO".to_owned(), String::new()),
        };
        let mut results: Vec<String> = verdicts.iter().map(|(what, count)| format!("{what} {count}")).collect();
        results.extend(faults.first().map(|(case, text)| format!("FAULT in case {case}: {text}")));
        rows.add_row([mutant.code.to_owned(), mutant.change(), how, case, compared.to_string(), results.join(", ")]);
    }
    page.table(0, rows);
    for suspect in suspects.iter().filter(|_| asked.verbose) {
        if let Some((case, Notice::Difference(text))) = &suspect.noticed {
            let law = format!("{} {}, case {case}: ", suspect.mutant.code, suspect.mutant.change());
            page.paragraph(&law, 2, text);
        }
    }
    page.line(format!("{}, seed {}: {played} cases from {}", asked.laws, asked.seed, asked.from));
    page
}

/// Writes the section of a system.
fn section(asked: &Asked, suspects: &[Suspect], played: u64) -> String {
    let by = |is_it: fn(&Notice) -> bool| {
        suspects.iter().filter(|suspect| suspect.noticed.as_ref().is_some_and(|(_, notice)| is_it(notice))).count()
    };
    let differences = by(|notice| matches!(notice, Notice::Difference(_)));
    let rulings = by(|notice| matches!(notice, Notice::Ruling(_)));
    let mut text = format!(
        "\n## `{}` and {}\n\n{played} random clusters of seed {}. Noticed are {} mutants, {differences} by a difference that no ruling explains, \
         and {rulings} by a ruling alone; of the laws that upstream has, {}.\n\n| not noticed | switched | attempts compared | these came to \
         | kind | reason |\n|---|---|---|---|---|---|\n",
        asked.laws,
        upstream(asked.laws).unwrap_or_default(),
        asked.seed,
        Share::of(suspects.iter()),
        Share::of(suspects.iter().filter(|suspect| has_counterpart(suspect))),
    );
    for suspect in suspects.iter().filter(|suspect| suspect.noticed.is_none()) {
        let Suspect { mutant, compared, verdicts, .. } = suspect;
        let verdicts: Vec<String> = verdicts.iter().map(|(what, count)| format!("{what} {count}")).collect();
        let (kind, reason) = reason(suspect).map_or(("none yet", "none yet"), |(kind, reason)| (kind.name(), reason));
        // Writing into a text does not fail.
        let _ = writeln!(
            text,
            "| `{}` | {} | {compared} | {} | {kind} | {reason} |",
            mutant.code,
            mutant.change(),
            verdicts.join(", ")
        );
    }
    text.push_str("\n| noticed by a ruling alone | switched | ruling |\n|---|---|---|\n");
    for Suspect { mutant, noticed, .. } in suspects {
        if let Some((_, Notice::Ruling(ids))) = noticed {
            let _ = writeln!(text, "| `{}` | {} | {} |", mutant.code, mutant.change(), ids.join(", "));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use lictor_policy::Switch;

    use super::*;
    use crate::Mutant;

    /// Returns a suspect, noticed or not.
    fn suspect(code: &'static str, is_noticed: bool) -> Suspect {
        let noticed = is_noticed.then(|| (0, Notice::Ruling(vec!["D1"])));
        Suspect { noticed, ..Suspect::new(Mutant { code, to: Switch::Silent }) }
    }

    #[test]
    fn mutants_that_upstream_has_no_law_for_count_in_the_first_share_alone() {
        let suspects =
            [suspect("yunikorn/1", true), suspect("yunikorn/2", false), suspect("yunikorn/shared-guarantee", false)];
        assert_eq!(Share::of(suspects.iter()).to_string(), "1 of 3 (33 %)");
        let share = Share::of(suspects.iter().filter(|suspect| has_counterpart(suspect)));
        assert_eq!(share, Share { noticed: 1, all: 2 });
        assert_eq!(Share::default().to_string(), "0 of 0 (100 %)");
    }
}
