//! The jobs of pods, and the pods of a job shown on one line.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{Membership, Pod, PodId};
use lictor_host::cluster::Mirror;

/// The maximum number of nodes to name; the others are counted.
const NAMED: usize = 16;

/// The queue and the job of each pod, as the policy says. A pod that is missing counts against no queue and is a job of its own.
pub type Memberships = BTreeMap<PodId, Membership>;

/// The job of each pod with a controller, as `namespace/name`.
#[derive(Debug, Default)]
pub struct Jobs(BTreeMap<String, String>);

/// Pods of one job with the same value, or a single pod.
#[derive(Debug, PartialEq, Eq)]
pub struct JobPods<'a, T> {
    /// The job, if they have one.
    pub job: Option<&'a str>,
    /// The pods.
    pub pods: Vec<&'a str>,
    /// The value that all of them share.
    pub value: T,
}

impl Jobs {
    /// Reads the jobs of a cluster.
    pub fn of(mirror: &Mirror) -> Jobs {
        let job = |pod: &Pod| {
            Some((mirror.pod_name(pod.id)?.to_owned(), format!("{}/{}", pod.template.namespace, controller(pod)?)))
        };
        Jobs(mirror.pods().filter_map(job).collect())
    }

    /// Returns the job of a pod. `None`: the pod has no controller.
    pub fn job(&self, pod: &str) -> Option<&str> {
        self.0.get(pod).map(String::as_str)
    }

    /// Groups the pods of a job that have the same value, in the order of the first pods.
    pub fn group<'a, T: Ord + Clone>(&'a self, pods: impl IntoIterator<Item = (&'a str, T)>) -> Vec<JobPods<'a, T>> {
        let mut places: BTreeMap<(&str, T), usize> = BTreeMap::new();
        let mut groups: Vec<JobPods<'a, T>> = Vec::new();
        for (pod, value) in pods {
            let job = self.job(pod);
            let place = job.and_then(|job| places.get(&(job, value.clone())).copied());
            if let Some(group) = place.and_then(|place| groups.get_mut(place)) {
                group.pods.push(pod);
                continue;
            }
            if let Some(job) = job {
                places.insert((job, value.clone()), groups.len());
            }
            groups.push(JobPods { job, pods: vec![pod], value });
        }
        groups
    }
}

impl<T> JobPods<'_, T> {
    /// Returns the pod, or the job with the number of pods.
    pub fn label(&self) -> String {
        match (self.pods.as_slice(), self.job) {
            ([pod], _) => (*pod).to_owned(),
            (pods, Some(job)) => format!("{job}: {} pods", pods.len()),
            (pods, None) => pods.join(", "),
        }
    }
}

/// Returns the pods of each job, as `namespace/name`. A job is a controller, which Kubernetes itself defines, or the job that the policy decides
/// about as a whole.
pub fn members(mirror: &Mirror, memberships: &Memberships) -> BTreeMap<String, BTreeSet<String>> {
    let mut jobs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for pod in mirror.pods() {
        let Some(name) = mirror.pod_name(pod.id) else { continue };
        let controller = controller(pod).map(|name| format!("{}/{name}", pod.template.namespace));
        let job = memberships.get(&pod.id).and_then(|membership| membership.job.clone());
        for job in controller.into_iter().chain(job) {
            jobs.entry(job).or_default().insert(name.to_owned());
        }
    }
    jobs
}

/// Returns the name of a pod's controller. `None`: the pod has none.
fn controller(pod: &Pod) -> Option<&str> {
    pod.template.owner.as_ref().map(|owner| owner.name.as_str())
}

/// Returns the names of nodes, each once, with its count. Of more than 16 names the rest is counted.
pub fn nodes<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names {
        let count = counted.entry(name).or_default();
        *count = count.saturating_add(1);
    }
    let named = counted.iter().take(NAMED).map(|(name, count)| match count {
        1 => (*name).to_owned(),
        _ => format!("{name} (x{count})"),
    });
    let named = named.collect::<Vec<_>>().join(", ");
    match counted.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs() -> Jobs {
        let job = |pod: &str| (pod.to_owned(), "default/job".to_owned());
        Jobs(BTreeMap::from([job("default/a"), job("default/b"), job("default/c")]))
    }

    #[test]
    fn pods_of_a_job_with_the_same_value_form_a_group() {
        let jobs = jobs();
        let groups =
            jobs.group([("default/a", 1), ("default/x", 1), ("default/b", 2), ("default/c", 1), ("default/y", 1)]);
        let labels: Vec<(String, i32)> = groups.iter().map(|group| (group.label(), group.value)).collect();
        let label = |text: &str, value| (text.to_owned(), value);
        assert_eq!(
            labels,
            [label("default/job: 2 pods", 1), label("default/x", 1), label("default/b", 2), label("default/y", 1)]
        );
    }

    #[test]
    fn nodes_are_named_once_and_up_to_a_limit() {
        assert_eq!(nodes(["n2", "n1", "n2"]), "n1, n2 (x2)");
        let many: Vec<String> = (1..=18).map(|node| format!("n{node:02}")).collect();
        let text = nodes(many.iter().map(String::as_str));
        assert!(text.ends_with("n15, n16 and 2 more"), "{text}");
    }
}
