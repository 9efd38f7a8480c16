//! The fields of pods that are kept.

use super::kinds::{NODE_SELECTOR, SELECTOR};
use super::shape::ValueShape;
use super::shape::ValueShape::{
    Address, Amounts, Empty, Fields, Key, Labels, List, Name, Object, Plain, Requirement, Scheduler,
};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

pub(super) static POD: ValueShape = Object(&[("spec", &SPEC), ("status", &STATUS)]);

/// The spec of a pod or of a template of one.
pub(super) static SPEC: ValueShape = Fields(&[
    ("containers", &List(&CONTAINER)),
    ("initContainers", &List(&CONTAINER)),
    ("resources", &REQUIREMENTS),
    ("overhead", &Amounts),
    ("priority", &Plain),
    ("priorityClassName", &Name),
    ("preemptionPolicy", &Plain),
    ("schedulerName", &Scheduler),
    ("schedulingGates", &List(&Fields(&[("name", &Name)]))),
    ("schedulingGroup", &Fields(&[("podGroupName", &Name)])),
    ("nodeName", &Name),
    ("nodeSelector", &Labels),
    (
        "affinity",
        &Fields(&[
            ("nodeAffinity", &Fields(&[(REQUIRED, &NODE_SELECTOR)])),
            ("podAffinity", &Fields(&[(REQUIRED, &List(&POD_TERM))])),
            ("podAntiAffinity", &Fields(&[(REQUIRED, &List(&POD_TERM))])),
        ]),
    ),
    ("tolerations", &List(&Requirement)),
    ("topologySpreadConstraints", &List(&SPREAD)),
    ("hostNetwork", &Plain),
    ("resourceClaims", &List(&Fields(&[("name", &Name)]))),
    ("volumes", &List(&VOLUME)),
]);

static STATUS: ValueShape = Fields(&[
    ("phase", &Plain),
    ("nominatedNodeName", &Name),
    ("startTime", &Plain),
    ("conditions", &CONDITIONS),
    ("containerStatuses", &List(&CONTAINER_STATUS)),
    ("initContainerStatuses", &List(&CONTAINER_STATUS)),
    ("resources", &REQUIREMENTS),
    ("allocatedResources", &Amounts),
]);

pub(super) static CONDITIONS: ValueShape =
    List(&Fields(&[("type", &Plain), ("status", &Plain), ("reason", &Plain), ("lastTransitionTime", &Plain)]));

static CONTAINER: ValueShape = Fields(&[
    ("name", &Name),
    ("resources", &REQUIREMENTS),
    ("restartPolicy", &Plain),
    (
        "ports",
        &List(&Fields(&[("containerPort", &Plain), ("hostPort", &Plain), ("protocol", &Plain), ("hostIP", &Address)])),
    ),
]);

static CONTAINER_STATUS: ValueShape =
    Fields(&[("name", &Name), ("resources", &REQUIREMENTS), ("allocatedResources", &Amounts)]);

static REQUIREMENTS: ValueShape = Fields(&[("requests", &Amounts), ("limits", &Amounts)]);

/// The kept fields of a volume: its claim, and the identity of its disk.
static VOLUME: ValueShape = Fields(&[
    ("name", &Name),
    ("persistentVolumeClaim", &Fields(&[("claimName", &Name)])),
    ("ephemeral", &Empty),
    ("awsElasticBlockStore", &Fields(&[("volumeID", &Name)])),
    ("gcePersistentDisk", &Fields(&[("pdName", &Name), ("readOnly", &Plain)])),
    ("iscsi", &Fields(&[("iqn", &Name), ("readOnly", &Plain)])),
    ("rbd", &Fields(&[("monitors", &List(&Name)), ("pool", &Name), ("image", &Name), ("readOnly", &Plain)])),
]);

static POD_TERM: ValueShape = Fields(&[
    ("labelSelector", &SELECTOR),
    ("namespaceSelector", &SELECTOR),
    ("namespaces", &List(&Name)),
    ("topologyKey", &Key),
    ("matchLabelKeys", &List(&Key)),
    ("mismatchLabelKeys", &List(&Key)),
]);

static SPREAD: ValueShape = Fields(&[
    ("labelSelector", &SELECTOR),
    ("matchLabelKeys", &List(&Key)),
    ("topologyKey", &Key),
    ("maxSkew", &Plain),
    ("minDomains", &Plain),
    ("whenUnsatisfiable", &Plain),
    ("nodeAffinityPolicy", &Plain),
    ("nodeTaintsPolicy", &Plain),
]);
