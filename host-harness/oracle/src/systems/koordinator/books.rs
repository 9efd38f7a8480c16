//! The books of a quota, and the two formulas of the proposal.

use super::QUOTA;
use super::switches::Switches;
use crate::ReadError;
use crate::amounts::Amounts;
use crate::world::{Pod, World, at};

/// What a quota holds and allows.
#[derive(Debug)]
pub(super) struct Books {
    pub(super) min: Amounts,
    pub(super) max: Amounts,
    pub(super) used: Amounts,
    pub(super) fixed_used: Amounts,
    fixed_request: Amounts,
}

/// The books of the quota of a pod; none for a reservation, or a pod without one.
pub(super) fn books(world: &World, switches: Switches, pod: &Pod) -> Result<Option<Books>, ReadError> {
    let name = pod.label(QUOTA).filter(|_| !pod.is_reservation());
    let Some(quota) = name.and_then(|name| world.others.get(&("ElasticQuota".to_owned(), name.to_owned()))) else {
        return Ok(None);
    };
    let (min, max) = (Amounts::read(at(quota, "/spec/min"))?, Amounts::read(at(quota, "/spec/max"))?);
    let ours = || world.pods.values().filter(|other| other.label(QUOTA) == name && !other.finished);
    let used = || ours().filter(|other| other.place().is_some());
    let requests = |pods: Vec<&Pod>| Amounts::sum(pods.into_iter().map(|pod| &pod.request));
    Ok(Some(Books {
        used: requests(used().collect()),
        fixed_used: requests(used().filter(|other| switches.stays(other)).collect()),
        fixed_request: requests(ours().filter(|other| switches.stays(other)).collect()),
        min,
        max,
    }))
}

/// The sum of two amounts.
pub(super) fn plus(one: &Amounts, other: &Amounts) -> Amounts {
    Amounts::sum([one, other])
}

impl Books {
    /// Non-preemptible: `npUsed + T <= min`. Preemptible: `min(min, npRequest) + pUsed + T <= max`.
    pub(super) fn may_trigger(&self, stays: bool, total: &Amounts) -> bool {
        if stays {
            return plus(&self.fixed_used, total).within(&self.min);
        }
        let mut sum = plus(&self.used, total);
        sum.take(&self.fixed_used);
        let aside = |(resource, asked): (&String, &i64)| {
            let least = if self.min.names(resource) { self.min.get(resource) } else { i64::MAX };
            (resource.clone(), least.min(*asked))
        };
        sum.add(&Amounts(self.fixed_request.0.iter().map(aside).collect()));
        sum.within(&self.max)
    }

    /// The same, and for a non-preemptible job `used + T <= max`.
    pub(super) fn admits(&self, stays: bool, total: &Amounts) -> bool {
        self.may_trigger(stays, total) && (!stays || plus(&self.used, total).within(&self.max))
    }
}
