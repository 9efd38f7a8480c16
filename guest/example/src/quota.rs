//! The quota.

use lictor_sdk::{Amount, Bound, Fact, FactValue, QueueAccount, Resource, ResourceId};

/// The name of the quota.
pub const NAME: &str = "all";

/// The quota of all pods together: the bound of their cpu.
#[derive(Debug, Default)]
pub struct CpuQuota {
    /// The bound in thousandths of a core; none: no bound.
    pub max: Option<i64>,
    /// The number of `cpu`.
    pub cpu: Option<ResourceId>,
    announced: u32,
}

impl CpuQuota {
    /// Gives resources the next free numbers, and keeps the number of `cpu`.
    pub fn announce(&mut self, resources: &[Resource]) {
        for (number, resource) in (self.announced..).zip(resources) {
            if resource.name == "cpu" {
                self.cpu = Some(number);
            }
            self.announced = number.saturating_add(1);
        }
    }

    /// Returns the amount of `cpu` among these amounts; 0 if `cpu` is not among them.
    pub fn of(&self, amounts: &[Amount]) -> i64 {
        let named = amounts.iter().find(|amount| Some(amount.resource) == self.cpu);
        named.map_or(0, |amount| amount.value)
    }

    /// Returns the account of the quota, as the policy reports it.
    pub fn account(&self, used: i64, pending: i64) -> QueueAccount {
        let amounts = |value| {
            let amount = self.cpu.map(|resource| Amount { resource, value });
            amount.into_iter().filter(|amount| amount.value > 0).collect::<Vec<_>>()
        };
        let max = self.max.map(|max| Bound { name: "max".to_owned(), amounts: amounts(max) });
        QueueAccount {
            kind: "quota".to_owned(),
            name: NAME.to_owned(),
            parent: None,
            bounds: max.into_iter().collect(),
            used: amounts(used),
            promised: Vec::new(),
            pending: amounts(pending),
        }
    }
}

/// Returns a fact that holds an amount of one resource.
pub fn amount(name: &str, resource: ResourceId, value: i64) -> Fact {
    Fact { name: name.to_owned(), value: FactValue::Amounts(vec![Amount { resource, value }]) }
}
