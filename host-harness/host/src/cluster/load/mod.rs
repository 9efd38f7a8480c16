//! Reads files in the format of kubectl's output.

mod anchors;
mod builder;
mod json;
mod lines;
mod list;
mod origin;
mod scalar;
mod yaml;

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::InputError;
use builder::Builder;

pub use origin::Origin;

/// A document of a file, or an item of a list in it.
#[derive(Debug, Clone)]
pub struct Document {
    /// Its content, without `metadata.managedFields`.
    pub value: Value,
    /// The file and the lines of its content.
    pub origin: Origin,
}

/// Receives each complete document.
type Sink<'s> = &'s mut dyn FnMut(Document) -> Result<(), InputError>;

/// Reads a YAML or JSON text with all of its documents. Items of lists (`kind: List`, `PodList`) become separate documents. Empty documents
/// are skipped.
pub fn read(file: &str, text: &str) -> Result<Vec<Document>, InputError> {
    let mut documents = Vec::new();
    each(file, text, &mut |document| {
        documents.push(document);
        Ok(())
    })?;
    Ok(documents)
}

/// Reads a text like `read`, and passes each document to `sink` as soon as it is complete.
///
/// # Errors
/// Stops at the first mistake, or at the first error of `sink`. Mistakes are: invalid YAML or JSON, a duplicate key, aliases that expand
/// beyond the limit, a text that is too long or too deep, or a value that JSON does not have.
pub fn each(
    file: &str,
    text: &str,
    sink: &mut dyn FnMut(Document) -> Result<(), InputError>,
) -> Result<(), InputError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder::new(Arc::from(file), sink);
    // YAML flow mappings begin like JSON. For a file named `.json` the mistakes in its JSON are reported.
    if text.trim_start().starts_with(['{', '[']) && (file.ends_with(".json") || json::is_valid(text)) {
        json::read(text, &mut builder)
    } else {
        yaml::read(text, &mut builder)
    }
}

/// Reads a file like `each`; `-` is the standard input.
pub fn each_in(path: &Path, sink: &mut dyn FnMut(Document) -> Result<(), InputError>) -> Result<(), InputError> {
    let (file, bytes) = if path == Path::new("-") {
        ("standard input".to_owned(), read_to_end(&mut io::stdin().lock()))
    } else {
        (path.display().to_string(), std::fs::read(path))
    };
    let mistake = |line, message: String, remedy: &str| {
        Err(InputError { file: Arc::from(&*file), line, message, remedy: remedy.to_owned() })
    };
    if path.is_dir() {
        return mistake(0, "is a directory".to_owned(), "name the files in the directory");
    }
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) => {
            return mistake(0, format!("cannot be read: {error}"), "name a readable file");
        }
    };
    match String::from_utf8(bytes) {
        Ok(text) => each(&file, &text, sink),
        Err(error) => {
            let valid = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
            let line = valid.iter().filter(|byte| **byte == b'\n').count().saturating_add(1);
            let line = u32::try_from(line).unwrap_or(u32::MAX);
            mistake(line, "is not UTF-8 text".to_owned(), "save the file as UTF-8")
        }
    }
}

fn read_to_end(input: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
