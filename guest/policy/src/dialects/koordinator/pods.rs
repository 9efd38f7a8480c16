//! What a pod says of itself by labels and annotations.

use super::args::Args;
use super::{gangs, keys};
use crate::contract;
use crate::dialects::Findings;
use crate::model::{Class, Cluster, Traits};

/// The labels and annotations of one pod.
pub struct Said<'a>(&'a contract::Pod);

impl<'a> Said<'a> {
    /// A label that is one of [`keys::POD_LABELS`].
    pub fn label(&self, key: &str) -> Option<&'a str> {
        look_up(&keys::POD_LABELS, &self.0.labels, key)
    }

    /// An annotation that is one of [`keys::POD_ANNOTATIONS`].
    pub fn annotation(&self, key: &str) -> Option<&'a str> {
        look_up(&keys::POD_ANNOTATIONS, &self.0.annotations, key)
    }

    /// The pod.
    pub fn pod(&self) -> &'a contract::Pod {
        self.0
    }
}

fn look_up<'a>(keys: &[&str], attributes: &'a [contract::Attribute], key: &str) -> Option<&'a str> {
    let at = keys.iter().position(|known| *known == key)?;
    let attribute = attributes.iter().find(|attribute| usize::try_from(attribute.key) == Ok(at))?;
    Some(attribute.value.as_str())
}

/// Reads a pod.
pub fn read(args: &Args, cluster: &mut Cluster, pod: &contract::Pod, findings: &mut Findings) -> Traits {
    let said = Said(pod);
    let class = match said.label(keys::PREEMPTIBLE) {
        Some("false") => Class::NonPreemptible,
        None if !args.unlabelled_is_preemptible => Class::NonPreemptible,
        Some(_) | None => Class::Preemptible,
    };
    // An explicit "false" and `Never` both forbid, whatever the other says.
    let may_preempt = !pod.never_preempts
        && match said.label(keys::CAN_PREEMPT) {
            Some(label) => label == "true",
            None => args.policy_triggers,
        };
    Traits {
        queue_name: said.label(keys::QUOTA).filter(|name| !name.is_empty()).map(|name| cluster.intern(name)),
        job: gangs::job_of(args, cluster, &said, findings),
        class,
        may_preempt,
        opted_out: said.label(keys::DISABLE_PREEMPTIBLE) == Some("true"),
        marked: said.label(keys::SOFT_EVICTION).is_some(),
    }
}
