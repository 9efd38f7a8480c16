//! Access to the labels and annotations of a pod by key.

use super::keys;
use crate::contract;
use crate::systems::document::look_up;

/// The labels and annotations of one pod.
pub struct KoordinatorPodMetadata<'a>(&'a contract::Pod);

impl<'a> KoordinatorPodMetadata<'a> {
    /// Creates a view of the metadata of a pod.
    pub fn of(pod: &'a contract::Pod) -> KoordinatorPodMetadata<'a> {
        KoordinatorPodMetadata(pod)
    }

    /// Returns the value of a label. The key must be one of [`keys::POD_LABELS`].
    pub fn label(&self, key: &str) -> Option<&'a str> {
        look_up(&keys::POD_LABELS, &self.0.template.labels, key)
    }

    /// Returns the value of an annotation. The key must be one of [`keys::POD_ANNOTATIONS`].
    pub fn annotation(&self, key: &str) -> Option<&'a str> {
        look_up(&keys::POD_ANNOTATIONS, &self.0.template.annotations, key)
    }

    /// Returns the pod.
    pub fn pod(&self) -> &'a contract::Pod {
        self.0
    }
}
