//! Pods: what one has in common with others, what is its own, and what changes while it lives.

use std::sync::Arc;

use serde::Serialize;

use super::{Amount, Attribute, InterPodId, NodeId, PodId, ShapeId, TemplateId};

/// A phase in the life of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Not running yet.
    Pending,
    /// Running, or about to on its node.
    Running,
    /// Ended well; holds nothing.
    Succeeded,
    /// Ended badly; holds nothing.
    Failed,
    /// Not known; counted as running.
    Unknown,
}

/// The controller that owns a pod.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Owner {
    /// Its kind, such as `ReplicaSet` or `DaemonSet`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its uid.
    pub uid: String,
}

/// The part that many pods have in common, such as those of one controller. Pods with equal templates share one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct PodTemplate {
    /// The namespace.
    pub namespace: String,
    /// The controller.
    pub owner: Option<Owner>,
    /// `spec.priority`, or the value of the priority class; none where neither is given.
    pub priority: Option<i32>,
    /// The name of the priority class; may be empty.
    pub priority_class: String,
    /// True where `preemptionPolicy` is `Never`.
    pub never_preempts: bool,
    /// The scheduler that is asked for; `default-scheduler` where none is named.
    pub scheduler: String,
    /// Another scheduler decides about these pods (see [`SystemInfo::schedulers`](crate::SystemInfo::schedulers)): they are not tried,
    /// and no pod is evicted for them. What they hold they hold, and where they are nominated the room is promised to them.
    pub foreign: bool,
    /// The host refuses every plan that evicts one of these pods, or an object with such a pod inside. A policy that knows it plans
    /// without them at once.
    pub protected: bool,
    /// What a pod requests, containers, init containers and overhead combined, one `pods` included.
    pub requests: Vec<Amount>,
    /// Labels of declared interest (`interests.labels`).
    pub labels: Vec<Attribute>,
    /// Annotations of declared interest (`interests.annotations`).
    pub annotations: Vec<Attribute>,
    /// Fields of declared interest (`interests.pod-fields`) that the object has, each as JSON. They are as the object was last
    /// read. What the host does with the pod itself, such as binding it, shows only in the other parts that the host sends.
    pub fields: Vec<Attribute>,
}

/// A template and the number that names it, until the host sends another template under that number. A pod keeps the template that
/// its number named when the pod was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NumberedTemplate {
    /// The number.
    pub id: TemplateId,
    /// The template.
    pub template: PodTemplate,
}

/// A pod, or an object that is placed like one. `T` says how its template is given: the template itself, or its number where the pod
/// crosses into a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pod<T = Arc<PodTemplate>> {
    /// Its number.
    pub id: PodId,
    /// What it has in common with others.
    pub template: T,
    /// None for a pod. For an object that is placed like one: its kind, as the index in
    /// [`Interests::placed_kinds`](crate::Interests). The object itself comes as an [`Object`](crate::Object), too.
    pub kind: Option<u32>,
    /// Its name; unique with kind and namespace.
    pub name: String,
    /// Its uid; may be empty.
    pub uid: String,
    /// It has scheduling gates: it is not tried, and no pod is evicted for it, until they are gone.
    pub gated: bool,
    /// Where it is in its life.
    pub phase: Phase,
    /// The node it is bound to.
    pub node: Option<NodeId>,
    /// The node that an earlier plan nominated it to.
    pub nominated: Option<NodeId>,
    /// The one node that a required node affinity by `metadata.name` allows.
    pub required_node: Option<NodeId>,
    /// It is being deleted.
    pub terminating: bool,
    /// A scheduler preempted it (condition `DisruptionTarget`, reason `PreemptionByScheduler`).
    pub preempted: bool,
    /// When it was created.
    pub created: i64,
    /// When it became known to this host; how long it has been pending counts from here.
    pub entered: i64,
    /// When it started.
    pub started: Option<i64>,
    /// When it was placed (condition `PodScheduled`).
    pub scheduled: Option<i64>,
    /// Its shape.
    pub shape: ShapeId,
    /// What stands between it and other pods; none where no selector selects it and it demands nothing of others.
    pub inter_pod: Option<InterPodId>,
}

/// The parts of a pod that change when it is nominated, bound or evicted, and while it runs. They mean what they mean in [`Pod`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PodStatus {
    /// The number of the pod.
    pub id: PodId,
    /// Where it is in its life.
    pub phase: Phase,
    /// The node it is bound to.
    pub node: Option<NodeId>,
    /// The node that an earlier plan nominated it to.
    pub nominated: Option<NodeId>,
    /// It is being deleted.
    pub terminating: bool,
    /// A scheduler preempted it.
    pub preempted: bool,
    /// When it started.
    pub started: Option<i64>,
    /// When it was placed.
    pub scheduled: Option<i64>,
}

impl<T> Pod<T> {
    /// Returns the parts that change while the pod lives.
    pub fn status(&self) -> PodStatus {
        PodStatus {
            id: self.id,
            phase: self.phase,
            node: self.node,
            nominated: self.nominated,
            terminating: self.terminating,
            preempted: self.preempted,
            started: self.started,
            scheduled: self.scheduled,
        }
    }

    /// Replaces these parts; the number stays.
    pub fn set_status(&mut self, status: &PodStatus) {
        let PodStatus { id: _, phase, node, nominated, terminating, preempted, started, scheduled } = *status;
        (self.phase, self.node, self.nominated) = (phase, node, nominated);
        (self.terminating, self.preempted) = (terminating, preempted);
        (self.started, self.scheduled) = (started, scheduled);
    }
}

impl Default for PodTemplate {
    /// Returns a template without namespace, controller, priority, requests, labels and annotations, for the default scheduler.
    fn default() -> PodTemplate {
        PodTemplate {
            namespace: String::new(),
            owner: None,
            priority: None,
            priority_class: String::new(),
            never_preempts: false,
            scheduler: "default-scheduler".to_owned(),
            foreign: false,
            protected: false,
            requests: Vec::new(),
            labels: Vec::new(),
            annotations: Vec::new(),
            fields: Vec::new(),
        }
    }
}

impl Pod {
    /// Creates a pod that waits for a node: without priority, requests, labels and annotations, created at 0.
    pub fn pending(id: PodId, namespace: &str, name: &str) -> Pod {
        Pod {
            id,
            template: Arc::new(PodTemplate { namespace: namespace.to_owned(), ..PodTemplate::default() }),
            kind: None,
            name: name.to_owned(),
            uid: String::new(),
            gated: false,
            phase: Phase::Pending,
            node: None,
            nominated: None,
            required_node: None,
            terminating: false,
            preempted: false,
            created: 0,
            entered: 0,
            started: None,
            scheduled: None,
            shape: 0,
            inter_pod: None,
        }
    }

    /// Returns the template for changes, which concern this pod alone.
    pub fn template_mut(&mut self) -> &mut PodTemplate {
        Arc::make_mut(&mut self.template)
    }

    /// Returns the pod with this change to its template.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut PodTemplate)) -> Pod {
        change(self.template_mut());
        self
    }
}

impl<T> Pod<T> {
    /// Converts the template of the pod by a function, such as from a number into the template itself.
    ///
    /// # Errors
    /// The error of `template`.
    pub(crate) fn try_map<U, E>(self, template: impl FnOnce(T) -> Result<U, E>) -> Result<Pod<U>, E> {
        Ok(Pod {
            id: self.id,
            template: template(self.template)?,
            kind: self.kind,
            name: self.name,
            uid: self.uid,
            gated: self.gated,
            phase: self.phase,
            node: self.node,
            nominated: self.nominated,
            required_node: self.required_node,
            terminating: self.terminating,
            preempted: self.preempted,
            created: self.created,
            entered: self.entered,
            started: self.started,
            scheduled: self.scheduled,
            shape: self.shape,
            inter_pod: self.inter_pod,
        })
    }
}
