//! What is wrong with the input.

use std::fmt;
use std::sync::Arc;

/// A mistake in the input; as a warning, something that was read in another way than its author may think.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputError {
    /// The file as it was named, or `standard input`.
    pub file: Arc<str>,
    /// The line, from 1; 0 where the file as a whole is meant.
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
