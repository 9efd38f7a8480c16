//! Reads files that kubectl printed, or that look like it.

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
    /// What it says. `metadata.managedFields` is left out.
    pub value: Value,
    /// Where it says it.
    pub origin: Origin,
}

/// Takes a document that is complete.
type Sink<'s> = &'s mut dyn FnMut(Document) -> Result<(), InputError>;

/// Reads a text, YAML or JSON: all documents in it, the items of lists (`kind: List`, `PodList`) as documents of their own.
/// Documents that are empty are left out.
pub fn read(file: &str, text: &str) -> Result<Vec<Document>, InputError> {
    let mut documents = Vec::new();
    each(file, text, &mut |document| {
        documents.push(document);
        Ok(())
    })?;
    Ok(documents)
}

/// Reads a text like `read`, but hands every document over as soon as it is complete.
///
/// # Errors
/// Stops at the first mistake, its own or one of `sink`: a text that is neither YAML nor JSON, a key that stands twice,
/// aliases that unfold to too much, what is too long or too deep or has no meaning in JSON.
pub fn each(
    file: &str,
    text: &str,
    sink: &mut dyn FnMut(Document) -> Result<(), InputError>,
) -> Result<(), InputError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder::new(Arc::from(file), sink);
    // Flow mappings of YAML begin like JSON. A file that calls itself JSON is told where it is not.
    if text.trim_start().starts_with(['{', '[']) && (file.ends_with(".json") || json::is_valid(text)) {
        json::read(text, &mut builder)
    } else {
        yaml::read(text, &mut builder)
    }
}

/// Reads a file like `each`; `-` is the standard input.
pub fn each_in(path: &Path, sink: &mut dyn FnMut(Document) -> Result<(), InputError>) -> Result<(), InputError> {
    let (file, bytes) = if path == Path::new("-") {
        ("standard input".to_owned(), slurp(&mut io::stdin().lock()))
    } else {
        (path.display().to_string(), std::fs::read(path))
    };
    let mistake = |line, message: String, remedy: &str| {
        Err(InputError { file: Arc::from(&*file), line, message, remedy: remedy.to_owned() })
    };
    if path.is_dir() {
        return mistake(0, "is a directory".to_owned(), "name the files in it");
    }
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) => {
            return mistake(0, format!("cannot be read: {error}"), "name a file that exists and may be read");
        }
    };
    match String::from_utf8(bytes) {
        Ok(text) => each(&file, &text, sink),
        Err(error) => {
            let good = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
            let line = good.iter().filter(|byte| **byte == b'\n').count().saturating_add(1);
            let line = u32::try_from(line).unwrap_or(u32::MAX);
            mistake(line, "is not UTF-8 text".to_owned(), "save it as UTF-8")
        }
    }
}

fn slurp(input: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
