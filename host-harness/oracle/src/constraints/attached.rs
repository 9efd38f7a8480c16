//! How many volumes of a driver are attached to a node.

use std::collections::BTreeSet;

use serde_json::Value;

use super::dump::{NodeByPod, ObjectIndex, items, key};
use super::volumes::{bound_to, claims, class};

/// The plugins of Kubernetes that drivers have replaced: the field of the spec, the name of the disk in it, the plugin and the driver.
const REPLACED: [(&str, &str, &str, &str); 2] = [
    ("awsElasticBlockStore", "volumeID", "kubernetes.io/aws-ebs", "ebs.csi.aws.com"),
    ("gcePersistentDisk", "pdName", "kubernetes.io/gce-pd", "pd.csi.storage.gke.io"),
];

/// Returns the failed constraints of the attached volumes on a node, as messages: a driver of this pod's volumes has more volumes there than its
/// limit. Empty: no constraint fails, or no CSINode describes the node.
pub(super) fn broken(dump: &ObjectIndex<'_>, places: &NodeByPod, pod: &Value, node: &Value) -> Vec<String> {
    let here = key(node);
    let Some(limits) = dump.find("CSINode", &here) else { return Vec::new() };
    let pods = dump.placed_pods(places).filter(|(_, _, on)| key(on) == here).map(|(_, pod, _)| pod);
    let still = dump.all("VolumeAttachment").filter_map(|(_, attachment)| attached_here(dump, attachment, &here));
    let all: BTreeSet<(String, String)> = pods.flat_map(|pod| volumes(dump, pod)).chain(still).collect();
    let mine = volumes(dump, pod);
    let too_many = items(&limits["spec"]["drivers"]).filter_map(|driver| {
        let (name, limit) = (driver["name"].as_str()?, driver["allocatable"]["count"].as_u64()?);
        let there = all.iter().filter(|(of, _)| of == name).count();
        let is_over = u64::try_from(there).unwrap_or(u64::MAX) > limit && mine.iter().any(|(of, _)| of == name);
        is_over.then(|| format!("{there} volumes of {name}, which takes {limit}"))
    });
    too_many.collect()
}

/// Returns the volume that an attachment says is on this node, for any pod.
fn attached_here(dump: &ObjectIndex<'_>, attachment: &Value, here: &str) -> Option<(String, String)> {
    let spec = &attachment["spec"];
    let name = spec["source"]["persistentVolumeName"].as_str().filter(|_| spec["nodeName"].as_str() == Some(here))?;
    let csi = &dump.find("PersistentVolume", name)?["spec"]["csi"];
    Some((csi["driver"].as_str()?.to_owned(), csi["volumeHandle"].as_str()?.to_owned()))
}

/// Returns the volumes of a pod as drivers attach them: pairs of the driver and the handle of the volume.
fn volumes(dump: &ObjectIndex<'_>, pod: &Value) -> BTreeSet<(String, String)> {
    let inline = items(&pod["spec"]["volumes"]).filter_map(replaced);
    let claimed = claims(pod).into_iter().filter_map(|name| {
        let claim = dump.find("PersistentVolumeClaim", &name)?;
        let Some(volume) = bound_to(claim).and_then(|volume| dump.find("PersistentVolume", volume)) else {
            let plugin = class(dump, claim)?["provisioner"].as_str()?;
            let driver = REPLACED.iter().find(|(.., of, _)| *of == plugin).map_or(plugin, |(.., driver)| *driver);
            return Some((driver.to_owned(), format!("to be made for {name}")));
        };
        let csi = &volume["spec"]["csi"];
        let own = || Some((csi["driver"].as_str()?.to_owned(), csi["volumeHandle"].as_str()?.to_owned()));
        own().or_else(|| replaced(&volume["spec"]))
    });
    inline.chain(claimed).collect()
}

fn replaced(spec: &Value) -> Option<(String, String)> {
    let disk = |(field, name, _, driver): &(&str, &str, &str, &str)| {
        Some(((*driver).to_owned(), spec[*field][*name].as_str()?.to_owned()))
    };
    REPLACED.iter().find_map(disk)
}
