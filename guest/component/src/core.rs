//! What every policy has.

use lictor_contract::Cross;
use lictor_policy::Engine;

use crate::bound::answers::PolicyError;
use crate::bound::cluster::{Event, NumberedTemplate};
use crate::bound::core::{Applied, ConfigError, Description, Guest};
use crate::{Component, TEMPLATES, with_engine};

impl Guest for Component {
    fn describe() -> Description {
        Engine::describe().cross()
    }

    fn configure(system: String, arguments: String) -> Result<(), ConfigError> {
        let configured = with_engine(|engine| engine.configure(&system, &arguments));
        if configured.is_ok() {
            TEMPLATES.take();
        }
        configured
    }

    fn apply(templates: Vec<NumberedTemplate>, events: Vec<Event>) -> Result<Applied, PolicyError> {
        with_engine(|engine| {
            TEMPLATES
                .with_borrow_mut(|known| known.apply(templates.cross(), events.cross(), |events| engine.apply(events)))
        })
    }
}
