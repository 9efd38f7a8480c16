//! The file and the lines of a document.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::json;
use super::lines::ValueLines;
use crate::cluster::InputError;

/// The file and the lines of a document, or of a part of one. Cheap to clone.
#[derive(Debug, Clone)]
pub struct DocumentOrigin {
    file: Arc<str>,
    place: Arc<LazyLines>,
    start: u32,
}

/// The lines of a document, computed at the first use.
#[derive(Debug, Default)]
struct LazyLines {
    lines: OnceLock<ValueLines>,
    unread: Option<DeferredLines>,
}

/// A part of a JSON text whose lines have not been computed yet.
#[derive(Debug)]
pub(super) struct DeferredLines {
    /// The whole text.
    pub(super) text: Arc<str>,
    /// The part.
    pub(super) range: Range<usize>,
    /// The line on which the part begins.
    pub(super) line: u32,
}

impl DocumentOrigin {
    /// Creates the origin of a whole document.
    pub(super) fn new(file: Arc<str>, lines: ValueLines) -> DocumentOrigin {
        DocumentOrigin { file, place: Arc::new(LazyLines { lines: OnceLock::from(lines), unread: None }), start: 0 }
    }
    /// Creates the origin of an object whose lines are computed at the first use.
    pub(super) fn unread(file: Arc<str>, unread: DeferredLines) -> DocumentOrigin {
        DocumentOrigin { file, place: Arc::new(LazyLines { lines: OnceLock::new(), unread: Some(unread) }), start: 0 }
    }
    /// Creates the origin of an object that was never a text with lines.
    pub(crate) fn without_lines(file: Arc<str>) -> DocumentOrigin {
        DocumentOrigin::new(file, ValueLines::default())
    }
    /// Returns the name of the file as the user gave it.
    pub fn file(&self) -> &Arc<str> {
        &self.file
    }
    /// Returns the line of the value at a JSON pointer, from 1. Where the value does not exist, returns the line of the nearest enclosing value.
    pub fn line(&self, pointer: &str) -> u32 {
        let lines = self.lines();
        lines.line(lines.find(self.start, pointer))
    }
    /// Returns the origin of a part. Pointers then start at that part.
    pub fn below(&self, pointer: &str) -> DocumentOrigin {
        if pointer.is_empty() {
            return self.clone();
        }
        DocumentOrigin { start: self.lines().find(self.start, pointer), ..self.clone() }
    }
    /// Returns a mistake at a JSON pointer.
    pub fn mistake(&self, pointer: &str, message: impl Into<String>, remedy: impl Into<String>) -> InputError {
        InputError { file: self.file.clone(), line: self.line(pointer), message: message.into(), remedy: remedy.into() }
    }

    fn lines(&self) -> &ValueLines {
        self.place.lines.get_or_init(|| {
            let read =
                |unread: &DeferredLines| json::lines(&self.file, unread.text.get(unread.range.clone())?, unread.line);
            self.place.unread.as_ref().and_then(read).unwrap_or_default()
        })
    }
    /// Returns the lines of all values. `None`: the lines were not computed, or a clone of the origin still exists.
    pub(super) fn into_lines(self) -> Option<ValueLines> {
        Arc::into_inner(self.place)?.lines.into_inner()
    }
}
