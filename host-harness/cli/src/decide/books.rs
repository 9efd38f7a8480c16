//! What quotas and queues hold, before and after.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use lictor_contract::quantity::exact;
use lictor_contract::{Amount, QueueAccount, Resource};
use serde::Serialize;

use super::super::page::{Page, table_of};

/// Systems write huge numbers where there is no limit: Koordinator a fifth of the largest there is.
const BOUNDLESS: i64 = 1 << 60;

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
    /// One of the bounds can be reached.
    #[serde(skip)]
    is_bounded: bool,
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
        let [used_before, used_after, promised, pending] = held.map(|held| exact(&resource.name, held));
        Some(Entry {
            used_before,
            used_after,
            promised,
            pending,
            bounds: bounds.iter().map(|(name, bound)| ((*name).to_owned(), exact(&resource.name, *bound))).collect(),
            is_bounded: bounds.iter().any(|(_, bound)| *bound < BOUNDLESS),
            resource: resource.name.clone(),
        })
    };
    // A port of a node is counted as a resource only because it is taken like one.
    let named = (0u32..).zip(resources).filter(|(_, resource)| !resource.name.starts_with("hostport/"));
    named.filter_map(entry).collect()
}

impl Book {
    /// What people want to see of it: what something bounds. Nothing of a quota that neither holds nor wants anything.
    fn rows(&self) -> impl Iterator<Item = &Entry> {
        let idle = self.resources.iter().all(Entry::is_idle);
        self.resources.iter().filter(move |entry| !idle && entry.is_bounded)
    }
}

impl Entry {
    fn is_idle(&self) -> bool {
        [&self.used_before, &self.used_after, &self.promised, &self.pending].into_iter().all(|amount| amount == "0")
    }
}

/// The table of what quotas or queues hold.
pub(super) fn tell(page: &mut Page, books: &[Book]) {
    let books: Vec<&Book> = books.iter().filter(|book| book.rows().next().is_some()).collect();
    let Some(kind) = books.first().map(|book| book.kind.as_str()) else { return };
    let bounds = bounds(&books);
    let titles = [kind, "resource", "used", "after", "promised"].into_iter().chain(bounds.iter().copied());
    let titles: Vec<String> = titles.map(str::to_uppercase).collect();
    let mut rows = table_of(titles.iter().map(String::as_str));
    for book in books {
        let mut name = book.name.as_str();
        for entry in book.rows() {
            let promised = if entry.promised == "0" { "-" } else { &entry.promised };
            let after = if entry.used_before == entry.used_after { "same" } else { &entry.used_after };
            let limits = bounds.iter().map(|bound| entry.bounds.get(*bound).map_or("-", String::as_str));
            rows.add_row([name, &entry.resource, &entry.used_before, after, promised].into_iter().chain(limits));
            name = "";
        }
    }
    page.heading("Usage");
    page.table(2, rows);
}

/// The names of all bounds, in the order of who has the most.
fn bounds<'a>(books: &[&'a Book]) -> Vec<&'a str> {
    let mut books = books.to_vec();
    books.sort_by_key(|book| Reverse(book.bounds.len()));
    let mut names: Vec<&str> = Vec::new();
    for name in books.into_iter().flat_map(|book| &book.bounds) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}
