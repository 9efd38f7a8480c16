//! Findings about gangs: pods that name a PodGroup that does not exist, and pods of one job that are not alike.
//!
//! Seed 000 (Koordinator, job level preemption), API: "one job's pods should be homogeneous".

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::contract::{self, Finding};
use crate::model::{Cluster, Job, JobIx, PodInfo, PodIx, PodLocation, Preemptibility};
use crate::systems::document::label_path;
use crate::systems::{Findings, ParsedObject};

/// The labels of a system by which the pods of a job may differ; empty in a system that has no such label.
#[derive(Debug, Clone, Copy, Default)]
pub struct GangLabelKeys {
    /// The label of the class: preemptible or not.
    pub class: &'static str,
    /// The label of the quota.
    pub quota: &'static str,
}

/// A pod that names its gang, and the field in which it does.
#[derive(Debug)]
struct GangReference {
    pod: ParsedObject,
    path: String,
}

/// The pods of a job that were read since the last report.
#[derive(Debug)]
struct UnreportedPods {
    /// The first of them by name.
    first: GangReference,
    pods: BTreeSet<PodIx>,
}

/// The findings about gangs, each made once until its cause is gone.
#[derive(Debug, Default)]
pub struct GangFindings {
    /// The labels of the system. `None`: the pods of a job may differ.
    labels: Option<GangLabelKeys>,
    /// The jobs of pods that were read since the last report.
    read: BTreeMap<JobIx, UnreportedPods>,
    /// The jobs without a PodGroup that are reported.
    undescribed: BTreeSet<JobIx>,
    /// The jobs of unlike pods that are reported.
    mixed: BTreeSet<JobIx>,
}

impl GangFindings {
    /// Creates the findings of a system that expects the pods of a job to be equal.
    pub fn for_equal_pods(labels: GangLabelKeys) -> GangFindings {
        GangFindings { labels: Some(labels), ..GangFindings::default() }
    }

    /// Records that a pod names a gang in the field at this JSON pointer.
    pub fn record(&mut self, job: JobIx, pod: &contract::Pod, path: impl FnOnce() -> String) {
        let (namespace, name) = (&pod.template.namespace, &pod.name);
        let read = match self.read.entry(job) {
            Entry::Occupied(read) => read.into_mut(),
            Entry::Vacant(none) => {
                let first = GangReference { pod: ParsedObject::named("Pod", namespace, name), path: path() };
                none.insert(UnreportedPods { first, pods: BTreeSet::from([PodIx(pod.id)]) });
                return;
            }
        };
        read.pods.insert(PodIx(pod.id));
        if (namespace, name) < (&read.first.pod.namespace, &read.first.pod.name) {
            read.first = GangReference { pod: ParsedObject::named("Pod", namespace, name), path: path() };
        }
    }

    /// Makes the findings about the gangs whose pods were read since the last call.
    pub fn report(&mut self, cluster: &Cluster, findings: &mut Findings) {
        self.undescribed.retain(|ix| cluster.job(*ix).is_some_and(|job| job.gang().is_none()));
        for (ix, read) in std::mem::take(&mut self.read) {
            let Some(job) = cluster.job(ix).filter(|job| !job.members.is_empty()) else { continue };
            if job.gang().is_none() && self.undescribed.insert(ix) {
                findings.push(undescribed_finding(&read.first, &job.key.1));
            }
            if !self.mixed.contains(&ix) && are_equal_to_others(cluster, job, &read.pods) {
                continue;
            }
            match self.labels.and_then(|labels| mixed_finding(cluster, ix, labels)) {
                None => drop(self.mixed.remove(&ix)),
                Some(finding) if self.mixed.insert(ix) => findings.push(finding),
                Some(_) => {}
            }
        }
    }
}

/// Makes the finding that the gang of a pod is not described.
fn undescribed_finding(GangReference { pod, path }: &GangReference, job: &str) -> Finding {
    let (namespace, group) = (&pod.namespace, job.rsplit('/').next().unwrap_or(job));
    let message = format!(
        "there is no usable PodGroup `{namespace}/{group}`, which the pod names: the pods of the gang are not tried"
    );
    let remedy = "create the PodGroup, remove the name of it from the pods, or add PodGroups to the dump";
    pod.warning(path, message, remedy)
}

/// Returns the pods of a job that are compared: those that have not ended and are not being deleted.
fn compared_pods<'c>(cluster: &'c Cluster, job: &'c Job) -> impl Iterator<Item = (PodIx, &'c PodInfo)> {
    let pods = job.members.iter().filter_map(|ix| Some((*ix, cluster.pod(*ix)?)));
    pods.filter(|(_, pod)| pod.state.location != PodLocation::Finished && !pod.state.terminating)
}

/// Returns whether some pods of a job equal one of its other pods, which equal each other. So only a few pods are compared where a large job grows
/// pod by pod.
fn are_equal_to_others(cluster: &Cluster, job: &Job, pods: &BTreeSet<PodIx>) -> bool {
    let Some((_, other)) = compared_pods(cluster, job).find(|(ix, _)| !pods.contains(ix)) else { return false };
    !pods.iter().filter_map(|ix| cluster.pod(*ix)).any(|pod| are_different(pod, other))
}

/// Returns the finding about the first pod of a job, by name, that differs from the first pod. `None`: all are equal.
fn mixed_finding(cluster: &Cluster, ix: JobIx, labels: GangLabelKeys) -> Option<Finding> {
    let job = cluster.job(ix)?;
    let pods = || compared_pods(cluster, job).map(|(_, pod)| pod);
    let first = pods().min_by_key(|pod| pod.rank)?;
    let pod = pods().filter(|pod| are_different(pod, first)).min_by_key(|pod| pod.rank)?;
    let (path, what, own, other) = difference(cluster, labels, pod, first)?;
    let message = format!(
        "the pod has {what} {own} and pod `{}` of the same job {other}: the job may do what its least entitled pod may",
        first.name
    );
    let remedy = "give all pods of the job the same class, priority, preemption policy and quota";
    Some(ParsedObject::named("Pod", &pod.name.namespace, &pod.name.name).warning(&path, message, remedy))
}

/// Returns whether two pods differ in what the laws read.
fn are_different(pod: &PodInfo, other: &PodInfo) -> bool {
    let key = |pod: &PodInfo| (pod.priority(), pod.attributes.may_preempt, pod.attributes.preemptibility, pod.queue);
    key(pod) != key(other)
}

/// A field in which two pods differ: the JSON pointer to it, the noun for it, and the value of each.
type PodDifference = (String, &'static str, String, String);

/// A field of pods: the JSON pointer to it, the noun for it, and its value.
type ComparedField<'a> = (String, &'static str, &'a dyn Fn(&PodInfo) -> String);

/// Returns the first difference between two pods that the laws look at.
fn difference(cluster: &Cluster, labels: GangLabelKeys, pod: &PodInfo, other: &PodInfo) -> Option<PodDifference> {
    let class = |pod: &PodInfo| match pod.attributes.preemptibility {
        Preemptibility::Preemptible => "`preemptible`".to_owned(),
        Preemptibility::NonPreemptible => "`non-preemptible`".to_owned(),
    };
    let priority = |pod: &PodInfo| pod.priority().to_string();
    let right =
        |pod: &PodInfo| if pod.attributes.may_preempt { "`may preempt`" } else { "`never preempts`" }.to_owned();
    let quota = |pod: &PodInfo| {
        let queue = pod.queue.and_then(|queue| cluster.queue(queue));
        queue.map_or("`none`".to_owned(), |queue| format!("`{}`", queue.name))
    };
    let fields: [ComparedField<'_>; 4] = [
        (label_path(labels.class), "class", &class),
        ("/spec/priority".to_owned(), "priority", &priority),
        ("/spec/preemptionPolicy".to_owned(), "right", &right),
        (label_path(labels.quota), "quota", &quota),
    ];
    let differs = |(path, what, of): ComparedField<'_>| {
        let (own, its) = (of(pod), of(other));
        (own != its).then_some((path, what, own, its))
    };
    fields.into_iter().find_map(differs)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::contract::{Attribute, Event};
    use crate::testing::{PodBuilder, PolicyHarness, key, object, pod, pod_group, quota};

    /// A system, the field by which a pod names its gang, and how a pod becomes a member of gang `g`.
    type Named<'a> = (&'a str, &'a str, &'a dyn Fn(PodBuilder) -> PodBuilder);

    /// Returns the findings since the last call, as object, path and message.
    fn new_findings(world: &mut PolicyHarness) -> Vec<(String, String, String)> {
        world.findings.drain(..).map(|found| (found.object, found.path, found.message)).collect()
    }

    fn one(object: &str, path: &str, message: &str) -> Vec<(String, String, String)> {
        vec![(object.to_owned(), path.to_owned(), message.to_owned())]
    }

    fn of_kubernetes(draft: PodBuilder, group: &str) -> PodBuilder {
        let field = Attribute { key: 0, value: format!("\"{group}\"") };
        draft.with(|pod| pod.template_mut().fields = vec![field])
    }

    #[test]
    fn a_gang_without_a_pod_group_is_one_finding_in_every_system_until_the_pod_group_is_there() {
        let sigs = "/metadata/labels/pod-group.scheduling.sigs.k8s.io";
        let by_annotation = "/metadata/annotations/scheduling.k8s.io~1group-name";
        let named = |draft: PodBuilder| draft.annotation("scheduling.k8s.io/group-name", "g");
        let systems: [Named<'_>; 4] = [
            ("koordinator", sigs, &|draft| draft.job("g")),
            ("coscheduling", "/metadata/labels/scheduling.x-k8s.io~1pod-group", &|draft| {
                draft.label("scheduling.x-k8s.io/pod-group", "g")
            }),
            ("volcano", by_annotation, &named),
            ("kubernetes", "/spec/schedulingGroup/podGroupName", &|draft| of_kubernetes(draft, "g")),
        ];
        for (system, path, member) in systems {
            let mut world = PolicyHarness::of(system, "");
            world.pod(member(pod("a")));
            world.pod(member(pod("b")));
            let message =
                "there is no usable PodGroup `default/g`, which the pod names: the pods of the gang are not tried";
            assert_eq!(new_findings(&mut world), one("Pod/default/a", path, message), "{system}");
        }
        let mut world = PolicyHarness::new();
        world.object(pod_group("g", 2, &[]));
        world.pod(pod("a").job("g"));
        assert_eq!(new_findings(&mut world), []);
        world.apply(vec![Event::ObjectRemoved(key(&pod_group("g", 2, &[])))]);
        world.pod(pod("b").job("g"));
        assert_eq!(new_findings(&mut world).len(), 1, "the PodGroup is gone");
    }

    #[test]
    fn every_system_of_kubernetes_groups_misses_one_that_is_not_there() {
        for system in ["koordinator", "coscheduling", "volcano"] {
            let mut world = PolicyHarness::of(system, "");
            world.pod(of_kubernetes(pod("a"), "g"));
            assert_eq!(new_findings(&mut world).len(), 1, "{system}");
        }
    }

    #[test]
    fn a_group_of_the_labels_of_2020_needs_no_pod_group() {
        let mut world = PolicyHarness::of("coscheduling", "");
        world.pod(pod("a").label("pod-group/name", "g").label("pod-group/min-available", "2"));
        assert_eq!(new_findings(&mut world), []);
    }

    #[test]
    fn pods_of_a_job_that_differ_are_one_finding_that_names_both_and_the_field() {
        let end = "the job may do what its least entitled pod may";
        let unlike = |change: &dyn Fn(PodBuilder) -> PodBuilder| {
            let mut world = PolicyHarness::new();
            world.object(pod_group("g", 2, &[]));
            world.object(quota("other", "", "", ""));
            world.pod(pod("a").job("g"));
            world.pod(change(pod("b").job("g")));
            world.pod(change(pod("c").job("g")));
            world
        };
        let about = |what: &str| format!("the pod has {what}: {end}");
        for (change, path, message) in [
            (
                (&|draft: PodBuilder| draft.priority(5)) as &dyn Fn(PodBuilder) -> PodBuilder,
                "/spec/priority",
                about("priority 5 and pod `default/a` of the same job 0"),
            ),
            (
                &|draft| draft.preemptible(false),
                "/metadata/labels/quota.scheduling.koordinator.sh~1preemptible",
                about("class `non-preemptible` and pod `default/a` of the same job `preemptible`"),
            ),
            (
                &|draft| draft.quota("other"),
                "/metadata/labels/quota.scheduling.koordinator.sh~1name",
                about("quota `other` and pod `default/a` of the same job `koordinator-default-quota`"),
            ),
            (
                &|draft| draft.with(|pod| pod.template_mut().never_preempts = true),
                "/spec/preemptionPolicy",
                about("right `never preempts` and pod `default/a` of the same job `may preempt`"),
            ),
        ] {
            assert_eq!(new_findings(&mut unlike(change)), one("Pod/default/b", path, &message));
        }
        let mut alike = unlike(&|draft| draft);
        assert_eq!(new_findings(&mut alike), []);
    }

    #[test]
    fn pods_of_a_job_that_are_alike_again_may_differ_again_and_say_so() {
        let mut world = PolicyHarness::of("coscheduling", "");
        let group = object("PodGroup", "default/g", [&[], &[]], json!({"spec": {"minMember": 2}}));
        world.object(crate::contract::Object { group: "scheduling.x-k8s.io".to_owned(), ..group });
        let member = |name, priority| pod(name).label("scheduling.x-k8s.io/pod-group", "g").priority(priority);
        for (name, priority, count) in [("a", 1, 0), ("b", 2, 1), ("b", 3, 0), ("b", 1, 0), ("b", 2, 1)] {
            world.pod(member(name, priority));
            assert_eq!(new_findings(&mut world).len(), count, "{name} {priority}");
        }
    }

    #[test]
    fn tasks_of_a_job_of_volcano_may_differ() {
        let mut world = PolicyHarness::of("volcano", "");
        for (name, priority) in [("a", 1), ("b", 2)] {
            world.pod(pod(name).annotation("scheduling.k8s.io/group-name", "g").priority(priority));
        }
        assert_eq!(new_findings(&mut world).len(), 1, "only that there is no PodGroup");
    }
}
