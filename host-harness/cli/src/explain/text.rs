//! An explanation for people: short sentences, counted first; long lists are cut, with the number of the rest.

use lictor_contract::Outcome;

use super::super::page::{TextPage, table};
use lictor_host::session::{AttemptExplanation, NamedNote, NoteGroup, SubjectKind};

/// The prefix of the codes of the host's own reasons.
const HOST: &str = "host/";

/// The prefixes of the codes that are about nodes in their present state.
const NOW: [&str; 2] = [HOST, "node/"];

/// The number of nodes that are named where a pod may never run.
const NEVER: usize = 3;

/// The space for an explanation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    /// The indent from the left, in columns.
    pub(crate) indent: usize,
    /// The number of names that are shown of each list.
    pub(crate) names: usize,
}

/// Shows why an attempt ended in its result.
pub(crate) fn render_explanation(page: &mut TextPage, style: Style, why: &AttemptExplanation) {
    if why.notes.is_empty() {
        title(page, style, "No law and no node stood in its way.");
    }
    render_failed_constraints(page, style, why);
    victims(page, style, why);
    pods(page, style, "Reprieved", &why.grouped(SubjectKind::Pod, Outcome::Reprieved));
    let (as_they_are, with_others_gone) = nodes(why);
    render_nodes(page, style, "Nodes as they are", why.nodes, &as_they_are);
    render_nodes(page, style, "Nodes after evictions", why.nodes, &with_others_gone);
    enough(page, style, why);
    pods(page, style, "Candidates that stay", &why.grouped(SubjectKind::Pod, Outcome::Unneeded));
    render_protected(page, style, why);
}

/// Shows a heading within an explanation.
fn title(page: &mut TextPage, style: Style, text: &str) {
    page.line(format!("{}{text}", " ".repeat(style.indent)));
}

/// Shows a sentence below a heading, and the names that it is about.
pub(super) fn sentence(page: &mut TextPage, style: Style, text: &str, names: &str) {
    let (lead, rest) = (style.indent.saturating_add(2), style.indent.saturating_add(4));
    page.paragraph(&" ".repeat(lead), rest, text);
    if !names.is_empty() {
        page.dimmed(&" ".repeat(rest), rest, names);
    }
}

/// Shows the failed constraints of the pod itself and of its queues, and what happens to them.
fn render_failed_constraints(page: &mut TextPage, style: Style, why: &AttemptExplanation) {
    for (outcome, text) in [(Outcome::Barred, "In the way"), (Outcome::Chosen, "What happens")] {
        let said = |told: &&NamedNote| {
            matches!(told.about, SubjectKind::Preemptor | SubjectKind::Queue) && told.outcome == outcome
        };
        let said: Vec<&NamedNote> = why.notes.iter().filter(said).collect();
        if !said.is_empty() {
            title(page, style, text);
        }
        for told in said {
            sentence(page, style, &format!("{}: {}", told.reason.code, told.reason.message), "");
        }
    }
}

/// Groups the reasons about nodes by law: first those for their present state, then those for the state after a preemption. Chosen nodes come first,
/// then the most frequent reasons.
fn nodes(why: &AttemptExplanation) -> (Vec<NoteGroup<'_>>, Vec<NoteGroup<'_>>) {
    let said = |outcome| {
        let mut said = why.grouped(SubjectKind::Node, outcome);
        said.sort_by_key(|alike| std::cmp::Reverse(alike.notes.len()));
        said
    };
    let said = [Outcome::Chosen, Outcome::Barred, Outcome::Unneeded].into_iter().flat_map(said);
    said.partition(|alike| NOW.iter().any(|prefix| alike.law().starts_with(prefix)))
}

fn render_nodes(page: &mut TextPage, style: Style, text: &str, all: usize, said: &[NoteGroup<'_>]) {
    if !said.is_empty() {
        title(page, style, text);
    }
    for alike in said {
        let message = alike.message();
        let message = message.strip_prefix("node(s) ").unwrap_or(message);
        // The names of the nodes on which a pod may never run are of little use.
        let limit = if alike.law().starts_with(HOST) { style.names.min(NEVER) } else { style.names };
        sentence(page, style, &format!("{} of {all} nodes: {message}", alike.notes.len()), &names(&alike.notes, limit));
    }
}

/// Shows the nodes and pods that would have been enough.
fn enough(page: &mut TextPage, style: Style, why: &AttemptExplanation) {
    let (nodes, pods) =
        (why.grouped(SubjectKind::Node, Outcome::Enough), why.grouped(SubjectKind::Pod, Outcome::Enough));
    if nodes.is_empty() && pods.is_empty() {
        return;
    }
    title(page, style, "Would have been enough");
    for alike in &nodes {
        let text = format!("{} would do: {}", counted(alike.notes.len(), "node"), alike.message());
        sentence(page, style, &text, &names(&alike.notes, style.names));
    }
    for alike in &pods {
        let text = format!("{}, {}: {}", counted(alike.notes.len(), "pod"), alike.law(), alike.message());
        sentence(page, style, &text, &names(&alike.notes, style.names));
    }
}

/// Shows the victims, with the reason for each.
fn victims(page: &mut TextPage, style: Style, why: &AttemptExplanation) {
    let is_victim =
        |told: &&NamedNote| told.about == SubjectKind::Pod && matches!(told.outcome, Outcome::Needed | Outcome::Chosen);
    let victims: Vec<&NamedNote> = why.notes.iter().filter(is_victim).collect();
    if victims.is_empty() {
        return;
    }
    title(page, style, "Victims");
    let mut rows = table(["VICTIM", "NODE", "WHY"]);
    for victim in victims.iter().take(style.names) {
        let name = victim.name.as_deref().unwrap_or("-");
        rows.add_row([name, victim.node.as_deref().unwrap_or("-"), &victim.reason.message]);
    }
    page.table(style.indent.saturating_add(2), rows);
    if let Some(more) = victims.len().checked_sub(style.names).filter(|more| *more > 0) {
        sentence(page, style, &format!("and {more} more"), "");
    }
}

/// Shows pods, grouped by reason.
fn pods(page: &mut TextPage, style: Style, text: &str, said: &[NoteGroup<'_>]) {
    if !said.is_empty() {
        title(page, style, text);
    }
    for alike in said {
        let text = format!("{}: {}", counted(alike.notes.len(), "pod"), alike.message());
        sentence(page, style, &text, &names(&alike.notes, style.names));
    }
}

/// Shows the pods that laws protect: counted by law, then by reason.
fn render_protected(page: &mut TextPage, style: Style, why: &AttemptExplanation) {
    let said = why.grouped(SubjectKind::Pod, Outcome::Spared);
    let mut laws: Vec<(&str, usize)> = Vec::new();
    for alike in &said {
        match laws.iter_mut().find(|(law, _)| *law == alike.law()) {
            Some((_, count)) => *count = count.saturating_add(alike.notes.len()),
            None => laws.push((alike.law(), alike.notes.len())),
        }
    }
    laws.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    if !laws.is_empty() {
        title(page, style, "Spared by a law");
    }
    for (law, count) in laws {
        let said: Vec<&NoteGroup<'_>> = said.iter().filter(|alike| alike.law() == law).collect();
        if let [only] = said.as_slice() {
            let text = format!("{}, {law}: {}", counted(count, "pod"), only.message());
            sentence(page, style, &text, &names(&only.notes, style.names));
            continue;
        }
        sentence(page, style, &format!("{}, {law}", counted(count, "pod")), "");
        let inner = Style { indent: style.indent.saturating_add(2), ..style };
        for alike in said {
            let text = format!("{}: {}", alike.notes.len(), alike.message());
            sentence(page, inner, &text, &names(&alike.notes, style.names));
        }
    }
}

/// Returns the first `limit` names, and how many more there are.
pub(super) fn names(told: &[&NamedNote], limit: usize) -> String {
    let named = |told: &&NamedNote| match (&told.name, &told.node) {
        (Some(name), Some(node)) => format!("{name} on {node}"),
        (Some(name), None) => name.clone(),
        (None, _) => String::new(),
    };
    let first: Vec<String> = told.iter().take(limit).map(named).collect();
    match told.len().saturating_sub(limit) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Returns a number of things in words.
fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
