//! The usage of quotas and queues, before and after the decisions.

use std::collections::BTreeMap;

use lictor_contract::quantity::exact;
use lictor_contract::{Amount, QueueAccount, Resource};
use serde::Serialize;

/// The least amount that means "no limit": Koordinator writes a fifth of the largest 64-bit number.
pub const NO_LIMIT: i64 = 1 << 60;

/// The usage of a quota or queue.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AccountUsage {
    /// The kind of the account, such as `quota`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The account above it.
    pub parent: Option<String>,
    /// The names of its bounds, in the order of the system.
    #[serde(skip)]
    pub bounds: Vec<String>,
    /// The usage of each resource.
    pub resources: Vec<AccountResourceUsage>,
}

/// The usage of one resource, as quantities.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ResourceUsage"))]
#[serde(rename_all = "camelCase")]
pub struct AccountResourceUsage {
    /// The resource.
    pub resource: String,
    /// The amount that its pods held before the first cycle.
    pub used_before: String,
    /// The amount that they hold after the last.
    pub used_after: String,
    /// The amount of the nominated pods.
    pub promised: String,
    /// The requests of its pending pods.
    pub pending: String,
    /// Its bounds by name.
    pub bounds: BTreeMap<String, String>,
    /// Whether at least one bound is below "no limit".
    #[serde(skip)]
    pub is_bounded: bool,
}

/// Compares the usage before and after.
pub(crate) fn compare(before: &[QueueAccount], after: &[QueueAccount], resources: &[Resource]) -> Vec<AccountUsage> {
    let earlier: BTreeMap<(&str, &str), &QueueAccount> =
        before.iter().map(|account| ((account.kind.as_str(), account.name.as_str()), account)).collect();
    let usage = |account: &QueueAccount| {
        let before = earlier.get(&(account.kind.as_str(), account.name.as_str()));
        AccountUsage {
            kind: account.kind.clone(),
            name: account.name.clone(),
            parent: account.parent.clone(),
            bounds: account.bounds.iter().map(|bound| bound.name.clone()).collect(),
            resources: entries(before.map_or(&[], |before| &before.used), account, resources),
        }
    };
    after.iter().map(usage).collect()
}

/// Returns the entries of all resources with a usage, a nomination, a request or a bound.
fn entries(before: &[Amount], account: &QueueAccount, resources: &[Resource]) -> Vec<AccountResourceUsage> {
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
        Some(AccountResourceUsage {
            used_before,
            used_after,
            promised,
            pending,
            bounds: bounds.iter().map(|(name, bound)| ((*name).to_owned(), exact(&resource.name, *bound))).collect(),
            is_bounded: bounds.iter().any(|(_, bound)| *bound < NO_LIMIT),
            resource: resource.name.clone(),
        })
    };
    // Host ports and volumes are resources only internally.
    let named = (0u32..).zip(resources).filter(|(_, resource)| !lictor_contract::is_of_host(&resource.name));
    named.filter_map(entry).collect()
}

impl AccountUsage {
    /// Returns the entries to show: bounded resources, unless the whole account is idle.
    pub fn rows(&self) -> impl Iterator<Item = &AccountResourceUsage> {
        let idle = self.resources.iter().all(AccountResourceUsage::is_idle);
        self.resources.iter().filter(move |entry| !idle && entry.is_bounded)
    }
}

impl AccountResourceUsage {
    /// Returns whether nothing is used, promised or requested.
    pub fn is_idle(&self) -> bool {
        [&self.used_before, &self.used_after, &self.promised, &self.pending].into_iter().all(|amount| amount == "0")
    }
}
