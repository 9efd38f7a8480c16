//! A policy that lies while its switch is on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lictor::Native;
use lictor_contract::*;
use lictor_host::policy::{CallError, Policy};

/// A kind of lie of the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lie {
    /// Its plans evict a pod that there is not.
    Ghost,
    /// Its plans make room for half of the gang that they let in.
    HalfTheRoom,
    /// Its plans evict a member of the gang that they are for.
    OwnGang,
    /// It accepts nodes that there are not.
    Nodes,
    /// Its plans evict a pod that a rail protects.
    Protected,
}

/// The policy of this project, until it lies.
pub struct Liar {
    policy: Native,
    lie: Lie,
    lies: Arc<AtomicBool>,
    /// A pod that a rail protects.
    protected: Option<PodId>,
}

impl Liar {
    /// Returns a policy that lies from the beginning, and the switch that makes it honest.
    pub fn new(lie: Lie) -> (Liar, Arc<AtomicBool>) {
        let lies = Arc::new(AtomicBool::new(true));
        (Liar { policy: Native::default(), lie, lies: lies.clone(), protected: None }, lies)
    }

    fn tells(&self, lie: Lie) -> bool {
        self.lie == lie && self.lies.load(Ordering::SeqCst)
    }
}

/// The functions that are honest.
macro_rules! honest {
    ($($function:ident($($name:ident: $type:ty),*) -> $answer:ty;)*) => {
        $(fn $function(&mut self, $($name: $type),*) -> Result<$answer, CallError> {
            self.policy.$function($($name),*)
        })*
    };
}

impl Policy for Liar {
    fn has(&self, interface: Interface) -> bool {
        self.policy.has(interface)
    }

    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        let upserted = events.iter().filter_map(|event| match event {
            Event::PodUpserted(pod) if pod.template.protected => Some(pod.id),
            _ => None,
        });
        self.protected = upserted.max().or(self.protected);
        self.policy.apply(events)
    }

    fn filter(&mut self, pod: PodId) -> Result<NodeVerdicts, CallError> {
        let mut verdicts = self.policy.filter(pod)?;
        if self.tells(Lie::Nodes) {
            verdicts.codes.extend([0; 100]);
        }
        Ok(verdicts)
    }

    fn post_filter(&mut self, pods: &[PodId], refuted: &Refuted) -> Result<PostFiltered, CallError> {
        let mut answer = self.policy.post_filter(pods, refuted)?;
        if let Some(plan) = answer.plan.as_mut().filter(|plan| !plan.victims.is_empty()) {
            let eviction = plan.victims[0].eviction;
            if self.tells(Lie::Ghost) {
                plan.victims.push(Victim { pod: 99_999, eviction });
            }
            if self.tells(Lie::Protected) {
                plan.victims.extend(self.protected.map(|pod| Victim { pod, eviction }));
            }
            if self.tells(Lie::HalfTheRoom) {
                plan.victims.pop();
            }
            if self.tells(Lie::OwnGang) {
                let member = plan.nominations.iter().map(|place| place.pod).find(|pod| *pod != plan.preemptor);
                plan.victims.extend(member.map(|pod| Victim { pod, eviction }));
            }
        }
        Ok(answer)
    }

    honest! {
        restart() -> ();
        describe() -> Description;
        configure(laws: &str, arguments: &str) -> Result<(), ConfigError>;
        queue_keys(pods: &[PodId]) -> SortKeys;
        pre_filter(pod: PodId) -> PreFiltered;
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
