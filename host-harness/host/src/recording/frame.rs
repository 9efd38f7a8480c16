//! The frames of a recording: pieces of its text, compressed, each with its length and its checksum.
//!
//! `README.md` describes the bytes.

use std::io::{self, Read, Seek, SeekFrom, Write};

use sha2::{Digest, Sha256};

use super::error::{Damage, RecordingError};
use super::zstandard;

/// The bytes at the beginning of a recording.
pub(super) const MAGIC: &[u8; 8] = b"LICTORec";

/// Returns whether bytes begin like a recording.
pub fn is_recording(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The layout that this version writes, and the only one that it reads.
pub(super) const VERSION: u32 = 1;
/// The bytes before the first step of a recording: the mark and the version.
pub const START: u64 = 12;
/// The bytes of the head of a frame.
const HEAD: usize = 16;
/// The maximum bytes of text in a frame.
pub(super) const MAX_TEXT: usize = 256 << 10;
/// The maximum bytes of a frame after its head. Text that cannot be compressed grows by less than the difference.
const MAX_BODY: u32 = 512 << 10;
/// The flag of a frame that ends a step. Everything up to this frame is complete, even where later frames are lost.
const STEP_END: u32 = 1;

/// A piece of text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RecordingFrame {
    pub(super) text: Vec<u8>,
    /// The frame ends a step.
    pub(super) ends_step: bool,
}

/// Computes the first 32 bits of the SHA-256.
fn checksum(parts: &[&[u8]]) -> u32 {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    match *hash.finalize() {
        [a, b, c, d, ..] => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}

/// Writes the beginning of a recording.
pub(super) fn start(to: &mut dyn Write) -> io::Result<()> {
    to.write_all(MAGIC)?;
    to.write_all(&VERSION.to_le_bytes())
}

/// Writes text as frames. With `ends_step`, the last frame ends a step.
pub(super) fn write(to: &mut dyn Write, text: &[u8], ends_step: bool) -> io::Result<()> {
    let mut rest = text;
    loop {
        let (piece, after) = rest.split_at(rest.len().min(MAX_TEXT));
        rest = after;
        let last = rest.is_empty();
        let body = zstandard::compress(piece)?;
        let length = u32::try_from(body.len()).map_err(io::Error::other)?.to_le_bytes();
        let flags = if ends_step && last { STEP_END } else { 0 }.to_le_bytes();
        let of_body = checksum(&[&body]).to_le_bytes();
        let of_head = checksum(&[&length, &flags, &of_body]).to_le_bytes();
        // The frame is written in one piece, so that a crash rarely cuts it.
        to.write_all(&[&length, &flags, &of_body, &of_head, body.as_slice()].concat())?;
        if last {
            return Ok(());
        }
    }
}

/// A reader of the frames of a recording.
pub(super) struct FrameReader<R> {
    from: R,
    /// The number of bytes that were read.
    pub(super) at: u64,
}

/// The result of reading the next frame.
#[derive(Debug)]
pub(super) enum FrameRead {
    /// A frame.
    Frame(RecordingFrame),
    /// The end.
    End,
    /// The file ends within a frame.
    Truncated,
    /// The last frame is damaged.
    DamagedEnd,
}

impl<R: Read> FrameReader<R> {
    /// Reads the beginning of a recording.
    pub(super) fn open(mut from: R) -> Result<FrameReader<R>, RecordingError> {
        let mut bytes = Vec::new();
        (&mut from).take(START).read_to_end(&mut bytes).map_err(|error| RecordingError::Io { at: 0, error })?;
        let (magic, version) = bytes.split_at(bytes.len().min(MAGIC.len()));
        if bytes.is_empty() || !MAGIC.starts_with(magic) {
            return Err(RecordingError::NoRecording);
        }
        match <[u8; 4]>::try_from(version).map(u32::from_le_bytes) {
            Ok(VERSION) => Ok(FrameReader { from, at: START }),
            Ok(found) => Err(RecordingError::Version { found, known: VERSION }),
            Err(_) => Err(RecordingError::Nothing),
        }
    }

    /// Reads the next frame.
    ///
    /// # Errors
    /// The file cannot be read, or a frame before the last one is damaged.
    pub(super) fn next(&mut self) -> Result<FrameRead, RecordingError> {
        let start = self.at;
        let damaged = |damage| RecordingError::Damaged { at: start, damage };
        let head = self.bytes(HEAD as u64)?;
        if head.is_empty() {
            return Ok(FrameRead::End);
        }
        let [length, flags, of_body, of_head] = match head.as_chunks::<4>() {
            ([a, b, c, d], []) => [*a, *b, *c, *d],
            _ => return Ok(FrameRead::Truncated),
        };
        let (size, flags_set) = (u32::from_le_bytes(length), u32::from_le_bytes(flags));
        if checksum(&[&length, &flags, &of_body]).to_le_bytes() != of_head {
            // After a crash a file may end in zeros that were never written.
            let zeros = head.iter().all(|byte| *byte == 0) && self.only_zeros()?;
            return if zeros { Ok(FrameRead::Truncated) } else { Err(damaged(Damage::Head)) };
        }
        if size > MAX_BODY || flags_set > STEP_END {
            return Err(damaged(Damage::Head));
        }
        let body = self.bytes(u64::from(size))?;
        if body.len() < size as usize {
            return Ok(FrameRead::Truncated);
        }
        if checksum(&[&body]).to_le_bytes() != of_body {
            return if self.bytes(1)?.is_empty() { Ok(FrameRead::DamagedEnd) } else { Err(damaged(Damage::Body)) };
        }
        let text = zstandard::decompress(&body, MAX_TEXT).map_err(|_| damaged(Damage::Body))?;
        Ok(FrameRead::Frame(RecordingFrame { text, ends_step: flags_set == STEP_END }))
    }

    /// Reads this many bytes, or fewer at the end of the file.
    fn bytes(&mut self, count: u64) -> Result<Vec<u8>, RecordingError> {
        let mut bytes = Vec::new();
        let read = (&mut self.from).take(count).read_to_end(&mut bytes);
        let read = read.map_err(|error| RecordingError::Io { at: self.at, error })?;
        self.at = self.at.saturating_add(read as u64);
        Ok(bytes)
    }

    /// Returns whether only zeros follow.
    fn only_zeros(&mut self) -> Result<bool, RecordingError> {
        loop {
            let bytes = self.bytes(MAX_TEXT as u64)?;
            if bytes.is_empty() {
                return Ok(true);
            }
            if bytes.iter().any(|byte| *byte != 0) {
                return Ok(false);
            }
        }
    }

    /// Reads to the end. Returns the total number of bytes.
    pub(super) fn skip_rest(&mut self) -> Result<u64, RecordingError> {
        while !self.bytes(MAX_TEXT as u64)?.is_empty() {}
        Ok(self.at)
    }
}

impl<R: Read + Seek> FrameReader<R> {
    /// Seeks to the frame that begins at this offset.
    pub(super) fn seek_to(&mut self, at: u64) -> Result<(), RecordingError> {
        self.at = self.from.seek(SeekFrom::Start(at)).map_err(|error| RecordingError::Io { at, error })?;
        Ok(())
    }
}
