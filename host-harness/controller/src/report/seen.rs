//! The objects that reports are about, as the watches show them.

use std::collections::BTreeMap;

use lictor_host::cluster::Mirror;
use serde_json::Value;

use super::group_of;
use super::object::{MemberCounts, ObjectLookup, QualifiedName, ReportedObject};
use crate::view::text;
use crate::watch::store::ObjectChange;

/// The known objects that are no pods, and the groups of pods. The pods themselves are in the mirror.
#[derive(Debug, Default)]
pub struct ReportIndex {
    /// The objects, by the names that the session gives them.
    objects: BTreeMap<String, ReportedObject>,
    /// The group and the stage of each pod in a group, by the name of the pod.
    groups: BTreeMap<String, (QualifiedName, MemberPhase)>,
    members: BTreeMap<QualifiedName, MemberCounts>,
}

/// The stage of a pod in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemberPhase {
    Bound,
    Running,
    Succeeded,
    Failed,
    /// It waits for a node, or is leaving.
    Other,
}

impl MemberPhase {
    /// Returns the stage of a pod as the session sees it (upstream: `getTaskStatus` in Volcano's `pkg/scheduler/api/pod_info.go`).
    fn of(pod: &Value) -> MemberPhase {
        let is_leaving = !text(pod, "/metadata/deletionTimestamp").is_empty();
        match text(pod, "/status/phase") {
            "Succeeded" => MemberPhase::Succeeded,
            "Failed" => MemberPhase::Failed,
            _ if is_leaving => MemberPhase::Other,
            "Running" => MemberPhase::Running,
            _ if !text(pod, "/spec/nodeName").is_empty() => MemberPhase::Bound,
            _ => MemberPhase::Other,
        }
    }
}

impl MemberCounts {
    fn of(&mut self, stage: MemberPhase) -> Option<&mut usize> {
        match stage {
            MemberPhase::Bound => Some(&mut self.bound),
            MemberPhase::Running => Some(&mut self.running),
            MemberPhase::Succeeded => Some(&mut self.succeeded),
            MemberPhase::Failed => Some(&mut self.failed),
            MemberPhase::Other => None,
        }
    }
}

impl ReportIndex {
    /// Takes a change of an object. Returns the PodGroup, where it is new or has changed.
    pub fn take(&mut self, news: &ObjectChange) -> Option<ReportedObject> {
        match news {
            ObjectChange::Deleted(key) => {
                self.objects.remove(key);
                self.set_member(key.strip_prefix("Pod/").unwrap_or_default(), None);
                None
            }
            ObjectChange::Marked(..) => None,
            ObjectChange::Upserted(shown) if shown.key.starts_with("Pod/") => {
                let pod = shown.key.strip_prefix("Pod/").unwrap_or_default();
                self.set_member(pod, group_of(&shown.object).map(|group| (group, MemberPhase::of(&shown.object))));
                None
            }
            ObjectChange::Upserted(shown) => {
                let subject = subject(&shown.object);
                let group = (subject.name.kind == "PodGroup").then(|| subject.clone());
                self.objects.insert(shown.key.clone(), subject);
                group
            }
        }
    }

    /// Returns the name of an object that is no pod, by the name that the session gives it.
    pub fn named(&self, key: &str) -> Option<&QualifiedName> {
        self.objects.get(key).map(|subject| &subject.name)
    }

    /// Sets the group and the stage of a pod. `None`: the pod has no group, or is gone.
    fn set_member(&mut self, pod: &str, now: Option<(QualifiedName, MemberPhase)>) {
        if let Some((group, stage)) = self.groups.remove(pod)
            && let Some(members) = self.members.get_mut(&group)
        {
            if let Some(count) = members.of(stage) {
                *count = count.saturating_sub(1);
            }
            if *members == MemberCounts::default() {
                self.members.remove(&group);
            }
        }
        let Some((group, stage)) = now else { return };
        if stage != MemberPhase::Other
            && let Some(count) = self.members.entry(group.clone()).or_default().of(stage)
        {
            *count = count.saturating_add(1);
        }
        self.groups.insert(pod.to_owned(), (group, stage));
    }

    /// Returns these objects together with the pods of the mirror.
    pub fn with<'a>(&'a self, mirror: &'a Mirror) -> impl ObjectLookup + 'a {
        IndexWithMirror { index: self, mirror }
    }
}

struct IndexWithMirror<'a> {
    index: &'a ReportIndex,
    mirror: &'a Mirror,
}

impl ObjectLookup for IndexWithMirror<'_> {
    fn pod(&self, name: &str) -> Option<ReportedObject> {
        let Some(pod) = self.mirror.pod_id(name).and_then(|id| self.mirror.pod(id)) else {
            return self.index.objects.get(name).cloned();
        };
        if pod.kind.is_some() {
            return self.index.objects.get(name).cloned();
        }
        let [group, kind, version, plural] = ["", "Pod", "v1", "pods"].map(str::to_owned);
        let name = QualifiedName { group, kind, namespace: pod.template.namespace.clone(), name: pod.name.clone() };
        Some(ReportedObject { name, version, plural, uid: pod.uid.clone(), ..ReportedObject::default() })
    }

    fn object(&self, name: &QualifiedName) -> Option<ReportedObject> {
        let place = if name.namespace.is_empty() { String::new() } else { format!("{}/", name.namespace) };
        let key = match name.group.as_str() {
            "" => format!("{}/{place}{}", name.kind, name.name),
            group => format!("{}.{group}/{place}{}", name.kind, name.name),
        };
        self.index.objects.get(&key).cloned()
    }

    fn object_by_key(&self, key: &str) -> Option<ReportedObject> {
        if let Some(pod) = key.strip_prefix("Pod/") {
            return self.pod(pod);
        }
        let is_called = |known: &str| {
            let (kind, rest) = known.split_once('/').unwrap_or((known, ""));
            key == known || key.split_once('/') == Some((kind.split('.').next().unwrap_or(kind), rest))
        };
        self.index.objects.iter().find(|(known, _)| is_called(known)).map(|(_, subject)| subject.clone())
    }

    fn group_of(&self, pod: &str) -> Option<QualifiedName> {
        self.index.groups.get(pod).map(|(group, _)| group.clone())
    }

    fn members(&self, group: &QualifiedName) -> MemberCounts {
        self.index.members.get(group).copied().unwrap_or_default()
    }

    fn all(&self, group: &str, kind: &str) -> Vec<ReportedObject> {
        let is = |subject: &&ReportedObject| subject.name.group == group && subject.name.kind == kind;
        self.index.objects.values().filter(is).cloned().collect()
    }
}

/// Reads an object as reports need it. Status and annotations are kept only for kinds whose status is written.
fn subject(object: &Value) -> ReportedObject {
    let (group, version) = text(object, "/apiVersion").split_once('/').unwrap_or(("", text(object, "/apiVersion")));
    let kind = text(object, "/kind");
    let of = |pointer| text(object, pointer).to_owned();
    let name = QualifiedName {
        group: group.to_owned(),
        kind: kind.to_owned(),
        namespace: of("/metadata/namespace"),
        name: of("/metadata/name"),
    };
    let has_status = matches!(kind, "PodGroup" | "ElasticQuota" | "Queue" | "Reservation");
    let part = |pointer| object.pointer(pointer).filter(|_| has_status).cloned().unwrap_or_default();
    ReportedObject {
        name,
        version: version.to_owned(),
        plural: plural(kind),
        uid: of("/metadata/uid"),
        generation: object.pointer("/metadata/generation").and_then(Value::as_i64),
        minimum: object.pointer("/spec/minMember").and_then(Value::as_u64).unwrap_or_default(),
        status: part("/status"),
        annotations: part("/metadata/annotations"),
    }
}

/// Returns the plural of a kind in paths. Only correct for the kinds whose status is written: they are regular.
fn plural(kind: &str) -> String {
    let kind = kind.to_lowercase();
    if kind.ends_with('s') { format!("{kind}es") } else { format!("{kind}s") }
}
