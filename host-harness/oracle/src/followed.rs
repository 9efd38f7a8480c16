//! A cluster that follows the steps of a case, as an API server would show it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::ModelInputError;
use crate::build::put;
use crate::case::{CaseStep, FuzzCase, SystemKind};
use crate::object::stamp;
use crate::outcome::ReportedOutcome;
use crate::systems::{self, RetainedNodes};
use crate::world::{ModelCluster, ModelPod};

/// The cluster of a case, step by step.
#[derive(Debug, Clone)]
pub struct TrackedCluster {
    system: SystemKind,
    world: ModelCluster,
    retained: RetainedNodes,
}

impl TrackedCluster {
    /// Begins with the objects of a case.
    ///
    /// # Errors
    /// The model cannot read an object.
    pub fn of(case: &FuzzCase) -> Result<TrackedCluster, ModelInputError> {
        Ok(TrackedCluster {
            system: case.system,
            world: ModelCluster::of(&case.objects)?,
            retained: RetainedNodes::default(),
        })
    }

    /// Applies what a step has come to, in the format of [`play`](crate::play).
    ///
    /// # Errors
    /// The model cannot read the outcome, or an object of the step.
    pub fn apply_outcome(&mut self, step: &CaseStep, outcome: &Value) -> Result<(), ModelInputError> {
        let outcome = ReportedOutcome::read(outcome)?;
        let TrackedCluster { system, world, retained: kept } = self;
        match step {
            CaseStep::Advance(_) => {
                kept.record_expired(world, &outcome, |pod| systems::has_a_plan(*system, world, pod))
            }
            CaseStep::Schedule(pod) => kept.forget_failed_gang(world, pod, &outcome, |pod, other| {
                systems::share_gang_group(*system, world, pod, other)
            }),
            _ => {}
        }
        world.apply_outcome(step, &outcome)?;
        kept.forget(world);
        Ok(())
    }

    /// Returns the pods whose time at Permit ran out while their gang had a plan, and the node that the policy keeps for each. No object shows
    /// them.
    pub fn retained_nodes(&self) -> BTreeMap<String, String> {
        self.retained.nodes().clone()
    }

    /// Returns the present, in RFC 3339.
    pub fn now(&self) -> String {
        stamp(self.world.now)
    }

    /// Returns whether a pod waits to be tried.
    pub fn is_pending(&self, pod: &str) -> bool {
        self.world.pods.get(pod).is_some_and(ModelPod::pending)
    }

    /// Returns when each pod entered the cluster, in seconds since 1970.
    pub fn entered(&self) -> BTreeMap<String, i64> {
        self.world.pods.values().map(|pod| (pod.name.clone(), pod.times.entered)).collect()
    }

    /// Returns the pods in the order in which a scheduler observes them: those that entered together by their creation, then by name.
    pub fn order(&self) -> Vec<String> {
        let mut pods: Vec<&ModelPod> = self.world.pods.values().collect();
        pods.sort_by_key(|pod| (pod.times.entered, pod.times.created, &pod.name));
        pods.into_iter().map(|pod| pod.name.clone()).collect()
    }

    /// Returns the pods that wait at Permit, and the node that is reserved for each.
    pub fn waiting(&self) -> BTreeMap<String, String> {
        let waits = |pod: &ModelPod| Some((pod.name.clone(), pod.held.clone()?));
        self.world.pods.values().filter(|pod| pod.node.is_none()).filter_map(waits).collect()
    }

    /// Returns the objects: nodes, pods, then all others, each by name. A pod that waits at Permit has no node yet.
    pub fn objects(&self) -> Vec<Value> {
        let ModelCluster { nodes, pods, others, .. } = &self.world;
        let nodes = nodes.values().map(|node| node.object.clone());
        nodes.chain(pods.values().map(to_object)).chain(others.values().cloned()).collect()
    }
}

/// Returns a pod as an object.
fn to_object(pod: &ModelPod) -> Value {
    let mut object = pod.object.clone();
    if let Some(status) = object.pointer_mut("/status").and_then(Value::as_object_mut) {
        status.remove("nominatedNodeName");
    }
    if let Some(node) = pod.node.as_ref().filter(|_| !pod.finished) {
        put(&mut object, "/spec", "nodeName", json!(node));
        put(&mut object, "/status", "phase", json!("Running"));
    }
    if let Some(node) = &pod.nominated {
        put(&mut object, "/status", "nominatedNodeName", json!(node));
    }
    if let Some(started) = pod.times.started {
        put(&mut object, "/status", "startTime", json!(stamp(started)));
    }
    if pod.leaving {
        let condition = json!({"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"});
        put(&mut object, "/status", "conditions", json!([condition]));
    }
    object
}
