//! Which object makes a sum larger than can be counted. The policy is told many objects at once and cannot say.

use super::super::arguments::Arguments;
use super::super::choice::Chosen;
use super::super::origins::{Origins, Snapshot};
use super::super::problem::Problem;
use super::Question;
use lictor_host::driver::Virtual;

/// What to do about it.
const REMEDY: &str = "correct the amounts: together they are more than 64 bits can count";

/// Tells the objects one by one, until the sum is too large again. The standard input cannot be read twice: then the object is
/// not named.
pub(super) fn find(question: &Question<'_>, chosen: &Chosen, arguments: &Arguments, sum: &str) -> Problem {
    let problem = Problem::error(sum).remedy(REMEDY);
    match culprit(question, chosen, arguments) {
        None => problem,
        Some((object, origins)) => {
            let origin = origins.of(&object);
            Problem {
                file: origin.map(|origin| origin.file().to_string()),
                line: origin.map(|origin| origin.line("/spec/containers/0/resources/requests")),
                object: Some(object),
                ..problem
            }
        }
    }
}

fn culprit(question: &Question<'_>, chosen: &Chosen, arguments: &Arguments) -> Option<(String, Origins)> {
    let Snapshot { objects, origins } = Snapshot::read(question.snapshots).ok()?;
    let mut session = Virtual::open(chosen.start().ok()?, question.laws, &arguments.json()).ok()?;
    for object in objects {
        let key = object.key();
        if session.apply(vec![object]).is_err() {
            return Some((key, origins));
        }
    }
    None
}
