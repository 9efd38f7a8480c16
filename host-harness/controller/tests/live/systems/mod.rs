//! The systems with objects of their own: gangs, reclaim, preemption by jobs, elastic jobs that grow and shrink.

pub mod coscheduling;
pub mod koordinator;
pub mod kubernetes;
pub mod volcano;
pub mod yunikorn;

use serde_json::{Value, json};

use crate::controller::Controller;
use crate::support::objects::{merge, wait_for};
use crate::world::{SOON, Step};

/// Returns the fields of a pod of so many cores.
pub fn sized(cores: &str, fields: Value) -> Value {
    let requests = json!({"requests": {"cpu": cores}});
    merge(json!({"spec": {"containers": [{"name": "main", "image": "none", "resources": requests}]}}), &fields)
}

/// Waits until a pod is refused.
pub async fn refused(step: &Step<'_>, controller: &Controller, name: &str) {
    let name = format!("{}/{name}", step.namespace);
    let is_refused =
        || controller.said(|said| said.happened.attempts.iter().any(|it| it.pod == name && it.node.is_none()));
    wait_for("it is refused", SOON, async || is_refused().then_some(())).await;
}
