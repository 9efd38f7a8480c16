//! Volcano's names of API groups, labels, annotations and queues.

use crate::systems::demands::PlacementDemand;

/// API group of Queue and PodGroup.
pub const SCHEDULING_GROUP: &str = "scheduling.volcano.sh";
/// API group of Job.
pub const BATCH_GROUP: &str = "batch.volcano.sh";
/// API group of PriorityClass.
pub const PRIORITY_GROUP: &str = "scheduling.k8s.io";

/// The queue of jobs that name no queue.
pub const DEFAULT_QUEUE: &str = "default";
/// The root of the queue tree.
pub const ROOT_QUEUE: &str = "root";
/// The scheduler name of pods without a group that Volcano schedules.
pub const SCHEDULER: &str = "volcano";

/// Pod annotation: the PodGroup of the pod.
pub const GROUP_NAME: &str = "scheduling.k8s.io/group-name";
/// Pod annotation: the queue of a pod without a group.
pub const QUEUE_NAME: &str = "scheduling.volcano.sh/queue-name";
/// Pod annotation or label: the Job of the pod.
pub const JOB_NAME: &str = "volcano.sh/job-name";
/// Pod annotation or label: the role (task) of the pod.
pub const ROLE: &str = "volcano.sh/task-spec";
/// Pod annotation or label: the index of the pod within its role.
pub const INDEX: &str = "volcano.sh/task-index";
/// Pod annotation: the priority of the pod within its job.
pub const TASK_PRIORITY: &str = "volcano.sh/task-priority";
/// Annotation or label of a pod, or of a PodGroup for all of its pods: whether they may be evicted.
pub const PREEMPTABLE: &str = "volcano.sh/preemptable";
/// Pod label or annotation: how long the pod is protected from eviction, a Go duration.
pub const COOLDOWN: &str = "volcano.sh/cooldown-time";
/// Job annotation: "true" makes the job elastic. Pod label: "true" on pods above the minimum.
pub const ELASTIC: &str = "volcano.sh/elastic-train";
/// Job annotation: "true" allows only powers of two as sizes.
pub const POWER_OF_TWO: &str = "volcano.sh/elastic-train-power-of-two";
/// Job annotation: the job grows by multiples of this.
pub const FACTOR: &str = "volcano.sh/elastic-train-factor";
/// Job annotation: the least time from a change of size to the next growth, a Go duration.
pub const INTERVAL: &str = "volcano.sh/elastic-cooldown-time";

/// Pod annotation: how the resources of the pod are aligned to NUMA nodes.
pub const NUMA_TOPOLOGY: &str = "volcano.sh/numa-topology-policy";

/// The annotations of pods that may demand a placement which no law judges (ruling 2.16). Upstream plugin numaaware: `none` and
/// `best-effort` admit every node.
pub const DEMANDS: [PlacementDemand; 1] = [PlacementDemand {
    key: NUMA_TOPOLOGY,
    path: "/metadata/annotations/volcano.sh~1numa-topology-policy",
    is_hard: |text| !["none", "best-effort"].contains(&text),
}];

/// The pod labels that are read.
pub const POD_LABELS: [&str; 6] = [ROLE, INDEX, PREEMPTABLE, COOLDOWN, ELASTIC, JOB_NAME];
/// The pod annotations that are read.
pub const POD_ANNOTATIONS: [&str; 9] =
    [GROUP_NAME, QUEUE_NAME, ROLE, INDEX, TASK_PRIORITY, PREEMPTABLE, COOLDOWN, JOB_NAME, NUMA_TOPOLOGY];
