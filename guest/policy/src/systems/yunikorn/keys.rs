//! The names by which pods and objects say things to YuniKorn.

/// The scheduler that pods ask for.
pub const SCHEDULER: &str = "yunikorn";

/// The namespace that YuniKorn is installed in.
pub const NAMESPACE: &str = "yunikorn";
/// The ConfigMap of the queues.
pub const CONFIG_MAP: &str = "yunikorn-configs";
/// The key of the ConfigMap under which the queues are described.
pub const QUEUES: &str = "queues.yaml";

/// Label or annotation: the application of a pod.
pub const APPLICATION: &str = "yunikorn.apache.org/app-id";
/// Label, older: the application of a pod.
pub const APPLICATION_ID: &str = "applicationId";
/// Label that Spark sets: the application of a pod.
pub const SPARK_APPLICATION: &str = "spark-app-selector";
/// Label or annotation: the queue of a pod's application.
pub const QUEUE: &str = "yunikorn.apache.org/queue";
/// Label, older: the queue of a pod's application.
pub const QUEUE_NAME: &str = "queue";
/// Label or annotation: the pod holds a place for another one.
pub const PLACEHOLDER: &str = "yunikorn.apache.org/placeholder";
/// Annotation of a PriorityClass, or of a pod: "false" asks not to be preempted.
pub const ALLOW_PREEMPTION: &str = "yunikorn.apache.org/allow-preemption";

/// The labels of pods that are read.
pub const POD_LABELS: [&str; 6] = [APPLICATION, APPLICATION_ID, SPARK_APPLICATION, QUEUE, QUEUE_NAME, PLACEHOLDER];
/// The annotations of pods that are read.
pub const POD_ANNOTATIONS: [&str; 4] = [APPLICATION, QUEUE, PLACEHOLDER, ALLOW_PREEMPTION];
