//! The interfaces that report: usage, what is written on pods, the notes, the checkpoint.

use lictor_contract::Cross;

use crate::bound::answers::{Mark, PolicyError};
use crate::bound::cluster::{NodeId, PodId};
use crate::bound::{account, explain, marks, standing, state};
use crate::{Component, with_engine};

impl account::Guest for Component {
    fn queues() -> Result<Vec<account::QueueAccount>, PolicyError> {
        with_engine(|engine| engine.queues())
    }

    fn memberships(pods: Vec<PodId>) -> Result<Vec<account::Membership>, PolicyError> {
        with_engine(|engine| engine.memberships(&pods))
    }
}

impl marks::Guest for Component {
    fn marks(pod: PodId, node: NodeId) -> Result<Vec<Mark>, PolicyError> {
        with_engine(|engine| engine.marks(pod, node))
    }
}

impl standing::Guest for Component {
    fn standings(pods: Vec<PodId>) -> Result<Vec<Vec<standing::Threat>>, PolicyError> {
        with_engine(|engine| engine.standings(&pods))
    }
}

impl explain::Guest for Component {
    fn record_notes(pods: explain::NotedPods) {
        let pods = pods.cross();
        with_engine(|engine| engine.record_notes(&pods));
    }

    fn notes(pod: PodId) -> Result<Vec<explain::Note>, PolicyError> {
        with_engine(|engine| engine.notes(pod))
    }
}

impl state::Guest for Component {
    fn save() -> state::Checkpoint {
        with_engine(|engine| engine.save())
    }

    fn restore(checkpoint: state::Checkpoint) -> Result<(), state::StateError> {
        let checkpoint = checkpoint.cross();
        with_engine(|engine| engine.restore(&checkpoint))
    }
}
