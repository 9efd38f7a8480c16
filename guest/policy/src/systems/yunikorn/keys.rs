//! YuniKorn's names of labels, annotations and objects.

/// The scheduler name of YuniKorn's pods.
pub const SCHEDULER: &str = "yunikorn";

/// The namespace in which YuniKorn is installed.
pub const NAMESPACE: &str = "yunikorn";
/// The name of the ConfigMap with the queues.
pub const CONFIG_MAP: &str = "yunikorn-configs";
/// The name of the ConfigMap with defaults, which the other ConfigMap overrides.
pub const DEFAULTS: &str = "yunikorn-defaults";
/// The key of the ConfigMap that holds the queues.
pub const QUEUES: &str = "queues.yaml";
/// The key that names another key for the queues, without `.yaml`.
pub const POLICY_GROUP: &str = "service.policyGroup";

/// Label or annotation: the application of a pod.
pub const APPLICATION: &str = "yunikorn.apache.org/app-id";
/// Older label: the application of a pod.
pub const APPLICATION_ID: &str = "applicationId";
/// Label that Spark sets: the application of a pod.
pub const SPARK_APPLICATION: &str = "spark-app-selector";
/// Label or annotation: the queue of a pod's application.
pub const QUEUE: &str = "yunikorn.apache.org/queue";
/// Older label: the queue of a pod's application.
pub const QUEUE_NAME: &str = "queue";
/// Label or annotation: the pod is a placeholder for another pod.
pub const PLACEHOLDER: &str = "yunikorn.apache.org/placeholder";
/// Annotation of a PriorityClass or of a pod: "false" requests not to be preempted.
pub const ALLOW_PREEMPTION: &str = "yunikorn.apache.org/allow-preemption";

/// Annotation: the groups of pods of an application that start together, a JSON list.
pub const TASK_GROUPS: &str = "yunikorn.apache.org/task-groups";
/// The JSON pointer to that annotation.
pub const TASK_GROUPS_PATH: &str = "/metadata/annotations/yunikorn.apache.org~1task-groups";
/// Annotation: how an application with task groups is scheduled, as `name=value` pairs separated by blanks.
pub const POLICY_PARAMETERS: &str = "yunikorn.apache.org/schedulingPolicyParameters";
/// The parameter by which an application fails if its task groups do not start together.
pub const GANG_IS_HARD: &str = "gangSchedulingStyle=Hard";

/// The labels of pods that are read.
pub const POD_LABELS: [&str; 6] = [APPLICATION, APPLICATION_ID, SPARK_APPLICATION, QUEUE, QUEUE_NAME, PLACEHOLDER];
/// The annotations of pods that are read.
pub const POD_ANNOTATIONS: [&str; 6] =
    [APPLICATION, QUEUE, PLACEHOLDER, ALLOW_PREEMPTION, TASK_GROUPS, POLICY_PARAMETERS];
