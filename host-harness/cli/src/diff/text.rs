//! The changed decisions, as text and as Markdown.

use std::fmt::Write;

use lictor_host::compare::{Decision, DecisionChange, EvictionDecision};

use super::super::changes;
use super::super::page::{TextPage, keep_whole, table};
use super::super::screen::Screen;
use super::report::{ByLaw, ChangedStep, Compared, DiffReport};
use super::side::SideSummary;

/// Returns a side as one line.
fn side(named: &SideSummary) -> String {
    let SideSummary { name, version, source, system, arguments, .. } = named;
    let system = system.as_ref().map(|system| format!(", system {system}")).unwrap_or_default();
    let given: Vec<String> = arguments.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let arguments = if given.is_empty() { String::new() } else { format!(" with {}", given.join(", ")) };
    format!("{name} {version}, {}{system}{arguments}", source.short())
}

/// Makes the page for people.
pub(super) fn page(report: &DiffReport) -> TextPage {
    let mut page = TextPage::new(Screen::stdout());
    page.paragraph("old: ", 5, &side(&report.old));
    page.paragraph("new: ", 5, &side(&report.new));
    for Compared { input, differences, .. } in &report.inputs {
        page.heading(input);
        for ChangedStep { step, told, differences } in differences {
            page.paragraph("", 2, &format!("step {step}, {told}"));
            changes::render_differences(&mut page, differences);
        }
    }
    if !report.laws.is_empty() {
        page.heading("By law");
        let mut laws = table(["LAW", "PODS", "VICTIMS"]);
        for (law, ByLaw { pods, victims }) in &report.laws {
            laws.add_row([law.clone(), pods.to_string(), victims.to_string()]);
        }
        keep_whole(&mut laws, 0);
        page.table(2, laws);
    }
    page.line("");
    page.paragraph("", 2, &report.tally());
    page
}

/// Returns the Markdown document for a pull request.
pub(super) fn markdown(report: &DiffReport) -> String {
    let mut text = format!("### Decisions: {}\n\n", report.tally());
    let _ = writeln!(text, "- old: {}\n- new: {}", cell(&side(&report.old)), cell(&side(&report.new)));
    if report.is_same() {
        return text;
    }
    text.push_str("\n| law | pods | victims |\n|---|---:|---:|\n");
    for (law, ByLaw { pods, victims }) in &report.laws {
        let _ = writeln!(text, "| {} | {pods} | {victims} |", cell(law));
    }
    for Compared { input, differences, .. } in &report.inputs {
        let count: usize = differences.iter().map(|step| step.differences.len()).sum();
        let _ = writeln!(text, "\n<details><summary>{} ({count})</summary>\n", cell(input));
        text.push_str("| step | pod | old | new |\n|---|---|---|---|\n");
        differences.iter().for_each(|step| rows(&mut text, step));
        text.push_str("\n</details>\n");
    }
    text
}

/// Adds a row for each pod, victim and error of a step.
fn rows(text: &mut String, ChangedStep { step, told, differences }: &ChangedStep) {
    let place = cell(&format!("{step}, {told}"));
    let mut row = |what: String, then: String, now: String| {
        let _ = writeln!(text, "| {place} | {} | {} | {} |", cell(&what), cell(&then), cell(&now));
    };
    for DecisionChange { pod, then, now } in &differences.pods {
        let said = |side: &Option<Decision>| changes::decision(side.as_ref());
        row(pod.clone(), said(then), said(now));
    }
    for DecisionChange { pod, then, now } in &differences.victims {
        let said = |side: &Option<EvictionDecision>| changes::eviction(side.as_ref());
        row(format!("victim {pod}"), said(then), said(now));
    }
    if let Some(DecisionChange { then, now, .. }) = &differences.error {
        let said = |side: &Option<String>| side.clone().unwrap_or_else(|| "served".to_owned());
        row("the input".to_owned(), said(then), said(now));
    }
}

/// Returns text for a cell of a table: one line, with all markup escaped.
fn cell(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '#' => {
                cell.push('\\');
                cell.push(c);
            }
            '<' => cell.push_str("&lt;"),
            '>' => cell.push_str("&gt;"),
            '&' => cell.push_str("&amp;"),
            c if c.is_whitespace() => cell.push(' '),
            c => cell.push(c),
        }
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_cell_is_markup() {
        assert_eq!(cell("a|b\n<c> a_b"), "a\\|b &lt;c&gt; a\\_b");
    }
}
