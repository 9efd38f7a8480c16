//! Where objects were read, for messages about them.

use std::collections::BTreeMap;

use lictor_contract::Finding;
use lictor_host::cluster::load::Origin;

use super::problem::Problem;

/// The places of objects.
#[derive(Debug, Clone, Default)]
pub struct Origins(BTreeMap<String, Origin>);

impl Origins {
    /// An object was read here.
    pub fn add(&mut self, object: String, origin: Origin) {
        self.0.insert(object, origin);
    }

    /// Objects of another text were read there; the last place counts.
    pub fn extend(&mut self, others: Origins) {
        self.0.extend(others.0);
    }

    /// The place of an object.
    pub fn of(&self, object: &str) -> Option<&Origin> {
        self.0.get(object)
    }

    /// A finding of the policy with file and line.
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
