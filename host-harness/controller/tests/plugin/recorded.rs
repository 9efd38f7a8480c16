//! What a host records while it is asked, repeated: every answer and every command is the same.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use lictor::Native;
use lictor_contract::Description;
use lictor_host::recording::{Header, RecordingEntry, RecordingReader, Replay};

/// Returns the header with which a session is opened.
pub fn header(described: &Description, system: &str, arguments: &str, schedulers: &[String]) -> Header {
    Header { arguments: arguments.to_owned(), schedulers: schedulers.to_vec(), ..Header::native(described, system) }
}

/// Repeats all sessions of a recording.
pub fn is_repeated(file: &Path) {
    let mut reader = RecordingReader::open(BufReader::new(File::open(file).unwrap()), "lictor.rec").unwrap();
    let (mut opening, mut replay, mut steps) = (None, None, 0);
    while let Some(entry) = reader.next_entry().unwrap() {
        let step = match entry {
            RecordingEntry::Session(header) => {
                (opening, replay) = (Some(header), None);
                continue;
            }
            RecordingEntry::Step(step) => step,
        };
        steps += 1;
        let told = step.call.to_string();
        let first = match (&mut replay, opening.take()) {
            (None, Some(header)) => {
                let (opened, first) = Replay::open(Box::new(Native::default()), &header, &step).unwrap();
                replay = Some(opened);
                first
            }
            (Some(replay), _) => replay.step(*step),
            (None, None) => panic!("a step of no session"),
        };
        assert_eq!(first, None, "step {steps}, {told}");
    }
    assert_eq!(reader.tail(), None);
    let compared = replay.map_or(0, |replay| replay.compared());
    assert!(compared > 0, "{steps} steps");
    eprintln!("repeated: {steps} steps, {compared} answers of the last session");
}
