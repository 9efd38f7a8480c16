//! What a policy is: one trait.

use lictor_contract::*;

/// A scheduling policy. The functions are those of `wit/`, which says what each means; the defaults are those of a policy that
/// leaves the matter to the host.
///
/// The host calls the functions of extension points only where the configured system names them. No function is called before
/// [`configure`](Policy::configure) succeeded: the kit answers [`PolicyError::NotConfigured`] itself.
pub trait Policy: Default {
    /// `core.describe`.
    fn describe() -> Description;

    /// `core.configure`, on a policy that is new. Where it is refused the policy before it stays.
    fn configure(&mut self, system: &str, arguments: &str) -> Result<(), ConfigError> {
        let known: Vec<String> = Self::describe().systems.into_iter().map(|system| system.name).collect();
        match known.iter().any(|name| name == system) {
            true if matches!(arguments.trim(), "" | "{}" | "null") => Ok(()),
            true => Err(ConfigError::Malformed("this system takes no arguments".to_owned())),
            false => Err(ConfigError::UnknownSystem(known)),
        }
    }

    /// `core.apply`.
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, PolicyError>;

    /// `queue.queue-keys`. [`KeyBuilder`] makes the keys.
    fn queue_keys(&mut self, pods: Vec<PodId>) -> Result<SortKeys, PolicyError> {
        Ok(SortKeys { epoch: 0, keys: vec![Vec::new(); pods.len()] })
    }

    /// `placement.pre-filter`.
    fn pre_filter(&mut self, _pod: PodId) -> Result<PreFiltered, PolicyError> {
        Ok(PreFiltered { admission: Admission::Pass, retry: Retry::default(), effects: Effects::default() })
    }

    /// `placement.filter`.
    fn filter(&mut self, _pod: PodId) -> Result<NodeVerdicts, PolicyError> {
        Err(PolicyError::Unsupported(ExtensionPoint::Filter.into()))
    }

    /// `placement.post-filter`.
    fn post_filter(&mut self, _pods: Vec<PodId>, _refuted: Refuted) -> Result<PostFiltered, PolicyError> {
        Err(PolicyError::Unsupported(ExtensionPoint::PostFilter.into()))
    }

    /// `score.score`.
    fn score(&mut self, _pod: PodId, _nodes: Vec<NodeId>) -> Result<Vec<i64>, PolicyError> {
        Err(PolicyError::Unsupported(ExtensionPoint::Score.into()))
    }

    /// `placement.reserve`.
    fn reserve(&mut self, _pod: PodId, _node: NodeId) -> Result<Effects, PolicyError> {
        Ok(Effects::default())
    }

    /// `placement.unreserve`.
    fn unreserve(&mut self, _pod: PodId, _cause: ReleaseCause) -> Result<Effects, PolicyError> {
        Ok(Effects::default())
    }

    /// `permit.permit`.
    fn permit(&mut self, _pod: PodId) -> Result<Permitted, PolicyError> {
        Err(PolicyError::Unsupported(ExtensionPoint::Permit.into()))
    }

    /// `cycle.act`.
    fn act(&mut self) -> Result<Actions, PolicyError> {
        Err(PolicyError::Unsupported(ExtensionPoint::Act.into()))
    }

    /// `enforce.enforce`.
    fn enforce(&mut self) -> Result<Enforced, PolicyError> {
        Err(PolicyError::Unsupported(ExtensionPoint::Enforce.into()))
    }

    /// `account.queues`.
    fn queues(&mut self) -> Result<Vec<QueueAccount>, PolicyError> {
        Ok(Vec::new())
    }

    /// `account.memberships`. By default no pod counts against a queue, and each is a job of its own.
    fn memberships(&mut self, pods: Vec<PodId>) -> Result<Vec<Membership>, PolicyError> {
        Ok(vec![Membership::default(); pods.len()])
    }

    /// `marks.marks`.
    fn marks(&mut self, _pod: PodId, _node: NodeId) -> Result<Vec<Mark>, PolicyError> {
        Ok(Vec::new())
    }

    /// `standing.standings`. By default nothing is known of any pod.
    fn standings(&mut self, pods: Vec<PodId>) -> Result<Vec<Vec<Threat>>, PolicyError> {
        Ok(vec![Vec::new(); pods.len()])
    }

    /// `explain.record-notes`.
    fn record_notes(&mut self, _on: bool) {}

    /// `explain.notes`.
    fn notes(&mut self, _pod: PodId) -> Result<Vec<Note>, PolicyError> {
        Ok(Vec::new())
    }

    /// `state.save`: the layout of the bytes, and the bytes.
    fn save(&mut self) -> Checkpoint {
        Checkpoint { format: 0, bytes: Vec::new() }
    }

    /// `state.restore`.
    fn restore(&mut self, checkpoint: Checkpoint) -> Result<(), StateError> {
        match checkpoint.format {
            0 if checkpoint.bytes.is_empty() => Ok(()),
            0 => Err(StateError::Malformed("this policy saves nothing".to_owned())),
            _ => Err(StateError::UnknownFormat(0)),
        }
    }
}

/// A system that decides at these extension points, reads nothing but nodes and pods, leaves room to the host, and takes no arguments.
pub fn system(name: &str, about: &str, points: &[ExtensionPoint]) -> SystemInfo {
    SystemInfo {
        name: name.to_owned(),
        about: about.to_owned(),
        extension_points: points.iter().map(|point| (*point).into()).collect(),
        judges_room: false,
        schedulers: vec!["default-scheduler".to_owned()],
        interests: Interests::default(),
        arguments: Vec::new(),
        templates: Vec::new(),
    }
}
