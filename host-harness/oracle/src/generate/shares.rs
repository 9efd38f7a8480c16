//! Devices that pods share.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::CaseGenerator;
use crate::build::put;
use crate::world::{at, text};

/// Devices of nodes, as cases have them.
pub(super) struct DeviceProfile<'d> {
    /// The resources by which they are counted.
    pub(super) resources: &'d [&'d str],
    /// The amount of one device.
    pub(super) whole: i64,
    /// The amounts of which a pod takes one.
    pub(super) parts: [i64; 4],
    /// How many pods take one, in percent.
    pub(super) takers: i64,
}

impl DeviceProfile<'_> {
    /// Gives nodes devices, none, one or several, and pods parts of them. What pods on a node take is there.
    pub(super) fn share(&self, sketch: &mut CaseGenerator, objects: &mut [Value]) {
        let set = |object: &mut Value, at: &str, amount: i64| {
            self.resources.iter().for_each(|resource| put(object, at, resource, json!(amount.to_string())));
        };
        // In some of the cases no node has several.
        let most = sketch.random.choose_number(&[1, 2, 2, 4]);
        let mut free: BTreeMap<String, i64> = BTreeMap::new();
        for node in objects.iter_mut().filter(|object| text(object, "/kind") == "Node") {
            let amount = self.whole * sketch.random.between(0, most);
            set(node, "/status/allocatable", amount);
            free.insert(text(node, "/metadata/name").to_owned(), amount);
        }
        for pod in objects.iter_mut().filter(|object| text(object, "/kind") == "Pod") {
            let takes = if sketch.random.chance(self.takers) { sketch.random.choose_number(&self.parts) } else { 0 };
            let node = at(pod, "/spec/nodeName").and_then(Value::as_str).map(str::to_owned);
            let fits = node.is_none_or(|node| match free.get_mut(&node) {
                Some(free) if takes <= *free => {
                    *free -= takes;
                    true
                }
                _ => false,
            });
            if takes > 0 && fits {
                set(pod, "/spec/containers/0/resources/requests", takes);
            }
        }
    }
}
