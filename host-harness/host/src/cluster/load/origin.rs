//! The file and the lines of a document.

use std::sync::Arc;

use super::lines::Lines;
use crate::cluster::InputError;

/// The file and the lines of a document, or of a part of one. Cheap to clone.
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
    /// The origin of what was never a text with lines.
    pub(crate) fn without_lines(file: Arc<str>) -> Origin {
        Origin::new(file, Lines::default())
    }
    /// The file as the user named it.
    pub fn file(&self) -> &Arc<str> {
        &self.file
    }
    /// The line of the value at a JSON pointer, from 1. If the value does not exist, the line of the nearest enclosing value.
    pub fn line(&self, pointer: &str) -> u32 {
        self.lines.line(self.lines.find(self.start, pointer))
    }
    /// The origin of a part. Pointers then start at that part.
    pub fn below(&self, pointer: &str) -> Origin {
        Origin { start: self.lines.find(self.start, pointer), ..self.clone() }
    }
    /// A mistake at a JSON pointer.
    pub fn mistake(&self, pointer: &str, message: impl Into<String>, remedy: impl Into<String>) -> InputError {
        InputError { file: self.file.clone(), line: self.line(pointer), message: message.into(), remedy: remedy.into() }
    }
}
