//! What others do in the cluster: users, controllers, kubelets.

use serde_json::{Value, json};

use lictor_host::verify::testing::node;

use super::budgets::budget_label;
use super::play::SchedulerSimulation;
use super::world::{Object, conditions, is_being_deleted, kind_of, name_of, nanoseconds, node_of, text};

/// The cores of a node.
pub(super) const CORES: u32 = 8;
/// The most pods of a cluster, so that decisions stay small.
const MOST_PODS: usize = 20;
/// The label by which a victim is marked that is left to another controller (Koordinator).
const SOFT: &str = "scheduling.koordinator.sh/soft-eviction";

/// Returns a node with its label `kubernetes.io/hostname`.
fn labeled_node(name: &str) -> Value {
    let mut node = node(name, CORES);
    node["metadata"]["labels"] = json!({"kubernetes.io/hostname": name});
    node
}

impl SchedulerSimulation<'_> {
    /// Creates what is there from the beginning.
    pub(super) fn create_cluster(&mut self, nodes: usize) {
        self.api_server.create(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}));
        for object in (self.system.objects)() {
            self.api_server.create(object);
        }
        for number in 0..nodes {
            self.api_server.create(labeled_node(&format!("n{number}")));
        }
    }

    /// Creates a pod of these cores.
    pub(super) fn create_pod(&mut self, name: &str, gang: Option<&str>, cpu: usize, important: bool) {
        let (grace, priority) = ([0, 1, 5, 30][self.random.below(4)], if important { 100 } else { 0 });
        let container = json!({"name": "c", "resources": {"requests": {"cpu": cpu.to_string()}}});
        let mut pod = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "default", "annotations": {},
                         "labels": {"of": "model", "budget": budget_label(name)}},
            "spec": {"schedulerName": "default-scheduler", "priority": priority,
                     "terminationGracePeriodSeconds": grace, "containers": [container]},
            "status": {"phase": "Pending"},
        });
        if self.random.percent(20) {
            // It refuses no node, but such a pod is tried again for each that waits at Permit.
            pod["spec"]["topologySpreadConstraints"] = json!([{"labelSelector": {"matchLabels": {"of": "model"}}, "maxSkew": 1000,
                "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule"}]);
        }
        (self.system.dress)(&mut pod, gang, important);
        self.api_server.create(pod);
    }

    /// Creates a gang of `size` pods with its group.
    pub(super) fn create_gang(&mut self, name: &str, size: usize, cpu: usize, important: bool) {
        self.api_server.create((self.system.group)(name, size, important));
        for member in 0..size {
            self.create_pod(&format!("{name}-{member}"), Some(name), cpu, important);
        }
    }

    fn random_gang(&mut self) {
        let (important, number) = (self.random.percent(60), self.random.below(6));
        let name = format!("g{number}{}", if important { "h" } else { "l" });
        let (size, cpu) = (2 + number % 3, 2 + number % 4);
        if self.random.percent(95) {
            self.api_server.create((self.system.group)(&name, size, important));
        }
        for member in 0..size {
            if self.random.percent(95) {
                self.create_pod(&format!("{name}-{member}"), Some(&name), cpu, important);
            }
        }
    }

    /// Picks an object of a kind that suits.
    fn pick(&mut self, kind: &str, suits: impl Fn(&Object) -> bool) -> Option<String> {
        let names: Vec<String> =
            self.api_server.all(kind).filter(|object| suits(object)).map(|object| name_of(object)).collect();
        names.get(self.random.below(names.len())).cloned()
    }

    /// Acts at random, as users and controllers do.
    pub(super) fn act(&mut self) {
        let count = self.api_server.all("Pod").count();
        match self.random.below(100) {
            0..=13 if count < MOST_PODS => self.random_gang(),
            14..=27 if count < MOST_PODS => {
                let (number, cpu) = (self.random.below(12), 1 + self.random.below(7));
                let important = self.random.percent(30);
                self.create_pod(&format!("p{number}"), None, cpu, important);
            }
            28..=33 => {
                if let Some(name) = self.pick("Pod", |_| true) {
                    self.api_server.stop(&name);
                }
            }
            34..=35 => {
                let name = format!("default/g{}", self.random.below(6));
                let members = self.api_server.all("Pod").map(|pod| name_of(pod)).filter(|pod| pod.starts_with(&name));
                members.collect::<Vec<_>>().iter().for_each(|member| self.api_server.stop(member));
            }
            36..=37 => self.remove_group(),
            38 => {
                if let Some(name) = self.pick("Node", |_| true) {
                    self.remove_node(&name);
                }
            }
            39..=41 => {
                let name = format!("n{}", self.random.below(5));
                self.api_server.create(labeled_node(&name));
            }
            42..=45 => {
                if let Some(name) = self.pick("Pod", |_| true) {
                    let version = self.api_server.version.to_string();
                    let place = if self.random.percent(50) { "annotations" } else { "labels" };
                    self.api_server.change("Pod", &name, |pod| pod["metadata"][place]["touched"] = version.into());
                }
            }
            46..=49 => {
                if let Some(name) = self.pick("Pod", |pod| text(pod, "/status/phase") == "Running") {
                    self.api_server.change("Pod", &name, |pod| pod["status"]["phase"] = json!("Succeeded"));
                }
            }
            50..=60 => self.recreate(),
            61..=63 => self.change_budget(),
            _ => self.kubelets(),
        }
    }

    /// Acts as the kubelets, the garbage collector, a descheduler and the controller of budgets do. Bound pods start, and pods whose grace is over
    /// end. Pods of deleted nodes are removed, and marked pods are evicted.
    pub(super) fn kubelets(&mut self) {
        let pods: Vec<Object> = self.api_server.all("Pod").cloned().collect();
        for pod in pods.iter().filter(|pod| !node_of(pod).is_empty()) {
            let (name, ends) = (name_of(pod), text(pod, "/metadata/deletionTimestamp"));
            let is_over = is_being_deleted(pod) && nanoseconds(ends) <= self.now();
            if is_over || self.api_server.get("Node", node_of(pod)).is_none() {
                self.api_server.remove("Pod", &name);
            } else if text(pod, "/status/phase") == "Pending" && !is_being_deleted(pod) {
                self.api_server.change("Pod", &name, |pod| {
                    pod["status"]["phase"] = json!("Running");
                    conditions(pod, &json!([{"type": "Ready", "status": "True"}]));
                });
            } else if pod["metadata"]["labels"].get(SOFT).is_some() && !is_being_deleted(pod) && self.random.percent(40)
            {
                self.evict_marked(pod);
            }
        }
        self.update_budgets();
    }

    /// Creates the pods that replace victims, under new names, as controllers do.
    pub(super) fn recreate(&mut self) {
        for pod in self.observer.take_evicted() {
            if self.random.percent(50) || self.api_server.all("Pod").count() >= MOST_PODS {
                continue;
            }
            let mut new = (*pod).clone();
            let name = format!("{}-r", text(&pod, "/metadata/name"));
            let metadata = &pod["metadata"];
            new["metadata"] =
                json!({"name": name, "namespace": "default", "labels": metadata["labels"], "annotations": {}});
            if let Some(gang) = metadata["annotations"].get("scheduling.k8s.io/group-name") {
                new["metadata"]["annotations"]["scheduling.k8s.io/group-name"] = gang.clone();
            }
            if let Some(labels) = new["metadata"]["labels"].as_object_mut() {
                labels.remove(SOFT);
            }
            if let Some(spec) = new["spec"].as_object_mut() {
                spec.remove("nodeName");
            }
            new["status"] = json!({"phase": "Pending"});
            self.api_server.create(new);
        }
    }

    fn groups(&self) -> String {
        kind_of(&(self.system.group)("g", 2, false))
    }

    /// Removes the group of a gang, whose pods stay.
    fn remove_group(&mut self) {
        let kind = self.groups();
        if let Some(name) = self.pick(&kind, |object| is_group(object)) {
            self.api_server.remove(&kind, &name);
        }
    }

    pub(super) fn remove_groups(&mut self) {
        let kind = self.groups();
        let all = self.api_server.all(&kind).filter(|object| is_group(object)).map(|object| name_of(object));
        all.collect::<Vec<_>>().iter().for_each(|name| self.api_server.remove(&kind, name));
    }

    /// Removes a node. Its pods go with it.
    pub(super) fn remove_node(&mut self, name: &str) {
        self.api_server.remove("Node", name);
        let there = self.api_server.all("Pod").filter(|pod| node_of(pod) == name).map(|pod| name_of(pod));
        there.collect::<Vec<_>>().iter().for_each(|pod| self.api_server.remove("Pod", pod));
    }
}

fn is_group(object: &Value) -> bool {
    text(object, "/metadata/name").starts_with('g')
}
