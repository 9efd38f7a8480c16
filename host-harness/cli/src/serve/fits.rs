//! Warns once of a cluster in which nothing belongs to the system whose laws decide.

use std::sync::{Mutex, PoisonError};

use lictor_contract::{Description, Severity};
use lictor_decide::{Problem, system};
use lictor_host::cluster::KubernetesObject;

/// The prefix of the keys of pods that every cluster has.
const OF_THE_CLUSTER: &str = "Pod/kube-system/";

/// The search for an object of the system whose laws decide. `None`: the search has ended.
pub(super) struct SystemMatch(Mutex<Option<(Description, String)>>);

impl SystemMatch {
    /// Makes a search for objects of a system of this policy. A policy with one system has nothing to search.
    pub(super) fn new(described: Description, system: &str) -> SystemMatch {
        SystemMatch(Mutex::new((described.systems.len() > 1).then(|| (described, system.to_owned()))))
    }

    /// Returns a warning, once, where there are pods and nothing belongs to the system. A cluster without pods is still empty, and is not warned of.
    pub(super) fn warning(&self, objects: &[KubernetesObject]) -> Option<Problem> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (described, name) = open.as_ref()?;
        let lacks = system::lacks(objects, described, name);
        let is_of_users =
            |object: &KubernetesObject| object.scheduler().is_some() && !object.key().starts_with(OF_THE_CLUSTER);
        if lacks.is_some() && !objects.iter().any(is_of_users) {
            return None;
        }
        let message = lacks.map(|lacks| format!("nothing in the cluster is of system `{name}`: {lacks}"));
        *open = None;
        let remedy = "name another system with `--system`, unless such objects are still to come";
        Some(Problem::error(message?).remedy(remedy.to_owned()).of(Severity::Warning))
    }
}

#[cfg(test)]
mod tests {
    use lictor_decide::ClusterSnapshot;
    use lictor_policy::Engine;

    use super::*;

    fn objects(yaml: &str) -> Vec<KubernetesObject> {
        ClusterSnapshot::from_text("cluster.yaml", yaml.to_owned()).unwrap().objects
    }

    fn pod(namespace: &str, scheduler: &str) -> Vec<KubernetesObject> {
        objects(&format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: p, namespace: {namespace}}}, spec: {{schedulerName: {scheduler}, \
             containers: [{{name: c}}]}}}}"
        ))
    }

    const NODE: &str = "{apiVersion: v1, kind: Node, metadata: {name: n}}";
    const QUOTA: &str =
        "{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: ElasticQuota, metadata: {name: q, namespace: a}}";

    #[test]
    fn a_cluster_without_pods_is_empty_yet_and_one_with_pods_is_warned_of_once() {
        let fits = SystemMatch::new(Engine::describe(), "coscheduling");
        assert!(fits.warning(&objects(NODE)).is_none());
        assert!(fits.warning(&pod("kube-system", "default-scheduler")).is_none(), "every cluster has such");
        let warning = fits.warning(&pod("team", "default-scheduler")).unwrap();
        assert!(
            warning.message.starts_with("nothing in the cluster is of system `coscheduling`: "),
            "{}",
            warning.message
        );
        assert!(warning.message.contains("ElasticQuota.scheduling.x-k8s.io"), "{}", warning.message);
        assert!(fits.warning(&pod("team", "default-scheduler")).is_none(), "it was said");
    }

    #[test]
    fn an_object_of_the_system_ends_the_search() {
        let fits = SystemMatch::new(Engine::describe(), "coscheduling");
        assert!(fits.warning(&objects(QUOTA)).is_none());
        assert!(fits.warning(&pod("team", "default-scheduler")).is_none());
        // Kubernetes has neither kinds nor schedulers of its own.
        let plain = SystemMatch::new(Engine::describe(), "kubernetes");
        assert!(plain.warning(&pod("team", "default-scheduler")).is_none());
    }
}
