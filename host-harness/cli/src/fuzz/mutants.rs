//! The mutants of the laws of a system that its judge notices.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter, Write};
use std::path::Path;

use lictor_conformance::fuzz::attempt_comparing;
use lictor_judges::upstream;
use lictor_oracle::generate;

use super::scene::{JudgeAnswers, PlayedCase};
use super::suspect::{MutantDetection, TestedMutant};
use super::unnoticed::{SurvivalKind, reason};
use super::{FuzzArgs, append};
use crate::exit::Exit;
use crate::failure::CommandError;
use crate::fuzz::judged::start;
use crate::page::{TextPage, table};
use crate::progress::ProgressDisplay;
use crate::screen::Screen;
use crate::{Native, mutants};

/// Plays cases with each mutant next to the policy, and appends the result to a file.
pub(super) fn run(asked: &FuzzArgs, judge: &Path, file: &Path) -> Result<Exit, CommandError> {
    let mut program = start(asked.laws, judge)?;
    let is_of = |code: &str| code.split_once('/').is_some_and(|(system, _)| system == asked.laws.name());
    let mut suspects: Vec<TestedMutant> =
        mutants().filter(|mutant| is_of(mutant.code)).map(TestedMutant::new).collect();
    let progress = ProgressDisplay::of_parts("playing cases", usize::try_from(asked.cases).unwrap_or(usize::MAX));
    let mut played = 0u64;
    for index in (asked.from..).take(usize::try_from(asked.cases).unwrap_or(usize::MAX)) {
        if suspects.iter().all(TestedMutant::is_settled) {
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
        let case = PlayedCase { case, steps };
        let mut answers = JudgeAnswers { program: &mut program, cached: BTreeMap::new() };
        for suspect in suspects.iter_mut().filter(|suspect| !suspect.is_settled()) {
            suspect.play_case(&case, &mut answers).map_err(|error| CommandError::NoJudge {
                message: error.to_string(),
                remedy: "see what the judge writes to stderr, and play the case without `--mutants`",
            })?;
        }
    }
    drop(progress);
    page(asked, &suspects, played).print()?;
    append(file, &section(asked, &suspects, played))?;
    let is_unexplained = |suspect: &TestedMutant| suspect.noticed.is_none() && reason(suspect).is_none();
    Ok(if suspects.iter().any(is_unexplained) { Exit::Failure } else { Exit::Success })
}

/// A number of mutants, and how many of them were noticed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct MutationScore {
    noticed: usize,
    all: usize,
}

impl MutationScore {
    /// Counts mutants.
    fn of<'s>(suspects: impl Iterator<Item = &'s TestedMutant>) -> MutationScore {
        suspects.fold(MutationScore::default(), |share, suspect| MutationScore {
            noticed: share.noticed.saturating_add(usize::from(suspect.noticed.is_some())),
            all: share.all.saturating_add(1),
        })
    }
}

impl Display for MutationScore {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        let percent = self.noticed.saturating_mul(100).checked_div(self.all).unwrap_or(100);
        write!(to, "{} of {} ({percent} %)", self.noticed, self.all)
    }
}

/// Returns whether upstream has the law of a mutant, so that its judge can notice it.
fn has_counterpart(suspect: &TestedMutant) -> bool {
    !matches!(reason(suspect), Some((SurvivalKind::NoCounterpart, _)))
}

/// Returns the result for people.
fn page(asked: &FuzzArgs, suspects: &[TestedMutant], played: u64) -> TextPage {
    let mut page = TextPage::new(Screen::stdout());
    let mut rows = table(["LAW", "SWITCHED", "NOTICED", "IN CASE", "COMPARED", "VERDICTS"]);
    for TestedMutant { mutant, noticed, compared, verdicts, faults } in suspects {
        let (how, case) = match noticed {
            Some((case, MutantDetection::Difference(_))) => ("difference".to_owned(), case.to_string()),
            Some((case, MutantDetection::Ruling(ids))) => (format!("ruling {}", ids.join(", ")), case.to_string()),
            None => ("NO".to_owned(), String::new()),
        };
        let mut results: Vec<String> = verdicts.iter().map(|(what, count)| format!("{what} {count}")).collect();
        results.extend(faults.first().map(|(case, text)| format!("FAULT in case {case}: {text}")));
        rows.add_row([mutant.code.to_owned(), mutant.change(), how, case, compared.to_string(), results.join(", ")]);
    }
    page.table(0, rows);
    for suspect in suspects.iter().filter(|_| asked.verbose) {
        if let Some((case, MutantDetection::Difference(text))) = &suspect.noticed {
            let law = format!("{} {}, case {case}: ", suspect.mutant.code, suspect.mutant.change());
            page.paragraph(&law, 2, text);
        }
    }
    page.line(format!("{}, seed {}: {played} cases from {}", asked.laws, asked.seed, asked.from));
    page
}

/// Writes the section of a system.
fn section(asked: &FuzzArgs, suspects: &[TestedMutant], played: u64) -> String {
    let by = |is_it: fn(&MutantDetection) -> bool| {
        suspects.iter().filter(|suspect| suspect.noticed.as_ref().is_some_and(|(_, notice)| is_it(notice))).count()
    };
    let differences = by(|notice| matches!(notice, MutantDetection::Difference(_)));
    let rulings = by(|notice| matches!(notice, MutantDetection::Ruling(_)));
    let mut text = format!(
        "\n## `{}` and {}\n\n{played} random clusters of seed {}. Noticed are {} mutants, {differences} by a difference that no ruling explains, \
         and {rulings} by a ruling alone; of the laws that upstream has, {}.\n\n| not noticed | switched | attempts compared | these came to \
         | kind | reason |\n|---|---|---|---|---|---|\n",
        asked.laws,
        upstream(asked.laws).unwrap_or_default(),
        asked.seed,
        MutationScore::of(suspects.iter()),
        MutationScore::of(suspects.iter().filter(|suspect| has_counterpart(suspect))),
    );
    for suspect in suspects.iter().filter(|suspect| suspect.noticed.is_none()) {
        let TestedMutant { mutant, compared, verdicts, .. } = suspect;
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
    for TestedMutant { mutant, noticed, .. } in suspects {
        if let Some((_, MutantDetection::Ruling(ids))) = noticed {
            let _ = writeln!(text, "| `{}` | {} | {} |", mutant.code, mutant.change(), ids.join(", "));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use lictor_policy::Mutation;

    use super::*;
    use crate::Mutant;

    /// Returns a suspect, noticed or not.
    fn suspect(code: &'static str, is_noticed: bool) -> TestedMutant {
        let noticed = is_noticed.then(|| (0, MutantDetection::Ruling(vec!["D1"])));
        TestedMutant { noticed, ..TestedMutant::new(Mutant { code, to: Mutation::AlwaysHolds }) }
    }

    #[test]
    fn mutants_that_upstream_has_no_law_for_count_in_the_first_share_alone() {
        let suspects =
            [suspect("yunikorn/1", true), suspect("yunikorn/2", false), suspect("yunikorn/shared-guarantee", false)];
        assert_eq!(MutationScore::of(suspects.iter()).to_string(), "1 of 3 (33 %)");
        let share = MutationScore::of(suspects.iter().filter(|suspect| has_counterpart(suspect)));
        assert_eq!(share, MutationScore { noticed: 1, all: 2 });
        assert_eq!(MutationScore::default().to_string(), "0 of 0 (100 %)");
    }
}
