//! Reads all objects of a cluster that a session needs, at one time: to decide about a cluster and carry nothing out.

use std::collections::BTreeSet;

use kube::api::{Api, DynamicObject, ListParams};
use kube::{Client, Error};
use lictor_contract::Interests;
use serde_json::{Value, json};

use crate::view::{self, ManagedPods, text};
use crate::watch::kinds;
use crate::watch::stream::resource_of;

/// The number of objects per request.
const PAGE: u32 = 500;

/// Reads the objects into a `List`. Kinds that the cluster does not have are left out.
///
/// # Errors
/// The API server does not answer, or refuses.
pub async fn read(client: &Client, interests: &Interests) -> Result<Value, Error> {
    let mut items = Vec::new();
    for kind in kinds::watched_kinds(interests) {
        let Some(resource) = resource_of(client, &kind).await? else { continue };
        let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
        let mut asked = ListParams::default().limit(PAGE);
        loop {
            let page = api.list(&asked).await?;
            for mut object in page.items {
                object.metadata.managed_fields = None;
                object.types = None;
                let mut item = serde_json::to_value(object).map_err(Error::SerdeError)?;
                if let Some(fields) = item.as_object_mut() {
                    fields.insert("apiVersion".to_owned(), json!(resource.api_version));
                    fields.insert("kind".to_owned(), json!(resource.kind));
                }
                items.push(item);
            }
            match page.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => asked = asked.continue_token(&token),
                None => break,
            }
        }
    }
    normalize_pods(&mut items);
    Ok(json!({"apiVersion": "v1", "kind": "List", "items": items}))
}

/// Changes pods to what a session sees that may decide about all of them: our own gate keeps no pod back, and a pod that was let go has its node,
/// where that node exists.
fn normalize_pods(items: &mut [Value]) {
    let schedulers: BTreeSet<String> = items.iter().map(|item| text(item, "/spec/schedulerName").to_owned()).collect();
    let ours = ManagedPods { schedulers: schedulers.into_iter().collect(), ungated: true };
    let nodes = items.iter().filter(|item| (text(item, "/apiVersion"), text(item, "/kind")) == ("v1", "Node"));
    let nodes: BTreeSet<String> = nodes.map(|node| text(node, "/metadata/name").to_owned()).collect();
    for item in items {
        view::normalize(item, &ours, |node| nodes.contains(node));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::{ASSIGNED_NODE, SCHEDULING_GATE};

    #[test]
    fn our_gate_holds_nobody_back_in_a_dump_and_who_was_let_go_has_a_node() {
        let pod = |spec: Value, annotations: Value| json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "annotations": annotations}, "spec": spec});
        let pinned = json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}]}}});
        let mut items = [
            pod(
                json!({"schedulerName": "x", "schedulingGates": [{"name": SCHEDULING_GATE}, {"name": "b/c"}]}),
                json!({}),
            ),
            pod(json!({"schedulerName": "y", "affinity": pinned}), json!({ASSIGNED_NODE: "n"})),
            pod(json!({"schedulerName": "default-scheduler"}), json!({})),
            json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}),
        ];
        normalize_pods(&mut items);
        assert_eq!(items[0].pointer("/spec/schedulingGates"), Some(&json!([{"name": "b/c"}])));
        assert_eq!(items[1].pointer("/spec/nodeName"), Some(&json!("n")));
        assert_eq!(
            items[2].pointer("/spec/schedulerName"),
            Some(&json!("default-scheduler")),
            "it is decided about, too"
        );
    }
}
