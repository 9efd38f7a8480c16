//! Tests of the readers: the effect of objects, labels, annotations and arguments, and the findings about them.

mod arguments;
mod devices;
mod eviction;
mod gangs;
mod mapping;
mod pods;
mod quotas;
mod tree;

use crate::contract::{Finding, Severity};
use crate::model::{Job, PodInfo, PodIx};
use crate::testing::PolicyHarness;

/// Returns a pod as the reader left it.
fn read<'a>(world: &'a PolicyHarness, name: &str) -> &'a PodInfo {
    world.engine.cluster().pod(PodIx(world.id(name))).unwrap_or_else(|| panic!("there is no pod {name}"))
}

/// Returns the job of a pod. `None`: the pod is a job of its own.
fn job_of<'a>(world: &'a PolicyHarness, name: &str) -> Option<&'a Job> {
    read(world, name).attributes.job.and_then(|job| world.engine.cluster().job(job))
}

/// Returns the findings as tuples: severity, object, path and message.
fn reported(findings: &[Finding]) -> Vec<(Severity, &str, &str, &str)> {
    findings
        .iter()
        .map(|finding| {
            assert!(!finding.remedy.is_empty(), "{finding:?} has a remedy");
            (finding.severity, finding.object.as_str(), finding.path.as_str(), finding.message.as_str())
        })
        .collect()
}
