//! The JSON of a pod, as it is kept until the mirror has taken from it what the policy reads.

use std::ops::Range;
use std::sync::Arc;

use crate::cluster::load;

/// The JSON of an object: its own copy, or a range of the text that the object was read from.
#[derive(Debug, Clone)]
pub(crate) enum RawJson {
    /// A copy of its own.
    Own(Box<str>),
    /// A part of a text, as it was written there.
    Part(Arc<str>, Range<usize>),
}

impl Default for RawJson {
    fn default() -> RawJson {
        RawJson::Own(Box::default())
    }
}

impl RawJson {
    /// Returns the JSON as it is written.
    pub(crate) fn as_written(&self) -> &str {
        match self {
            RawJson::Own(json) => json,
            RawJson::Part(text, range) => text.get(range.clone()).unwrap_or_default(),
        }
    }

    /// Returns the JSON without spaces and without `metadata.managedFields`, which the host never reads.
    pub(crate) fn compact(&self) -> String {
        match self {
            RawJson::Own(json) => json.to_string(),
            RawJson::Part(..) => load::compact(self.as_written()).unwrap_or_else(|| self.as_written().to_owned()),
        }
    }
}
