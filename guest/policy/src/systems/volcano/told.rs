//! What was said about annotations that mean nothing: each is reported once, by object and key.

use std::collections::BTreeSet;

use crate::systems::document::annotation_path;
use crate::systems::{Document, Findings};

/// What was said so far.
#[derive(Debug, Default)]
pub struct Told(BTreeSet<(String, String)>);

impl Told {
    /// Warns about an annotation or a field, unless this was said before of this object and place.
    pub fn warn(&mut self, object: &Document, path: &str, message: String, remedy: &str, findings: &mut Findings) {
        if self.0.insert((object.title(), path.to_owned())) {
            findings.push(object.warning(path, message, remedy));
        }
    }

    /// Warns about an annotation.
    pub fn annotation(&mut self, object: &Document, key: &str, read_as: &str, remedy: &str, findings: &mut Findings) {
        let text = object.annotation(key).unwrap_or_default();
        self.warn(object, &annotation_path(key), format!("`{text}` {read_as}"), remedy, findings);
    }

    /// An object is gone; one of the same name would be told anew.
    pub fn forget(&mut self, title: &str) {
        self.0.retain(|(object, _)| object != title);
    }
}
