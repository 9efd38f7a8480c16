//! Recordings: what went through a session, written so that it can be repeated bit for bit.
//!
//! [`Recorder`] writes the inputs of a session, the answers of its policy and what came of them; [`Reader`] reads them; [`Replay`] repeats
//! them and names the first thing that differs. The format is described in the `README.md` of this folder.

mod came;
mod error;
mod follow;
mod frame;
mod header;
mod memory;
mod reader;
mod recorder;
mod replay;
mod tap;
#[cfg(test)]
mod tests;
mod told;
mod zstandard;

pub use came::Came;
pub use error::{Damage, ReadError};
pub use follow::Follow;
pub use frame::{START, is_recording};
pub use header::{Header, Identified};
pub use memory::{Memory, MemoryReader};
pub use reader::{Entry, Reader, Recorded, Tail, end_of};
pub use recorder::Recorder;
pub use replay::{Divergence, Replay};
pub use tap::Answer;
pub use told::Told;
