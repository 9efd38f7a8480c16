//! The tree of queues, and the amounts and bounds of each, as bars inside of each other.

use std::collections::{BTreeMap, BTreeSet};

use super::quantity::{amount, ratio, rounded};
use crate::data::{Account, AccountResourceView};

#[cfg(test)]
mod tests;

/// A queue with its depth in the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueBars {
    /// Its name.
    pub name: String,
    /// The number of queues above it.
    pub depth: usize,
    /// Its bars.
    pub bars: Vec<Bar>,
}

/// The amounts of a resource in a queue. Lengths are parts of the longest in the bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The resource.
    pub resource: String,
    /// The amount that its pods hold after the decisions.
    pub used: f64,
    /// The amount of the nominated pods beyond that.
    pub promised: f64,
    /// The amount that its pods hold after the decisions, rounded.
    pub used_text: String,
    /// The bounds, with their positions.
    pub bounds: Vec<BarBound>,
    /// Whether the amount has grown.
    pub grows: bool,
    /// The bar in words.
    pub label: String,
}

/// A bound of a queue.
#[derive(Debug, Clone, PartialEq)]
pub struct BarBound {
    /// Its name in its system.
    pub name: String,
    /// Its position.
    pub at: f64,
    /// Its quantity, rounded.
    pub quantity: String,
}

/// Returns the queues, each below its parent, siblings by name. A queue without amounts and bounds is left out, unless it has children.
pub fn queues(accounts: &[Account]) -> Vec<QueueBars> {
    let known: BTreeSet<&str> = accounts.iter().map(|account| account.name.as_str()).collect();
    let mut below: BTreeMap<Option<&str>, Vec<&Account>> = BTreeMap::new();
    for account in accounts {
        let parent = account.parent.as_deref().filter(|parent| known.contains(parent));
        below.entry(parent).or_default().push(account);
    }
    below.values_mut().for_each(|siblings| siblings.sort_by(|one, other| one.name.cmp(&other.name)));
    let (mut queues, mut seen) = (Vec::new(), BTreeSet::new());
    let mut open: Vec<(&Account, usize)> = below.get(&None).into_iter().flatten().rev().map(|it| (*it, 0)).collect();
    while let Some((account, depth)) = open.pop() {
        // A queue that is its own ancestor is shown once.
        if !seen.insert(account.name.as_str()) {
            continue;
        }
        let bars: Vec<Bar> = account.resources.iter().filter_map(bar).collect();
        let children = below.get(&Some(account.name.as_str()));
        if !bars.is_empty() || children.is_some() {
            queues.push(QueueBars { name: account.name.clone(), depth, bars });
        }
        open.extend(children.into_iter().flatten().rev().map(|child| (*child, depth.saturating_add(1))));
    }
    queues
}

fn bar(amounts: &AccountResourceView) -> Option<Bar> {
    let resource = amounts.resource.as_str();
    let [before, used, promised] =
        [&amounts.used_before, &amounts.used_after, &amounts.promised].map(|it| amount(resource, it).unwrap_or(0));
    let mut bounds: Vec<(&String, i64)> =
        amounts.bounds.iter().filter_map(|(name, bound)| Some((name, amount(resource, bound)?))).collect();
    bounds.sort_by_key(|(_, bound)| *bound);
    if bounds.is_empty() {
        return None;
    }
    let held = used.saturating_add(promised);
    let longest = bounds.iter().map(|(_, bound)| *bound).fold(held, i64::max);
    if longest == 0 {
        return None;
    }
    let at = |(name, bound): &(&String, i64)| BarBound {
        name: (*name).clone(),
        at: ratio(*bound, longest),
        quantity: super::quantity::shown(resource, *bound),
    };
    Some(Bar {
        resource: resource.to_owned(),
        used: ratio(used, longest),
        promised: ratio(promised, longest),
        used_text: super::quantity::shown(resource, used),
        bounds: bounds.iter().map(at).collect(),
        grows: used > before,
        label: label(amounts),
    })
}

/// Returns a bar in words.
fn label(amounts: &AccountResourceView) -> String {
    let resource = amounts.resource.as_str();
    let mut words = format!("{resource}: used {}", rounded(resource, &amounts.used_after));
    if amounts.used_after != amounts.used_before {
        words.push_str(&format!(", before {}", rounded(resource, &amounts.used_before)));
    }
    if amounts.promised != "0" {
        words.push_str(&format!(", promised {}", rounded(resource, &amounts.promised)));
    }
    for (name, bound) in &amounts.bounds {
        let bound =
            amount(resource, bound).map_or_else(|| "no limit".to_owned(), |it| super::quantity::shown(resource, it));
        words.push_str(&format!(", {name} {bound}"));
    }
    words
}
