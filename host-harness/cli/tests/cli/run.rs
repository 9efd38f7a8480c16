//! Runs the command.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// The bundled snapshot.
pub const FOUR_TEAMS: &str = "fixtures/snapshots/four-teams.yaml";

/// The result of a run of the command.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// Reads the standard output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// Checks that the command ended with this status.
    #[track_caller]
    pub fn exits(self, code: i32) -> Ran {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }

    /// Checks that all of these texts are on the standard output.
    #[track_caller]
    pub fn prints(self, parts: &[&str]) -> Ran {
        for part in parts {
            assert!(self.out.contains(part), "`{part}` is not in {self:#?}");
        }
        self
    }

    /// Checks that all of these texts are on the standard error.
    #[track_caller]
    pub fn tells(self, parts: &[&str]) -> Ran {
        for part in parts {
            assert!(self.err.contains(part), "`{part}` is not in {self:#?}");
        }
        self
    }

    /// Checks that nothing is on the standard output: a failed decision is not shown in part.
    #[track_caller]
    pub fn prints_nothing(self) -> Ran {
        assert_eq!(self.out, "", "{self:#?}");
        self
    }
}

/// Runs the command in the root of the project.
pub fn lictor(arguments: &[&str]) -> Ran {
    lictor_reading(arguments, "")
}

/// Runs the command with something on its standard input.
pub fn lictor_reading(arguments: &[&str], input: &str) -> Ran {
    let mut command = command(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The command may end without reading it.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

/// Returns the command, in the root of the project and without colours.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lictor"));
    command.args(arguments).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    command.env_remove("CLICOLOR_FORCE").env("NO_COLOR", "1");
    // All of them share what one of them compiled; the user's own is left alone.
    command.env("LICTOR_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/lictor-cache"));
    command
}

/// Writes a file of this name for a test, and returns its path. Several tests may write the same file with the same bytes at the same time, and none
/// of them reads half of the file: the file is written elsewhere and renamed.
pub fn file(name: &str, bytes: impl AsRef<[u8]>) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let written = path.with_added_extension(format!("{}-{:?}", std::process::id(), std::thread::current().id()));
    std::fs::write(&written, bytes).unwrap();
    std::fs::rename(written, &path).unwrap();
    path.to_str().unwrap().to_owned()
}
