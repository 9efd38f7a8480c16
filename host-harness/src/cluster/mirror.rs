//! The authoritative picture of the cluster, from which the policy is told what changes.

use std::collections::BTreeMap;
use std::path::Path;

use lictor_policy::contract::*;

use super::{Ineligible, InputError, Object};

/// The cluster as the host knows it.
#[derive(Debug)]
pub struct Mirror {
    interests: Interests,
    ignored: BTreeMap<String, usize>,
}

impl Mirror {
    /// An empty cluster, for a policy that wants to be told this much. The clock stands at 0.
    pub fn new(interests: Interests) -> Mirror {
        Mirror { interests, ignored: BTreeMap::new() }
    }
    /// Reads files that kubectl printed (`-` is the standard input) and creates or replaces what is in them. One key twice is a
    /// warning.
    pub fn load<P: AsRef<Path>>(&mut self, _files: &[P]) -> Result<(), InputError> {
        let _ = &self.interests;
        Ok(())
    }
    /// Creates or replaces an object.
    pub fn upsert(&mut self, _object: Object) {}
    /// How many objects were not mirrored since the policy declared no interest in their kind, by `apps/v1 Deployment`.
    pub fn ignored(&self) -> &BTreeMap<String, usize> {
        &self.ignored
    }
    /// What was read in another way than its author may think.
    pub fn warnings(&self) -> Vec<InputError> {
        Vec::new()
    }
    /// The time.
    pub fn now(&self) -> i64 {
        0
    }
    /// Moves the clock forward.
    pub fn set_clock(&mut self, _now: i64) {}
    /// The changes since the last call, in the order in which the policy must be told.
    pub fn drain_events(&mut self) -> Vec<Event> {
        Vec::new()
    }
    /// The whole cluster as events, for an instance that knows nothing yet. Same ids.
    pub fn replay(&self) -> Vec<Event> {
        Vec::new()
    }
    /// The pod of this name: `namespace/name`, or `Reservation/name`.
    pub fn pod_id(&self, _name: &str) -> Option<PodId> {
        None
    }
    /// The name of a pod, as `pod_id` takes it.
    pub fn pod_name(&self, _pod: PodId) -> Option<&str> {
        None
    }
    /// The node of this name.
    pub fn node_id(&self, _name: &str) -> Option<NodeId> {
        None
    }
    /// A pod as the policy is told of it.
    pub fn pod(&self, _pod: PodId) -> Option<&Pod> {
        None
    }
    /// A node as the policy is told of it.
    pub fn node(&self, _node: NodeId) -> Option<&Node> {
        None
    }
    /// All pods, by number.
    pub fn pods(&self) -> impl Iterator<Item = &Pod> {
        std::iter::empty()
    }
    /// All nodes, by number.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        std::iter::empty()
    }
    /// The resources that amounts name, by number.
    pub fn resources(&self) -> &[Resource] {
        &[]
    }
    /// Whether a pod may run on a node as far as that depends on no other pod.
    pub fn eligible(&self, _pod: PodId, _node: NodeId) -> Result<(), Ineligible> {
        Ok(())
    }
    /// Removes an object named `Kind/namespace/name` or `Kind/name`; false where there is none.
    pub fn remove(&mut self, _key: &str) -> bool {
        false
    }
    /// The pod is bound to the node (`spec.nodeName`; its nomination is gone).
    pub fn bind(&mut self, _pod: PodId, _node: NodeId) {}
    /// The pod is nominated to the node, or to none any more (`status.nominatedNodeName`).
    pub fn nominate(&mut self, _pod: PodId, _node: Option<NodeId>) {}
    /// Writes labels and annotations on the object of the pod.
    pub fn mark(&mut self, _pod: PodId, _marks: &[Mark]) {}
    /// The pod is being deleted because a scheduler preempted it (deletionTimestamp, condition DisruptionTarget).
    pub fn terminate(&mut self, _pod: PodId) {}
}
