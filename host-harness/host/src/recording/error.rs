//! Why a recording cannot be read.

use std::fmt;
use std::io;

use super::frame::VERSION;

/// Why a recording cannot be read. Offsets count bytes from the beginning of the file.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It does not begin as a recording does.
    #[error("this is no recording of lictor: it does not begin with `LICTORec`")]
    NoRecording,
    /// It ends before anything was recorded.
    #[error("the recording has nothing in it: it ends before its first session")]
    Nothing,
    /// Another version of lictor wrote it.
    #[error("the recording has version {found}, and this lictor knows version {known}")]
    Version {
        /// The version of the file.
        found: u32,
        /// The version that is known.
        known: u32,
    },
    /// A frame that is not the last one is not as it was written.
    #[error("the recording is damaged at byte {at}: {damage}")]
    Damaged {
        /// Where the frame begins.
        at: u64,
        /// What is damaged.
        damage: Damage,
    },
    /// The frames are whole, and their content is none of a recording.
    #[error("the recording cannot be understood before byte {at}: {what}")]
    Content {
        /// Where the step ends.
        at: u64,
        /// What is wrong.
        what: String,
    },
    /// The file cannot be read.
    #[error("cannot be read at byte {at}: {error}")]
    Io {
        /// Where.
        at: u64,
        /// Why.
        error: io::Error,
    },
}

/// What of a frame is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// Its head: its length is not known, and so not where the next one begins.
    Head,
    /// Its content.
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

impl ReadError {
    /// What can be done.
    pub fn remedy(&self) -> String {
        match self {
            ReadError::NoRecording => "name a file that `--record` has written".to_owned(),
            ReadError::Nothing => "record anew".to_owned(),
            ReadError::Version { found, .. } if *found > VERSION => {
                "use the lictor that wrote it, or a newer one".to_owned()
            }
            ReadError::Version { .. } => "use the lictor that wrote it".to_owned(),
            ReadError::Damaged { at, .. } => {
                format!("take another copy of the file; what stands before byte {at} can be used alone: `head -c {at}`")
            }
            ReadError::Content { .. } => "use the lictor that wrote it, or record anew".to_owned(),
            ReadError::Io { .. } => "name a readable file".to_owned(),
        }
    }
}
