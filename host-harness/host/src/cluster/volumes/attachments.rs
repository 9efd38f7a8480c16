//! How many volumes of a driver a node takes (upstream plugin NodeVolumeLimits).

use std::collections::{BTreeMap, BTreeSet};

use super::{AttachmentFacts, ClaimKey, PodVolumes, Volumes};

/// The prefix of the resources that stand for the volumes which a driver can attach to a node. The name of the driver follows.
pub(crate) const ATTACHMENTS: &str = "volume/attachments/";

impl Volumes {
    /// Sets or removes the limits of a node. Returns whether the node had limits before.
    pub(super) fn set_limits(&mut self, node: &str, limits: Option<BTreeMap<String, i64>>) -> bool {
        for driver in limits.iter().flat_map(BTreeMap::keys) {
            let nodes = self.limited.entry(driver.clone()).or_default();
            *nodes = nodes.saturating_add(1);
        }
        let before = match limits {
            Some(limits) => self.limits.insert(node.to_owned(), limits),
            None => self.limits.remove(node),
        };
        for driver in before.iter().flat_map(BTreeMap::keys) {
            let nodes = self.limited.entry(driver.clone()).or_default();
            *nodes = nodes.saturating_sub(1);
        }
        self.limited.retain(|_, nodes| *nodes > 0);
        before.is_some()
    }

    /// Returns how many volumes each driver can attach to a node. A driver that is missing has no limit there. `None`: the node has no CSINode.
    pub(crate) fn limits(&self, node: &str) -> Option<&BTreeMap<String, i64>> {
        self.limits.get(node)
    }

    /// Returns the nodes that have limits.
    pub(crate) fn limited_nodes(&self) -> impl Iterator<Item = &String> {
        self.limits.keys()
    }

    /// Returns whether some node has a limit.
    pub(crate) fn has_limits(&self) -> bool {
        !self.limited.is_empty()
    }

    /// Returns the volume of a claim as its driver attaches it: the driver and a handle. `None`: no node has a limit for the driver. The volume of an
    /// unbound claim is counted for the driver of its class (upstream `getCSIDriverInfoFromSC`).
    pub(crate) fn attached(&self, key: &ClaimKey) -> Option<(String, String)> {
        let claim = self.claims.get(key)?;
        let volume = self.volumes.get(&claim.volume);
        let attached = match volume {
            Some(volume) => volume.attached_by.clone()?,
            None => {
                let class = self.classes.get(&claim.class).filter(|class| class.provisions_volumes)?;
                (csi_driver(&class.provisioner).to_owned(), format!("claim {}/{}", key.0, key.1))
            }
        };
        self.limited.contains_key(&attached.0).then_some(attached)
    }

    /// Returns the volumes with a VolumeAttachment to a node whose driver has a limit: each with its claim and its node
    /// (upstream nodevolumelimits `getNodeVolumeAttachmentInfo`).
    pub(crate) fn attachments(&self) -> impl Iterator<Item = ((String, String), Option<ClaimKey>, &str)> {
        self.attachments.values().filter_map(|AttachmentFacts { node, volume: name }| {
            let volume = self.volumes.get(name)?;
            let attached = volume.attached_by.clone()?;
            if !self.limits.get(node).is_some_and(|limits| limits.contains_key(&attached.0)) {
                return None;
            }
            let key = volume.claim.as_ref().map(|claim| (claim.namespace.clone(), claim.name.clone()));
            let key = key.filter(|key| self.claims.get(key).is_some_and(|claim| claim.volume == *name));
            Some((attached, key, node.as_str()))
        })
    }

    /// Returns whether a VolumeAttachment is known.
    pub(crate) fn has_attachments(&self) -> bool {
        !self.attachments.is_empty()
    }

    /// Returns the disks in the spec of a pod that count for a limit.
    pub(crate) fn attached_inline<'a>(&'a self, volumes: &'a PodVolumes) -> BTreeSet<&'a (String, String)> {
        volumes.inline.iter().filter(|(driver, _)| self.limited.contains_key(driver)).collect()
    }
}

/// Returns the CSI driver that replaces a former plugin of Kubernetes (upstream csi-translation-lib). Another name is returned unchanged.
pub(crate) fn csi_driver(plugin: &str) -> &str {
    match plugin {
        "kubernetes.io/aws-ebs" => "ebs.csi.aws.com",
        "kubernetes.io/gce-pd" => "pd.csi.storage.gke.io",
        "kubernetes.io/azure-disk" => "disk.csi.azure.com",
        "kubernetes.io/azure-file" => "file.csi.azure.com",
        "kubernetes.io/cinder" => "cinder.csi.openstack.org",
        "kubernetes.io/vsphere-volume" => "csi.vsphere.vmware.com",
        "kubernetes.io/portworx-volume" => "pxd.portworx.com",
        other => other,
    }
}
