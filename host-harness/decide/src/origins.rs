//! The places where objects were read, for messages about them.

use std::collections::BTreeMap;

use lictor_contract::Finding;
use lictor_host::cluster::load::DocumentOrigin;

use super::problem::Problem;

/// The places of objects.
#[derive(Debug, Clone, Default)]
pub struct Origins(BTreeMap<String, DocumentOrigin>);

impl Origins {
    /// Adds the place of an object.
    pub fn add(&mut self, object: String, origin: DocumentOrigin) {
        self.0.insert(object, origin);
    }

    /// Adds the places of another text's objects; the last place of an object counts.
    pub fn extend(&mut self, others: Origins) {
        self.0.extend(others.0);
    }

    /// Returns the place of an object. `None`: the object was not read from a file.
    pub fn of(&self, object: &str) -> Option<&DocumentOrigin> {
        self.0.get(object)
    }

    /// Returns a finding of the policy as a problem with file and line.
    pub fn place(&self, finding: Finding) -> Problem {
        let Finding { severity, object, path, message, remedy } = finding;
        let origin = self.of(&object);
        Problem {
            severity,
            file: origin.map(|origin| origin.file().to_string()),
            line: origin.map(|origin| origin.line(&path)).filter(|line| *line > 0),
            object: Some(object),
            path: Some(path).filter(|path| !path.is_empty()),
            message,
            remedy: Some(remedy).filter(|remedy| !remedy.is_empty()),
        }
    }
}
