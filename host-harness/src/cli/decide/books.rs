//! What quotas and queues hold, before and after.

use std::collections::BTreeMap;

use lictor_policy::amount;
use lictor_policy::contract::{Amount, QueueAccount, Resource};
use serde::Serialize;

use super::super::page::{Page, table_of};

/// A quota or queue.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Book {
    kind: String,
    name: String,
    parent: Option<String>,
    /// The names of its bounds, in the order in which its system tells them.
    #[serde(skip)]
    bounds: Vec<String>,
    resources: Vec<Entry>,
}

/// What a quota or queue holds of one resource, as quantities.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    resource: String,
    used_before: String,
    used_after: String,
    promised: String,
    pending: String,
    bounds: BTreeMap<String, String>,
}

/// The books before and after, side by side.
pub(super) fn compare(before: &[QueueAccount], after: &[QueueAccount], resources: &[Resource]) -> Vec<Book> {
    let earlier: BTreeMap<(&str, &str), &QueueAccount> =
        before.iter().map(|account| ((account.kind.as_str(), account.name.as_str()), account)).collect();
    let book = |account: &QueueAccount| {
        let before = earlier.get(&(account.kind.as_str(), account.name.as_str()));
        Book {
            kind: account.kind.clone(),
            name: account.name.clone(),
            parent: account.parent.clone(),
            bounds: account.bounds.iter().map(|bound| bound.name.clone()).collect(),
            resources: entries(before.map_or(&[], |before| &before.used), account, resources),
        }
    };
    after.iter().map(book).collect()
}

/// An entry for each resource of which there is, was, will be or may be something.
fn entries(before: &[Amount], account: &QueueAccount, resources: &[Resource]) -> Vec<Entry> {
    let entry = |(index, resource): (u32, &Resource)| {
        let find =
            |amounts: &[Amount]| amounts.iter().find(|amount| amount.resource == index).map(|amount| amount.value);
        let held =
            [before, &account.used, &account.promised, &account.pending].map(|amounts| find(amounts).unwrap_or(0));
        let bounds = account.bounds.iter().filter_map(|bound| Some((bound.name.as_str(), find(&bound.amounts)?)));
        let bounds: Vec<(&str, i64)> = bounds.collect();
        if held.iter().chain(bounds.iter().map(|(_, bound)| bound)).all(|amount| *amount == 0) {
            return None;
        }
        let [used_before, used_after, promised, pending] = held.map(|held| amount(&resource.name, held));
        Some(Entry {
            used_before,
            used_after,
            promised,
            pending,
            bounds: bounds.iter().map(|(name, bound)| ((*name).to_owned(), amount(&resource.name, *bound))).collect(),
            resource: resource.name.clone(),
        })
    };
    (0u32..).zip(resources).filter_map(entry).collect()
}

impl Book {
    /// What people want to see of it: what is bounded; of a quota without bounds, nothing.
    fn rows(&self) -> impl Iterator<Item = &Entry> {
        self.resources.iter().filter(|entry| !entry.bounds.is_empty())
    }
}

impl Entry {
    /// What was used and what is, in one word where that is the same.
    fn used(&self) -> String {
        if self.used_before == self.used_after {
            self.used_after.clone()
        } else {
            format!("{} -> {}", self.used_before, self.used_after)
        }
    }
}

/// The table of what quotas or queues hold.
pub(super) fn tell(page: &mut Page, books: &[Book]) {
    let mut bounds: Vec<&str> = Vec::new();
    for bound in books.iter().filter(|book| book.rows().next().is_some()).flat_map(|book| &book.bounds) {
        if !bounds.contains(&bound.as_str()) {
            bounds.push(bound);
        }
    }
    let Some(kind) = books.iter().find(|book| book.rows().next().is_some()).map(|book| &book.kind) else { return };
    let titles = [kind, "resource", "used", "promised"].into_iter().chain(bounds.iter().copied());
    let titles: Vec<String> = titles.map(str::to_uppercase).collect();
    let mut rows = table_of(titles.iter().map(String::as_str));
    for book in books {
        let mut name = book.name.as_str();
        for entry in book.rows() {
            let promised = if entry.promised == "0" { "" } else { &entry.promised };
            let limits = bounds.iter().map(|bound| entry.bounds.get(*bound).map_or("-", String::as_str));
            let used = entry.used();
            rows.add_row([name, &entry.resource, &used, promised].into_iter().chain(limits));
            name = "";
        }
    }
    page.heading(&format!(
        "{}{} usage",
        kind.get(..1).unwrap_or_default().to_uppercase(),
        kind.get(1..).unwrap_or_default()
    ));
    page.table(2, rows);
}
