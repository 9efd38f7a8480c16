//! The jobs of pods, and the pods of a job shown on one line.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{Attribute, Interests, Pod, PodTemplate, SystemInfo};
use lictor_host::cluster::Mirror;

/// The maximum number of nodes to name; the others are counted.
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

/// The field of a pod that names its PodGroup of Kubernetes itself.
const POD_GROUP: &str = "/spec/schedulingGroup/podGroupName";

/// The job of each pod with a controller, as `namespace/name`.
#[derive(Debug, Default)]
pub struct Jobs(BTreeMap<String, String>);

/// Pods of one job with the same value, or a single pod.
#[derive(Debug, PartialEq, Eq)]
pub struct Group<'a, T> {
    /// The job, if they have one.
    pub job: Option<&'a str>,
    /// The pods.
    pub pods: Vec<&'a str>,
    /// The value that all of them share.
    pub value: T,
}

impl Jobs {
    /// The jobs of a cluster.
    pub fn of(mirror: &Mirror) -> Jobs {
        let job = |pod: &Pod| {
            Some((mirror.pod_name(pod.id)?.to_owned(), format!("{}/{}", pod.template.namespace, controller(pod)?)))
        };
        Jobs(mirror.pods().filter_map(job).collect())
    }

    /// The job of a pod.
    pub fn job(&self, pod: &str) -> Option<&str> {
        self.0.get(pod).map(String::as_str)
    }

    /// Groups the pods of a job that have the same value, in the order of the first pods.
    pub fn group<'a, T: Ord + Clone>(&'a self, pods: impl IntoIterator<Item = (&'a str, T)>) -> Vec<Group<'a, T>> {
        let mut places: BTreeMap<(&str, T), usize> = BTreeMap::new();
        let mut groups: Vec<Group<'a, T>> = Vec::new();
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
            groups.push(Group { job, pods: vec![pod], value });
        }
        groups
    }
}

impl<T> Group<'_, T> {
    /// The pod, or the job with the number of pods.
    pub fn label(&self) -> String {
        match (self.pods.as_slice(), self.job) {
            ([pod], _) => (*pod).to_owned(),
            (pods, Some(job)) => format!("{job}: {} pods", pods.len()),
            (pods, None) => pods.join(", "),
        }
    }
}

/// The pods of each job: of a controller, or of what a label, an annotation or the scheduling group of the pods names.
pub fn members(mirror: &Mirror, laws: Option<&SystemInfo>) -> BTreeMap<String, BTreeSet<String>> {
    let mut jobs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for pod in mirror.pods() {
        let Some(name) = mirror.pod_name(pod.id) else { continue };
        let groups = laws.map(|laws| groups(pod, &laws.interests)).unwrap_or_default();
        for group in groups.into_iter().chain(controller(pod).map(str::to_owned)) {
            jobs.entry(format!("{}/{group}", pod.template.namespace)).or_default().insert(name.to_owned());
        }
    }
    jobs
}

/// The jobs that a pod names, where its system reads them.
fn groups(pod: &Pod, told: &Interests) -> Vec<String> {
    let PodTemplate { labels, annotations, fields, .. } = &*pod.template;
    let labels = labels.iter().filter_map(|label| group(&told.labels, label));
    let annotations = annotations.iter().filter_map(|annotation| group(&told.annotations, annotation));
    let is_pod_group = |key: u32| {
        let field = usize::try_from(key).ok().and_then(|at| told.pod_fields.get(at));
        field.is_some_and(|field| field == POD_GROUP)
    };
    let pod_group = fields.iter().find(|field| is_pod_group(field.key));
    let pod_group = pod_group.and_then(|field| serde_json::from_str(&field.value).ok());
    labels.chain(annotations).map(str::to_owned).chain(pod_group).collect()
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
    pod.template.owner.as_ref().map(|owner| owner.name.as_str())
}

/// The names of nodes, each once, with its count.
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
