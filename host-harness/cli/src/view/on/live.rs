//! A recording that is being written, as the page asks for it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use lictor_decide::Problem;
use lictor_host::recording::{ReadError, Reader, START};
use same_file::Handle;

use crate::failure::Failure;

/// How often it is looked whether a recording has begun.
const PAUSE: Duration = Duration::from_millis(200);

/// A recording that is being written. It is only read.
pub(super) struct Live {
    path: PathBuf,
    name: String,
    /// The file that it was in the beginning. It is open as long as this is there, so that no other file is taken for it.
    file: Handle,
}

impl Live {
    /// The recording in this file and its first bytes, once they are there; until then, the user is told what is waited for.
    pub(super) fn begun(path: &Path) -> Result<(Live, Vec<u8>), Failure> {
        let name = path.display().to_string();
        let mut is_told = false;
        loop {
            if let Some((file, beginning)) = beginning(path, &name)? {
                return Ok((Live { path: path.to_owned(), name, file }, beginning));
            }
            if !std::mem::replace(&mut is_told, true) {
                anstream::eprintln!("waiting for {name} to begin: `lictor run --record {name}` writes it");
            }
            sleep(PAUSE);
        }
    }

    /// What the user calls it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What stands in it from this byte on.
    ///
    /// # Errors
    /// It is not there any more, is another file, is shorter, or cannot be read.
    pub(super) fn more(&self, from: u64) -> Result<Vec<u8>, Problem> {
        let unreadable = |error: io::Error| self.lost(format!("the recording cannot be read any more: {error}"));
        let mut file = File::open(&self.path).map_err(unreadable)?;
        let now = file.try_clone().and_then(Handle::from_file).map_err(unreadable)?;
        if now != self.file {
            return Err(self.lost("another file stands where the recording was".to_owned()));
        }
        let there = file.metadata().map_err(unreadable)?.len();
        if there < from {
            let message =
                format!("the recording has become shorter: {from} bytes of it were read, and {there} are left");
            return Err(self.lost(message));
        }
        let mut more = Vec::new();
        file.seek(SeekFrom::Start(from)).and_then(|_| file.read_to_end(&mut more)).map_err(unreadable)?;
        Ok(more)
    }

    fn lost(&self, message: String) -> Problem {
        Problem::error(message).about(&*self.name).remedy("start `lictor view --live` anew once the recording is there")
    }
}

/// The file and its first bytes; none where they are not there yet.
fn beginning(path: &Path, name: &str) -> Result<Option<(Handle, Vec<u8>)>, Failure> {
    let unreadable = |error| Failure::Unreadable { file: name.to_owned(), error };
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(unreadable)?,
    };
    let mut bytes = Vec::new();
    (&mut file).take(START).read_to_end(&mut bytes).map_err(unreadable)?;
    let handle = Handle::from_file(file).map_err(unreadable)?;
    match Reader::open(bytes.as_slice(), name) {
        Ok(_) => Ok(Some((handle, bytes))),
        Err(ReadError::Nothing) => Ok(None),
        Err(ReadError::NoRecording) if bytes.is_empty() => Ok(None),
        Err(error) => Err(Failure::Recording { file: name.to_owned(), error }),
    }
}
