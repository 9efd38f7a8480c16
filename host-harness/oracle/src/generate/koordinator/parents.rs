//! A nearly full parent quota, and whether it is checked.

use serde_json::{Map, Value, json};

use crate::build::put;
use crate::generate::CaseGenerator;
use crate::world::{at, tag, text};

const NAME: &str = "quota.scheduling.koordinator.sh/name";
const CLASS: &str = "quota.scheduling.koordinator.sh/preemptible";

/// Puts the quotas, or all but the last, below a parent. All other parameters are drawn before, so that they stay the same.
pub(super) fn vary(sketch: &mut CaseGenerator, args: &mut Map<String, Value>, objects: &mut Vec<Value>) {
    if !sketch.flag("parentQuota", 35) {
        return;
    }
    if sketch.flag("enableCheckParentQuota", 70) {
        args.insert("enableCheckParentQuota".to_owned(), json!(true));
    }
    let unlabelled_is_fixed = args.contains_key("disableDefaultPreemptiable");
    let mut quotas: Vec<&mut Value> =
        objects.iter_mut().filter(|object| text(object, "/kind") == "ElasticQuota").collect();
    let outside = usize::from(quotas.len() > 1 && sketch.random.chance(40));
    quotas.truncate(quotas.len() - outside);
    let names: Vec<String> = quotas.iter().map(|quota| text(quota, "/metadata/name").to_owned()).collect();
    for quota in quotas {
        put(quota, "/metadata/labels", "quota.scheduling.koordinator.sh/parent", json!("department"));
    }
    let (mut used, mut fixed) = (0, 0);
    for pod in objects.iter().filter(|object| text(object, "/kind") == "Pod" && at(object, "/spec/nodeName").is_some())
    {
        let cpu = text(pod, "/spec/containers/0/resources/requests/cpu").parse().unwrap_or(0);
        if tag(pod, "labels", NAME).is_some_and(|name| names.iter().any(|other| other == name)) {
            let stays = tag(pod, "labels", CLASS).map_or(unlabelled_is_fixed, |class| class == "false");
            used += cpu;
            fixed += if stays { cpu } else { 0 };
        }
    }
    let min: i64 = fixed + sketch.random.between(0, 8);
    let max = min.max(used) + sketch.random.between(0, 8);
    objects.push(json!({
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
        "metadata": {"name": "department", "namespace": "quotas", "labels": {
            "quota.scheduling.koordinator.sh/parent": "koordinator-root-quota",
            "quota.scheduling.koordinator.sh/is-parent": "true",
        }},
        "spec": {"min": {"cpu": min.to_string()}, "max": {"cpu": max.to_string()}},
    }));
}
