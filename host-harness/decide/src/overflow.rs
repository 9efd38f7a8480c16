//! The problem of a sum that exceeds 64 bits, with the object that causes it.

use lictor_contract::Overflow;

use super::origins::Origins;
use super::problem::Problem;

/// The remedy for such a sum.
const REMEDY: &str = "correct the amounts: their sum exceeds 64 bits";

/// Makes the problem, with the place of the object where it is known.
pub(super) fn problem(over: &Overflow, origins: &Origins) -> Problem {
    let origin = origins.of(&over.object);
    let message = format!("the sum of `{}` exceeds 64 bits", over.resource);
    Problem {
        file: origin.map(|origin| origin.file().to_string()),
        line: origin.map(|origin| origin.line("/spec/containers/0/resources/requests")),
        object: Some(over.object.clone()).filter(|object| !object.is_empty()),
        ..Problem::error(message).remedy(REMEDY)
    }
}
