//! The names that this controller writes on objects of the cluster.

/// The scheduling gate that holds a pod until the policy has decided about it.
pub const SCHEDULING_GATE: &str = "lictor.dev/admission";

/// Annotation of a pod that was let go: its node. Written in one patch with the node affinity and without the gate.
pub const ASSIGNED_NODE: &str = "lictor.dev/node";

/// Annotation of an object that is placed like a pod: the node it is nominated to. Such kinds have no field for it.
pub const NOMINATED_NODE: &str = "lictor.dev/nominated-node";

/// Annotation of a victim: the number of the plan for which it is evicted, and since when, such as `plan 3 since 2026-03-12T09:00:00Z`.
pub const EVICTED_FOR: &str = "lictor.dev/evicted-for";

/// Annotation of the ConfigMap of a checkpoint: the process that leads, and how often it has begun to. No other process writes the checkpoint.
pub const CHECKPOINT_OF: &str = "lictor.dev/checkpoint-of";

/// Label of a running pod: `safe`, or `evictable`.
pub const STANDING: &str = "lictor.dev/standing";

/// The scheduler that a session sees for pods that were never under our gate: they are bound by others, as if by another scheduler.
pub const EXTERNAL_SCHEDULER: &str = "kube-scheduler";

/// The scheduler of a pod that names none.
pub const DEFAULT_SCHEDULER: &str = "default-scheduler";
