//! What became of a replacement, as text.

use super::super::page::Page;
use super::super::screen::Screen;
use super::report::Report;
use lictor_host::replace::{Decided, Difference, Memory, Reason, State, Totals};

/// How many differences are shown.
const SHOWN: usize = 20;

/// The page.
pub(super) fn page(report: &Report<'_>) -> Page {
    let mut page = Page::new(Screen::stdout());
    page.paragraph("", 2, &format!("old: {}, system {}", report.old.short(), report.system));
    page.paragraph("", 2, &format!("new: {}", report.new.short()));
    page.heading("States");
    for transition in report.transitions {
        let (from, to) = (word(transition.from), word(transition.to));
        page.paragraph("  ", 6, &format!("{from} -> {to}: {}", why(&transition.reason)));
    }
    page.heading("Compared");
    for (call, totals) in &report.compared.calls {
        page.paragraph("  ", 6, &format!("{call}: {}", count(*totals)));
    }
    if !report.compared.not_compared.is_empty() {
        let left_out = report.compared.not_compared.join(", ");
        page.paragraph("  ", 6, &format!("not compared, because only one of them decides there: {left_out}"));
    }
    differences(&mut page, report);
    if !report.failed.is_empty() {
        page.heading("Inputs that were not served");
        report.failed.iter().for_each(|failed| page.paragraph("  ", 6, failed));
    }
    let end = match report.state {
        State::Done => "the new policy decides",
        State::RolledBack => "the old policy decides",
        _ => "the replacement has not come to its end",
    };
    page.heading(end);
    page
}

fn differences(page: &mut Page, report: &Report<'_>) {
    if report.totals.different == 0 {
        return;
    }
    page.heading("Decided otherwise, by law");
    for (laws, count) in &report.compared.laws {
        page.paragraph("  ", 6, &format!("{count}: {laws}"));
    }
    page.heading("Decided otherwise, old => new");
    for Difference { call, pod, old, new, .. } in report.compared.differences.iter().take(SHOWN) {
        let about = pod.as_ref().map(|pod| format!(" {pod}")).unwrap_or_default();
        page.paragraph("  ", 6, &format!("{call}{about}: {} => {}", decision(old), decision(new)));
    }
    let shown = u64::try_from(SHOWN).unwrap_or(u64::MAX);
    let more = report.totals.different.saturating_sub(shown);
    if more > 0 {
        page.aside("  ", 6, &format!("and {more} more; `--output json` has the first hundred"));
    }
}

/// A state in a word.
fn word(state: State) -> &'static str {
    match state {
        State::Loading => "loading",
        State::Shadow => "shadow",
        State::Switching => "switching",
        State::Watching => "watching",
        State::Done => "done",
        State::RolledBack => "rolled back",
    }
}

fn why(reason: &Reason) -> String {
    match reason {
        Reason::Loaded { memory } => format!("the new policy was told everything; {}", remembered(memory)),
        Reason::Compared { totals, memory } => format!("{}; {}", count(*totals), remembered(memory)),
        Reason::Switched => "the new policy took over between two inputs".to_owned(),
        Reason::Watched { totals } => count(*totals),
        Reason::Different { totals, allowed } => format!("{}, {allowed} allowed", count(*totals)),
        Reason::Fault { call, message } => format!("it broke in `{call}`: {message}"),
        Reason::Lie { call, message } => format!("its answer to `{call}` cannot be: {message}"),
        Reason::GivenUp { why } => format!("given up: {why}"),
    }
}

fn remembered(memory: &Memory) -> String {
    match memory {
        Memory::None => "the old one keeps no memory".to_owned(),
        Memory::Same => "both remember the same".to_owned(),
        Memory::Restored => "it took what the old one remembers".to_owned(),
        Memory::Rebuilt { why } => {
            format!("rebuilt from the cluster, because it does not take the old one's memory: {why}")
        }
    }
}

fn count(totals: Totals) -> String {
    format!("{} answers, {} decide otherwise", totals.compared, totals.different)
}

/// A decision in a few words.
fn decision(decided: &Decided) -> String {
    let Decided { verdict, law, placements, victims, names, effects } = decided;
    let placed = placements.iter().map(|(pod, node)| format!("{pod} -> {node}"));
    let evicted = victims.iter().map(|pod| format!("evicts {pod}"));
    let parts: Vec<String> =
        placed.chain(evicted).chain(names.iter().cloned()).chain(effects.iter().cloned()).collect();
    let law = if law.is_empty() { String::new() } else { format!(" ({law})") };
    let rest = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    format!("{verdict}{law}{rest}")
}
