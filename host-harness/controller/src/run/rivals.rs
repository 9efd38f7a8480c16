//! Other controllers that write at the same time, as the managers of fields in the metadata of pods show them.
//!
//! Each process patches pods under a manager of its own. A write of another manager that is newer than all that was listed was made while
//! this process leads: no Lease keeps the two apart. The writes of an earlier process are in the list, whatever its clock said.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::view::text;

/// The prefix of the managers of all controllers.
const PREFIX: &str = "lictor.dev/";
/// The longest name of a manager that the API server takes, in bytes.
const LONGEST: usize = 128;
/// The same controller is reported again after this time: 5 minutes, in nanoseconds.
const REPEAT: i64 = 300_000_000_000;
/// The number of other controllers that are remembered.
const MAX_REMEMBERED: usize = 16;

/// Returns the field manager of the process of this name. The manager needs no escaping in a URL.
pub fn field_manager(identity: &str) -> String {
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    PREFIX.chars().chain(identity.chars().filter(is_plain)).take(LONGEST).collect()
}

/// Returns whether a field manager is that of a controller.
pub(crate) fn is_controller(manager: &str) -> bool {
    manager.starts_with(PREFIX)
}

/// The other controllers that have written since the cluster was listed.
#[derive(Debug)]
pub(super) struct OtherControllers {
    own: String,
    /// The newest time of a write in the list, as RFC 3339 in whole seconds of UTC: such texts are ordered as their times are.
    listed: String,
    /// When each of them was reported last.
    reported_at: BTreeMap<String, i64>,
}

impl OtherControllers {
    pub(super) fn new(identity: &str) -> OtherControllers {
        OtherControllers { own: field_manager(identity), listed: String::new(), reported_at: BTreeMap::new() }
    }

    /// Takes a pod as the API server shows it; `is_listing`: the first list is not complete yet. Returns the manager of another controller to report.
    /// The cost is that of reading the managers of the pod.
    pub(super) fn observe(&mut self, pod: &Value, is_listing: bool, now: i64) -> Option<String> {
        let entries = pod.pointer("/metadata/managedFields").and_then(Value::as_array)?;
        let entries = entries.iter().map(|entry| (text(entry, "/manager"), text(entry, "/time")));
        if is_listing {
            let newest = entries.map(|(_, time)| time).max().filter(|time| *time > self.listed.as_str());
            self.listed = newest.unwrap_or(&self.listed).to_owned();
            return None;
        }
        let mut others = entries
            .filter(|(manager, time)| is_controller(manager) && *manager != self.own && *time > self.listed.as_str());
        let rival = others.find_map(|(manager, _)| {
            let is_due = self.reported_at.get(manager).is_none_or(|at| at.saturating_add(REPEAT) <= now);
            is_due.then(|| manager.to_owned())
        })?;
        self.reported_at.insert(rival.clone(), now);
        if self.reported_at.len() > MAX_REMEMBERED
            && let Some(oldest) = self.reported_at.iter().min_by_key(|(_, at)| **at).map(|(name, _)| name.clone())
        {
            self.reported_at.remove(&oldest);
        }
        Some(rival)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pod(writes: &[(&str, &str)]) -> Value {
        let entries: Vec<Value> =
            writes.iter().map(|(manager, time)| json!({"manager": manager, "time": time})).collect();
        json!({"metadata": {"name": "a", "managedFields": entries}})
    }

    #[test]
    fn a_controller_that_has_written_since_the_list_is_reported_now_and_then() {
        let mut rivals = OtherControllers::new("me");
        let (before, after) = ("2026-03-12T09:00:07Z", "2026-03-12T09:00:08Z");
        // The process before this one, and others that are no controllers.
        assert_eq!(
            rivals.observe(&pod(&[("lictor.dev/earlier", before), ("kubelet", "2026-03-12T09:00:01Z")]), true, 0),
            None
        );
        assert_eq!(
            rivals.observe(
                &pod(&[("lictor.dev/earlier", before), ("lictor.dev/me", after), ("kubelet", after)]),
                false,
                0
            ),
            None
        );
        let other = pod(&[("lictor.dev/me", after), ("lictor.dev/other", after)]);
        assert_eq!(rivals.observe(&other, false, 0).as_deref(), Some("lictor.dev/other"));
        assert_eq!(rivals.observe(&other, false, REPEAT - 1), None, "it was said");
        assert_eq!(rivals.observe(&other, false, REPEAT).as_deref(), Some("lictor.dev/other"));
        assert_eq!(rivals.observe(&json!({"metadata": {}}), false, 0), None);
        // However many come and go, few are remembered.
        for place in 0..100 {
            rivals.observe(&pod(&[(&format!("lictor.dev/{place}"), after)]), false, place);
        }
        assert_eq!(rivals.reported_at.len(), MAX_REMEMBERED);
    }

    #[test]
    fn the_name_of_a_manager_is_one_that_a_url_and_the_api_server_take() {
        assert_eq!(field_manager("a pod?_1f-2&b.c"), "lictor.dev/apod_1f-2b.c");
        assert_eq!(field_manager(&"x".repeat(300)).len(), LONGEST);
    }
}
