//! Where the parts of a document stand.

use std::sync::Arc;

use super::lines::Lines;
use crate::cluster::InputError;

/// Knows the file of a document, or of a part of one, and the line of everything in it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Origin {
    file: Arc<str>,
    lines: Arc<Lines>,
    start: u32,
}

impl Origin {
    /// The origin of a whole document.
    pub(super) fn new(file: Arc<str>, lines: Lines) -> Origin {
        Origin { file, lines: Arc::new(lines), start: 0 }
    }
    /// The file as it was named.
    pub fn file(&self) -> &Arc<str> {
        &self.file
    }
    /// The line of what a JSON pointer points to, from 1; where there is no such thing, that of the nearest thing around it.
    pub fn line(&self, pointer: &str) -> u32 {
        self.lines.line(self.lines.find(self.start, pointer))
    }
    /// The origin of a part of this: pointers then start there.
    pub fn below(&self, pointer: &str) -> Origin {
        Origin { start: self.lines.find(self.start, pointer), ..self.clone() }
    }
    /// A mistake at a JSON pointer.
    pub fn mistake(&self, pointer: &str, message: impl Into<String>, remedy: impl Into<String>) -> InputError {
        InputError { file: self.file.clone(), line: self.line(pointer), message: message.into(), remedy: remedy.into() }
    }
}
