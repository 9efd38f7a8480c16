//! The interface every policy has.

use lictor_contract::Cross;
use lictor_policy::Engine;

use crate::bound::cluster::{Event, NodeId, PodId};
use crate::bound::decision::*;
use crate::{Component, ask};

impl Guest for Component {
    fn describe() -> Description {
        Engine::describe().cross()
    }

    fn configure(laws: String, arguments: String) -> Result<(), ConfigError> {
        ask(|engine| engine.configure(&laws, &arguments))
    }

    fn apply(events: Vec<Event>) -> Result<Applied, PolicyError> {
        ask(|engine| engine.apply(events.cross()))
    }

    fn queue_order(pods: Vec<PodId>) -> Result<Vec<PodId>, PolicyError> {
        ask(|engine| engine.queue_order(pods))
    }

    fn pre_filter(pod: PodId) -> Result<PreFiltered, PolicyError> {
        ask(|engine| engine.pre_filter(pod))
    }

    fn filter(pod: PodId) -> Result<NodeVerdicts, PolicyError> {
        ask(|engine| engine.filter(pod))
    }

    fn post_filter(pod: PodId, refuted: Vec<Placement>) -> Result<PostFiltered, PolicyError> {
        let refuted: Vec<_> = refuted.cross();
        ask(|engine| engine.post_filter(pod, &refuted))
    }

    fn reserve(pod: PodId, node: NodeId) -> Result<Effects, PolicyError> {
        ask(|engine| engine.reserve(pod, node))
    }

    fn unreserve(pod: PodId, cause: ReleaseCause) -> Result<Effects, PolicyError> {
        ask(|engine| engine.unreserve(pod, cause.cross()))
    }

    fn permit(pod: PodId) -> Result<Permitted, PolicyError> {
        ask(|engine| engine.permit(pod))
    }

    fn act() -> Result<Actions, PolicyError> {
        ask(Engine::act)
    }
}
