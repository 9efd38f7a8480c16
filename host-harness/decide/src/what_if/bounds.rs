//! The least change of the bounds of one quota or queue.

use std::collections::BTreeSet;

use lictor_contract::quantity::{Unit, exact, parse};
use lictor_host::cluster::KubernetesObject;
use serde_json::Value;

use super::super::failure::DecideError;
use super::{ChangeKind, ChangedField, SufficientChange, TrialRunner};

mod places;

pub(crate) use places::{BoundLocation, bound_locations};

/// The most quotas of which all are tried, where the reasons for the job name none.
const FEW: usize = 16;

/// The step in which amounts of memory are raised, in bytes.
const MEMORY_STEP: i64 = 1 << 20;

/// Returns the least changes of quotas that let the job in. The quotas named in the reasons for the job, and those above them, are tried; where none
/// is named, all quotas are tried, if there are few.
pub(super) fn changes(trials: &mut TrialRunner<'_, '_>, said: &Value) -> Result<Vec<SufficientChange>, DecideError> {
    let all = bound_locations(&trials.case.snapshot.objects);
    let mut named = BTreeSet::new();
    texts(said, &mut |text| {
        named.insert(text.to_owned());
    });
    let queues: BTreeSet<&str> = all.iter().map(|place| place.queue.as_str()).collect();
    let is_named = |place: &&BoundLocation| named.contains(&place.queue);
    let mut asked: Vec<&BoundLocation> = all.iter().filter(is_named).collect();
    if asked.is_empty() && queues.len() <= FEW {
        asked = all.iter().collect();
    }
    let mut changes = Vec::new();
    for place in asked {
        changes.extend(raised(trials, place)?);
    }
    Ok(changes)
}

/// Passes every text in a value to `tell`.
fn texts(value: &Value, tell: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => tell(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, tell)),
        Value::Object(fields) => fields.values().for_each(|field| texts(field, tell)),
        _ => {}
    }
}

/// A raise of a bound of one resource.
struct BoundIncrease<'p> {
    /// The resource, as the quota writes it.
    resource: &'p str,
    /// The present amount.
    amount: i64,
    /// The number of steps by which it is raised.
    by: i64,
    step: i64,
}

impl BoundIncrease<'_> {
    fn text(&self, by: i64) -> String {
        exact(ordinary(self.resource), self.amount.saturating_add(by.saturating_mul(self.step)))
    }
}

/// Returns the least raise of a bound that lets the job in. `None`: raising this bound does not let the job in.
fn raised(trials: &mut TrialRunner<'_, '_>, place: &BoundLocation) -> Result<Option<SufficientChange>, DecideError> {
    let raise = |(resource, text): (&'_ String, &'_ String)| -> Option<(String, i64, i64, i64)> {
        let name = ordinary(resource);
        let amount = parse(text, Unit::of(name)).ok()?;
        let requested = *trials.requested.get(name).filter(|requested| **requested > 0)?;
        let step = if name == "memory" { MEMORY_STEP } else { 1 };
        // The excess of others over the bound may have to be covered, too.
        let by = requested.saturating_mul(2).checked_div(step)?.saturating_add(1);
        Some((resource.clone(), amount, by, step))
    };
    let read: Vec<(String, i64, i64, i64)> = place.amounts.iter().filter_map(raise).collect();
    let mut raises: Vec<BoundIncrease<'_>> = read
        .iter()
        .map(|(resource, amount, by, step)| BoundIncrease { resource, amount: *amount, by: *by, step: *step })
        .collect();
    if raises.is_empty() || tried(trials, place, &raises)?.is_none() {
        return Ok(None);
    }
    for at in 0..raises.len() {
        let most = raises.get(at).map_or(0, |raise| raise.by);
        let least = least(most, |by| {
            raises.get_mut(at).into_iter().for_each(|raise| raise.by = by);
            Ok(tried(trials, place, &raises)?.is_some())
        })?;
        raises.get_mut(at).into_iter().for_each(|raise| raise.by = least);
    }
    let victims = tried(trials, place, &raises)?.unwrap_or_default();
    let field = |raise: &BoundIncrease<'_>| ChangedField {
        name: format!("{} {}", place.bound, raise.resource),
        from: raise.text(0),
        to: raise.text(raise.by),
    };
    let fields = raises.iter().filter(|raise| raise.by > 0).map(field).collect();
    let object = changed(trials, place, &raises).and_then(|object| serde_json::from_str(&object.json()).ok());
    Ok(Some(SufficientChange::of(
        ChangeKind::Quota,
        place.queue.clone(),
        fields,
        victims,
        object.into_iter().collect(),
    )))
}

/// Returns the least number up to `most` for which `holds` is true. It must be true for `most`, and for every number above one for which it is true.
pub(super) fn least(most: i64, mut holds: impl FnMut(i64) -> Result<bool, DecideError>) -> Result<i64, DecideError> {
    if holds(0)? {
        return Ok(0);
    }
    let (mut below, mut enough) = (0, most);
    while enough.saturating_sub(below) > 1 {
        let middle = below.midpoint(enough);
        if holds(middle)? { enough = middle } else { below = middle }
    }
    Ok(enough)
}

/// Returns the number of victims with these raises. `None`: the job does not get in.
fn tried(
    trials: &mut TrialRunner<'_, '_>,
    place: &BoundLocation,
    raises: &[BoundIncrease<'_>],
) -> Result<Option<usize>, DecideError> {
    let Some(changed) = changed(trials, place, raises) else { return Ok(None) };
    let mut objects: Vec<KubernetesObject> = trials.case.snapshot.objects.to_vec();
    objects.get_mut(place.object).into_iter().for_each(|object| *object = changed.clone());
    trials.is_in(&objects)
}

/// Returns the object of the quota with these raises. `None`: the object cannot be changed so.
fn changed(
    trials: &TrialRunner<'_, '_>,
    place: &BoundLocation,
    raises: &[BoundIncrease<'_>],
) -> Option<KubernetesObject> {
    let amounts: Vec<(&str, String)> = raises.iter().map(|raise| (raise.resource, raise.text(raise.by))).collect();
    place.with(trials.case.snapshot.objects.get(place.object)?, &amounts)
}

/// Returns the name of a resource as nodes have it: YuniKorn writes `vcore` for `cpu`.
pub(crate) fn ordinary(resource: &str) -> &str {
    if resource == "vcore" { "cpu" } else { resource }
}
