//! Reads files in the format of kubectl's output. The host itself does no input or output.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use lictor_host::cluster::InputError;
use lictor_host::cluster::load::{SourceDocument, SourceItem, each, each_item};

/// Reads a file and passes each document to `sink` as soon as it is complete; `-` is the standard input.
///
/// # Errors
/// The file cannot be read, is not UTF-8 text, or has a mistake; or the first error of `sink`.
pub fn each_in(path: &Path, sink: &mut dyn FnMut(SourceDocument) -> Result<(), InputError>) -> Result<(), InputError> {
    let (file, text) = text_of(path)?;
    each(&file, &text, sink)
}

/// Reads a file like [`each_in`]; see [`each_item`].
///
/// # Errors
/// Those of [`each_in`].
pub fn each_item_in(path: &Path, sink: &mut dyn FnMut(SourceItem) -> Result<(), InputError>) -> Result<(), InputError> {
    let (file, text) = text_of(path)?;
    each_item(&file, text, sink)
}

/// Returns the name of a file for messages, and its text.
fn text_of(path: &Path) -> Result<(String, String), InputError> {
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
    let bytes = match unpacked(bytes) {
        Ok(bytes) => bytes,
        Err(error) => {
            return mistake(
                0,
                format!("is gzip and cannot be unpacked: {error}"),
                "compress the file anew, or unpack it with `gunzip`",
            );
        }
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok((file, text)),
        Err(error) => {
            let valid = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
            let line = valid.iter().filter(|byte| **byte == b'\n').count().saturating_add(1);
            let line = u32::try_from(line).unwrap_or(u32::MAX);
            mistake(line, "is not UTF-8 text".to_owned(), "save the file as UTF-8")
        }
    }
}

/// The maximum bytes that are unpacked of one file.
const LIMIT: u64 = 4 << 30;

/// Unpacks the content of a gzip file. Other content is returned unchanged.
///
/// # Errors
/// The data is damaged, or more than 4 GiB.
pub fn unpacked(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes);
    }
    let mut content = Vec::new();
    let mut reader = MultiGzDecoder::new(&*bytes).take(LIMIT);
    reader.read_to_end(&mut content)?;
    match reader.limit() {
        0 => Err(io::Error::other("it is more than 4 GiB")),
        _ => Ok(content),
    }
}

fn read_to_end(input: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_file_that_is_compressed_is_unpacked() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut packed, b"a: 1\n").unwrap();
        let packed = packed.finish().unwrap();
        assert_eq!(unpacked(packed.clone()).unwrap(), b"a: 1\n");
        assert_eq!(unpacked(b"a: 1".to_vec()).unwrap(), b"a: 1");
        let path = std::env::temp_dir().join(format!("lictor-packed-{}.yaml.gz", std::process::id()));
        std::fs::write(&path, packed.get(..12).unwrap()).unwrap();
        let mistake = each_in(&path, &mut |_| Ok(())).unwrap_err();
        std::fs::remove_file(&path).unwrap();
        assert!(mistake.message.starts_with("is gzip and cannot be unpacked: "), "{mistake}");
    }

    #[test]
    fn files_that_cannot_be_read_are_named() {
        let refused = |path: &Path| each_in(path, &mut |_| Ok(())).unwrap_err();
        assert!(refused(Path::new("/no/such/file")).to_string().starts_with("/no/such/file: cannot be read: "));
        let directory = std::env::temp_dir();
        assert!(refused(&directory).message.contains("directory"));
        let path = directory.join(format!("lictor-load-{}.yaml", std::process::id()));
        std::fs::write(&path, b"a: 1\nb: \xff\n").unwrap();
        let mistake = refused(&path);
        std::fs::write(&path, "a: 1\n---\nb: 2\n").unwrap();
        let mut taken = Vec::new();
        let read = each_in(&path, &mut |document| {
            taken.push(document.value);
            Ok(())
        });
        std::fs::remove_file(&path).unwrap();
        assert_eq!((mistake.line, &*mistake.message), (2, "is not UTF-8 text"));
        assert!(read.is_ok());
        assert_eq!(taken, [json!({"a": 1}), json!({"b": 2})]);
    }
}
