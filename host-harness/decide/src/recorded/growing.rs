//! A recording that is being written: what came last is added, and the moments in it are counted without repeating them.

use std::io::Write;

use lictor_host::recording::{Entry, Memory, MemoryReader, Reader};

use super::decides;
use crate::failure::Failure;
use crate::problem::Problem;

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

    /// Where the last whole step ends. What is added next begins there: what stood behind it is no whole step, and its writer may have
    /// written something else there since.
    pub fn whole(&self) -> u64 {
        self.reader.whole()
    }

    /// How many moments there are up to there.
    pub fn moments(&self) -> usize {
        self.moments
    }

    /// Adds the bytes of the recording from this one on.
    ///
    /// # Errors
    /// They begin elsewhere than the last whole step ends, or are damaged.
    pub fn append(&mut self, from: u64, more: &[u8]) -> Result<(), Failure> {
        let whole = self.whole();
        if from != whole {
            let message =
                format!("the bytes of the recording from byte {whole} on were expected, and not from byte {from} on");
            return Err(Failure::Objects(vec![Problem::error(message).remedy("open the recording again")]));
        }
        self.bytes.truncate(whole);
        let unwritten = |error: std::io::Error| Failure::Objects(vec![Problem::error(error.to_string())]);
        self.bytes.write_all(more).map_err(unwritten)?;
        self.reader.go_on()?;
        self.count()
    }

    fn count(&mut self) -> Result<(), Failure> {
        while let Some(entry) = self.reader.next_entry()? {
            let is_moment = matches!(&entry, Entry::Step(step) if decides(step));
            self.moments = self.moments.saturating_add(usize::from(is_moment));
        }
        Ok(())
    }
}
