//! The bounds of quotas and queues.

use std::collections::BTreeMap;

use lictor_contract::quantity::{Unit, parse};
use lictor_host::cluster::KubernetesObject;
use serde_json::Value;

use super::super::priorities::value;
use super::super::problem::Problem;
use super::super::what_if::{BoundLocation, bound_locations, ordinary};
use super::{EditableBound, unknown};

/// Returns every bound, with the name of its queue. Where several queues have the name, it is the namespace and name of the object.
fn named(objects: &[&KubernetesObject]) -> Vec<(String, BoundLocation)> {
    let places = bound_locations(objects.iter().copied());
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for place in &places {
        let count = counts.entry((place.queue.clone(), place.bound.clone())).or_default();
        *count = count.saturating_add(1);
    }
    let name = |place: BoundLocation| {
        let several = counts.get(&(place.queue.clone(), place.bound.clone())).is_some_and(|count| *count > 1);
        let key = objects.get(place.object).map(|object| object.key()).unwrap_or_default();
        let whole = key.split_once('/').map(|(_, name)| name.to_owned()).filter(|_| several);
        (whole.unwrap_or_else(|| place.queue.clone()), place)
    };
    places.into_iter().map(name).collect()
}

pub(super) fn all(objects: &[&KubernetesObject]) -> Vec<EditableBound> {
    let bound =
        |(queue, place): (String, BoundLocation)| EditableBound { queue, bound: place.bound, amounts: place.amounts };
    named(objects).into_iter().map(bound).collect()
}

/// Returns the object of the quota with this amount in the bound.
///
/// # Errors
/// The amount is no quantity, or the bound does not exist.
pub(super) fn object(
    objects: &[&KubernetesObject],
    queue: &str,
    bound: &str,
    (resource, amount): (&str, &str),
) -> Result<Vec<Value>, Problem> {
    let wrong =
        |error| Problem::error(format!("{resource}: {error}")).remedy("write a quantity, such as 500m, 4 or 16Gi");
    parse(amount, Unit::of(ordinary(resource))).map_err(wrong)?;
    let mut found = named(objects).into_iter().filter(|(name, place)| name == queue && place.bound == bound);
    let (_, place) = found.next().ok_or_else(|| unknown(bound, queue))?;
    let changed = objects.get(place.object).and_then(|object| place.with(object, &[(resource, amount.to_owned())]));
    let changed = changed.as_ref().and_then(value).ok_or_else(|| unknown(bound, queue))?;
    Ok(vec![changed])
}
