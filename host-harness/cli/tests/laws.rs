//! Every law is proven by scenarios: one in which the law denies, one in which it allows, as the scenarios themselves say.
//!
//! - `denies`: with the law out of force, the scenario fails.
//! - `allows`: with the law out of force the scenario passes, and with a law that never holds in its place it fails; so the law
//!   was asked.
//!
//! The named tests: `claims::<system>/<scenario>` for each scenario that names laws, `law::<code>` for each law, and, ignored
//! unless asked for, the mutation run: `mutation::<code>` for each law, and `mutation::<code>::<case>` for each of several cases of denial.

mod named;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use lictor::{Native, mutants};
use lictor_conformance::{Scenario, run};
use lictor_policy::{Mutation, list_laws};
use named::{File, files, nothing};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let files = match files() {
        Ok(files) => Arc::new(files),
        Err(error) => {
            eprintln!("fixtures/scenarios cannot be read: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut tests = vec![Trial::test("the_readme_counts_the_laws_there_are", readme)];
    let all = files.clone();
    tests.push(Trial::test("most_scenarios_name_laws", move || most_scenarios_name_laws(&all)));
    for file in files.iter() {
        let name = file.test_name("claims");
        let file = file.clone();
        tests.push(Trial::ignorable_test(name, move || claims(&file)));
    }
    for code in list_laws().iter().map(|(_, entry)| entry.code) {
        let (one, other) = (files.clone(), files.clone());
        tests.push(Trial::test(format!("law::{code}"), move || law(&one, code)));
        let mutation = Trial::test(format!("mutation::{code}"), move || mutation(&other, code));
        tests.push(mutation.with_ignored_flag(true));
    }
    for (code, case) in cases() {
        let files = files.clone();
        let mutation = Trial::test(format!("mutation::{code}::{case}"), move || mutation_of_a_case(&files, code, case));
        tests.push(mutation.with_ignored_flag(true));
    }
    libtest_mimic::run(&arguments, tests).exit_code()
}

fn passes(scenario: &Scenario, code: &str, to: Mutation) -> bool {
    run(scenario, Box::new(Native::switched(code, to))).passed
}

/// Checks that the laws that a scenario names deny or allow in it as it says.
fn claims(file: &File) -> Result<Completion, Failed> {
    let scenario = file.scenario()?;
    if !names_laws(scenario) {
        return Ok(Completion::ignored_with("names no laws"));
    }
    let known: BTreeSet<&str> = list_laws().iter().map(|(_, entry)| entry.code).collect();
    let unknown = |code: &&String| !known.contains(code.as_str());
    let said = scenario.denies.iter().chain(&scenario.allows);
    let mut wrong: Vec<String> = said.filter(unknown).map(|code| format!("there is no law `{code}`")).collect();
    for code in &scenario.denies {
        if passes(scenario, code, Mutation::AlwaysHolds) {
            wrong.push(format!("`{code}` does not deny here: the scenario passes without it"));
        }
    }
    for code in &scenario.allows {
        if !passes(scenario, code, Mutation::AlwaysHolds) {
            wrong.push(format!("`{code}` does not allow here, it denies: the scenario fails without it"));
        } else if passes(scenario, code, Mutation::AlwaysFails) {
            wrong.push(format!("`{code}` is not asked here: the scenario passes where it never holds"));
        }
    }
    nothing(wrong.into_iter()).map(|()| Completion::Completed)
}

fn names_laws(scenario: &Scenario) -> bool {
    !scenario.denies.is_empty() || !scenario.allows.is_empty()
}

/// Checks that most scenarios say which laws decide in them.
fn most_scenarios_name_laws(files: &[Arc<File>]) -> Result<(), Failed> {
    let naming = files.iter().map(|file| file.scenario().map(names_laws)).collect::<Result<Vec<_>, _>>()?;
    let naming = naming.into_iter().filter(|names| *names).count();
    let wrong = (naming.saturating_mul(100) < files.len().saturating_mul(60))
        .then(|| format!("{naming} of {} scenarios name laws", files.len()));
    nothing(wrong.into_iter())
}

/// Checks that some scenario says that a law denies, and that some scenario says that it allows.
fn law(files: &[Arc<File>], code: &str) -> Result<(), Failed> {
    let (mut denies, mut allows) = (false, false);
    for file in files {
        let scenario = file.scenario()?;
        denies |= scenario.denies.iter().any(|law| law == code);
        allows |= scenario.allows.iter().any(|law| law == code);
    }
    let missing = [(denies, "denies"), (allows, "allows")];
    nothing(missing.iter().filter(|(said, _)| !said).map(|(_, word)| format!("no scenario {word} by `{code}`")))
}

fn readme() -> Result<(), Failed> {
    let laws = list_laws().len();
    let counted = include_str!("README.md").contains(&format!("Each of the {laws} laws in force"));
    nothing((!counted).then(|| format!("there are {laws} laws: run the mutation run again")).into_iter())
}

/// Returns the cases in which a law denies, of the laws that have several.
fn cases() -> impl Iterator<Item = (&'static str, &'static str)> {
    mutants().filter_map(|mutant| match mutant.to {
        Mutation::WithoutCase(case) => Some((mutant.code, case)),
        Mutation::AlwaysHolds | Mutation::AlwaysFails => None,
    })
}

/// Returns the scenarios of the system of a law, and of those that stand on it.
fn scenarios<'a>(files: &'a [Arc<File>], code: &str) -> Result<Vec<&'a Scenario>, Failed> {
    let system = code.split_once('/').map_or(code, |(system, _)| system);
    let is_of = |file: &&Arc<File>| file.system == system || system == "kubernetes" && file.system == "coscheduling";
    files.iter().filter(is_of).map(|file| file.scenario()).collect()
}

/// Checks that a scenario fails where a law denies nothing in one of its cases.
fn mutation_of_a_case(files: &[Arc<File>], code: &str, case: &'static str) -> Result<(), Failed> {
    let is_killed = scenarios(files, code)?.iter().any(|scenario| !passes(scenario, code, Mutation::WithoutCase(case)));
    nothing((!is_killed).then(|| format!("`{code}` survives without its case `{case}`")).into_iter())
}

/// Checks that the scenarios of a law's system, and of those that build on it, detect each switch of the law.
fn mutation(files: &[Arc<File>], code: &str) -> Result<(), Failed> {
    let scenarios = scenarios(files, code)?;
    let failing = |to| scenarios.iter().filter(|scenario| !passes(scenario, code, to)).count();
    let (silent, contrary) = (failing(Mutation::AlwaysHolds), failing(Mutation::AlwaysFails));
    println!("{code:55} silent {silent:4}  contrary {contrary:4}");
    let survivors = [(silent, "out of force"), (contrary, "to the contrary")];
    nothing(survivors.iter().filter(|(failing, _)| *failing == 0).map(|(_, how)| format!("`{code}` {how} survives")))
}
