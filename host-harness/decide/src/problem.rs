//! A problem to report: what is wrong, where, and what to do.

use lictor_contract::Severity;
use serde::Serialize;

use lictor_host::cluster::{InputError, dotted};

/// An error, or a warning for the author of an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Problem {
    /// Its severity.
    pub severity: Severity,
    /// The object it is about, as `Kind/namespace/name` or `Kind/name`.
    pub object: Option<String>,
    /// The field of the object, a JSON pointer.
    pub path: Option<String>,
    /// The file it is about.
    pub file: Option<String>,
    /// The line in the file, from 1.
    pub line: Option<u32>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: Option<String>,
}

impl Problem {
    /// Makes an error with only a message.
    pub fn error(message: impl Into<String>) -> Problem {
        let (object, path, file, line, remedy) = Default::default();
        Problem { severity: Severity::Error, object, path, file, line, message: message.into(), remedy }
    }

    /// Adds the file.
    pub fn about(self, file: impl Into<String>) -> Problem {
        Problem { file: Some(file.into()), ..self }
    }

    /// Adds the remedy.
    pub fn remedy(self, remedy: impl Into<String>) -> Problem {
        Problem { remedy: Some(remedy.into()), ..self }
    }

    /// Sets the severity.
    pub fn of(self, severity: Severity) -> Problem {
        Problem { severity, ..self }
    }

    /// Returns the place as `file:line`, or the file alone. `None`: the problem has no file.
    pub fn place(&self) -> Option<String> {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => Some(format!("{file}:{line}")),
            (file, _) => file.clone(),
        }
    }

    /// Returns the message with the object and its field.
    pub fn sentence(&self) -> String {
        let object = self.object.as_ref().map(|object| object.replacen('/', " ", 1));
        match (object, &self.path) {
            (Some(object), Some(path)) => format!("{} of {object}: {}", dotted(path), self.message),
            (Some(object), None) => format!("{object}: {}", self.message),
            _ => self.message.clone(),
        }
    }
}

impl From<&InputError> for Problem {
    fn from(error: &InputError) -> Problem {
        let line = (error.line > 0).then_some(error.line);
        Problem { line, ..Problem::error(&*error.message).about(&*error.file).remedy(&*error.remedy) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_contains_the_known_parts_of_its_place() {
        let bare = Problem::error("too many");
        assert_eq!((bare.sentence(), bare.place()), ("too many".to_owned(), None));
        let (object, path) = (Some("Pod/default/a".to_owned()), Some("/spec/priority".to_owned()));
        let whole = Problem { object, path, line: Some(7), ..bare.about("a.yaml") };
        assert_eq!(whole.sentence(), "spec.priority of Pod default/a: too many");
        assert_eq!(whole.place(), Some("a.yaml:7".to_owned()));
    }
}
