//! The sizes of the project: a file is read at one go, a function fits a screen, a law is one short file.

use crate::definitions::{Item, defined};
use crate::files;

/// The most lines of a file, of the file in the middle, of a law, and of a function.
const FILE: usize = 300;
const MEDIAN: usize = 110;
const LAW: usize = 150;
const FUNCTION: usize = 70;

/// Where the laws stand, by the question that they answer.
const LAWS: [&str; 4] = ["gate", "guard", "limit", "order"];

fn is_law(name: &str) -> bool {
    let below = |question: &&str| name.starts_with(&format!("guest/policy/src/laws/{question}/"));
    LAWS.iter().any(below)
}

/// Returns the functions of a text as rustfmt writes it: the line of each, its name and how many lines it has. A function ends where a line that is
/// indented like its first one ends with a brace or a semicolon.
fn functions(text: &str) -> Vec<(usize, &str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((Item::Function, name)) = defined(line) else { continue };
        let is_last = |end: &&str| indent(end) == indent(line) && (end.ends_with('}') || end.ends_with(';'));
        let rest = lines.iter().skip(at);
        found.push((at + 1, name, rest.take_while(|end| !is_last(end)).count() + 1));
    }
    found
}

#[test]
fn files_and_functions_are_small() {
    let all = files(&["rs"]);
    let mut wrong = Vec::new();
    let mut sizes: Vec<usize> = Vec::new();
    for file in &all {
        let (lines, most) = (file.text.lines().count(), if is_law(&file.name) { LAW } else { FILE });
        if lines > most {
            wrong.push(format!("{}:{lines}: {lines} lines, {most} at most", file.name));
        }
        for (at, name, lines) in functions(&file.text).into_iter().filter(|(_, _, lines)| *lines > FUNCTION) {
            wrong.push(format!("{}:{at}: `{name}` has {lines} lines, {FUNCTION} at most", file.name));
        }
        sizes.push(lines);
    }
    sizes.sort_unstable();
    let median = sizes.get(sizes.len() / 2).copied().unwrap();
    assert!(wrong.is_empty(), "{} places:\n{}", wrong.len(), wrong.join("\n"));
    assert!(median <= MEDIAN, "the file in the middle has {median} lines, {MEDIAN} at most");
    assert!(all.iter().filter(|file| is_law(&file.name)).count() > 50, "the laws are elsewhere");
}

#[test]
fn functions_are_found_and_measured() {
    let text = "pub const fn a() -> u8 { 1 }\nimpl X {\n    fn b<T>(\n        it: T,\n    ) -> T\n    where\n        T: Y,\n    {\n        \
                {\n        }\n    }\n    fn c();\n}\n// fn d() {}\npub(crate) async fn e() {\n}\nlet fn_f = 1;\n";
    assert_eq!(functions(text), [(1, "a", 1), (3, "b", 9), (12, "c", 1), (15, "e", 2)]);
}
