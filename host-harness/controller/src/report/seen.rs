//! The objects that reports are about, as the watches tell them.

use std::collections::BTreeMap;

use lictor_host::cluster::Mirror;
use serde_json::Value;

use super::group_of;
use super::object::{Name, Objects, Subject};
use crate::view::text;
use crate::watch::store::News;

/// What is known of objects that are no pods, and the groups of pods. The pods themselves are in the mirror.
#[derive(Debug, Default)]
pub struct Seen {
    /// By what the session calls them.
    objects: BTreeMap<String, Subject>,
    /// The groups of pods, by the names of the pods.
    groups: BTreeMap<String, Name>,
}

impl Seen {
    /// Takes news. Answers with a PodGroup that is new or has changed.
    pub fn take(&mut self, news: &News) -> Option<Subject> {
        match news {
            News::Gone(key) => {
                self.objects.remove(key);
                self.groups.remove(key.strip_prefix("Pod/").unwrap_or_default());
                None
            }
            News::Shown(shown) if shown.key.starts_with("Pod/") => {
                let pod = shown.key.strip_prefix("Pod/").unwrap_or_default();
                match group_of(&shown.object) {
                    Some(group) => drop(self.groups.insert(pod.to_owned(), group)),
                    None => drop(self.groups.remove(pod)),
                }
                None
            }
            News::Shown(shown) => {
                let subject = subject(&shown.object);
                let group = (subject.name.kind == "PodGroup").then(|| subject.clone());
                self.objects.insert(shown.key.clone(), subject);
                group
            }
        }
    }

    /// Together with the pods.
    pub fn with<'a>(&'a self, mirror: &'a Mirror) -> impl Objects + 'a {
        Both { seen: self, mirror }
    }
}

struct Both<'a> {
    seen: &'a Seen,
    mirror: &'a Mirror,
}

impl Objects for Both<'_> {
    fn pod(&self, name: &str) -> Option<Subject> {
        let Some(pod) = self.mirror.pod_id(name).and_then(|id| self.mirror.pod(id)) else {
            return self.seen.objects.get(name).cloned();
        };
        if pod.kind.is_some() {
            return self.seen.objects.get(name).cloned();
        }
        let [group, kind, version, plural] = ["", "Pod", "v1", "pods"].map(str::to_owned);
        let name = Name { group, kind, namespace: pod.namespace.clone(), name: pod.name.clone() };
        Some(Subject { name, version, plural, uid: pod.uid.clone(), ..Subject::default() })
    }

    fn object(&self, name: &Name) -> Option<Subject> {
        let place = if name.namespace.is_empty() { String::new() } else { format!("{}/", name.namespace) };
        let key = match name.group.as_str() {
            "" => format!("{}/{place}{}", name.kind, name.name),
            group => format!("{}.{group}/{place}{}", name.kind, name.name),
        };
        self.seen.objects.get(&key).cloned()
    }

    fn called(&self, key: &str) -> Option<Subject> {
        if let Some(pod) = key.strip_prefix("Pod/") {
            return self.pod(pod);
        }
        let is_called = |known: &str| {
            let (kind, rest) = known.split_once('/').unwrap_or((known, ""));
            key == known || key.split_once('/') == Some((kind.split('.').next().unwrap_or(kind), rest))
        };
        self.seen.objects.iter().find(|(known, _)| is_called(known)).map(|(_, subject)| subject.clone())
    }

    fn group_of(&self, pod: &str) -> Option<Name> {
        self.seen.groups.get(pod).cloned()
    }

    fn all(&self, group: &str, kind: &str) -> Vec<Subject> {
        let is = |subject: &&Subject| subject.name.group == group && subject.name.kind == kind;
        self.seen.objects.values().filter(is).cloned().collect()
    }
}

/// An object as reports know it. What is not written is not kept.
fn subject(object: &Value) -> Subject {
    let (group, version) = text(object, "/apiVersion").split_once('/').unwrap_or(("", text(object, "/apiVersion")));
    let kind = text(object, "/kind");
    let of = |pointer| text(object, pointer).to_owned();
    let name = Name {
        group: group.to_owned(),
        kind: kind.to_owned(),
        namespace: of("/metadata/namespace"),
        name: of("/metadata/name"),
    };
    let has_status = matches!(kind, "PodGroup" | "ElasticQuota" | "Queue");
    let part = |pointer| object.pointer(pointer).filter(|_| has_status).cloned().unwrap_or_default();
    Subject {
        name,
        version: version.to_owned(),
        plural: plural(kind),
        uid: of("/metadata/uid"),
        generation: object.pointer("/metadata/generation").and_then(Value::as_i64),
        status: part("/status"),
        annotations: part("/metadata/annotations"),
    }
}

/// The word for a kind in paths: all kinds whose status is written are regular.
fn plural(kind: &str) -> String {
    let kind = kind.to_lowercase();
    if kind.ends_with('s') { format!("{kind}es") } else { format!("{kind}s") }
}
