//! What the documents name is there: links, paths, laws by their codes, scenarios and tests by their names.
#![expect(clippy::unwrap_used, clippy::arithmetic_side_effects, reason = "tests")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lictor_policy::list_laws;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// What is promised, with the tests that show it.
const SECURITY: &str = "SECURITY.md";
/// The steps that are played in a living cluster.
const STEPS: [&str; 2] = ["host-harness/controller/tests/live/main.rs", "host-harness/controller/tests/plugin/main.rs"];

/// Returns the documents that name laws and scenarios: the documents for a first reading, and the manual of each system.
fn documents() -> Vec<PathBuf> {
    let first =
        ["README.md", "CONTRIBUTING.md", SECURITY, "fixtures/scenarios/README.md", "host-harness/cli/tests/README.md"];
    let manuals = fs::read_dir(Path::new(ROOT).join("guest/policy/src/systems")).unwrap();
    let manuals = manuals.map(|entry| entry.unwrap().path().join("README.md")).filter(|path| path.is_file());
    first.iter().map(|path| Path::new(ROOT).join(path)).chain(manuals).collect()
}

/// Returns the texts in backticks outside of code blocks.
fn quoted(text: &str) -> Vec<&str> {
    let mut fenced = false;
    let prose = text.lines().filter(move |line| {
        let is_fence = line.starts_with("```");
        fenced ^= is_fence;
        !fenced && !is_fence
    });
    prose.flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

/// Returns the targets of the links that do not leave the repository.
fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.starts_with("http") && !target.starts_with('#')).collect()
}

/// Returns whether a link leads to a file, and to a heading of it where the link names one.
fn leads_somewhere(folder: &Path, link: &str) -> bool {
    let (path, heading) = link.split_once('#').unwrap_or((link, ""));
    let path = folder.join(path);
    let anchor = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        title.replace(' ', "-").replace(|c: char| !c.is_alphanumeric() && c != '-' && c != '_', "")
    };
    let has = |text: String| text.lines().any(|line| line.starts_with('#') && anchor(line) == heading);
    path.exists() && (heading.is_empty() || fs::read_to_string(path).is_ok_and(has))
}

/// Returns everything that a document names and that does not exist, by the check `wrong`.
fn lies(wrong: impl Fn(&Path, &str) -> Vec<String>) -> Vec<String> {
    let mut lies = Vec::new();
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        lies.extend(wrong(&path, &text).into_iter().map(|lie| format!("{}: {lie}", path.display())));
    }
    lies
}

#[test]
fn every_link_and_path_leads_somewhere() {
    let lies = lies(|document, text| {
        let folder = document.parent().unwrap();
        let dead = links(text).into_iter().filter(|link| !leads_somewhere(folder, link)).map(str::to_owned);
        let top = ["guest/", "host-harness/", "fixtures/", "wit/"];
        let is_path =
            |name: &&str| top.iter().any(|top| name.starts_with(top)) && !name.contains(|c: char| "<*{ ".contains(c));
        let gone = quoted(text).into_iter().filter(is_path).filter(|path| !Path::new(ROOT).join(path).exists());
        dead.chain(gone.map(str::to_owned)).collect()
    });
    assert!(lies.is_empty(), "{lies:#?}");
}

#[test]
fn every_law_and_scenario_is_there() {
    let codes: BTreeSet<&str> = list_laws().iter().map(|(_, entry)| entry.code).collect();
    let systems: BTreeSet<&str> = codes.iter().map(|code| code.split('/').next().unwrap()).collect();
    let names: BTreeSet<&str> = codes.iter().map(|code| code.split('/').nth(1).unwrap()).collect();
    let folders = fs::read_dir(Path::new(ROOT).join("fixtures/scenarios")).unwrap().map(|entry| entry.unwrap().path());
    let files = folders.filter(|path| path.is_dir()).flat_map(|folder| fs::read_dir(folder).unwrap());
    let scenarios: BTreeSet<String> =
        files.map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()).collect();
    let is_kebab = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    // A name of four words or more is that of a scenario, or of a law without its system.
    let unknown = |name: &&str| match name.split_once('/') {
        Some((system, law)) => systems.contains(system) && !law.is_empty() && is_kebab(law) && !codes.contains(name),
        None => {
            let is_sentence = is_kebab(name) && name.split('-').count() > 3 && !name.contains("--");
            is_sentence && !scenarios.contains(*name) && !names.contains(name)
        }
    };
    let lies = lies(|_, text| quoted(text).into_iter().filter(unknown).map(str::to_owned).collect());
    assert!(lies.is_empty(), "{lies:#?}");
}

/// Returns the functions that a document names with their files, in the folder of the policy or its own, as path and name: `` `path.rs`, `name` ``.
fn functions(text: &str) -> Vec<(&str, &str)> {
    let is_function = |name: &str| name.contains('_') && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let named = text.split("`, `").collect::<Vec<_>>();
    let pairs = named.iter().zip(named.iter().skip(1));
    let pairs = pairs.map(|(path, name)| (path.rsplit('`').next().unwrap(), name.split('`').next().unwrap()));
    pairs.filter(|(path, name)| path.ends_with(".rs") && is_function(name)).collect()
}

#[test]
fn every_function_is_in_the_file_that_is_named_with_it() {
    let has =
        |path: PathBuf, name: &str| fs::read_to_string(path).is_ok_and(|text| text.contains(&format!("fn {name}")));
    let lies = lies(|document, text| {
        let folders = [document.parent().unwrap(), &Path::new(ROOT).join("guest/policy/src")];
        let is_there = |(path, name): &(&str, &str)| folders.iter().any(|folder| has(folder.join(path), name));
        let missing = functions(text).into_iter().filter(|named| !is_there(named));
        missing.map(|(path, name)| format!("{path}, {name}")).collect()
    });
    assert!(lies.is_empty(), "{lies:#?}");
    assert_eq!(functions("by `a/b.rs`, `c_d`; `e-f`, `g.rs`, `tests.rs`"), [("a/b.rs", "c_d")]);
}

/// Returns the rows of the tables of a document, without their heads.
fn rows(text: &str) -> Vec<&str> {
    let is_row = |line: &&str| line.starts_with('|');
    let lines: Vec<&str> = text.lines().collect();
    let is_head = |next: Option<&&str>| next.is_some_and(|next| next.starts_with("|---"));
    let body = lines.iter().enumerate().filter(|(at, line)| !is_head(lines.get(at + 1)) && !line.starts_with("|---"));
    body.map(|(_, line)| *line).filter(is_row).collect()
}

/// Returns the tests that a row names, and their files: `[`test`](file)`.
fn tests(row: &str) -> Vec<(&str, &str)> {
    let links = row.split("[`").skip(1);
    links.filter_map(|link| link.split(')').next()?.split_once("`](")).collect()
}

/// Returns whether a file has a test of this name, which may be ignored or fail on purpose.
fn has_test(text: &str, name: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let attributes = |at: usize| lines.iter().take(at).rev().take_while(|line| line.starts_with("#["));
    let is_it = |line: &str| line.starts_with(&format!("fn {name}("));
    lines.iter().enumerate().any(|(at, line)| is_it(line) && attributes(at).any(|attribute| *attribute == "#[test]"))
}

#[test]
fn every_promise_names_tests_that_are_there() {
    let text = fs::read_to_string(Path::new(ROOT).join(SECURITY)).unwrap();
    let rows = rows(&text);
    assert!(rows.len() > 15, "{} promises", rows.len());
    let mut missing: Vec<&str> = rows.iter().filter(|row| tests(row).is_empty()).copied().collect();
    let read = |file: &str| fs::read_to_string(Path::new(ROOT).join(file)).unwrap_or_default();
    for (test, file) in rows.into_iter().flat_map(tests) {
        // What is tried in a living cluster is a step of one test, which names all of them.
        let is_named = STEPS.iter().any(|steps| read(steps).contains(&format!("::{test}(")));
        let is_step = is_named && read(file).contains(&format!("pub async fn {test}("));
        if !has_test(&read(file), test) && !is_step {
            missing.push(test);
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn promises_and_tests_are_found() {
    let text = "| promise | shown by |\n|---|---|\n| a | [`one`](x.rs), [`two`](y.rs) |\n\n| b | none |\n";
    assert_eq!(rows(text), ["| a | [`one`](x.rs), [`two`](y.rs) |", "| b | none |"]);
    assert_eq!(tests(rows(text).first().unwrap()), [("one", "x.rs"), ("two", "y.rs")]);
    let code = "    #[test]\n    #[ignore = \"slow\"]\n    fn one() {\n#[test]\n\nfn two() {\n";
    assert_eq!(["one", "two", "on"].map(|name| has_test(code, name)), [true, false, false]);
}
