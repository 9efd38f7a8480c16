//! The cluster of a workload: its nodes, and its pods.

use std::time::Duration;

use futures::{StreamExt, stream};
use kube::Api;
use kube::api::{DeleteParams, ListParams};
use kube::core::DynamicObject;
use serde_json::{Value, json};

use super::bound::seconds_until_bound;
use super::workload::{Beside, PREEMPTOR, Pods, Workload};
use crate::support::objects::{api, bind, create, create_namespace, merge, node, pod, pods, wait_for};
use crate::world::{SOON, World};

/// So many requests are under way at once.
const REQUESTS: usize = 16;

pub struct Cluster<'w> {
    world: &'w World,
    namespace: String,
    /// That of the pods that are measured. A label would make them pods that a policy reads.
    measured: String,
    nodes: Vec<String>,
}

impl Cluster<'_> {
    /// Creates everything that must exist before kube-scheduler starts.
    pub async fn make<'w>(world: &'w World, workload: &Workload) -> Cluster<'w> {
        let namespace = format!("speed{}", world.number());
        let measured = format!("{namespace}-measured");
        create_namespace(&world.admin, &namespace).await;
        create_namespace(&world.admin, &measured).await;
        let nodes: Vec<String> = (0..workload.nodes).map(|place| format!("{namespace}-n{place}")).collect();
        let cluster = Cluster { world, namespace, measured, nodes };
        cluster.all(cluster.nodes.iter().map(|name| node(name, 4))).await;
        cluster.all(cluster.pods("before", &workload.before)).await;
        let places = (0..workload.before.count).zip(cluster.nodes.iter().cycle());
        let bound = places.map(|(number, node)| cluster.bind(format!("before{number}"), node));
        stream::iter(bound).buffer_unordered(REQUESTS).for_each(|()| async {}).await;
        cluster.run().await;
        if workload.beside == Beside::GatedAndLeaving {
            let gates = json!({"spec": {"schedulingGates": [{"name": "example.com/gate"}]}});
            let gated = Pods { count: 1000, ..workload.measured };
            cluster.all(cluster.pods("gated", &gated).map(|pod| merge(pod, &gates))).await;
        }
        let groups = workload.measured.count.checked_div(workload.gang).unwrap_or_default();
        cluster.all((0..groups).map(|group| cluster.group(group, workload.gang))).await;
        let measured = cluster.pods("p", &workload.measured).zip(0..).map(|(pod, number)| {
            let pod = merge(pod, &json!({"metadata": {"namespace": cluster.measured}}));
            let Some(group) = u32::checked_div(number, workload.gang) else { return pod };
            merge(pod, &json!({"spec": {"schedulingGroup": {"podGroupName": format!("g{group}")}}}))
        });
        cluster.all(measured).await;
        cluster
    }

    /// Measures the pods a second, from the first that is tried to the last that is bound.
    pub async fn rate<T>(&self, workload: &Workload, start: impl FnOnce() -> T) -> f64 {
        let mut scheduler = None;
        let begin = async || scheduler = Some(start());
        let measured = self.api(&self.measured);
        let bound = seconds_until_bound(&measured, workload.measured.count as usize, begin);
        let seconds = tokio::select! {
            seconds = bound => seconds,
            () = self.beside(workload.beside) => unreachable!("it goes on"),
        };
        drop(scheduler);
        f64::from(workload.measured.count) / seconds
    }

    /// Runs the additional load. It does not end.
    async fn beside(&self, beside: Beside) {
        let preemptor = Pods { count: u32::MAX, cpu: PREEMPTOR, class: "high" };
        let mut preemptors = self.pods("beside", &preemptor);
        for number in 0.. {
            match (beside, preemptors.next()) {
                (Beside::Preemptors, Some(pod)) => {
                    tokio::time::sleep(Duration::from_millis(200)).await;
                    create(&self.world.admin, &pod).await;
                }
                (Beside::GatedAndLeaving, _) => {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    let _gone =
                        self.api(&self.namespace).delete(&format!("before{number}"), &DeleteParams::default()).await;
                }
                _ => std::future::pending().await,
            }
        }
    }

    fn api(&self, namespace: &str) -> Api<DynamicObject> {
        pods(&self.world.admin, namespace)
    }

    fn pods<'a>(&'a self, prefix: &'a str, like: &'a Pods) -> impl Iterator<Item = Value> + use<'a> {
        (0..like.count).map(move |number| {
            let pod = pod(&self.namespace, &format!("{prefix}{number}"), like.cpu);
            merge(pod, &json!({"spec": {"priorityClassName": like.class, "terminationGracePeriodSeconds": 0}}))
        })
    }

    fn group(&self, group: u32, count: u32) -> Value {
        json!({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
            "metadata": {"name": format!("g{group}"), "namespace": self.measured},
            "spec": {"schedulingPolicy": {"gang": {"minCount": count}}}})
    }

    async fn all(&self, objects: impl Iterator<Item = Value>) {
        let created = objects.map(|object| async move { drop(create(&self.world.admin, &object).await) });
        stream::iter(created).buffer_unordered(REQUESTS).for_each(|()| async {}).await;
    }

    async fn bind(&self, pod: String, node: &str) {
        bind(&self.world.admin, &self.namespace, &pod, node).await.unwrap();
    }

    /// Waits until all bound pods run.
    async fn run(&self) {
        let waiting = ListParams::default().fields("status.phase!=Running").limit(1);
        wait_for("the pods run", SOON, async || {
            tokio::time::sleep(Duration::from_millis(200)).await;
            self.api(&self.namespace).list_metadata(&waiting).await.ok()?.items.is_empty().then_some(())
        })
        .await;
    }

    /// Removes everything of the cluster.
    pub async fn clear(self) {
        let at_once = DeleteParams { grace_period_seconds: Some(0), ..DeleteParams::default() };
        let any = ListParams::default().limit(1);
        for namespace in [&self.namespace, &self.measured] {
            self.api(namespace).delete_collection(&at_once, &ListParams::default()).await.unwrap();
            wait_for("the pods are gone", SOON, async || {
                tokio::time::sleep(Duration::from_millis(200)).await;
                self.api(namespace).list_metadata(&any).await.ok()?.items.is_empty().then_some(())
            })
            .await;
        }
        let nodes = api(&self.world.admin, "v1", "Node", "");
        let gone = self.nodes.iter().map(|name| nodes.delete(name, &at_once));
        stream::iter(gone).buffer_unordered(REQUESTS).for_each(|gone| async { drop(gone.unwrap()) }).await;
    }
}
