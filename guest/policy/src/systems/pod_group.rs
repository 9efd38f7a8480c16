//! Fields of a PodGroup that several systems read: how many pods start together, and how long they wait.

use serde_json::Value;

use crate::contract::Finding;
use crate::model::Cluster;
use crate::systems::ParsedObject;
use crate::systems::arguments::duration;

/// The remedy for an invalid number of members.
pub const WRITE_A_COUNT: &str = "write a whole number of 1 or more";

/// Reads a number of pods of 1 or more.
pub fn count(object: &ParsedObject, path: &str, value: Option<&Value>) -> Result<u32, Finding> {
    let count = value.and_then(Value::as_u64).and_then(|count| u32::try_from(count).ok()).filter(|count| *count > 0);
    count.ok_or_else(|| {
        let message = match value {
            Some(value) => format!("`{value}` is not a number of pods"),
            None => "the number of pods to bind together is missing".to_owned(),
        };
        object.error(path, message, WRITE_A_COUNT)
    })
}

/// Reads a timeout above 0, in nanoseconds: a Go duration or a number of seconds.
pub fn timeout(object: &ParsedObject, path: &str, value: &Value) -> Result<i64, Finding> {
    duration(value).filter(|time| *time > 0).ok_or_else(|| {
        let message =
            format!("`{}` is not a duration above 0", value.as_str().map_or(value.to_string(), str::to_owned));
        object.error(path, message, "write a duration such as `10m`, or a number of seconds")
    })
}

/// Returns when an object was created, in nanoseconds since 1970. `None`: the object does not say.
pub fn created(object: &ParsedObject) -> Option<i64> {
    let text = object.at("/metadata/creationTimestamp").and_then(Value::as_str)?;
    let time = text.parse::<jiff::Timestamp>().ok();
    time.and_then(|time| i64::try_from(time.as_nanosecond()).ok())
}

/// Removes the gang that a PodGroup declared.
pub fn remove(cluster: &mut Cluster, namespace: &str, name: &str) {
    let Some(ix) = cluster.job_named(&(namespace.to_owned(), name.to_owned())) else { return };
    if let Some(job) = cluster.job_mut(ix) {
        (job.declared, job.declared_at) = (None, None);
    }
    cluster.set_min_resources(ix, Vec::new());
}
