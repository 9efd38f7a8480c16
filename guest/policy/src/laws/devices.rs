//! Devices, and the resources by which pods request them.
//!
//! The amounts of a node are sums over its devices. A share is taken from one device, so the sum does not say whether it fits. Names of
//! resources belong to one system each, so one table serves all systems.

use super::Denial;
use crate::model::{Cluster, NodeInfo, PodInfo, ResourceIx};

/// Devices of one kind, with the resources by which nodes and pods name them.
#[derive(Debug)]
pub struct DeviceKind {
    /// The resources that count devices.
    counts: &'static [&'static str],
    /// The amount of each of these resources that is one device.
    whole: i64,
    /// The resources of devices that count no devices. A request of one of them alone is a share of a device.
    measures: &'static [&'static str],
    /// The resources that mean a share whenever they are requested.
    shares: &'static [&'static str],
    /// The other names of whole devices, which nodes count separately.
    others: &'static [&'static str],
}

/// The devices that nodes count.
///
/// Koordinator apis/extension/device_share.go and plugins/deviceshare: amounts are percentages of a device, and `nvidia.com/gpu` is read as
/// a whole one. Volcano pkg/scheduler/api/devices/nvidia/gpushare: `gpu-memory` comes from one card, `gpu-number` counts cards.
pub const DEVICES: [DeviceKind; 4] = [
    DeviceKind {
        counts: &["koordinator.sh/gpu-core", "koordinator.sh/gpu-memory-ratio", "koordinator.sh/gpu"],
        whole: 100,
        measures: &["koordinator.sh/gpu-memory"],
        shares: &["koordinator.sh/gpu.shared"],
        others: &["nvidia.com/gpu", "amd.com/gpu", "dcu.com/gpu"],
    },
    DeviceKind { counts: &["koordinator.sh/rdma"], whole: 100, measures: &[], shares: &[], others: &[] },
    DeviceKind { counts: &["koordinator.sh/fpga"], whole: 100, measures: &[], shares: &[], others: &[] },
    DeviceKind {
        counts: &["volcano.sh/gpu-number"],
        whole: 1,
        measures: &["volcano.sh/gpu-memory"],
        shares: &[],
        others: &[],
    },
];

/// The resources that are taken from devices which no node counts: Volcano's vGPUs and those of HAMi (`resourceMemoryName` and the like in
/// the configuration of their device plugins), and Huawei's NPUs in Koordinator.
const UNCOUNTED: [&str; 10] = [
    "volcano.sh/vgpu-number",
    "volcano.sh/vgpu-memory",
    "volcano.sh/vgpu-memory-percentage",
    "volcano.sh/vgpu-cores",
    "nvidia.com/gpumem",
    "nvidia.com/gpumem-percentage",
    "nvidia.com/gpucores",
    "huawei.com/npu-core",
    "huawei.com/npu-cpu",
    "huawei.com/npu-dvpp",
];

/// Returns the first resource that pods request of devices which no node counts.
pub fn uncounted<'a, P: Iterator<Item = &'a PodInfo>>(cluster: &Cluster, pods: impl Fn() -> P) -> Option<ResourceIx> {
    // HAMi names the memory of an NPU after its model, as in `huawei.com/Ascend310P-memory`.
    let of_npu = |name: &str| name.starts_with("huawei.com/Ascend") && name.ends_with("-memory");
    let resources = (0u32..).map(ResourceIx).take(cluster.resource_count());
    let mut uncounted = resources.filter(|resource| {
        let name = cluster.resource_name(*resource);
        UNCOUNTED.contains(&name) || of_npu(name)
    });
    uncounted.find(|resource| pods().any(|pod| pod.request().get(*resource) > 0))
}

impl DeviceKind {
    /// Returns why the requests of pods for these devices cannot be judged. `None`: the sums of the nodes say enough.
    pub fn unsupported<'a, P: Iterator<Item = &'a PodInfo>>(
        &self,
        cluster: &Cluster,
        pods: impl Fn() -> P,
    ) -> Option<Denial> {
        let known = DeviceResources::of(self, cluster);
        let requested = |names: &[ResourceIx]| {
            names.iter().copied().find(|resource| pods().any(|pod| pod.request().get(*resource) > 0))
        };
        let own = [&known.counts, &known.measures, &known.shares].into_iter().find_map(|names| requested(names));
        let other = requested(&known.others);
        let resource = own.or(other)?;
        if own.is_some() && other.is_some() && cluster.nodes().any(|(_, node)| known.counts_twice(node)) {
            return Some(Denial::Resource("requested twice", resource));
        }
        let is_apart =
            |pod: &PodInfo| if own.is_some() { known.is_by_another_name(pod) } else { known.is_by_own_name(pod) };
        if known.is_used(cluster, DeviceResources::counts_twice, is_apart) {
            return Some(Denial::Resource("named twice", resource));
        }
        own.filter(|_| cluster.nodes().any(|(_, node)| known.has_several(node)))?;
        if let Some(share) = pods().find_map(|pod| known.share(pod)) {
            return Some(Denial::Resource("", share));
        }
        let is_held = known.is_used(cluster, DeviceResources::has_several, |pod| known.share(pod).is_some());
        is_held.then_some(Denial::Resource("held", resource))
    }
}

/// The resources of devices that the cluster has, by number.
struct DeviceResources {
    counts: Vec<ResourceIx>,
    whole: i64,
    measures: Vec<ResourceIx>,
    shares: Vec<ResourceIx>,
    others: Vec<ResourceIx>,
}

impl DeviceResources {
    fn of(devices: &DeviceKind, cluster: &Cluster) -> DeviceResources {
        let known = |names: &[&str]| names.iter().filter_map(|name| cluster.resource_named(name)).collect();
        DeviceResources {
            counts: known(devices.counts),
            whole: devices.whole,
            measures: known(devices.measures),
            shares: known(devices.shares),
            others: known(devices.others),
        }
    }

    /// Returns whether a node has several devices, or some whose number it does not say.
    fn has_several(&self, node: &NodeInfo) -> bool {
        let amount = |resource: &ResourceIx| node.allocatable.get(*resource);
        let most = self.counts.iter().map(amount).max().unwrap_or(0);
        most > self.whole || (most == 0 && self.measures.iter().any(|resource| amount(resource) > 0))
    }

    /// Returns whether a node counts the same devices under two names.
    fn counts_twice(&self, node: &NodeInfo) -> bool {
        let has = |names: &[ResourceIx]| names.iter().any(|resource| node.allocatable.get(*resource) > 0);
        has(&self.others) && (has(&self.counts) || has(&self.measures))
    }

    /// Returns the resource of which a pod requests a share of a device.
    fn share(&self, pod: &PodInfo) -> Option<ResourceIx> {
        let amount = |resource: &ResourceIx| pod.request().get(*resource);
        let part =
            self.counts.iter().find(|resource| amount(resource).checked_rem(self.whole).is_some_and(|rest| rest != 0));
        let counts = self.counts.iter().any(|resource| amount(resource) > 0);
        let measure = self.measures.iter().find(|measure| !counts && amount(measure) > 0);
        part.or(measure).or(self.shares.iter().find(|share| amount(share) > 0)).copied()
    }

    fn is_by_own_name(&self, pod: &PodInfo) -> bool {
        let names = [&self.counts, &self.measures, &self.shares].into_iter().flatten();
        names.into_iter().any(|resource| pod.request().get(*resource) > 0)
    }

    fn is_by_another_name(&self, pod: &PodInfo) -> bool {
        self.others.iter().any(|resource| pod.request().get(*resource) > 0)
    }

    /// Returns whether a pod that meets `is` is on a node that meets `on`.
    fn is_used(
        &self,
        cluster: &Cluster,
        on: fn(&DeviceResources, &NodeInfo) -> bool,
        is: impl Fn(&PodInfo) -> bool,
    ) -> bool {
        cluster.pods().any(|(_, pod)| {
            let node = pod.node().and_then(|node| cluster.node(node));
            is(pod) && node.is_some_and(|node| on(self, node))
        })
    }
}
