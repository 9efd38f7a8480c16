//! PodGroups of scheduler-plugins: the minimum, the timeout and the least resources of a gang.

use serde_json::Value;

use crate::contract::Finding;
use crate::model::{Cluster, Gang, MatchPolicy};
use crate::systems::document::NamedAmounts;
use crate::systems::pod_group::{count, created, timeout};
use crate::systems::{Findings, ParsedObject};

/// API group of PodGroup.
pub const GROUP: &str = "scheduling.x-k8s.io";
/// Pod label: the PodGroup of the pod, in its namespace.
pub const LABEL: &str = "scheduling.x-k8s.io/pod-group";

/// Reads a PodGroup. An unusable one is a finding, and its last usable version stays in force.
pub fn read(default_timeout: i64, cluster: &mut Cluster, object: &ParsedObject, findings: &mut Findings) {
    match declared(default_timeout, object) {
        Ok((gang, min_resources)) => {
            let Some(ix) = cluster.job_or_new(&(object.namespace.clone(), object.name.clone())) else { return };
            if let Some(job) = cluster.job_mut(ix) {
                (job.declared, job.declared_at) = (Some(gang), created(object));
            }
            cluster.set_min_resources(ix, min_resources);
        }
        Err(finding) => findings.push(finding),
    }
}

fn declared(default_timeout: i64, object: &ParsedObject) -> Result<(Gang, NamedAmounts), Finding> {
    let at = |path| object.at(path).map(|value: &Value| (path, value));
    let minimum = at("/spec/minMember").map_or(Ok(1), |(path, value)| count(object, path, Some(value)))?;
    let timeout =
        at("/spec/scheduleTimeoutSeconds").map_or(Ok(default_timeout), |(path, value)| timeout(object, path, value))?;
    let min_resources = object.amounts("/spec/minResources", false)?;
    Ok((gang(minimum, timeout), min_resources))
}

/// Creates a gang of this minimum. `timeout` is the time for which members wait at Permit, in nanoseconds. Running members count, and all members
/// fail and leave together.
pub fn gang(minimum: u32, timeout: i64) -> Gang {
    Gang {
        minimum,
        timeout,
        releases_on_failure: true,
        releases_on_unreserve: true,
        match_policy: MatchPolicy::WaitingAndRunning,
        counts_gated: false,
        group: Vec::new(),
        unsupported_field: None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::Severity;
    use crate::testing::{PolicyHarness, object};

    fn read(specs: &[Value]) -> (PolicyHarness, Option<Gang>) {
        let mut world = PolicyHarness::of("coscheduling", r#"{"permitTimeout": "7s"}"#);
        for spec in specs {
            world.object(object("PodGroup", "default/g", [&[], &[]], json!({ "spec": spec })));
        }
        let cluster = world.engine.cluster();
        let job = cluster.job_named(&("default".to_owned(), "g".to_owned())).and_then(|job| cluster.job(job));
        let declared = job.and_then(|job| job.declared.clone());
        (world, declared)
    }

    #[test]
    fn what_a_pod_group_leaves_out_is_one_pod_and_the_argument() {
        let second = 1_000_000_000;
        assert_eq!(read(&[json!({})]).1, Some(gang(1, 7 * second)));
        let whole = json!({"minMember": 3, "scheduleTimeoutSeconds": 40});
        assert_eq!(read(&[whole]).1, Some(gang(3, 40 * second)));
    }

    #[test]
    fn an_invalid_field_is_a_finding_and_the_last_usable_version_stays() {
        for (path, spec) in [
            ("/spec/minMember", json!({"minMember": 0})),
            ("/spec/minMember", json!({"minMember": "two"})),
            ("/spec/scheduleTimeoutSeconds", json!({"minMember": 2, "scheduleTimeoutSeconds": 0})),
            ("/spec/minResources/cpu", json!({"minMember": 2, "minResources": {"cpu": "-1"}})),
        ] {
            let (world, declared) = read(&[json!({"minMember": 4}), spec]);
            let found: Vec<_> = world.findings.iter().map(|one| (one.severity, one.path.as_str())).collect();
            assert_eq!(found, [(Severity::Error, path)]);
            assert_eq!(declared.map(|gang| gang.minimum), Some(4), "{path}");
        }
    }
}
