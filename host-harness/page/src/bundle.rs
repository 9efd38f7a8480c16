//! The page as the build script made it.

use std::io::{self, Write};

use base64::Engine;
use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};

const BEFORE: &str = include_str!(concat!(env!("OUT_DIR"), "/before.html"));
const AFTER: &str = include_str!(concat!(env!("OUT_DIR"), "/after.html"));
/// The modules and their sizes.
const SIZES: [(&str, &usize); 2] = include!(concat!(env!("OUT_DIR"), "/sizes.rs"));

/// What the page opens at once.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The name of the file, for messages.
    pub name: &'a str,
    /// What is in it: a snapshot, a scenario or a recording.
    pub bytes: &'a [u8],
    /// The system; empty for the page's own choice.
    pub system: &'a str,
    /// The arguments of the system as YAML or JSON; empty for none.
    pub arguments: &'a str,
    /// The schedulers whose pods are decided about; empty: those that the system stands for.
    pub schedulers: &'a [String],
}

/// The page as one file, with its input inside.
///
/// # Errors
/// None in practice: the input is compressed in memory.
pub fn page(input: Option<Input<'_>>) -> io::Result<String> {
    let input = input.map(Input::json).transpose()?.unwrap_or_default();
    // A name could end the script that it stands in.
    let input = input.to_string().replace('<', "\\u003c");
    Ok([BEFORE, &input, AFTER].concat())
}

impl Input<'_> {
    fn json(self) -> io::Result<Value> {
        let Input { name, bytes, system, arguments, schedulers } = self;
        let bytes = packed(bytes)?;
        Ok(json!({ "name": name, "system": system, "arguments": arguments, "schedulers": schedulers, "bytes": bytes }))
    }
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
