//! Volumes of pods: where they can be used, before and after their claims are there.

use super::*;

/// Returns a claim of `default` with these fields of its spec.
fn claim(name: &str, spec: &str) -> String {
    format!(
        "---\n{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: {name}, namespace: default}}, spec: {{{spec}}}}}\n"
    )
}

/// Returns a volume that can be used in this zone.
fn volume(name: &str, zone: &str) -> String {
    format!(
        "---\n{{apiVersion: v1, kind: PersistentVolume, metadata: {{name: {name}}}, spec: {{capacity: {{storage: 1Gi}}, \
         nodeAffinity: {{required: {{nodeSelectorTerms: [{{matchExpressions: [{{key: zone, operator: In, values: [{zone}]}}]}}]}}}}}}}}\n"
    )
}

/// Returns a node in this zone.
fn node_in(name: &str, zone: &str) -> String {
    node(name).replace("metadata: {", &format!("metadata: {{labels: {{zone: {zone}}}, "))
}

/// Returns a pod whose volume uses this claim.
fn with_claim(name: &str, claim: &str) -> String {
    pod(name, &format!("volumes: [{{name: v, persistentVolumeClaim: {{claimName: {claim}}}}}]"))
}

/// Returns the reason of each node against `default/p`; empty where the node takes the pod.
fn said(mirror: &mut Mirror) -> Vec<String> {
    mirror.drain_events();
    let pod = mirror.pod_id("default/p").unwrap();
    let nodes: Vec<NodeId> = mirror.nodes().map(|node| node.id).collect();
    nodes
        .into_iter()
        .map(|node| mirror.eligible(pod, node).map_or_else(|why| why.to_string(), |()| String::new()))
        .collect()
}

const CONFLICT: &str = "node(s) didn't match PersistentVolume's node affinity";

#[test]
fn a_pod_goes_with_its_volume_whatever_comes_first() {
    let mut mirror = mirror();
    apply(&mut mirror, &format!("{}{}{}", node_in("n1", "a"), node_in("n2", "b"), with_claim("p", "c")));
    assert_eq!(said(&mut mirror), ["persistentvolumeclaim \"c\" not found"; 2]);
    let warnings = mirror.warnings();
    assert_eq!(warnings[0].message, "`default/p` names claim `c`, which is not there: no node takes the pod");
    apply(&mut mirror, &claim("c", ""));
    assert_eq!(mirror.warnings(), []);
    assert_eq!(said(&mut mirror), ["pod has unbound immediate PersistentVolumeClaims: c"; 2]);
    apply(&mut mirror, &claim("c", "volumeName: v"));
    assert_eq!(said(&mut mirror), ["node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s): c"; 2]);
    apply(&mut mirror, &volume("v", "b"));
    assert_eq!(said(&mut mirror), [CONFLICT, ""]);
    apply(&mut mirror, &volume("v", "a"));
    assert_eq!(said(&mut mirror), ["", CONFLICT]);
    assert!(mirror.remove("PersistentVolumeClaim/default/c"));
    assert_eq!(said(&mut mirror), ["persistentvolumeclaim \"c\" not found"; 2]);
    assert!(!mirror.remove("PersistentVolumeClaim/default/c"));
}

#[test]
fn the_policy_is_told_of_a_shape_that_knows_the_volume() {
    let mut mirror = mirror();
    let objects =
        [node_in("n1", "a"), node_in("n2", "b"), with_claim("p", "c"), claim("c", "volumeName: v"), volume("v", "b")];
    apply(&mut mirror, &objects.concat());
    mirror.drain_events();
    let shape = the_pod(&mirror, "default/p").shape;
    let told = mirror.replay().into_iter().find_map(|event| match event {
        Event::Eligibility(eligibility) if eligibility.shape == shape => Some(eligibility.nodes),
        _ => None,
    });
    assert_eq!(told, Some(vec![0b10]));
    apply(&mut mirror, &with_claim("p", "c"));
    assert_eq!(said(&mut mirror), [CONFLICT, ""], "the pod was seen again");
}

#[test]
fn a_volume_in_a_zone_is_used_there_and_on_nodes_without_zones() {
    let label = "topology.kubernetes.io/zone";
    let labelled = |name: &str, zone: &str| {
        node(name).replace("metadata: {", &format!("metadata: {{labels: {{{label}: {zone}}}, "))
    };
    let volume = format!(
        "---\n{{apiVersion: v1, kind: PersistentVolume, metadata: {{name: v, labels: {{{label}: a__b}}}}, spec: {{}}}}\n"
    );
    let mut mirror = mirror();
    let nodes = [labelled("n1", "a"), labelled("n2", "b"), labelled("n3", "c"), node("n4")].concat();
    apply(&mut mirror, &format!("{nodes}{}{}{volume}", with_claim("p", "c"), claim("c", "volumeName: v")));
    assert_eq!(said(&mut mirror), ["", "", "node(s) had no available volume zone", ""]);
    // A node with a region label alone counts as being in an unknown zone, which does not match the volume's. Older labels count alike.
    let region = node("n4").replace("metadata: {", "metadata: {labels: {topology.kubernetes.io/region: r}, ");
    let older = volume.replace(label, "failure-domain.beta.kubernetes.io/zone");
    apply(&mut mirror, &format!("{region}{older}"));
    let other = "node(s) had no available volume zone";
    assert_eq!(said(&mut mirror), ["", "", other, other]);
}

#[test]
fn a_claim_that_waits_for_its_pod_goes_with_what_its_class_allows() {
    let class = "---\n{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: example.com/disk, \
                 volumeBindingMode: WaitForFirstConsumer, allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [b]}]}]}\n";
    let mut mirror = mirror();
    apply(&mut mirror, &format!("{}{}{}", node_in("n1", "a"), node_in("n2", "b"), with_claim("p", "c")));
    apply(&mut mirror, &format!("{}{class}", claim("c", "storageClassName: fast")));
    assert_eq!(said(&mut mirror), ["node(s) didn't find available persistent volumes to bind", ""]);
}

#[test]
fn a_pod_with_resource_claims_is_taken_by_no_node_and_its_author_is_told() {
    let mut mirror = mirror();
    apply(&mut mirror, &format!("{}{}", node("n1"), pod("p", "resourceClaims: [{name: gpu, resourceClaimName: g}]")));
    assert_eq!(said(&mut mirror), ["the pod has resource claims, which are not judged: gpu"]);
    let warnings = mirror.warnings();
    assert_eq!(warnings.len(), 1);
    assert_eq!(
        warnings[0].message,
        "`default/p` has the resource claim `gpu`, which is not judged: no node takes the pod"
    );
}

#[test]
fn an_extended_resource_that_a_device_class_stands_for_is_told() {
    let devices = "---\n{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpus}, spec: {extendedResourceName: example.com/gpu}}\n";
    let mut mirror = mirror();
    let asks = pod("p", "").replace("requests: {cpu: 1}", "requests: {cpu: 1, example.com/gpu: 1}");
    apply(&mut mirror, &format!("{}{asks}", node("n1")));
    assert_eq!(mirror.warnings(), []);
    apply(&mut mirror, devices);
    let warnings = mirror.warnings();
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].message.starts_with("`default/p` requests `example.com/gpu`, which device class `gpus` allocates"),
        "{}",
        warnings[0]
    );
}
