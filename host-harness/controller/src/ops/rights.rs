//! The rights that the code uses, and no others. A test compares the ClusterRole and the Role of `deploy/` with this list.

/// A rule of RBAC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RbacRule {
    /// API group; empty for the core group.
    pub group: &'static str,
    /// The resource, with its subresource where the right is for one.
    pub resource: &'static str,
    /// The verbs.
    pub verbs: &'static [&'static str],
    /// The purpose of the right.
    pub why: &'static str,
}

const READ: &[&str] = &["get", "list", "watch"];
const PATCH: &[&str] = &["patch"];

const fn right(
    group: &'static str,
    resource: &'static str,
    verbs: &'static [&'static str],
    why: &'static str,
) -> RbacRule {
    RbacRule { group, resource, verbs, why }
}

/// The rights in the whole cluster.
pub const CLUSTER: &[RbacRule] = &[
    right(
        "",
        "pods",
        &["get", "list", "watch", "patch", "delete"],
        "to know them, to let them go, to mark victims and running pods, and to delete a pod that was let go and that kube-scheduler refuses",
    ),
    right("", "pods/status", PATCH, "nominations and conditions"),
    right("", "pods/eviction", &["create"], "evictions, which budgets may refuse"),
    right("", "nodes", READ, "to know them"),
    right("", "namespaces", READ, "labels, for affinity between pods"),
    right("", "persistentvolumes", READ, "where volumes can be used"),
    right("", "persistentvolumeclaims", READ, "where volumes can be used"),
    right("storage.k8s.io", "storageclasses", READ, "where volumes can be used"),
    right("storage.k8s.io", "csinodes", READ, "how many volumes a node takes"),
    right("storage.k8s.io", "csidrivers", READ, "which drivers report their storage"),
    right("storage.k8s.io", "csistoragecapacities", READ, "how much drivers can still make"),
    right("storage.k8s.io", "volumeattachments", READ, "what is attached to nodes"),
    right("scheduling.k8s.io", "priorityclasses", READ, "priorities"),
    right("scheduling.k8s.io", "podgroups", READ, "gangs of Kubernetes"),
    right("scheduling.k8s.io", "podgroups/status", PATCH, "why a gang waits"),
    right(
        "policy",
        "poddisruptionbudgets",
        READ,
        "victims that a budget protects come last, and no plan evicts more than the budgets allow",
    ),
    right("resource.k8s.io", "deviceclasses", READ, "resources that are allocated by claims"),
    right("scheduling.x-k8s.io", "podgroups", READ, "gangs of scheduler-plugins"),
    right("scheduling.x-k8s.io", "elasticquotas", READ, "quotas of scheduler-plugins"),
    right("scheduling.x-k8s.io", "elasticquotas/status", PATCH, "what a quota uses"),
    right("scheduling.sigs.k8s.io", "podgroups", READ, "gangs of Koordinator"),
    right(
        "scheduling.sigs.k8s.io",
        "elasticquotas",
        &["get", "list", "watch", "patch"],
        "quotas of Koordinator, and their annotations",
    ),
    right("scheduling.sigs.k8s.io", "elasticquotas/status", PATCH, "what a quota uses"),
    right(
        "scheduling.koordinator.sh",
        "reservations",
        &["get", "list", "watch", "patch", "delete"],
        "reservations of Koordinator: to know them, to mark them, and to delete those that are preempted",
    ),
    right("scheduling.koordinator.sh", "reservations/status", PATCH, "to place reservations"),
    right("batch.volcano.sh", "jobs", READ, "jobs of Volcano"),
    right(
        "scheduling.volcano.sh",
        "podgroups",
        &["get", "list", "watch", "patch"],
        "gangs of Volcano; their status is a field like others",
    ),
    right("scheduling.volcano.sh", "podgroups/status", PATCH, "why a gang waits, where the status stands apart"),
    right("scheduling.volcano.sh", "queues", READ, "queues of Volcano"),
    right("scheduling.volcano.sh", "queues/status", PATCH, "what a queue uses"),
    right("events.k8s.io", "events", &["create", "patch"], "events"),
];

/// The rights in the namespace of the controller.
pub const OWN_NAMESPACE: &[RbacRule] = &[
    right("coordination.k8s.io", "leases", &["get", "create", "update"], "the election"),
    right("", "configmaps", &["get", "create", "patch"], "the checkpoint, and the policy that is to be in force"),
];

/// The rights in the whole cluster for the system `yunikorn`, whose queues stand in a ConfigMap. They are not in the base, because ConfigMaps may
/// contain more than queues.
pub const YUNIKORN: &[RbacRule] = &[right("", "configmaps", READ, "queues of YuniKorn")];

/// Returns a sentence about the right that is missing, from the API server's message about a request that it forbids (403).
///
/// The message that is understood is that of RBAC: `pods is forbidden: User "u" cannot list resource "pods" in API group "" at the cluster scope`.
/// Another message, such as one of an admission webhook, is returned unchanged.
pub fn missing(message: &str) -> String {
    let quoted = |before: &str| message.split_once(before)?.1.split_once('"').map(|(name, _)| name);
    let verb = message.split_once(" cannot ").and_then(|(_, rest)| rest.split(' ').next());
    let (Some(verb), Some(resource)) = (verb, quoted("resource \"")) else { return message.to_owned() };
    sentence(verb, quoted("API group \"").unwrap_or_default(), resource)
}

/// Returns the sentence that a right is missing, with the manifest that grants it.
pub(super) fn sentence(verb: &str, group: &str, resource: &str) -> String {
    let full = if group.is_empty() { resource.to_owned() } else { format!("{resource}.{group}") };
    let file = match resource {
        "leases" => "role.yaml",
        "configmaps" => "role.yaml or deploy/yunikorn.yaml",
        _ => "cluster-role.yaml",
    };
    format!("may not {verb} {full}: grant `{verb}` on `{full}`, as deploy/{file} does")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use lictor_host::cluster::load::read;
    use lictor_policy::Engine;
    use serde_json::Value;

    use super::*;

    type Granted = BTreeSet<(String, String, String)>;

    fn listed(rights: &[RbacRule]) -> Granted {
        let each = |right: &RbacRule| {
            right.verbs.iter().map(|verb| [right.group, right.resource, verb].map(str::to_owned)).collect::<Vec<_>>()
        };
        rights.iter().flat_map(each).map(|[group, resource, verb]| (group, resource, verb)).collect()
    }

    /// Returns the rights that the roles of a file grant: group, resource and verb. Fails where a right stands there twice.
    fn granted(file: &str, text: &str) -> Granted {
        let mut granted = Granted::new();
        let texts = |rule: &Value, key: &str| -> Vec<String> {
            rule[key].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
        };
        for document in read(file, text).unwrap() {
            for rule in document.value["rules"].as_array().into_iter().flatten() {
                for group in texts(rule, "apiGroups") {
                    for (resource, verb) in texts(rule, "resources")
                        .iter()
                        .flat_map(|resource| texts(rule, "verbs").into_iter().map(move |verb| (resource, verb)))
                    {
                        assert!(
                            granted.insert((group.clone(), resource.clone(), verb.clone())),
                            "{resource} {verb} stands there twice"
                        );
                    }
                }
            }
        }
        granted
    }

    #[test]
    fn the_roles_grant_what_the_code_uses_and_nothing_else() {
        let cluster = granted("cluster-role.yaml", include_str!("../../deploy/cluster-role.yaml"));
        assert_eq!(cluster, listed(CLUSTER));
        assert_eq!(granted("role.yaml", include_str!("../../deploy/role.yaml")), listed(OWN_NAMESPACE));
        assert_eq!(granted("yunikorn.yaml", include_str!("../../deploy/yunikorn.yaml")), listed(YUNIKORN));
        assert!(cluster.iter().all(|it| it.0 != "*" && it.1 != "*" && it.2 != "*" && it.1 != "secrets"));
    }

    #[test]
    fn a_right_that_is_missing_is_named_with_its_manifest() {
        let forbidden = r#"pods "low-0" is forbidden: User "u" cannot create resource "pods/eviction" in API group "" in the namespace "ml""#;
        let said = "may not create pods/eviction: grant `create` on `pods/eviction`, as deploy/cluster-role.yaml does";
        assert_eq!(missing(forbidden), said);
        let of_group = r#"x is forbidden: User "u" cannot list resource "podgroups" in API group "scheduling.k8s.io" at the cluster scope"#;
        assert!(missing(of_group).starts_with("may not list podgroups.scheduling.k8s.io: "));
        assert_eq!(
            missing("admission webhook \"w\" denied the request: no"),
            "admission webhook \"w\" denied the request: no"
        );
    }

    #[test]
    fn every_kind_that_a_system_reads_may_be_read() {
        let rights = &listed(CLUSTER) | &listed(YUNIKORN);
        let plural = |kind: &str| match kind.to_lowercase() {
            kind if kind.ends_with('s') => format!("{kind}es"),
            kind => format!("{kind}s"),
        };
        for system in Engine::describe().systems {
            let read = system.interests.kinds.iter().map(|kind| (&kind.group, &kind.kind));
            let placed = system.interests.placed_kinds.iter().map(|kind| (&kind.group, &kind.kind));
            for (group, kind) in read.chain(placed) {
                for verb in READ {
                    let right = (group.clone(), plural(kind), (*verb).to_owned());
                    assert!(rights.contains(&right), "{}: {right:?}", system.name);
                }
            }
        }
    }
}
