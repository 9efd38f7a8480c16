//! Mistakes in the input.

use std::fmt;
use std::sync::Arc;

/// A mistake in the input. As a warning: a value that may not mean what its author expects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputError {
    /// The file as it was named, or `standard input`.
    pub file: Arc<str>,
    /// The line, from 1; 0 for the whole file.
    pub line: u32,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {}; {}", self.message, self.remedy)
    }
}

impl std::error::Error for InputError {}
