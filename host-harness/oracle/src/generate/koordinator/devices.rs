//! Devices that pods share, on nodes with none, one and several.

use serde_json::Value;

use crate::generate::CaseGenerator;
use crate::generate::shares::DeviceProfile;

/// The core and the memory of GPUs: upstream refuses a pod that requests one of them alone.
const GPUS: DeviceProfile<'static> = DeviceProfile {
    resources: &["koordinator.sh/gpu-core", "koordinator.sh/gpu-memory-ratio"],
    whole: 100,
    parts: [50, 100, 100, 200],
    takers: 40,
};

/// Gives nodes devices, and pods parts of them. This is drawn last but for what all systems draw, so that everything else stays the same.
pub(super) fn vary(sketch: &mut CaseGenerator, objects: &mut [Value]) {
    if sketch.flag("deviceShares", 8) {
        GPUS.share(sketch, objects);
    }
}
