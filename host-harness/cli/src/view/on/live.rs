//! A recording that is being written, for the page that follows it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use lictor_decide::Problem;
use lictor_host::recording::{RecordingError, RecordingReader, START};
use same_file::Handle;

use crate::failure::CommandError;

/// The time between two looks whether a recording has begun.
const PAUSE: Duration = Duration::from_millis(200);

/// A recording that is being written. It is only read.
pub(super) struct FollowedRecording {
    path: PathBuf,
    name: String,
    /// The file as it was in the beginning. It stays open, so that no other file can be mistaken for it.
    file: Handle,
}

impl FollowedRecording {
    /// Waits until the recording in this file has begun. Returns it with its first bytes. The user is informed what the command waits for.
    pub(super) fn wait_for_start(path: &Path) -> Result<(FollowedRecording, Vec<u8>), CommandError> {
        let name = path.display().to_string();
        let mut is_told = false;
        loop {
            if let Some((file, beginning)) = beginning(path, &name)? {
                return Ok((FollowedRecording { path: path.to_owned(), name, file }, beginning));
            }
            if !std::mem::replace(&mut is_told, true) {
                anstream::eprintln!("waiting for {name} to begin: `lictor run --record {name}` writes it");
            }
            sleep(PAUSE);
        }
    }

    /// Returns the name of the recording for people.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the bytes of the recording from this byte on.
    ///
    /// # Errors
    /// The file is gone, is another file, is shorter, or cannot be read.
    pub(super) fn bytes_from(&self, from: u64) -> Result<Vec<u8>, Problem> {
        let unreadable =
            |error: io::Error| self.lost_problem(format!("the recording cannot be read any more: {error}"));
        let mut file = File::open(&self.path).map_err(unreadable)?;
        let now = file.try_clone().and_then(Handle::from_file).map_err(unreadable)?;
        if now != self.file {
            return Err(self.lost_problem("another file stands where the recording was".to_owned()));
        }
        let there = file.metadata().map_err(unreadable)?.len();
        if there < from {
            let message =
                format!("the recording has become shorter: {from} bytes of it were read, and {there} are left");
            return Err(self.lost_problem(message));
        }
        let mut more = Vec::new();
        file.seek(SeekFrom::Start(from)).and_then(|_| file.read_to_end(&mut more)).map_err(unreadable)?;
        Ok(more)
    }

    fn lost_problem(&self, message: String) -> Problem {
        Problem::error(message).about(&*self.name).remedy("start `lictor view --live` anew once the recording is there")
    }
}

/// Returns the file and its first bytes. `None`: the file does not exist yet, or is still empty.
fn beginning(path: &Path, name: &str) -> Result<Option<(Handle, Vec<u8>)>, CommandError> {
    let unreadable = |error| CommandError::Unreadable { file: name.to_owned(), error };
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(unreadable)?,
    };
    let mut bytes = Vec::new();
    (&mut file).take(START).read_to_end(&mut bytes).map_err(unreadable)?;
    let handle = Handle::from_file(file).map_err(unreadable)?;
    match RecordingReader::open(bytes.as_slice(), name) {
        Ok(_) => Ok(Some((handle, bytes))),
        Err(RecordingError::Nothing) => Ok(None),
        Err(RecordingError::NoRecording) if bytes.is_empty() => Ok(None),
        Err(error) => Err(CommandError::Recording { file: name.to_owned(), error }),
    }
}
