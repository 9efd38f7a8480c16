//! Disks that a pod names in its own spec: those that one node may write at a time, as resources, and those that a driver attaches.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{PersistentVolumeSpec, PodSpec, Volume};

use super::ports::PORT_CAPACITY;
use super::quantities::ResourceAmounts;
use crate::cluster::volumes::csi_driver;

/// The prefix of the resource of a disk. A pod that writes takes the whole amount of a node, a pod that only reads takes 1.
pub(crate) const DISK: &str = "volume/disk/";

/// Returns the disks of a pod as resources, so that ordinary arithmetic finds pods that exclude each other on a node
/// (upstream plugins/volumerestrictions `isVolumeConflict`): a GCE disk, an iSCSI target or an RBD image that one of two pods writes,
/// and an EBS volume in any case. RBD images are the same where a monitor, the pool and the image are.
pub(super) fn of_pod(spec: &PodSpec) -> ResourceAmounts {
    let mut amounts = ResourceAmounts::new();
    for volume in spec.volumes.iter().flatten() {
        for (disk, reads) in disks(volume) {
            let amount = amounts.entry(format!("{DISK}{disk}")).or_default();
            *amount = (*amount).max(if reads { 1 } else { PORT_CAPACITY });
        }
    }
    amounts
}

/// Returns the disks of a volume, and whether the pod only reads each.
fn disks(volume: &Volume) -> Vec<(String, bool)> {
    let reads = |flag: Option<bool>| flag == Some(true);
    let gce = volume.gce_persistent_disk.iter().map(|disk| (format!("gce-pd/{}", disk.pd_name), reads(disk.read_only)));
    let ebs = volume.aws_elastic_block_store.iter().map(|disk| (format!("aws-ebs/{}", disk.volume_id), false));
    let iscsi = volume.iscsi.iter().map(|disk| (format!("iscsi/{}", disk.iqn), reads(disk.read_only)));
    let rbd = volume.rbd.iter().flat_map(|disk| {
        let pool = disk.pool.as_deref().unwrap_or("rbd");
        let image = move |monitor: &String| format!("rbd/{pool}/{}/{monitor}", disk.image);
        disk.monitors.iter().map(move |monitor| (image(monitor), reads(disk.read_only)))
    });
    gce.chain(ebs).chain(iscsi).chain(rbd).collect()
}

/// Returns the disks of a pod that a CSI driver attaches in place of a plugin of Kubernetes (upstream nodevolumelimits
/// `checkAttachableInlineVolume`): the driver and a handle. Ephemeral volumes of a CSI driver (`csi`) are mounted, not attached.
pub(super) fn attached(spec: &PodSpec) -> BTreeSet<(String, String)> {
    spec.volumes.iter().flatten().filter_map(attached_inline).collect()
}

fn attached_inline(volume: &Volume) -> Option<(String, String)> {
    let ebs = volume.aws_elastic_block_store.as_ref().map(|disk| ("kubernetes.io/aws-ebs", &disk.volume_id));
    let gce = || volume.gce_persistent_disk.as_ref().map(|disk| ("kubernetes.io/gce-pd", &disk.pd_name));
    let azure = || volume.azure_disk.as_ref().map(|disk| ("kubernetes.io/azure-disk", &disk.disk_uri));
    let cinder = || volume.cinder.as_ref().map(|disk| ("kubernetes.io/cinder", &disk.volume_id));
    let vsphere = || volume.vsphere_volume.as_ref().map(|disk| ("kubernetes.io/vsphere-volume", &disk.volume_path));
    let portworx = || volume.portworx_volume.as_ref().map(|disk| ("kubernetes.io/portworx-volume", &disk.volume_id));
    named(ebs.or_else(gce).or_else(azure).or_else(cinder).or_else(vsphere).or_else(portworx)?)
}

/// Returns the driver that attaches a volume, and its handle.
pub(super) fn attached_by(spec: &PersistentVolumeSpec) -> Option<(String, String)> {
    if let Some(csi) = &spec.csi {
        return Some((csi.driver.clone(), csi.volume_handle.clone()));
    }
    let ebs = spec.aws_elastic_block_store.as_ref().map(|disk| ("kubernetes.io/aws-ebs", &disk.volume_id));
    let gce = || spec.gce_persistent_disk.as_ref().map(|disk| ("kubernetes.io/gce-pd", &disk.pd_name));
    let azure = || spec.azure_disk.as_ref().map(|disk| ("kubernetes.io/azure-disk", &disk.disk_uri));
    let file = || spec.azure_file.as_ref().map(|share| ("kubernetes.io/azure-file", &share.share_name));
    let cinder = || spec.cinder.as_ref().map(|disk| ("kubernetes.io/cinder", &disk.volume_id));
    let vsphere = || spec.vsphere_volume.as_ref().map(|disk| ("kubernetes.io/vsphere-volume", &disk.volume_path));
    let portworx = || spec.portworx_volume.as_ref().map(|disk| ("kubernetes.io/portworx-volume", &disk.volume_id));
    let disk = ebs.or_else(gce).or_else(azure).or_else(file).or_else(cinder).or_else(vsphere).or_else(portworx)?;
    named(disk)
}

/// Returns the CSI driver that replaces the plugin, and the handle.
fn named((plugin, handle): (&str, &String)) -> Option<(String, String)> {
    Some((csi_driver(plugin).to_owned(), handle.clone()))
}
