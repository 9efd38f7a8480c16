//! A recording in memory.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The bytes of a [`Recorder`](super::Recorder) without a file. Clones share the same bytes.
#[derive(Debug, Clone, Default)]
pub struct MemoryRecording(Arc<Mutex<Vec<u8>>>);

impl MemoryRecording {
    /// Takes the bytes out.
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.bytes())
    }

    /// Returns a reader from the beginning. The reader also sees bytes that are written later.
    pub fn reader(&self) -> MemoryReader {
        MemoryReader { memory: self.clone(), at: 0 }
    }

    /// Replaces the bytes from this offset on.
    pub fn overwrite_from(&self, from: u64, with: &[u8]) {
        let mut bytes = self.bytes();
        bytes.truncate(usize::try_from(from).unwrap_or(usize::MAX));
        bytes.extend_from_slice(with);
    }

    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<Vec<u8>> for MemoryRecording {
    fn from(bytes: Vec<u8>) -> MemoryRecording {
        MemoryRecording(Arc::new(Mutex::new(bytes)))
    }
}

impl Write for MemoryRecording {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads a [`MemoryRecording`].
#[derive(Debug)]
pub struct MemoryReader {
    memory: MemoryRecording,
    at: u64,
}

impl Read for MemoryReader {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let bytes = self.memory.bytes();
        let mut rest = usize::try_from(self.at).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
        let read = rest.read(to)?;
        self.at = self.at.saturating_add(read as u64);
        Ok(read)
    }
}

impl Seek for MemoryReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => (self.memory.bytes().len() as u64).checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
