//! The policy of a running loop is replaced when its file changes.

use std::sync::Arc;

use lictor_controller::upgrade::{Offer, Offers};

use super::Asked;
use super::open::Opening;
use crate::failure::Failure;

/// Looks at the file of the component from now on, where that was asked for.
pub(super) fn follow(asked: &Asked, opening: &Arc<Opening>, offers: Offers) -> Result<(), Failure> {
    let (choice, opening, terms) = (asked.policy.clone(), opening.clone(), asked.replacing.terms());
    asked.replacing.follow(&asked.policy, asked.record.is_some(), move || {
        let chosen = Arc::new(choice.find()?);
        let (policy, name) = (chosen.start()?, chosen.source.short());
        let new = opening.clone();
        let settled = Box::new(move || new.take_over(chosen));
        let (system, arguments) = (opening.system_name.clone(), opening.arguments.json());
        offers.make(Offer { name, policy, system, arguments, terms, settled });
        Ok(())
    })
}
