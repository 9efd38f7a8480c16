//! Recordings as files: written with `--record`, read by the commands that repeat and compare.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read};
use std::path::Path;

use lictor_contract::{Description, Severity};

use super::choice::LoadedPolicy;
use super::failure::{CommandError, format_problem};
use lictor_decide::Problem;
use lictor_host::recording::{self, Header, IncompleteTail, Recorder, RecordingError, RecordingReader, end_of};
use lictor_host::session::FaultRules;

/// A recording that is being written.
pub(super) struct RecordingFile {
    recorder: Recorder,
    file: String,
    /// Whether the file did not exist before.
    is_new: bool,
}

impl RecordingFile {
    /// Begins a recording, or continues the one in the file: a tail that was cut is removed, and the user is warned.
    pub(super) fn open(path: &Path) -> Result<RecordingFile, CommandError> {
        let file = path.display().to_string();
        let cannot = |error| CommandError::RecordingUnwritable { file: file.clone(), error };
        let there = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(cannot(error)),
            Ok(read) if read.metadata().map_err(cannot)?.len() == 0 => None,
            Ok(read) => match end_of(BufReader::new(read)) {
                Ok((end, tail)) => Some((end, tail)),
                Err(RecordingError::Nothing) => Some((0, None)),
                Err(error) => return Err(CommandError::Recording { file, error }),
            },
        };
        let writer = OpenOptions::new().append(true).create(true).open(path).map_err(cannot)?;
        let Some((end, tail)) = there else {
            return Ok(RecordingFile {
                recorder: Recorder::begin(Box::new(BufWriter::new(writer))),
                file,
                is_new: true,
            });
        };
        writer.set_len(end).map_err(cannot)?;
        if let Some(tail) = tail {
            warn(&file, tail, "it was removed, and the recording goes on there");
        }
        let to = Box::new(BufWriter::new(writer));
        let recorder = if end == 0 { Recorder::begin(to) } else { Recorder::append(to) };
        Ok(RecordingFile { recorder, file, is_new: false })
    }

    /// Returns the recorder that writes the recording.
    pub(super) fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Writes everything. A new file in which nothing was recorded, because of mistakes in the input, is removed.
    pub(super) fn finish(&self) -> Result<(), CommandError> {
        let finished = self.recorder.finish();
        if self.is_new && fs::metadata(&self.file).is_ok_and(|about| about.len() == 0) {
            // An empty file that stays does no harm.
            let _ = fs::remove_file(&self.file);
        }
        finished.map_err(|error| CommandError::RecordingUnwritable { file: self.file.clone(), error })
    }
}

/// Begins to read a recording.
pub(super) fn read(path: &Path) -> Result<RecordingReader<BufReader<File>>, CommandError> {
    let file = path.display().to_string();
    let opened = File::open(path).map_err(|error| CommandError::Unreadable { file: file.clone(), error })?;
    RecordingReader::open(BufReader::new(opened), &file).map_err(|error| CommandError::Recording { file, error })
}

/// The number of bytes at the beginning by which a recording is recognised.
const BEGINNING: u64 = 64;

/// Returns whether a file begins as a recording does.
pub(super) fn is_recording(path: &Path) -> bool {
    let mut beginning = Vec::new();
    let read = File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut beginning));
    read.is_ok() && recording::is_recording(&beginning)
}

/// Reports a tail that is missing.
pub(super) fn warn(file: &str, tail: IncompleteTail, what: &str) {
    let problem = Problem::error(tail.to_string()).about(file).of(Severity::Warning).remedy(what);
    anstream::eprint!("{}", format_problem(&problem));
}

/// Returns the header of a session for its recording.
pub(super) fn header(
    described: &Description,
    chosen: &LoadedPolicy,
    (system, arguments): (&str, &str),
    schedulers: &[String],
    fault_rules: FaultRules,
    sources: Vec<String>,
) -> Header {
    Header {
        policy: chosen.identified(described),
        system: system.to_owned(),
        arguments: arguments.to_owned(),
        schedulers: schedulers.to_vec(),
        fault_rules,
        limits: Header::limits(&chosen.limits),
        rails: chosen.rails.clone(),
        sources,
    }
}
