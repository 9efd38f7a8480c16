//! Reports each invalid annotation or field once, by object and path.

use std::collections::BTreeSet;

use crate::systems::document::annotation_path;
use crate::systems::{Findings, ParsedObject};

/// The objects and paths reported so far.
#[derive(Debug, Default)]
pub struct ReportedFindings(BTreeSet<(String, String)>);

impl ReportedFindings {
    /// Warns about an annotation or a field, unless this object and path were reported before.
    pub fn warn(&mut self, object: &ParsedObject, path: &str, message: String, remedy: &str, findings: &mut Findings) {
        if self.0.insert((object.object_name(), path.to_owned())) {
            findings.push(object.warning(path, message, remedy));
        }
    }

    /// Warns about an annotation.
    pub fn annotation(
        &mut self,
        object: &ParsedObject,
        key: &str,
        consequence: &str,
        remedy: &str,
        findings: &mut Findings,
    ) {
        let text = object.annotation(key).unwrap_or_default();
        self.warn(object, &annotation_path(key), format!("`{text}` {consequence}"), remedy, findings);
    }

    /// Removes an object, so that a new object of the same name is reported again.
    pub fn forget(&mut self, title: &str) {
        self.0.retain(|(object, _)| object != title);
    }
}
