//! The usage of quotas and queues, before and after the decisions.

use std::cmp::Reverse;

use lictor_decide::record::AccountUsage;

use super::super::page::{TextPage, table_of};

/// Shows the usage of quotas or queues as a table.
pub(super) fn render_usage(page: &mut TextPage, accounts: &[AccountUsage]) {
    let accounts: Vec<&AccountUsage> = accounts.iter().filter(|account| account.rows().next().is_some()).collect();
    let Some(kind) = accounts.first().map(|account| account.kind.as_str()) else { return };
    let bounds = bounds(&accounts);
    let titles = [kind, "resource", "used", "after", "promised"].into_iter().chain(bounds.iter().copied());
    let titles: Vec<String> = titles.map(str::to_uppercase).collect();
    let mut rows = table_of(titles.iter().map(String::as_str));
    for account in accounts {
        let mut name = account.name.as_str();
        for entry in account.rows() {
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

/// Returns the names of all bounds, each once. The order is that of the account with the most bounds, then of the others.
fn bounds<'a>(accounts: &[&'a AccountUsage]) -> Vec<&'a str> {
    let mut accounts = accounts.to_vec();
    accounts.sort_by_key(|account| Reverse(account.bounds.len()));
    let mut names: Vec<&str> = Vec::new();
    for name in accounts.into_iter().flat_map(|account| &account.bounds) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}
