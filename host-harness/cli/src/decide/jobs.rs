//! The jobs of pods, and pods of one job told in one line.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{Attribute, Pod, SystemInfo};
use lictor_host::cluster::Mirror;

/// How many places are named before the rest is counted.
const NAMED: usize = 16;

/// Labels and annotations that name the job of a pod, beside its controller.
const GROUPS: [&str; 6] = [
    "pod-group.scheduling.sigs.k8s.io",
    "scheduling.x-k8s.io/pod-group",
    "gang.scheduling.koordinator.sh/name",
    "scheduling.k8s.io/group-name",
    "volcano.sh/job-name",
    "applicationId",
];

/// The job of every pod that has a controller: `namespace/name` of it.
#[derive(Debug, Default)]
pub(crate) struct Jobs(BTreeMap<String, String>);

/// Pods of one job of which the same is told, or a single pod.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Group<'a, T> {
    /// The job, where they have one.
    pub(crate) job: Option<&'a str>,
    /// The pods.
    pub(crate) pods: Vec<&'a str>,
    /// What is told of all of them.
    pub(crate) told: T,
}

impl Jobs {
    /// The jobs of a cluster.
    pub(crate) fn of(mirror: &Mirror) -> Jobs {
        let job =
            |pod: &Pod| Some((mirror.pod_name(pod.id)?.to_owned(), format!("{}/{}", pod.namespace, controller(pod)?)));
        Jobs(mirror.pods().filter_map(job).collect())
    }

    /// The job of a pod.
    pub(crate) fn job(&self, pod: &str) -> Option<&str> {
        self.0.get(pod).map(String::as_str)
    }

    /// Puts pods of the same job together where the same is told of them, in the order in which the first of each came.
    pub(crate) fn group<'a, T: Ord + Clone>(
        &'a self,
        pods: impl IntoIterator<Item = (&'a str, T)>,
    ) -> Vec<Group<'a, T>> {
        let mut places: BTreeMap<(&str, T), usize> = BTreeMap::new();
        let mut groups: Vec<Group<'a, T>> = Vec::new();
        for (pod, told) in pods {
            let job = self.job(pod);
            let place = job.and_then(|job| places.get(&(job, told.clone())).copied());
            if let Some(group) = place.and_then(|place| groups.get_mut(place)) {
                group.pods.push(pod);
                continue;
            }
            if let Some(job) = job {
                places.insert((job, told.clone()), groups.len());
            }
            groups.push(Group { job, pods: vec![pod], told });
        }
        groups
    }
}

impl<T> Group<'_, T> {
    /// The pod, or the job and how many pods.
    pub(crate) fn label(&self) -> String {
        match (self.pods.as_slice(), self.job) {
            ([pod], _) => (*pod).to_owned(),
            (pods, Some(job)) => format!("{job}: {} pods", pods.len()),
            (pods, None) => pods.join(", "),
        }
    }
}

/// The pods of each job: of a controller, or of what a label or annotation of the pods names.
pub(crate) fn members(mirror: &Mirror, laws: Option<&SystemInfo>) -> BTreeMap<String, BTreeSet<String>> {
    let mut jobs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for pod in mirror.pods() {
        let Some(name) = mirror.pod_name(pod.id) else { continue };
        let told = laws.map(|laws| &laws.interests);
        let labels = told.map(|told| pod.labels.iter().filter_map(|label| group(&told.labels, label)));
        let annotations = told.map(|told| pod.annotations.iter().filter_map(|it| group(&told.annotations, it)));
        for group in labels.into_iter().flatten().chain(annotations.into_iter().flatten()).chain(controller(pod)) {
            jobs.entry(format!("{}/{group}", pod.namespace)).or_default().insert(name.to_owned());
        }
    }
    jobs
}

/// The job that an attribute names, where it is one that does.
fn group<'a>(told: &'a [String], attribute: &'a Attribute) -> Option<&'a str> {
    let key = usize::try_from(attribute.key).ok().and_then(|at| told.get(at))?;
    let (key, value) = match key.as_str() {
        "*" => attribute.value.split_once('=')?,
        key => (key, attribute.value.as_str()),
    };
    GROUPS.contains(&key).then_some(value)
}

/// The job that a pod has by its controller.
fn controller(pod: &Pod) -> Option<&str> {
    pod.owner.as_ref().map(|owner| owner.name.as_str())
}

/// Names of nodes, each once, with how often it was meant.
pub(crate) fn nodes<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
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
    fn pods_of_a_job_stand_together_where_the_same_is_told() {
        let jobs = jobs();
        let groups =
            jobs.group([("default/a", 1), ("default/x", 1), ("default/b", 2), ("default/c", 1), ("default/y", 1)]);
        let labels: Vec<(String, i32)> = groups.iter().map(|group| (group.label(), group.told)).collect();
        let label = |text: &str, told| (text.to_owned(), told);
        assert_eq!(
            labels,
            [label("default/job: 2 pods", 1), label("default/x", 1), label("default/b", 2), label("default/y", 1)]
        );
    }

    #[test]
    fn nodes_are_named_once_and_not_without_end() {
        assert_eq!(nodes(["n2", "n1", "n2"]), "n1, n2 (x2)");
        let many: Vec<String> = (1..=18).map(|node| format!("n{node:02}")).collect();
        let text = nodes(many.iter().map(String::as_str));
        assert!(text.ends_with("n15, n16 and 2 more"), "{text}");
    }
}
