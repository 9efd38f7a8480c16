//! The page as the build script made it.

use std::io::{self, Write};

use base64::Engine;
use flate2::{Compression, write::GzEncoder};
use serde_json::json;

const BEFORE: &str = include_str!(concat!(env!("OUT_DIR"), "/before.html"));
const AFTER: &str = include_str!(concat!(env!("OUT_DIR"), "/after.html"));
/// The modules and their sizes.
const SIZES: [(&str, &usize); 2] = include!(concat!(env!("OUT_DIR"), "/sizes.rs"));

/// What the page opens at once.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The name of the file, for messages.
    pub name: &'a str,
    /// A snapshot or a scenario as text, or a recording.
    pub bytes: &'a [u8],
    /// The system; empty for the page's own choice.
    pub system: &'a str,
    /// The arguments of the system as JSON; empty for none.
    pub arguments: &'a str,
}

/// The page as one file, with its input inside.
///
/// # Errors
/// None in practice: the input is compressed in memory.
pub fn page(input: Option<Input<'_>>) -> io::Result<String> {
    let input = input.map(|input| {
        let Input { name, bytes, system, arguments } = input;
        Ok(json!({ "name": name, "system": system, "arguments": arguments, "bytes": packed(bytes)? }))
    });
    let input: Option<serde_json::Value> = input.transpose()?;
    // A name could end the script that it stands in.
    let input = serde_json::to_string(&input)?.replace('<', "\\u003c");
    Ok([BEFORE, &input, AFTER].concat())
}

/// The modules of the page: name and bytes.
pub fn sizes() -> impl Iterator<Item = (&'static str, usize)> {
    SIZES.into_iter().map(|(name, size)| (name, *size))
}

/// Bytes as text: compressed, then in base 64.
fn packed(bytes: &[u8]) -> io::Result<String> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(bytes)?;
    Ok(base64::engine::general_purpose::STANDARD.encode(gzip.finish()?))
}
