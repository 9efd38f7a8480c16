//! What every policy has.

use lictor_contract::Cross;
use lictor_policy::Engine;

use crate::bound::answers::PolicyError;
use crate::bound::cluster::Event;
use crate::bound::core::{Applied, ConfigError, Description, Guest};
use crate::{Component, ask};

impl Guest for Component {
    fn describe() -> Description {
        Engine::describe().cross()
    }

    fn configure(system: String, arguments: String) -> Result<(), ConfigError> {
        ask(|engine| engine.configure(&system, &arguments))
    }

    fn apply(events: Vec<Event>) -> Result<Applied, PolicyError> {
        ask(|engine| engine.apply(events.cross()))
    }
}
