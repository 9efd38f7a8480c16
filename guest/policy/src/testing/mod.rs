//! A cluster in a few words, for tests: names stand for numbers, `cpu=4 memory=8Gi` for amounts.
//!
//! All of it uses the types of the contract, so that the tests inside the crate and those in its `tests` folder share it.

mod draft;
mod inter_pod;
mod koordinator;
mod numbers;
mod object;
mod world;

pub use draft::*;
pub use inter_pod::*;
pub use koordinator::*;
pub use numbers::*;
pub use object::*;
pub use world::*;

use crate::contract::Amount;
use crate::quantity::{self, Unit};

/// The resources of every test, by number.
pub const RESOURCES: [&str; 3] = ["cpu", "memory", "gpu"];

/// Parses amounts written as `cpu=4 memory=8Gi`.
pub fn amounts(text: &str) -> Vec<Amount> {
    let amount = |part: &str| {
        let (name, quantity) = part.split_once('=').unwrap();
        let resource = RESOURCES.iter().position(|known| *known == name).unwrap();
        let value = quantity::parse(quantity, Unit::of(name)).unwrap();
        Amount { resource: u32::try_from(resource).unwrap(), value }
    };
    text.split_whitespace().map(amount).collect()
}
