//! The standard output.

use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;

use super::failure::CommandError;

/// The properties of the standard output: a terminal with a width, or a pipe.
#[derive(Debug, Clone, Copy)]
pub(super) struct Screen {
    /// The columns of the terminal. `None`: lines are not limited.
    pub(super) width: Option<usize>,
    /// Whether colours may be used.
    pub(super) colour: bool,
}

impl Screen {
    /// Returns the properties of the standard output of this process.
    pub(super) fn stdout() -> Screen {
        let width = if io::stdout().is_terminal() { comfy_table::Table::new().width() } else { None };
        let colour = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
        Screen { width: width.map(usize::from), colour }
    }
}

/// The format of the output: for people, or for programs.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(super) enum TextOrJson {
    Text,
    Json,
}

/// The same, with a third one for documents and pull requests.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(super) enum TextJsonOrMarkdown {
    Text,
    Json,
    Markdown,
}

/// Writes data to the standard output.
pub(super) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes a value to the standard output as JSON.
pub(super) fn print_json<T: Serialize>(value: &T) -> Result<(), CommandError> {
    let text = serde_json::to_string_pretty(value).map_err(|error| CommandError::Serialization(error.to_string()))?;
    Ok(print(&format!("{text}\n"))?)
}

/// Writes a value to the standard output as YAML.
pub(super) fn print_yaml<T: Serialize>(value: &T) -> Result<(), CommandError> {
    let text = serde_saphyr::to_string(value).map_err(|error| CommandError::Serialization(error.to_string()))?;
    Ok(print(&text)?)
}
