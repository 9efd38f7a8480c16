//! Where the parts of a document stand.

/// Knows the file of a document, or of a part of one, and the line of everything in it.
#[derive(Debug, Clone)]
pub struct Origin {}

impl Origin {
    /// The file as it was named.
    pub fn file(&self) -> &str {
        ""
    }
    /// The line of what a JSON pointer points to, from 1; where there is no such thing, that of the nearest thing around it.
    pub fn line(&self, _pointer: &str) -> u32 {
        0
    }
    /// The origin of a part of this: pointers then start there.
    pub fn below(&self, _pointer: &str) -> Origin {
        Origin {}
    }
}
