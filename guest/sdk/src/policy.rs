//! What a policy is: one trait.

use lictor_contract::*;

/// A scheduling policy. The functions are those of `wit/`, which says what each means; the defaults are those of a policy that
/// leaves the matter to the host.
///
/// The host calls the functions of extension points only where the configured system names them. No function is called before
/// [`configure`](Policy::configure) succeeded: the kit answers [`PolicyError::NotConfigured`] itself.
pub trait Policy: Default {
    /// Implements `core.describe`: returns what the policy is and which systems it knows.
    fn describe() -> Description;

    /// Implements `core.configure`, on a new policy. On an error, the host keeps the policy that it had.
    fn configure(&mut self, system: &str, arguments: &str) -> Result<(), ConfigError> {
        let known: Vec<String> = Self::describe().systems.into_iter().map(|system| system.name).collect();
        match known.iter().any(|name| name == system) {
            true if matches!(arguments.trim(), "" | "{}" | "null") => Ok(()),
            true => Err(ConfigError::Malformed("this system takes no arguments".to_owned())),
            false => Err(ConfigError::UnknownSystem(known)),
        }
    }

    /// Implements `core.apply`: applies events of the cluster.
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, PolicyError>;

    /// Implements `queue.queue-keys`: returns the sort keys of pods, which [`KeyBuilder`] builds. By default all keys are equal.
    fn queue_keys(&mut self, pods: Vec<PodId>) -> Result<SortKeys, PolicyError> {
        Ok(SortKeys { epoch: 0, keys: vec![Vec::new(); pods.len()] })
    }

    /// Implements `placement.pre-filter`: returns whether a pod may be tried. By default every pod may.
    fn pre_filter(&mut self, _pod: PodId) -> Result<PreFiltered, PolicyError> {
        Ok(PreFiltered { admission: Admission::Pass, retry: Retry::default(), effects: Effects::default() })
    }

    /// Implements `placement.filter`: returns the verdict of each node on a pod. By default it is not supported.
    fn filter(&mut self, _pod: PodId) -> Result<NodeVerdicts, PolicyError> {
        Err(PolicyError::Unsupported(ExtensionPoint::Filter.into()))
    }

    /// Implements `placement.post-filter`: returns a plan for pods without a node. By default it is not supported.
    fn post_filter(&mut self, _pods: Vec<PodId>, _refuted: Refuted) -> Result<PostFiltered, PolicyError> {
        Err(PolicyError::Unsupported(ExtensionPoint::PostFilter.into()))
    }

    /// Implements `score.score`: returns the score of each node for a pod. By default it is not supported.
    fn score(&mut self, _pod: PodId, _nodes: Vec<NodeId>) -> Result<Vec<i64>, PolicyError> {
        Err(PolicyError::Unsupported(ExtensionPoint::Score.into()))
    }

    /// Implements `placement.reserve`: a pod holds a node before it is bound. By default it has no effects.
    fn reserve(&mut self, _pod: PodId, _node: NodeId) -> Result<Effects, PolicyError> {
        Ok(Effects::default())
    }

    /// Implements `placement.unreserve`: a pod loses its reserved node. By default it has no effects.
    fn unreserve(&mut self, _pod: PodId, _cause: ReleaseCause) -> Result<Effects, PolicyError> {
        Ok(Effects::default())
    }

    /// Implements `permit.permit`: returns whether a reserved pod may be bound. By default it is not supported.
    fn permit(&mut self, _pod: PodId) -> Result<Permitted, PolicyError> {
        Err(PolicyError::Unsupported(ExtensionPoint::Permit.into()))
    }

    /// Implements `cycle.act`: runs the next step of the policy's own cycle. By default it is not supported.
    fn act(&mut self) -> Result<Actions, PolicyError> {
        Err(PolicyError::Unsupported(ExtensionPoint::Act.into()))
    }

    /// Implements `enforce.enforce`: returns which pods of queues over their maximum are evicted. By default it is not supported.
    fn enforce(&mut self) -> Result<Enforced, PolicyError> {
        Err(PolicyError::Unsupported(ExtensionPoint::Enforce.into()))
    }

    /// Implements `account.queues`: returns the account of every queue. By default there is none.
    fn queues(&mut self) -> Result<Vec<QueueAccount>, PolicyError> {
        Ok(Vec::new())
    }

    /// Implements `account.memberships`: returns the queue and the job of each of these pods. By default no pod counts against a queue, and each is a
    /// job of its own.
    fn memberships(&mut self, pods: Vec<PodId>) -> Result<Vec<Membership>, PolicyError> {
        Ok(vec![Membership::default(); pods.len()])
    }

    /// Implements `marks.marks`: returns what the host writes on a pod that gets a node. By default nothing.
    fn marks(&mut self, _pod: PodId, _node: NodeId) -> Result<Vec<Mark>, PolicyError> {
        Ok(Vec::new())
    }

    /// Implements `standing.standings`: returns which preemptors may evict each of these pods. By default nothing is known of any pod.
    fn standings(&mut self, pods: Vec<PodId>) -> Result<Vec<Vec<Threat>>, PolicyError> {
        Ok(vec![Vec::new(); pods.len()])
    }

    /// Implements `explain.record-notes`: sets the pods about which notes are recorded. By default there are no notes.
    fn record_notes(&mut self, _pods: &NotedPods) {}

    /// Implements `explain.notes`: returns the notes of the last attempt for a pod. By default there are none.
    fn notes(&mut self, _pod: PodId) -> Result<Vec<Note>, PolicyError> {
        Ok(Vec::new())
    }

    /// Implements `state.save`: returns the version of the layout of the bytes, and the bytes. By default there are none.
    fn save(&mut self) -> Checkpoint {
        Checkpoint { format: 0, bytes: Vec::new() }
    }

    /// Implements `state.restore`: restores a saved state. By default only an empty state is accepted.
    fn restore(&mut self, checkpoint: Checkpoint) -> Result<(), StateError> {
        match checkpoint.format {
            0 if checkpoint.bytes.is_empty() => Ok(()),
            0 => Err(StateError::Malformed("this policy saves nothing".to_owned())),
            _ => Err(StateError::UnknownFormat(0)),
        }
    }
}

/// Creates a system that decides at these extension points, reads only nodes and pods, leaves capacity to the host, and takes no arguments.
pub fn system_info(name: &str, about: &str, points: &[ExtensionPoint]) -> SystemInfo {
    SystemInfo {
        name: name.to_owned(),
        about: about.to_owned(),
        extension_points: points.iter().map(|point| (*point).into()).collect(),
        judges_room: false,
        evicts_higher_priority: false,
        schedulers: vec!["default-scheduler".to_owned()],
        interests: Interests::default(),
        arguments: Vec::new(),
        templates: Vec::new(),
    }
}
