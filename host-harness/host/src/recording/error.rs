//! Why a recording cannot be read.

use std::fmt;
use std::io;

use super::frame::VERSION;

/// Why a recording cannot be read. Offsets count bytes from the beginning of the file.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file does not begin with the mark of a recording.
    #[error("this is no recording of lictor: it does not begin with `LICTORec`")]
    NoRecording,
    /// The file ends before anything was recorded.
    #[error("the recording has nothing in it: it ends before its first session")]
    Nothing,
    /// Another version of Lictor wrote the file.
    #[error("the recording has version {found}, and this lictor knows version {known}")]
    Version {
        /// The version of the file.
        found: u32,
        /// The version that is known.
        known: u32,
    },
    /// A frame before the last one is damaged.
    #[error("the recording is damaged at byte {at}: {damage}")]
    Damaged {
        /// The offset of the frame.
        at: u64,
        /// The damaged part of the frame.
        damage: Damage,
    },
    /// The frames are complete, but their content is invalid.
    #[error("the recording cannot be understood before byte {at}: {what}")]
    Content {
        /// The offset where the step ends.
        at: u64,
        /// What is invalid.
        what: String,
    },
    /// The file cannot be read.
    #[error("cannot be read at byte {at}: {error}")]
    Io {
        /// The offset of the failed read.
        at: u64,
        /// The cause.
        error: io::Error,
    },
}

/// The damaged part of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// The head is damaged. The length of the frame is unknown, and so is the beginning of the next frame.
    Head,
    /// The content is damaged.
    Body,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Damage::Head => "the head of a frame does not match its checksum",
            Damage::Body => "the content of a frame does not match its checksum",
        })
    }
}

impl RecordingError {
    /// Returns what the user can do about the error.
    pub fn remedy(&self) -> String {
        match self {
            RecordingError::NoRecording => "name a file that `--record` has written".to_owned(),
            RecordingError::Nothing => "record anew".to_owned(),
            RecordingError::Version { found, .. } if *found > VERSION => {
                "use the lictor that wrote it, or a newer one".to_owned()
            }
            RecordingError::Version { .. } => "use the lictor that wrote it".to_owned(),
            RecordingError::Damaged { at, .. } => {
                format!("take another copy of the file; what stands before byte {at} can be used alone: `head -c {at}`")
            }
            RecordingError::Content { .. } => "use the lictor that wrote it, or record anew".to_owned(),
            RecordingError::Io { .. } => "name a readable file".to_owned(),
        }
    }
}
