//! What a pod says, label by label and annotation by annotation.

use super::keys;
use crate::contract;

/// The labels and annotations of one pod.
pub struct PodMetadata<'a>(&'a contract::Pod);

impl<'a> PodMetadata<'a> {
    /// What a pod says.
    pub fn by(pod: &'a contract::Pod) -> PodMetadata<'a> {
        PodMetadata(pod)
    }

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
