//! The interfaces that decide: the queue, a pod's attempt, cycles of the policy's own, what queues give back.

use lictor_contract::Cross;
use lictor_policy::Engine;

use crate::bound::answers::{Effects, PolicyError};
use crate::bound::cluster::{NodeId, PodId};
use crate::bound::{cycle, enforce, permit, placement, queue};
use crate::{Component, with_engine};

impl queue::Guest for Component {
    fn queue_keys(pods: Vec<PodId>) -> Result<queue::SortKeys, PolicyError> {
        with_engine(|engine| engine.queue_keys(&pods))
    }
}

impl placement::Guest for Component {
    fn pre_filter(pod: PodId) -> Result<placement::PreFiltered, PolicyError> {
        with_engine(|engine| engine.pre_filter(pod))
    }

    fn filter(pod: PodId) -> Result<placement::NodeVerdicts, PolicyError> {
        with_engine(|engine| engine.filter(pod))
    }

    fn post_filter(pods: Vec<PodId>, refuted: placement::Refuted) -> Result<placement::PostFiltered, PolicyError> {
        let refuted = refuted.cross();
        with_engine(|engine| engine.post_filter(&pods, &refuted))
    }

    fn reserve(pod: PodId, node: NodeId) -> Result<Effects, PolicyError> {
        with_engine(|engine| engine.reserve(pod, node))
    }

    fn unreserve(pod: PodId, cause: placement::ReleaseCause) -> Result<Effects, PolicyError> {
        with_engine(|engine| engine.unreserve(pod, cause.cross()))
    }
}

impl permit::Guest for Component {
    fn permit(pod: PodId) -> Result<permit::Permitted, PolicyError> {
        with_engine(|engine| engine.permit(pod))
    }
}

impl cycle::Guest for Component {
    fn act() -> Result<cycle::Actions, PolicyError> {
        with_engine(Engine::act)
    }
}

impl enforce::Guest for Component {
    fn enforce() -> Result<enforce::Enforced, PolicyError> {
        with_engine(Engine::enforce)
    }
}
