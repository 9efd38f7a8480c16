//! A policy that breaks after a given number of calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use lictor_contract::*;

use crate::policy::{CallError, Policy};

/// The number of calls until a policy breaks; negative for never.
#[derive(Debug, Clone)]
pub struct CallsUntilFault(Arc<AtomicI64>);

impl Default for CallsUntilFault {
    fn default() -> CallsUntilFault {
        CallsUntilFault(Arc::new(AtomicI64::new(-1)))
    }
}

impl CallsUntilFault {
    /// Makes the policy break after this many calls; never where the number is negative.
    pub fn set(&self, calls: i64) {
        self.0.store(calls, Ordering::SeqCst);
    }

    /// Counts one more call. Returns whether the policy breaks in it.
    fn is_spent(&self) -> bool {
        self.0.load(Ordering::SeqCst) >= 0 && self.0.fetch_sub(1, Ordering::SeqCst) == 0
    }
}

/// A policy that breaks when its fuse has burnt down. Then every call fails until the policy is restarted.
#[derive(Debug)]
pub struct Faulty<P> {
    policy: P,
    fuse: CallsUntilFault,
    broken: bool,
    /// How often the policy was restarted.
    restarts: Arc<AtomicI64>,
}

impl<P: Policy> Faulty<P> {
    /// Wraps a policy with a fuse.
    pub fn new(policy: P, fuse: CallsUntilFault) -> Faulty<P> {
        Faulty { policy, fuse, broken: false, restarts: Arc::default() }
    }

    /// Returns the counter of restarts.
    pub fn restarts(&self) -> Arc<AtomicI64> {
        self.restarts.clone()
    }

    fn call<T>(
        &mut self,
        call: &'static str,
        question: impl FnOnce(&mut P) -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        self.broken |= self.fuse.is_spent();
        match self.broken {
            true => Err(CallError::Broke { call, cause: "the fuse has burnt down".into() }),
            false => question(&mut self.policy),
        }
    }
}

/// The functions of the policy, behind the fuse.
macro_rules! behind_the_fuse {
    ($($function:ident($($name:ident: $type:ty),*) -> $answer:ty;)*) => {
        $(fn $function(&mut self, $($name: $type),*) -> Result<$answer, CallError> {
            self.call(stringify!($function), |policy| policy.$function($($name),*))
        })*
    };
}

impl<P: Policy> Policy for Faulty<P> {
    fn restart(&mut self) -> Result<(), CallError> {
        self.broken = false;
        self.restarts.fetch_add(1, Ordering::SeqCst);
        self.policy.restart()
    }
    fn has(&self, interface: Interface) -> bool {
        self.policy.has(interface)
    }
    behind_the_fuse! {
        describe() -> Description;
        configure(laws: &str, arguments: &str) -> Result<(), ConfigError>;
        apply(events: Vec<Event>) -> Applied;
        queue_keys(pods: &[PodId]) -> SortKeys;
        pre_filter(pod: PodId) -> PreFiltered;
        filter(pod: PodId) -> NodeVerdicts;
        post_filter(pods: &[PodId], refuted: &Refuted) -> PostFiltered;
        reserve(pod: PodId, node: NodeId) -> Effects;
        unreserve(pod: PodId, cause: ReleaseCause) -> Effects;
        score(pod: PodId, nodes: &[NodeId]) -> Vec<i64>;
        permit(pod: PodId) -> Permitted;
        act() -> Actions;
        enforce() -> Enforced;
        queues() -> Vec<QueueAccount>;
        memberships(pods: &[PodId]) -> Vec<Membership>;
        marks(pod: PodId, node: NodeId) -> Vec<Mark>;
        record_notes(pods: &NotedPods) -> ();
        notes(pod: PodId) -> Vec<Note>;
        save() -> Checkpoint;
        restore(checkpoint: &Checkpoint) -> Result<(), StateError>;
    }
}
