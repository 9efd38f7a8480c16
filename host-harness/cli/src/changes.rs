//! Changed decisions, as text.

use super::page::TextPage;
use lictor_host::compare::{Decision, DecisionChange, DecisionKind, Differences, EvictionDecision};
use lictor_host::session::EvictionMethod;

/// Returns the decision about a pod in a few words, with the laws behind it.
pub(super) fn decision(decision: Option<&Decision>) -> String {
    let Some(Decision { verdict, node, laws, .. }) = decision else { return "nothing decided".to_owned() };
    let node = node.as_ref().map(|node| format!(" {} {node}", preposition(*verdict))).unwrap_or_default();
    let laws = if laws.is_empty() { String::new() } else { format!(" ({})", laws.join(", ")) };
    format!("{verdict}{node}{laws}")
}

/// Returns the word between a decision and its node.
fn preposition(kind: DecisionKind) -> &'static str {
    match kind {
        DecisionKind::Bound | DecisionKind::Nominated => "to",
        DecisionKind::Held => "for",
        DecisionKind::Released | DecisionKind::Withdrawn => "from",
        DecisionKind::Unschedulable | DecisionKind::Refused => "on",
    }
}

/// Returns the decision about a victim in a few words: how it is evicted, from which node, and for which pod or queue.
pub(super) fn eviction(eviction: Option<&EvictionDecision>) -> String {
    let Some(EvictionDecision { how, node, for_whom, .. }) = eviction else { return "stays".to_owned() };
    let node = |word: &str| node.as_ref().map(|node| format!(" {word} {node}")).unwrap_or_default();
    match how {
        EvictionMethod::Delete => format!("evicted{} for {for_whom}", node("from")),
        EvictionMethod::Soft => format!("marked{} for {for_whom}, for another controller to delete", node("on")),
        EvictionMethod::Unreserved => format!("loses its place{} for {for_whom}", node("on")),
    }
}

/// Adds a line for each changed pod and each changed victim.
pub(super) fn render_differences(page: &mut TextPage, differences: &Differences) {
    for DecisionChange { pod, then, now } in &differences.pods {
        let (then, now) = (decision(then.as_ref()), decision(now.as_ref()));
        page.paragraph("  ", 6, &format!("{pod}: {then} => {now}"));
    }
    for DecisionChange { pod, then, now } in &differences.victims {
        let (then, now) = (eviction(then.as_ref()), eviction(now.as_ref()));
        page.paragraph("  ", 6, &format!("victim {pod}: {then} => {now}"));
    }
    if let Some(DecisionChange { then, now, .. }) = &differences.error {
        let said = |side: &Option<String>| side.clone().unwrap_or_else(|| "served".to_owned());
        page.paragraph("  ", 6, &format!("the input: {} => {}", said(then), said(now)));
    }
}

#[cfg(test)]
mod tests {
    use lictor_host::session::EvictionBeneficiary;

    use super::*;

    #[test]
    fn a_victim_that_is_deleted_and_one_that_is_only_marked_differ() {
        let of = |how| {
            let for_whom = EvictionBeneficiary::Preemptor("d/p".to_owned());
            let (law, message, node) = (String::new(), String::new(), Some("n1".to_owned()));
            eviction(Some(&EvictionDecision { how, node, for_whom, law, message }))
        };
        assert_eq!(of(EvictionMethod::Delete), "evicted from n1 for d/p");
        assert_eq!(of(EvictionMethod::Soft), "marked on n1 for d/p, for another controller to delete");
        assert_eq!(of(EvictionMethod::Unreserved), "loses its place on n1 for d/p");
        assert_eq!(eviction(None), "stays");
    }
}
