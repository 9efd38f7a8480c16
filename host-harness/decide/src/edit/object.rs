//! Objects as they are, or as a user gives them.

use std::sync::Arc;

use lictor_host::cluster::KubernetesObject;
use serde_json::Value;

use super::super::failure::either;
use super::super::priorities::value;
use super::super::problem::Problem;
use super::unknown;

/// Returns the object with this key, with or without the group of its kind.
///
/// # Errors
/// No object has the key, or objects of several groups have it.
pub(super) fn named(objects: &[&KubernetesObject], key: &str) -> Result<Value, Problem> {
    let mut found: Vec<&KubernetesObject> = Vec::new();
    // Of several with the same key, the last one counts.
    for object in objects.iter().rev().filter(|object| object.key() == key || object.full_key() == key) {
        if found.iter().all(|known| known.full_key() != object.full_key()) {
            found.push(object);
        }
    }
    match found.as_slice() {
        [only] => value(only).ok_or_else(|| unknown("object", key)),
        [] => Err(unknown("object", key)),
        several => {
            let keys: Vec<String> = several.iter().map(|object| object.full_key()).collect();
            Err(Problem::error(format!("several objects are called `{key}`"))
                .remedy(format!("name one of them: {}", either(&keys))))
        }
    }
}

/// Returns the given objects.
///
/// # Errors
/// One of them cannot be read as an object.
pub(super) fn given(objects: &[Value]) -> Result<Vec<Value>, Problem> {
    let file = Arc::from("the objects");
    for object in objects {
        KubernetesObject::from_json(object.clone(), &file).map_err(|mistake| Problem::from(&mistake))?;
    }
    Ok(objects.to_vec())
}
