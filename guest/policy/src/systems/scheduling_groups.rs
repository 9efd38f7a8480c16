//! PodGroups of Kubernetes itself (`scheduling.k8s.io`, Kubernetes 1.37), as gangs of every system that has gangs.
//!
//! A pod names its group in `spec.schedulingGroup.podGroupName`. The job of the group is named as kubectl names it,
//! `podgroup.scheduling.k8s.io/name`, so that it is not taken for a group of the same name that belongs to the system.

mod schedulers;
mod spec;

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::{self, Interests, ObjectKey, Phase, PodStatus};
use crate::model::{Cluster, JobIx, JobKey, PodAttributes, PodIx, SCHEDULER_NAME};
use crate::systems::gang_findings::{GangFindings, GangLabelKeys};
use crate::systems::{Findings, ParsedObject};
use schedulers::Schedulers;
pub use spec::KubernetesGroupSpec;

/// API group of PodGroup and PriorityClass.
pub const GROUP: &str = "scheduling.k8s.io";
/// The prefix of the name of the job of a group.
const GROUP_PREFIX: &str = "podgroup.scheduling.k8s.io/";
/// The kinds that are read.
pub const KINDS: [(&str, &str); 2] = [(GROUP, "PodGroup"), (GROUP, "PriorityClass")];
/// Field of a pod: its group.
const NAME: &str = "/spec/schedulingGroup/podGroupName";
/// Field of a pod of Kubernetes 1.35: its group, of a Workload.
const FORMER_NAME: &str = "/spec/workloadRef";
/// The indexes of both fields in the interests.
const KEYS: (u32, u32) = (0, 1);

/// Returns the interests of a system that reads these groups. A pod names its fields by their indexes in the list: those of groups come first, and
/// those of the system after them.
pub fn with_groups(mut interests: Interests) -> Interests {
    interests.pod_fields.splice(..0, [NAME.to_owned(), FORMER_NAME.to_owned()]);
    for (group, kind) in KINDS {
        if !interests.kinds.iter().any(|known| known.group == group && known.kind == kind) {
            interests.kinds.push(contract::KindInterest { group: group.to_owned(), kind: kind.to_owned() });
        }
    }
    interests
}

/// Returns the namespace and the name of the job of a group.
fn job_key(namespace: &str, name: &str) -> JobKey {
    (namespace.to_owned(), format!("{GROUP_PREFIX}{name}"))
}

/// Makes a finding for a pod that names its group as in Kubernetes 1.35, which is not read.
fn read_former(pod: &contract::Pod, findings: &mut Findings) {
    let field = |key| pod.template.fields.iter().find(|field| field.key == key);
    if field(KEYS.1).is_none_or(|former| former.value == "null") || field(KEYS.0).is_some() {
        return;
    }
    let message = "groups of Kubernetes 1.35 are not read: the pod is tried alone";
    let remedy = "name a PodGroup of Kubernetes 1.37 in `spec.schedulingGroup.podGroupName`";
    let object = ParsedObject::named("Pod", &pod.template.namespace, &pod.name);
    findings.push(object.warning(FORMER_NAME, message, remedy));
}

/// Returns the name of a job for people, as `namespace/name`: that of its group, unless a job of the system with pods has this name.
pub fn job_name(cluster: &Cluster, job: JobIx) -> Option<String> {
    let (namespace, name) = &cluster.job(job)?.key;
    let group = name.strip_prefix(GROUP_PREFIX).map(|group| (namespace.clone(), group.to_owned()));
    let is_free = |key: &JobKey| {
        let other = cluster.job_named(key).and_then(|other| cluster.job(other));
        other.is_none_or(|other| other.members.is_empty())
    };
    let (namespace, name) = group.filter(is_free).unwrap_or_else(|| (namespace.clone(), name.clone()));
    Some(format!("{namespace}/{name}"))
}

/// Returns whether a pod in this phase has ended.
const fn has_ended(phase: Phase) -> bool {
    matches!(phase, Phase::Succeeded | Phase::Failed)
}

/// The fields of a pod that concern its group.
#[derive(Debug)]
struct PodGroupMember {
    job: JobKey,
    name: String,
    priority: i32,
    may_preempt: bool,
    /// The scheduler that the pod names. `None`: the pod has ended.
    scheduler: Option<String>,
}

/// The groups and their pods.
#[derive(Debug, Default)]
pub struct SchedulingGroups {
    groups: BTreeMap<JobKey, KubernetesGroupSpec>,
    /// The value of each PriorityClass.
    classes: BTreeMap<String, i32>,
    members: BTreeMap<PodIx, PodGroupMember>,
    schedulers: Schedulers,
    /// The groups whose state in the cluster is out of date.
    changed: BTreeSet<JobKey>,
    /// The groups with a finding about their pods since the groups changed.
    warned: BTreeSet<JobKey>,
    /// The findings about these groups and the gangs of the system.
    gangs: GangFindings,
}

impl SchedulingGroups {
    /// Creates the groups of a system that expects the pods of a job to be equal.
    pub fn for_equal_pods(labels: GangLabelKeys) -> SchedulingGroups {
        SchedulingGroups { gangs: GangFindings::for_equal_pods(labels), ..SchedulingGroups::default() }
    }

    /// Reads the group of a pod into its attributes. A pod that belongs to a gang of its system stays there; `named` is the field in which
    /// the pod names that gang, a JSON pointer.
    pub fn read_pod(
        &mut self,
        cluster: &mut Cluster,
        pod: &contract::Pod,
        attributes: &mut PodAttributes,
        named: impl FnOnce() -> String,
        findings: &mut Findings,
    ) {
        self.forget_pod(PodIx(pod.id));
        if let Some(job) = attributes.job {
            self.gangs.record(job, pod, named);
        }
        read_former(pod, findings);
        let field = pod.template.fields.iter().find(|field| field.key == KEYS.0).map(|field| field.value.as_str());
        let Some(name) = field.and_then(|json| serde_json::from_str::<String>(json).ok()) else { return };
        if attributes.job.is_some() {
            let message = format!("the pod also belongs to a gang of this system, so its PodGroup `{name}` is ignored");
            let object = ParsedObject::named("Pod", &pod.template.namespace, &pod.name);
            findings.push(object.warning(NAME, message, "name one gang only"));
            return;
        }
        let job = job_key(&pod.template.namespace, &name);
        attributes.job = cluster.job_or_new(&job);
        attributes.job.into_iter().for_each(|job| self.gangs.record(job, pod, || NAME.to_owned()));
        let (priority, may_preempt) = (attributes.priority, attributes.may_preempt);
        let name = format!("{}/{}", pod.template.namespace, pod.name);
        let scheduler = Some(pod.template.scheduler.clone()).filter(|_| !has_ended(pod.phase));
        let member = PodGroupMember { job, name, priority, may_preempt, scheduler };
        self.count(&member, true);
        if let Some(spec) = self.groups.get(&member.job) {
            let terms = spec.terms(&self.classes);
            // If the group has changed, too, the next `sync` makes the finding.
            if !self.changed.contains(&member.job) {
                self.warn_of_priority(&member, terms.0, findings);
            }
            (attributes.priority, attributes.may_preempt) = (terms.0, terms.1.unwrap_or(may_preempt));
        }
        self.members.insert(PodIx(pod.id), member);
    }

    /// Reads the status of a known pod. One that has ended is placed by no scheduler any more.
    pub fn read_status(&mut self, status: &PodStatus) {
        let ix = PodIx(status.id);
        let ended = has_ended(status.phase).then(|| self.members.remove(&ix)).flatten();
        if let Some(member) = ended {
            self.count(&member, false);
            self.members.insert(ix, PodGroupMember { scheduler: None, ..member });
        }
    }

    /// Removes a pod.
    pub fn forget_pod(&mut self, pod: PodIx) {
        if let Some(member) = self.members.remove(&pod) {
            self.count(&member, false);
        }
    }

    /// Adds a pod that has not ended to the count of its scheduler, or subtracts it.
    fn count(&mut self, member: &PodGroupMember, is_in: bool) {
        let Some(scheduler) = &member.scheduler else { return };
        if self.schedulers.count(&member.job, scheduler, is_in) && self.groups.contains_key(&member.job) {
            self.changed.insert(member.job.clone());
        }
    }

    /// Reads an object of the kinds; false where it is of another kind.
    pub fn read_object(&mut self, object: &ParsedObject, findings: &mut Findings) -> bool {
        match (object.group.as_str(), object.kind.as_str()) {
            (GROUP, "PodGroup") => {
                if let Some(spec) = KubernetesGroupSpec::read(object, findings) {
                    let key = job_key(&object.namespace, &object.name);
                    if self.groups.get(&key) != Some(&spec) {
                        self.groups.insert(key.clone(), spec);
                        self.changed.insert(key);
                    }
                }
                true
            }
            (GROUP, "PriorityClass") => {
                let value = object.at("/value").and_then(serde_json::Value::as_i64);
                let value = value.and_then(|value| i32::try_from(value).ok()).unwrap_or(0);
                if self.classes.insert(object.name.clone(), value) != Some(value) {
                    self.class_changed(&object.name);
                }
                true
            }
            _ => false,
        }
    }

    /// Removes an object of the kinds; false where it is of another kind.
    pub fn remove_object(&mut self, object: &ObjectKey) -> bool {
        match (object.group.as_str(), object.kind.as_str()) {
            (GROUP, "PodGroup") => {
                let key = job_key(&object.namespace, &object.name);
                if self.groups.remove(&key).is_some() {
                    self.changed.insert(key);
                }
                true
            }
            (GROUP, "PriorityClass") => {
                if self.classes.remove(&object.name).is_some() {
                    self.class_changed(&object.name);
                }
                true
            }
            _ => false,
        }
    }

    /// Makes the findings about the gangs of the pods that were read since the last call, those of the system among them. All PodGroups and
    /// queues must be in the cluster.
    pub fn report(&mut self, cluster: &Cluster, findings: &mut Findings) {
        self.gangs.report(cluster, findings);
    }

    /// Updates the jobs and the pods of the groups that have changed, and returns the groups, each with its priority.
    pub fn sync(
        &mut self,
        cluster: &mut Cluster,
        findings: &mut Findings,
    ) -> Vec<(JobKey, Option<(KubernetesGroupSpec, i32)>)> {
        if self.changed.is_empty() {
            return Vec::new();
        }
        let changed = std::mem::take(&mut self.changed);
        for key in &changed {
            self.warned.remove(key);
            let spec = self.spec(key);
            let spec = spec.as_ref();
            let Some(ix) = cluster.job_or_new(key) else { continue };
            if let Some(job) = cluster.job_mut(ix) {
                (job.declared, job.declared_at) =
                    (spec.map(KubernetesGroupSpec::gang), spec.and_then(|spec| spec.created));
            }
            cluster.set_scheduling_group(ix, spec.map(|spec| spec.pod_group(spec.terms(&self.classes).0)));
        }
        cluster.update_attributes(|ix, attributes| {
            let Some(member) = self.members.get(&ix).filter(|member| changed.contains(&member.job)) else { return };
            let terms = self.groups.get(&member.job).map(|spec| spec.terms(&self.classes));
            let (priority, may_preempt) = terms.unwrap_or((member.priority, None));
            (attributes.priority, attributes.may_preempt) = (priority, may_preempt.unwrap_or(member.may_preempt));
        });
        let members = std::mem::take(&mut self.members);
        for member in members.values().filter(|member| changed.contains(&member.job)) {
            let priority = self.groups.get(&member.job).map(|spec| spec.terms(&self.classes).0);
            priority.into_iter().for_each(|priority| self.warn_of_priority(member, priority, findings));
        }
        self.members = members;
        let with_priority = |spec: KubernetesGroupSpec| {
            let priority = spec.terms(&self.classes).0;
            (spec, priority)
        };
        changed.iter().map(|key| (key.clone(), self.spec(key).map(with_priority))).collect()
    }

    /// Returns the spec of a group. If its pods name different schedulers, the spec says that it cannot be judged.
    fn spec(&self, key: &JobKey) -> Option<KubernetesGroupSpec> {
        let mut spec = self.groups.get(key)?.clone();
        let differs = self.schedulers.differ(key).then_some(SCHEDULER_NAME);
        spec.unsupported_field = spec.unsupported_field.or(differs);
        Some(spec)
    }

    fn class_changed(&mut self, name: &str) {
        let named = self.groups.iter().filter(|(_, spec)| spec.class.as_deref() == Some(name));
        self.changed.extend(named.map(|(key, _)| key.clone()));
    }

    /// Makes one finding for each group whose pods do not all have its priority.
    fn warn_of_priority(&mut self, member: &PodGroupMember, priority: i32, findings: &mut Findings) {
        if member.priority == priority || !self.warned.insert(member.job.clone()) {
            return;
        }
        let (namespace, name) = member.name.split_once('/').unwrap_or_default();
        let group = member.job.1.rsplit('/').next().unwrap_or_default();
        let own = member.priority;
        let message =
            format!("the pod has priority {own} and its PodGroup `{group}` {priority}: that of the group is used");
        let remedy = "give the PodGroup and all its pods the same priority";
        findings.push(ParsedObject::named("Pod", namespace, name).warning("/spec/priority", message, remedy));
    }
}
