//! Claims, volumes, storage classes and what drivers report, as far as they decide where a pod may run.

use std::collections::{BTreeMap, BTreeSet};

use crate::cluster::eligibility::{LabelRequirement, NodeTerm};

/// The namespace and name of a claim.
pub(crate) type ClaimKey = (String, String);

/// A claim.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ClaimFacts {
    /// The uid; empty where the API server has given none.
    pub(crate) uid: String,
    /// The pod that controls the claim, because an ephemeral volume of the pod created it.
    pub(crate) pod: Option<OwnerPod>,
    /// The volume that `spec.volumeName` names, bound or not; empty for none.
    pub(crate) volume: String,
    pub(crate) binding: ClaimBinding,
    /// The storage class; empty for none.
    pub(crate) class: String,
    pub(crate) modes: BTreeSet<String>,
    /// The requested bytes.
    pub(crate) storage: i64,
    /// The labels that the volume must have, where the claim has a selector.
    pub(crate) selector: Option<BTreeSet<LabelRequirement>>,
    pub(crate) is_block: bool,
    /// The VolumeAttributesClass; empty for none.
    pub(crate) attributes_class: String,
    /// The node for which the volume is being provisioned.
    pub(crate) selected_node: Option<String>,
    pub(crate) is_being_deleted: bool,
}

/// The pod that controls a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnerPod {
    pub(crate) name: String,
    pub(crate) uid: String,
}

/// The state of the binding between a claim and the volume that it names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ClaimBinding {
    /// The claim is bound, or states nothing. In the latter case its volume decides.
    #[default]
    Bound,
    /// The phase is `Pending` and the volume controller has not completed the binding. A volume that the claim names is only requested.
    Pending,
    /// The phase is `Lost`: the volume does not exist any more.
    Lost,
}

/// A volume.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct VolumeFacts {
    /// The affinity: a node must match one of the terms. `None`: every node matches.
    pub(crate) affinity: Option<BTreeSet<NodeTerm>>,
    /// The zones and regions in the labels of the volume.
    pub(crate) zones: BTreeSet<LabelRequirement>,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) is_block: bool,
    /// The VolumeAttributesClass; empty for none.
    pub(crate) attributes_class: String,
    pub(crate) class: String,
    pub(crate) modes: BTreeSet<String>,
    /// The capacity in bytes.
    pub(crate) storage: i64,
    /// The claim that the volume is bound to, or kept for.
    pub(crate) claim: Option<ClaimRef>,
    pub(crate) state: VolumeState,
    /// The driver that attaches the volume to nodes, and the handle of the volume there.
    pub(crate) attached_by: Option<(String, String)>,
}

/// `spec.claimRef` of a volume.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ClaimRef {
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// The uid; empty where an administrator keeps the volume for a claim that may not exist yet.
    pub(crate) uid: String,
}

/// The availability of a volume: the claims to which the volume can be bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum VolumeState {
    /// The volume can be bound to every claim that it serves, or to the one that it is kept for.
    #[default]
    Available,
    /// The volume can be bound only to the claim that it is kept for (phases `Pending` and `Bound`).
    Reserved,
    /// The volume can be bound to no claim: it is released, has failed or is being deleted.
    Unavailable,
}

/// A storage class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StorageFacts {
    /// Claims are bound only when their first pod has a node (`WaitForFirstConsumer`).
    pub(crate) waits_for_consumer: bool,
    pub(crate) provisions_volumes: bool,
    /// The driver that provisions the volumes.
    pub(crate) provisioner: String,
    /// The topologies in which volumes can be provisioned; empty: everywhere.
    pub(crate) topologies: BTreeSet<NodeTerm>,
}

/// The remaining capacity of a driver in a part of the cluster (CSIStorageCapacity).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CapacityFacts {
    pub(crate) class: String,
    /// The labels of the nodes that can reach the storage. `None`: no node can.
    pub(crate) nodes: Option<BTreeSet<LabelRequirement>>,
    /// The largest possible volume, in bytes: `maximumVolumeSize`, else `capacity`. `None`: the driver reports neither.
    pub(crate) largest: Option<i64>,
}

/// A volume that is attached to a node, or is being attached (VolumeAttachment).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AttachmentFacts {
    pub(crate) node: String,
    /// The PersistentVolume; empty for none.
    pub(crate) volume: String,
}

/// The volumes of a pod, as its spec names them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PodVolumes {
    /// The claims, by name.
    pub(crate) claims: Vec<String>,
    /// The claims that an ephemeral volume of the pod creates. Such a claim must be controlled by the pod.
    pub(crate) ephemeral: BTreeSet<String>,
    /// Disks in the pod spec that a driver attaches to the node: the driver and the handle.
    pub(crate) inline: BTreeSet<(String, String)>,
}

impl ClaimRef {
    /// Returns whether the volume is kept for this claim. A volume that names a uid is kept for no other claim of that name
    /// (upstream pkg/controller/volume/persistentvolume `IsVolumeBoundToClaim`).
    pub(crate) fn is_to(&self, (namespace, name): &ClaimKey, uid: &str) -> bool {
        self.namespace == *namespace && self.name == *name && (self.uid.is_empty() || self.uid == uid)
    }
}

impl ClaimFacts {
    /// Returns whether the claim is bound to a volume.
    pub(crate) fn is_bound(&self) -> bool {
        !self.volume.is_empty() && self.binding == ClaimBinding::Bound
    }

    /// Returns whether an ephemeral volume of this pod created the claim. A pod without a uid is compared by its name (upstream
    /// component-helpers/storage/ephemeral `VolumeIsForPod`).
    pub(crate) fn is_made_by(&self, name: &str, uid: &str) -> bool {
        self.pod.as_ref().is_some_and(|pod| pod.name == name && (uid.is_empty() || pod.uid == uid))
    }
}

impl VolumeFacts {
    /// Returns whether the volume can be bound to a claim (upstream component-helpers/storage/volume `FindMatchingVolume`). Their
    /// VolumeAttributesClasses must be equal, where none counts as a class, also where the volume is kept for the claim.
    pub(crate) fn serves(&self, key: &ClaimKey, claim: &ClaimFacts) -> bool {
        let is_selected = claim.selector.iter().flatten().all(|requirement| requirement.matches(&self.labels));
        let is_free = match (&self.claim, self.state) {
            (_, VolumeState::Unavailable) => false,
            (Some(other), _) => other.is_to(key, &claim.uid),
            (None, state) => state == VolumeState::Available,
        };
        is_free
            && is_selected
            && self.is_block == claim.is_block
            && self.attributes_class == claim.attributes_class
            && self.class == claim.class
            && self.storage >= claim.storage
            && claim.modes.is_subset(&self.modes)
    }

    /// Returns whether the volume is bound to another claim than this one, which names the volume. A uid that one of the two lacks is not compared.
    pub(crate) fn is_of_another(&self, key: &ClaimKey, claim: &ClaimFacts) -> bool {
        self.claim
            .as_ref()
            .is_some_and(|other| !other.is_to(key, if claim.uid.is_empty() { &other.uid } else { &claim.uid }))
    }
}
