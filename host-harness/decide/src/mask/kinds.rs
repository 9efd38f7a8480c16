//! The fields of each kind that are kept: those that the host and the systems read.

use lictor_policy::unpack_queues;
use serde_json::{Map, Value};

use super::pods::{CONDITIONS, POD, SPEC};
use super::shape::ValueShape::{
    Amounts, Annotations, Document, Fields, Labels, List, Name, Named, Object, Plain, Presence, Requirement, Resource,
    Rule, Uid, WordOr,
};
use super::shape::{ValueShape, Visit};

/// A kind: its API group, its name and its shape.
type ObjectKind = (&'static str, &'static str, &'static ValueShape);

/// The kinds of which fields are kept. Objects of other kinds are left out.
const KINDS: &[ObjectKind] = &[
    ("", "Pod", &POD),
    ("", "Node", &NODE),
    ("", "Namespace", &NAMED),
    ("", "ConfigMap", &CONFIG),
    ("", "PersistentVolumeClaim", &CLAIM),
    ("", "PersistentVolume", &VOLUME),
    ("storage.k8s.io", "StorageClass", &STORAGE_CLASS),
    ("storage.k8s.io", "CSINode", &CSI_NODE),
    ("storage.k8s.io", "CSIDriver", &CSI_DRIVER),
    ("storage.k8s.io", "CSIStorageCapacity", &CSI_CAPACITY),
    ("storage.k8s.io", "VolumeAttachment", &ATTACHMENT),
    ("resource.k8s.io", "DeviceClass", &DEVICE_CLASS),
    ("policy", "PodDisruptionBudget", &BUDGET),
    ("scheduling.k8s.io", "PriorityClass", &PRIORITY_CLASS),
    ("scheduling.k8s.io", "PodGroup", &GROUP_OF_KUBERNETES),
    ("scheduling.sigs.k8s.io", "ElasticQuota", &QUOTA),
    ("scheduling.sigs.k8s.io", "PodGroup", &GROUP),
    ("scheduling.x-k8s.io", "ElasticQuota", &QUOTA),
    ("scheduling.x-k8s.io", "PodGroup", &GROUP),
    ("scheduling.koordinator.sh", "Reservation", &RESERVATION),
    ("scheduling.volcano.sh", "Queue", &QUEUE),
    ("scheduling.volcano.sh", "PodGroup", &GROUP_OF_VOLCANO),
    ("batch.volcano.sh", "Job", &JOB),
];

/// The ConfigMaps of YuniKorn: others are left out.
pub(super) const CONFIG_MAPS: [&str; 2] = ["yunikorn-configs", "yunikorn-defaults"];

pub(super) static METADATA: ValueShape = Fields(&[
    ("name", &Name),
    ("namespace", &Name),
    ("uid", &Uid),
    ("labels", &Labels),
    ("annotations", &Annotations),
    ("creationTimestamp", &Plain),
    ("deletionTimestamp", &Plain),
    ("ownerReferences", &List(&Fields(&[("kind", &Plain), ("name", &Name), ("uid", &Uid), ("controller", &Plain)]))),
]);

pub(super) static SELECTOR: ValueShape = Fields(&[("matchLabels", &Labels), ("matchExpressions", &List(&Requirement))]);

/// The terms by which a volume or a pod selects nodes.
pub(super) static NODE_SELECTOR: ValueShape = Fields(&[(
    "nodeSelectorTerms",
    &List(&Fields(&[("matchExpressions", &List(&Requirement)), ("matchFields", &List(&Requirement))])),
)]);

/// The shape of an object of which only the name, labels and annotations count.
static NAMED: ValueShape = Object(&[]);

static NODE: ValueShape = Object(&[
    ("spec", &Fields(&[("taints", &List(&Requirement)), ("unschedulable", &Plain)])),
    ("status", &Fields(&[("allocatable", &Amounts), ("capacity", &Amounts)])),
]);

static CLAIM: ValueShape = Object(&[
    (
        "spec",
        &Fields(&[
            ("volumeName", &Name),
            ("storageClassName", &Name),
            ("accessModes", &List(&Plain)),
            ("volumeMode", &Plain),
            ("volumeAttributesClassName", &Name),
            ("selector", &SELECTOR),
            ("resources", &Fields(&[("requests", &Amounts)])),
        ]),
    ),
    ("status", &Fields(&[("phase", &Plain)])),
]);

static VOLUME: ValueShape = Object(&[
    (
        "spec",
        &Fields(&[
            ("capacity", &Amounts),
            ("storageClassName", &Name),
            ("accessModes", &List(&Plain)),
            ("volumeMode", &Plain),
            ("volumeAttributesClassName", &Name),
            ("claimRef", &Fields(&[("namespace", &Name), ("name", &Name), ("uid", &Uid)])),
            ("csi", &Fields(&[("driver", &Name), ("volumeHandle", &Name)])),
            ("nodeAffinity", &Fields(&[("required", &NODE_SELECTOR)])),
        ]),
    ),
    ("status", &Fields(&[("phase", &Plain)])),
]);

static STORAGE_CLASS: ValueShape = Object(&[
    ("provisioner", &Plain),
    ("volumeBindingMode", &Plain),
    ("allowedTopologies", &List(&Fields(&[("matchLabelExpressions", &List(&Requirement))]))),
]);

static CSI_NODE: ValueShape = Object(&[(
    "spec",
    &Fields(&[("drivers", &List(&Fields(&[("name", &Name), ("allocatable", &Fields(&[("count", &Plain)]))])))]),
)]);

static CSI_DRIVER: ValueShape = Object(&[("spec", &Fields(&[("storageCapacity", &Plain)]))]);

static CSI_CAPACITY: ValueShape = Object(&[
    ("storageClassName", &Name),
    ("nodeTopology", &SELECTOR),
    ("capacity", &Plain),
    ("maximumVolumeSize", &Plain),
]);

static ATTACHMENT: ValueShape =
    Object(&[("spec", &Fields(&[("nodeName", &Name), ("source", &Fields(&[("persistentVolumeName", &Name)]))]))]);

static DEVICE_CLASS: ValueShape = Object(&[("spec", &Fields(&[("extendedResourceName", &Resource)]))]);

static BUDGET: ValueShape = Object(&[
    ("spec", &Fields(&[("selector", &SELECTOR)])),
    ("status", &Fields(&[("disruptionsAllowed", &Plain), ("disruptedPods", &Named(&Plain))])),
]);

static PRIORITY_CLASS: ValueShape =
    Object(&[("value", &Plain), ("globalDefault", &Plain), ("preemptionPolicy", &Plain)]);

static QUOTA: ValueShape = Object(&[("spec", &Fields(&[("min", &Amounts), ("max", &Amounts)]))]);

static GROUP: ValueShape = Object(&[(
    "spec",
    &Fields(&[("minMember", &Plain), ("scheduleTimeoutSeconds", &Plain), ("minResources", &Amounts)]),
)]);

static GROUP_OF_VOLCANO: ValueShape = Object(&[(
    "spec",
    &Fields(&[
        ("minMember", &Plain),
        ("minTaskMember", &Named(&Plain)),
        ("queue", &Name),
        ("priorityClassName", &Name),
        ("networkTopology", &Fields(&[("mode", &Plain)])),
        (
            "subGroupPolicy",
            &List(&Fields(&[
                ("networkTopology", &Fields(&[("mode", &Plain)])),
                ("subGroupSize", &Plain),
                ("minSubGroups", &Plain),
            ])),
        ),
    ]),
)]);

static GROUP_OF_KUBERNETES: ValueShape = Object(&[(
    "spec",
    &Fields(&[
        ("schedulingPolicy", &Fields(&[("gang", &Fields(&[("minCount", &Plain)])), ("basic", &ValueShape::Empty)])),
        ("priority", &Plain),
        ("priorityClassName", &Name),
        ("preemptionPolicy", &Plain),
        ("disruptionMode", &WordOr(&[("all", &ValueShape::Empty), ("single", &ValueShape::Empty)])),
        ("schedulingConstraints", &Fields(&[("topology", &Presence)])),
        ("resourceClaims", &Presence),
        ("parentCompositePodGroupName", &Presence),
    ]),
)]);

static OWNER: ValueShape = Fields(&[("kind", &Plain), ("namespace", &Name), ("name", &Name), ("uid", &Uid)]);

static RESERVATION: ValueShape = Object(&[
    (
        "spec",
        &Fields(&[
            ("template", &Fields(&[("metadata", &METADATA), ("spec", &SPEC)])),
            ("owners", &List(&Fields(&[("object", &OWNER), ("controller", &OWNER), ("labelSelector", &SELECTOR)]))),
            ("allocatePolicy", &Plain),
            ("allocateOnce", &Plain),
            ("unschedulable", &Plain),
            ("taints", &List(&Requirement)),
        ]),
    ),
    (
        "status",
        &Fields(&[
            ("phase", &Plain),
            ("nodeName", &Name),
            ("nominatedNodeName", &Name),
            ("allocatable", &Amounts),
            ("conditions", &CONDITIONS),
        ]),
    ),
]);

static NODE_GROUPS: ValueShape = Fields(&[("requiredDuringSchedulingIgnoredDuringExecution", &List(&Name))]);

static QUEUE: ValueShape = Object(&[
    (
        "spec",
        &Fields(&[
            ("parent", &Name),
            ("weight", &Plain),
            ("capability", &Amounts),
            ("deserved", &Amounts),
            ("guarantee", &Fields(&[("resource", &Amounts)])),
            ("priority", &Plain),
            ("reclaimable", &Plain),
            ("affinity", &Fields(&[("nodeGroupAffinity", &NODE_GROUPS), ("nodeGroupAntiAffinity", &NODE_GROUPS)])),
        ]),
    ),
    ("status", &Fields(&[("state", &Plain)])),
]);

static JOB: ValueShape =
    Object(&[("spec", &Fields(&[("minAvailable", &Plain), ("tasks", &List(&Fields(&[("replicas", &Plain)])))]))]);

static CONFIG: ValueShape = Object(&[("data", &Fields(&[("queues.yaml", &Document(&QUEUES))]))]);

/// The fields that YuniKorn reads of `queues.yaml`.
static QUEUES: ValueShape = Fields(&[(
    "partitions",
    &List(&Fields(&[
        ("name", &Name),
        ("preemption", &Fields(&[("enabled", &Plain), ("quotapreemptionenabled", &Plain)])),
        ("placementrules", &List(&Rule)),
        ("queues", &List(&QUEUE_OF_YUNIKORN)),
    ])),
)]);

static QUEUE_OF_YUNIKORN: ValueShape = Fields(&[
    ("name", &Name),
    ("parent", &Plain),
    ("resources", &RESOURCES),
    ("properties", &PROPERTIES),
    ("childtemplate", &Fields(&[("resources", &RESOURCES), ("properties", &PROPERTIES)])),
    ("queues", &List(&QUEUE_OF_YUNIKORN)),
]);

static RESOURCES: ValueShape = Fields(&[("guaranteed", &Amounts), ("max", &Amounts)]);

static PROPERTIES: ValueShape = Fields(&[
    ("preemption.policy", &Plain),
    ("preemption.delay", &Plain),
    ("priority.policy", &Plain),
    ("priority.offset", &Plain),
    ("quota.preemption.delay", &Plain),
]);

/// Removes from an object all fields that no decision depends on, and visits the texts of the rest. Returns whether any part of the object is kept.
pub(super) fn keep(object: &mut Value, visit: Visit<'_>) -> bool {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let group = text("/apiVersion").rsplit_once('/').map_or("", |(group, _)| group);
    let kind = text("/kind");
    if kind == "ConfigMap" && !CONFIG_MAPS.contains(&text("/metadata/name")) {
        return false;
    }
    let shape = shape(group, kind);
    if kind == "ConfigMap" {
        unpack(object);
    }
    shape.is_some_and(|shape| shape.keep(object, visit))
}

/// Puts compressed queues of YuniKorn under `data`, where they are read like others.
fn unpack(object: &mut Value) {
    let packed = object.pointer("/binaryData/queues.yaml.gz").and_then(Value::as_str);
    let Some(queues) = packed.and_then(|packed| unpack_queues(packed).ok()) else { return };
    if let Some(object) = object.as_object_mut() {
        let data = object.entry("data").or_insert_with(|| Value::Object(Map::new()));
        if let Some(data) = data.as_object_mut() {
            data.insert("queues.yaml".to_owned(), Value::String(queues));
        }
    }
}

/// Returns the shape of objects of a kind. `None`: no field of them counts.
pub(super) fn shape(group: &str, kind: &str) -> Option<&'static ValueShape> {
    KINDS.iter().find(|(of, name, _)| (*of, *name) == (group, kind)).map(|(_, _, shape)| *shape)
}
