//! What the steps share.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use kube::Client;
use kube::api::{Api, DeleteParams};
use kube::core::DynamicObject;
use lictor_controller::names::SCHEDULING_GATE;
use lictor_host::cluster::load::read;
use serde_json::{Value, json};

use crate::controller::How;
pub use crate::support::objects::SOON;
use crate::support::objects::{
    api, comes, create, create_namespace, get_pod, merge, node, node_of, phase_of, pod, pods, wait_for,
};
use crate::support::observer::{Observer, What};
use crate::support::testbed::Testbed;

/// The manifests that are shipped.
pub const DEPLOY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy");

pub struct World {
    pub testbed: Testbed,
    pub admin: Client,
    steps: AtomicU32,
}

impl World {
    /// Builds a world without priority classes.
    pub async fn empty(testbed: Testbed) -> World {
        let admin = testbed.admin().await;
        World { testbed, admin, steps: AtomicU32::new(0) }
    }

    pub async fn new(testbed: Testbed) -> World {
        let world = World::empty(testbed).await;
        for (name, value) in [("low", 0), ("high", 1000), ("higher", 2000)] {
            let class = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                               "metadata": {"name": name}, "value": value});
            create(&world.admin, &class).await;
        }
        world
    }

    pub fn how(&self, system: &str) -> How {
        How::new(&self.testbed.ready.admin.kubeconfig, system)
    }

    /// Puts the manifests of `deploy/` in force that grant rights.
    pub async fn grant(&self) {
        let files = ["namespace.yaml", "service-account.yaml", "cluster-role.yaml", "role.yaml", "yunikorn.yaml"];
        for file in files {
            self.testbed.apply_path(&Path::new(DEPLOY).join(file)).await;
        }
    }

    /// Returns how `deploy/` starts a system: with the arguments of its file, and as the service account with the rights that it grants.
    pub fn shipped(&self, system: &str) -> How {
        let text = std::fs::read_to_string(Path::new(DEPLOY).join("arguments.yaml")).unwrap();
        let map = read("arguments.yaml", &text).unwrap().remove(0).value;
        let file = format!("{system}.yaml");
        let arguments = read(&file, map["data"][&file].as_str().unwrap()).unwrap().remove(0).value.to_string();
        How { arguments, ..How::new(&self.testbed.ready.user.kubeconfig, system) }
    }

    /// Returns the settings of a controller that reaches the API server through the proxy that fails requests.
    pub fn proxied(&self, system: &str) -> How {
        How::new(&self.testbed.ready.admin.proxy_kubeconfig, system)
    }

    /// Returns a number that was not used before.
    pub fn number(&self) -> u32 {
        self.steps.fetch_add(1, Ordering::SeqCst)
    }

    /// Begins a step with so many nodes of 4 cores.
    pub async fn step(&self, name: &str, nodes: u32) -> Step<'_> {
        self.step_of(name, nodes, 4).await
    }

    /// Begins a step with so many nodes of so many cores.
    pub async fn step_of(&self, name: &str, nodes: u32, cores: u32) -> Step<'_> {
        let number = self.number();
        let namespace = format!("s{number}-{name}");
        eprintln!("step {namespace}");
        create_namespace(&self.admin, &namespace).await;
        let nodes: Vec<String> = (0..nodes).map(|place| format!("s{number}-n{place}")).collect();
        for name in &nodes {
            create(&self.admin, &node(name, cores)).await;
        }
        Step { world: self, observer: Observer::start(&self.testbed).await, namespace, nodes }
    }
}

/// A step, whose nodes and pods go with its end.
pub struct Step<'w> {
    pub world: &'w World,
    pub observer: Observer,
    pub namespace: String,
    pub nodes: Vec<String>,
}

impl Step<'_> {
    /// Creates a pod that requests 3 cores, so that each node fits one, with these fields in addition.
    pub async fn create(&self, name: &str, class: &str, fields: Value) -> Value {
        let pod = merge(pod(&self.namespace, name, "3"), &json!({"spec": {"priorityClassName": class}}));
        create(&self.world.admin, &merge(pod, &fields)).await
    }

    /// Creates one pod for each node, of low priority, that stops half a second after its deletion. Waits until all run.
    pub async fn fill(&self) {
        for place in 0..self.nodes.len() {
            self.victim(&format!("v{place}"), json!({})).await;
        }
        for place in 0..self.nodes.len() {
            self.until(&format!("v{place}"), "running", is_running).await;
        }
    }

    /// Creates a budget for the pods that fill the nodes, with this specification. The selector is added. Returns the budgets of the step.
    pub async fn budget(&self, name: &str, spec: Value) -> Api<DynamicObject> {
        let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                            "metadata": {"name": name, "namespace": self.namespace},
                            "spec": {"selector": {"matchLabels": {"app": "v"}}}});
        create(&self.world.admin, &merge(budget, &json!({"spec": spec}))).await;
        api(&self.world.admin, "policy/v1", "PodDisruptionBudget", &self.namespace)
    }

    pub async fn victim(&self, name: &str, fields: Value) {
        let slow =
            json!({"metadata": {"annotations": {"testbed.lictor.dev/stop-seconds": "0.5"}, "labels": {"app": "v"}}});
        self.create(name, "low", merge(slow, &fields)).await;
    }

    /// Creates a gang of these pods, held by our gate: a PodGroup of Kubernetes with that minimum.
    pub async fn gang(&self, group: &str, members: &[&str]) {
        let gang = json!({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
            "metadata": {"name": group, "namespace": self.namespace},
            "spec": {"priorityClassName": "high", "schedulingPolicy": {"gang": {"minCount": members.len()}}}});
        create(&self.world.admin, &gang).await;
        for member in members {
            self.held(member, "high", json!({"spec": {"schedulingGroup": {"podGroupName": group}}})).await;
        }
    }

    /// Creates a pod held by our gate.
    pub async fn held(&self, name: &str, class: &str, fields: Value) -> Value {
        let held = json!({"spec": {"schedulingGates": [{"name": SCHEDULING_GATE}]}});
        self.create(name, class, merge(held, &fields)).await
    }

    pub async fn pod(&self, name: &str) -> Option<Value> {
        get_pod(&self.world.admin, &self.namespace, name).await
    }

    /// Waits until a pod is as it should be.
    pub async fn until(&self, name: &str, what: &str, holds: impl Fn(Option<&Value>) -> bool) {
        if comes(SOON, async || holds(self.pod(name).await.as_ref()).then_some(())).await.is_some() {
            return;
        }
        let all = pods(&self.world.admin, "").list(&kube::api::ListParams::default()).await.unwrap();
        let all: Vec<String> = all.items.iter().map(in_short).collect();
        // What is waited for may have come while the others were read.
        let holds = holds(self.pod(name).await.as_ref());
        assert!(holds, "not within {SOON:?}: {}/{name} is {what}; there are\n{}", self.namespace, all.join("\n"));
    }

    pub async fn all_run(&self, names: &[&str]) {
        for name in names {
            self.until(name, "running", is_running).await;
        }
    }

    pub async fn delete_node(&self, name: &str) {
        api(&self.world.admin, "v1", "Node", "").delete(name, &DeleteParams::default()).await.unwrap();
    }

    /// Returns the evicted pods of this step, in order.
    pub fn evicted(&self) -> Vec<String> {
        let mine = self
            .observer
            .evictions()
            .into_iter()
            .filter_map(|eviction| Some(eviction.pod.strip_prefix(&format!("{}/", self.namespace))?.to_owned()));
        mine.collect()
    }

    /// Returns the pods of this step that are gone, each once, in order. An eviction whose sender was killed before the answer arrived may be
    /// carried out, but is not written down as accepted. In that case, this shows which pods were evicted.
    pub async fn gone(&self) -> BTreeSet<String> {
        self.observer.catch_up().await;
        let gone = self.observer.moments().into_iter().filter(|moment| moment.what == What::Gone);
        gone.filter_map(|moment| Some(moment.pod.strip_prefix(&format!("{}/", self.namespace))?.to_owned())).collect()
    }

    /// Checks that nothing was wrong at any time, and removes everything of the step.
    pub async fn end(self) {
        let Step { world, observer, namespace, nodes } = self;
        observer.finish().await;
        let pods = pods(&world.admin, &namespace);
        let at_once = DeleteParams { grace_period_seconds: Some(0), ..DeleteParams::default() };
        pods.delete_collection(&at_once, &kube::api::ListParams::default()).await.unwrap();
        wait_for("the pods are gone", SOON, async || {
            let left = pods.list(&kube::api::ListParams::default()).await.ok()?;
            left.items.is_empty().then_some(())
        })
        .await;
        for name in nodes {
            // One may have vanished.
            let _gone = api(&world.admin, "v1", "Node", "").delete(&name, &DeleteParams::default()).await;
        }
    }
}

/// Returns the fields that may say why a pod does not run, in a line.
fn in_short(pod: &DynamicObject) -> String {
    let pod = serde_json::to_value(pod).unwrap();
    let of = |pointer| pod.pointer(pointer).unwrap_or(&Value::Null);
    let conditions = of("/status/conditions").as_array().into_iter().flatten();
    let conditions =
        conditions.map(|it| [&it["type"], &it["status"], &it["message"]].map(ToString::to_string).join(" "));
    let pointers =
        ["/metadata/namespace", "/metadata/name", "/spec/nodeName", "/spec/schedulingGates", "/spec/affinity"]
            .into_iter()
            .chain(["/metadata/deletionTimestamp", "/status/phase", "/status/nominatedNodeName"]);
    pointers.map(|pointer| of(pointer).to_string()).chain(conditions).collect::<Vec<_>>().join(" ")
}

pub fn is_running(pod: Option<&Value>) -> bool {
    pod.is_some_and(|pod| phase_of(pod) == "Running" && !node_of(pod).is_empty())
}

pub fn nominated(pod: &Value) -> &str {
    pod.pointer("/status/nominatedNodeName").and_then(Value::as_str).unwrap_or_default()
}

pub fn is_gated(pod: &Value) -> bool {
    pod.pointer("/spec/schedulingGates").and_then(Value::as_array).is_some_and(|gates| !gates.is_empty())
}
