//! Makes a failing case small: fewer objects, then smaller numbers, while it fails with the same law.

use lictor_oracle::FuzzCase;
use serde_json::Value;

use super::failure::FuzzFailure;

/// The maximum number of attempts. A case that is still large after them is small enough.
const ATTEMPTS: usize = 2000;

/// Returns a smaller case that fails with the same law, and its failure.
///
/// `attempt` plays a case and returns its failure.
pub fn shrink(
    case: &FuzzCase,
    failure: FuzzFailure,
    mut attempt: impl FnMut(&FuzzCase) -> Option<FuzzFailure>,
) -> (FuzzCase, FuzzFailure) {
    let mut best = (case.clone(), failure);
    let mut left = ATTEMPTS;
    loop {
        let smaller = candidates(&best.0).find_map(|case| {
            left = left.checked_sub(1)?;
            let failure = attempt(&case).filter(|failure| failure.law == best.1.law)?;
            Some((case, failure))
        });
        match smaller {
            Some(smaller) => best = smaller,
            None => return best,
        }
    }
}

/// Returns cases that are a little smaller: without one object, without one label or optional field, or with one smaller number.
fn candidates(case: &FuzzCase) -> impl Iterator<Item = FuzzCase> {
    let without = |place: usize| {
        let mut case = case.clone();
        case.objects.remove(place);
        case
    };
    let calmer = case.drive.recreate.then(|| {
        let mut case = case.clone();
        case.drive.recreate = false;
        case
    });
    let smaller = (0..case.objects.len()).flat_map(move |place| {
        let object = case.objects.get(place).cloned().unwrap_or_default();
        simpler(&object).into_iter().map(move |object| {
            let mut case = case.clone();
            if let Some(slot) = case.objects.get_mut(place) {
                *slot = object;
            }
            case
        })
    });
    calmer.into_iter().chain((0..case.objects.len()).rev().map(without)).chain(smaller).filter(FuzzCase::is_fair)
}

/// The fields of a pod or node that may be left out without changing its kind.
const OPTIONAL: [&str; 8] = [
    "/metadata/labels/app",
    "/spec/preemptionPolicy",
    "/spec/tolerations",
    "/spec/nodeSelector",
    "/spec/taints",
    "/spec/unschedulable",
    "/metadata/labels/disk",
    "/status/startTime",
];

/// Returns simpler forms of an object: without an optional field, or with a smaller number.
fn simpler(object: &Value) -> Vec<Value> {
    let mut forms = Vec::new();
    for pointer in OPTIONAL {
        let Some((parent, key)) = pointer.rsplit_once('/') else { continue };
        let mut form = object.clone();
        let removed = form.pointer_mut(parent).and_then(Value::as_object_mut).and_then(|parent| parent.remove(key));
        if removed.is_some() {
            forms.push(form);
        }
    }
    for pointer in numbers(object, "") {
        let value = object.pointer(&pointer);
        let Some(number) = value.and_then(read) else { continue };
        for less in [0, number.div_euclid(2), number.saturating_sub(number.signum())] {
            let Some(slot) = value.map(|value| written(value, less)) else { continue };
            let mut form = object.clone();
            if let Some(place) = form.pointer_mut(&pointer).filter(|_| less != number) {
                *place = slot;
                forms.push(form);
            }
        }
    }
    forms
}

/// Returns the pointers of the non-zero numbers of an object: requests, sizes, priorities, limits. `metadata` and `minMember` are left out.
fn numbers(value: &Value, here: &str) -> Vec<String> {
    let below =
        |key: &str, value: &Value| numbers(value, &format!("{here}/{}", key.replace('~', "~0").replace('/', "~1")));
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(key, _)| *key != "metadata" && *key != "minMember");
            fields.flat_map(|(key, value)| below(key, value)).collect()
        }
        Value::Array(values) => {
            (0usize..).zip(values).flat_map(|(place, value)| below(&place.to_string(), value)).collect()
        }
        other => read(other).filter(|number| *number != 0).map(|_| here.to_owned()).into_iter().collect(),
    }
}

/// Reads a number, or a text that is a number. `None`: the value is neither.
fn read(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

/// Writes a number in the form of another value: as a text or as a number.
fn written(like: &Value, number: i64) -> Value {
    if like.is_string() { Value::from(number.to_string()) } else { Value::from(number) }
}
