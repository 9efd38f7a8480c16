//! The interfaces a policy may have: the books, the notes, the checkpoint.

use crate::bound::cluster::PodId;
use crate::bound::decision::PolicyError;
use crate::bound::{account, explain, state};
use crate::{Component, ask};

impl account::Guest for Component {
    fn queues() -> Result<Vec<account::QueueAccount>, PolicyError> {
        ask(|engine| engine.queues())
    }
}

impl explain::Guest for Component {
    fn record_notes(on: bool) {
        ask(|engine| engine.record_notes(on));
    }

    fn notes(pod: PodId) -> Result<Vec<explain::Note>, PolicyError> {
        ask(|engine| engine.notes(pod))
    }
}

impl state::Guest for Component {
    fn save() -> state::Checkpoint {
        ask(|engine| engine.save())
    }

    fn restore(checkpoint: state::Checkpoint) -> Result<(), state::StateError> {
        let checkpoint = lictor_policy::contract::Cross::cross(checkpoint);
        ask(|engine| engine.restore(&checkpoint))
    }
}
