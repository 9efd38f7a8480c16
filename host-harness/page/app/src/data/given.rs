//! The input that is opened.

use serde::{Deserialize, Serialize};

use super::record::FindingView;

/// A file, and how to decide about it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenRequest {
    /// The name of the file.
    pub name: String,
    /// The text of the file; empty for a recording.
    pub text: String,
    /// The bytes of a recording in base 64; empty for anything else.
    #[serde(default)]
    pub recording: String,
    /// The system; empty for the first of the policy, or the one of the scenario.
    #[serde(default)]
    pub system: String,
    /// The arguments of the system as YAML or JSON.
    #[serde(default)]
    pub arguments: String,
    /// The schedulers whose pods are decided about; empty: those that the system stands for.
    #[serde(default)]
    pub schedulers: Vec<String>,
    /// Objects that are added, or replace those of the same kind and name, as YAML or JSON.
    #[serde(default)]
    pub changes: String,
    /// Whether this is the beginning of a recording that is being written, and the page is served with what follows.
    #[serde(default, skip_serializing)]
    pub live: bool,
}

/// An example of the page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Example {
    /// What it is about.
    pub title: String,
    /// The system.
    pub system: String,
}

/// The engine's summary of the opened input.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct InputSummaryView {
    /// `snapshot`, `scenario` or `recording`.
    pub kind: String,
    /// The system whose laws apply.
    pub system: String,
    /// All systems.
    pub systems: Vec<String>,
    /// The findings about the objects.
    pub findings: Vec<FindingView>,
}

/// A law.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct LawView {
    /// Its code.
    pub code: String,
    /// `gate`, `guard`, `limit` or `order`.
    pub question: String,
    /// What must hold.
    pub sentence: String,
    /// The source of the law.
    pub source: String,
    /// The file in the sources of this program.
    pub file: String,
    /// Its manual page.
    pub page: String,
}

/// A file that the engine has written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct DownloadFile {
    /// Its name.
    pub name: String,
    /// The text of the file.
    pub text: String,
}

/// The result of putting the open input into the address of the page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub struct ShareResult {
    /// The number of letters of the address.
    pub letters: usize,
    /// Whether the address was copied to the clipboard, too.
    pub copied: bool,
}
