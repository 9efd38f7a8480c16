//! Tests of the readers: the effect of each object, and the findings about invalid values.

mod classes;
mod groups;
mod pods;
mod queues;
mod reported;

use serde_json::{Value, json};

use crate::model::{Cluster, ElasticSettings, JobIx, PodInfo, PodIx, VolcanoPodGroup};
use crate::testing::{PodBuilder, PolicyHarness, object, pod};

const ELASTIC: (&str, &str) = ("volcano.sh/elastic-train", "true");

fn world() -> PolicyHarness {
    let mut world = PolicyHarness::of("volcano", "");
    world.node("n", "cpu=64");
    world
}

fn group(world: &mut PolicyHarness, annotations: &[(&str, &str)], spec: Value) {
    world.object(object("PodGroup", "default/g", [&[], annotations], json!({ "spec": spec })));
}

fn job(cluster: &Cluster) -> JobIx {
    cluster.job_named(&("default".to_owned(), "g".to_owned())).unwrap()
}

fn elastic_of(world: &PolicyHarness) -> Option<ElasticSettings> {
    let cluster = world.engine.cluster();
    cluster.elastic(job(cluster)).cloned()
}

fn pod_group_of(world: &PolicyHarness) -> VolcanoPodGroup {
    let cluster = world.engine.cluster();
    cluster.pod_group(job(cluster)).unwrap().clone()
}

fn member(name: &str) -> PodBuilder {
    pod(name).requests("cpu=1").annotation("scheduling.k8s.io/group-name", "g")
}

fn read(draft: PodBuilder) -> (PodInfo, usize) {
    let (mut world, name) = (world(), draft.name());
    group(&mut world, &[ELASTIC], json!({"minMember": 1}));
    world.pod(draft);
    let ix = PodIx(world.id(&name));
    (world.engine.cluster().pod(ix).unwrap().clone(), world.findings.len())
}
