//! The names Volcano gives to groups, labels, annotations and queues.

/// API group of Queue and PodGroup.
pub const SCHEDULING_GROUP: &str = "scheduling.volcano.sh";
/// API group of Job.
pub const BATCH_GROUP: &str = "batch.volcano.sh";
/// API group of PriorityClass.
pub const PRIORITY_GROUP: &str = "scheduling.k8s.io";

/// The queue of jobs that name none.
pub const DEFAULT_QUEUE: &str = "default";
/// The queue above all others, in a tree of queues.
pub const ROOT_QUEUE: &str = "root";
/// The scheduler that pods without a group must name to be Volcano's.
pub const SCHEDULER: &str = "volcano";

/// Pod annotation: its PodGroup.
pub const GROUP_NAME: &str = "scheduling.k8s.io/group-name";
/// Pod annotation: the queue of a pod without a group.
pub const QUEUE_NAME: &str = "scheduling.volcano.sh/queue-name";
/// Pod annotation or label: its Job.
pub const JOB_NAME: &str = "volcano.sh/job-name";
/// Pod annotation or label: its role.
pub const ROLE: &str = "volcano.sh/task-spec";
/// Pod annotation or label: its number within its role.
pub const INDEX: &str = "volcano.sh/task-index";
/// Pod annotation: its priority within its job.
pub const TASK_PRIORITY: &str = "volcano.sh/task-priority";
/// Annotation or label of a pod, or of a PodGroup for all of its pods: whether it may be evicted.
pub const PREEMPTABLE: &str = "volcano.sh/preemptable";
/// Pod label or annotation: how long it may not be evicted, a Go duration.
pub const COOLDOWN: &str = "volcano.sh/cooldown-time";
/// Job annotation: "true" makes the job elastic. Pod label: "true" on pods beyond the minimum.
pub const ELASTIC: &str = "volcano.sh/elastic-train";
/// Job annotation: "true" lets it have powers of two as sizes.
pub const POWER_OF_TWO: &str = "volcano.sh/elastic-train-power-of-two";
/// Job annotation: it grows by multiples of this.
pub const FACTOR: &str = "volcano.sh/elastic-train-factor";
/// Job annotation: how long it keeps its size before it grows, a Go duration.
pub const INTERVAL: &str = "volcano.sh/elastic-cooldown-time";

/// The pod labels that are read.
pub const POD_LABELS: [&str; 6] = [ROLE, INDEX, PREEMPTABLE, COOLDOWN, ELASTIC, JOB_NAME];
/// The pod annotations that are read.
pub const POD_ANNOTATIONS: [&str; 8] =
    [GROUP_NAME, QUEUE_NAME, ROLE, INDEX, TASK_PRIORITY, PREEMPTABLE, COOLDOWN, JOB_NAME];
