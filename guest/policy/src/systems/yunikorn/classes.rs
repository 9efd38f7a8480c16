//! PriorityClasses: whether their pods may be preempted, and may preempt. The annotation of a pod overrides its class.

use std::collections::BTreeMap;

use super::{keys, pods};
use crate::contract;
use crate::model::{Cluster, PodAttributes, PodIx};
use crate::systems::{Findings, ParsedObject};

/// The settings of a PriorityClass.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct PriorityClassSettings {
    opted_out: bool,
    never_preempts: bool,
}

/// The settings of a pod.
#[derive(Debug)]
struct PodSettings {
    class: String,
    allows_preemption: Option<bool>,
    never_preempts: bool,
}

/// The classes, and the pods that have a class.
#[derive(Debug, Default)]
pub struct PreemptionSettings {
    classes: BTreeMap<String, PriorityClassSettings>,
    pods: BTreeMap<PodIx, PodSettings>,
    changed: bool,
}

impl PreemptionSettings {
    /// Reads a PriorityClass.
    pub fn read(&mut self, object: &ParsedObject, findings: &mut Findings) {
        let named = || ParsedObject::named(&object.kind, &object.namespace, &object.name);
        let allowed = object.annotation(keys::ALLOW_PREEMPTION).and_then(|text| pods::flag(text, named, findings));
        let never_preempts = object.at("/preemptionPolicy").and_then(|value| value.as_str()) == Some("Never");
        let class = PriorityClassSettings { opted_out: allowed == Some(false), never_preempts };
        self.changed |= self.classes.insert(object.name.clone(), class) != Some(class);
    }

    /// Removes a PriorityClass.
    pub fn remove(&mut self, name: &str) {
        self.changed |= self.classes.remove(name).is_some();
    }

    /// Reads a pod. Returns whether it opted out of being preempted, and whether it may preempt.
    pub fn read_pod(&mut self, pod: &contract::Pod, findings: &mut Findings) -> (bool, bool) {
        let allows_preemption = pods::allows_preemption(pod, findings);
        let own = PodSettings {
            class: pod.template.priority_class.clone(),
            allows_preemption,
            never_preempts: pod.template.never_preempts,
        };
        let read = self.of(&own);
        match own.class.is_empty() {
            true => self.pods.remove(&PodIx(pod.id)),
            false => self.pods.insert(PodIx(pod.id), own),
        };
        read
    }

    /// Removes a pod.
    pub fn forget_pod(&mut self, pod: PodIx) {
        self.pods.remove(&pod);
    }

    /// Applies changed classes to their pods.
    pub fn sync(&mut self, cluster: &mut Cluster) {
        if std::mem::take(&mut self.changed) {
            cluster.update_attributes(|ix, attributes: &mut PodAttributes| {
                if let Some(own) = self.pods.get(&ix) {
                    (attributes.opted_out, attributes.may_preempt) = self.of(own);
                }
            });
        }
    }

    fn of(&self, own: &PodSettings) -> (bool, bool) {
        let class = self.classes.get(&own.class).copied().unwrap_or_default();
        let opted_out = own.allows_preemption.map_or(class.opted_out, |allows| !allows);
        (opted_out, !(own.never_preempts || class.never_preempts))
    }
}
