//! A recording that is being written: what came last is added, and the moments in it are counted without repeating them.

use lictor_host::recording::{Entry, Memory, MemoryReader, Reader};
use serde::{Deserialize, Serialize};

use super::decides;
use crate::failure::Failure;
use crate::problem::Problem;

/// How much of a recording that is being written is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Known {
    /// Where the last whole step ends. What is added next begins there: what stood behind it is no whole step, and its writer may have
    /// written something else there since.
    pub whole: u64,
    /// How many moments there are up to there.
    pub moments: usize,
}

/// The bytes of a recording that is being written, as far as they are known.
pub struct Growing {
    bytes: Memory,
    reader: Reader<MemoryReader>,
    moments: usize,
}

impl Growing {
    /// Reads what is known so far; messages call it so. What is added stands in these bytes, too.
    ///
    /// # Errors
    /// It is no recording, of another version, or damaged.
    pub fn open(name: &str, bytes: Memory) -> Result<Growing, Failure> {
        let mut growing = Growing { reader: Reader::open(bytes.reader(), name)?, bytes, moments: 0 };
        growing.count()?;
        Ok(growing)
    }

    /// How much is known.
    pub fn known(&self) -> Known {
        Known { whole: self.reader.whole(), moments: self.moments }
    }

    /// Adds the bytes of the recording from this one on; how much is known then.
    ///
    /// # Errors
    /// They begin elsewhere than the last whole step ends, or are damaged.
    pub fn append(&mut self, from: u64, more: &[u8]) -> Result<Known, Failure> {
        let Known { whole, .. } = self.known();
        if from != whole {
            let message =
                format!("the bytes of the recording from byte {whole} on were expected, and not from byte {from} on");
            return Err(Failure::Objects(vec![Problem::error(message).remedy("open the recording again")]));
        }
        self.bytes.go_on(whole, more);
        self.reader.go_on()?;
        self.count()?;
        Ok(self.known())
    }

    fn count(&mut self) -> Result<(), Failure> {
        while let Some(entry) = self.reader.next_entry()? {
            let is_moment = matches!(&entry, Entry::Step(step) if decides(step));
            self.moments = self.moments.saturating_add(usize::from(is_moment));
        }
        Ok(())
    }
}
