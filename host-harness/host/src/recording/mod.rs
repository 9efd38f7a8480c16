//! Recordings: what went through a session, written so that it can be repeated bit for bit.
//!
//! [`Recorder`] writes the inputs of a session, the answers of its policy and what came of them; [`RecordingReader`] reads them; [`Replay`] repeats
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

pub use came::RecordedResult;
pub use error::{Damage, RecordingError};
pub use follow::RecordedFollower;
pub use frame::{START, is_recording};
pub use header::{Header, PolicyIdentity};
pub use memory::{MemoryReader, MemoryRecording};
pub use reader::{IncompleteTail, RecordedStep, RecordingEntry, RecordingReader, end_of};
pub use recorder::Recorder;
pub use replay::{Divergence, Replay};
pub use tap::RecordedReply;
pub use told::SessionCall;
