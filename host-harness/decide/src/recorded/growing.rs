//! A recording that is being written: new bytes are added, and the moments in them are counted without repeating them.

use lictor_host::recording::{MemoryReader, MemoryRecording, RecordingEntry, RecordingReader};
use serde::{Deserialize, Serialize};

use super::is_decision;
use crate::failure::DecideError;
use crate::problem::Problem;

/// The known part of a recording that is being written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Known"))]
#[serde(rename_all = "camelCase")]
pub struct ReadPosition {
    /// The byte at which the last whole step ends. The next addition begins there: the bytes after it are no whole step, and the writer may have
    /// replaced them since.
    pub whole: u64,
    /// The number of moments up to that byte.
    pub moments: usize,
}

/// The known bytes of a recording that is being written.
pub struct TailedRecording {
    bytes: MemoryRecording,
    reader: RecordingReader<MemoryReader>,
    moments: usize,
}

impl TailedRecording {
    /// Reads the bytes that are known so far; `name` is their name in messages. Later additions are stored in these bytes, too.
    ///
    /// # Errors
    /// The bytes are no recording, one of another version, or damaged.
    pub fn open(name: &str, bytes: MemoryRecording) -> Result<TailedRecording, DecideError> {
        let mut growing = TailedRecording { reader: RecordingReader::open(bytes.reader(), name)?, bytes, moments: 0 };
        growing.count()?;
        Ok(growing)
    }

    /// Returns how much is known.
    pub fn position(&self) -> ReadPosition {
        ReadPosition { whole: self.reader.complete_bytes(), moments: self.moments }
    }

    /// Adds the bytes of the recording from the byte `from` on. Returns how much is known then.
    ///
    /// # Errors
    /// `from` is not the end of the last whole step, or the bytes are damaged.
    pub fn append(&mut self, from: u64, more: &[u8]) -> Result<ReadPosition, DecideError> {
        let ReadPosition { whole, .. } = self.position();
        if from != whole {
            let message =
                format!("the bytes of the recording from byte {whole} on were expected, and not from byte {from} on");
            return Err(DecideError::Objects(vec![Problem::error(message).remedy("open the recording again")]));
        }
        self.bytes.overwrite_from(whole, more);
        self.reader.resume()?;
        self.count()?;
        Ok(self.position())
    }

    fn count(&mut self) -> Result<(), DecideError> {
        while let Some(entry) = self.reader.next_entry()? {
            let is_moment = matches!(&entry, RecordingEntry::Step(step) if is_decision(step));
            self.moments = self.moments.saturating_add(usize::from(is_moment));
        }
        Ok(())
    }
}
