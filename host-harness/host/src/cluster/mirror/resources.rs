//! The numbers of resources.

use std::collections::BTreeMap;

use lictor_contract::{Amount, Resource, ResourceId};

use crate::cluster::object::{Amounts, ports};

/// All resources that were ever named. `cpu` is 0, `memory` 1, `pods` 2.
#[derive(Debug, Default)]
pub(super) struct Resources {
    all: Vec<Resource>,
    ids: BTreeMap<String, ResourceId>,
    told: usize,
}

impl Resources {
    pub(super) fn new() -> Resources {
        let mut resources = Resources::default();
        for name in ["cpu", "memory", "pods"] {
            resources.intern(name);
        }
        resources
    }

    /// Returns all resources, ordered by number.
    pub(super) fn all(&self) -> &[Resource] {
        &self.all
    }

    /// Returns the non-zero amounts by resource number, and gives numbers to new resources.
    pub(super) fn amounts(&mut self, amounts: &Amounts) -> Vec<Amount> {
        let some = amounts.iter().filter(|(_, value)| **value > 0);
        let mut told: Vec<_> =
            some.map(|(name, value)| Amount { resource: self.intern(name), value: *value }).collect();
        told.sort_by_key(|amount| amount.resource);
        told
    }

    /// Returns amounts by number, including zeros: a zero states that the amount is empty.
    pub(super) fn with_zeros(&mut self, amounts: &Amounts) -> Vec<Amount> {
        amounts.iter().map(|(name, value)| Amount { resource: self.intern(name), value: *value }).collect()
    }

    /// Returns the amount of the resource of this name; 0 where the list does not have it.
    pub(super) fn amount(&self, amounts: &[Amount], name: &str) -> i64 {
        let id = self.ids.get(name);
        amounts.iter().find(|amount| Some(&amount.resource) == id).map_or(0, |amount| amount.value)
    }

    /// Returns the resources that are new since the last call.
    pub(super) fn drain(&mut self) -> Vec<Resource> {
        let new = self.all.get(self.told..).unwrap_or_default().to_vec();
        self.told = self.all.len();
        new
    }

    fn intern(&mut self, name: &str) -> ResourceId {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let id = ResourceId::try_from(self.all.len()).unwrap_or(ResourceId::MAX);
        self.all.push(Resource { name: name.to_owned(), everywhere: ports::everywhere(name) });
        self.ids.insert(name.to_owned(), id);
        id
    }
}
