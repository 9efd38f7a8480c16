//! The page as the build script made it.

use std::io::{self, Write};

use base64::Engine;
use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};

const BEFORE: &str = include_str!(concat!(env!("OUT_DIR"), "/before.html"));
const AFTER: &str = include_str!(concat!(env!("OUT_DIR"), "/after.html"));
/// The modules and their sizes.
const SIZES: [(&str, &usize); 2] = include!(concat!(env!("OUT_DIR"), "/sizes.rs"));

/// The input that the page opens at once.
#[derive(Debug, Clone, Copy)]
pub struct PageInput<'a> {
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

/// Returns the page as one file, with its input inside.
///
/// # Errors
/// None in practice: the input is compressed in memory.
pub fn page(input: Option<PageInput<'_>>) -> io::Result<String> {
    let input = input.map(PageInput::json).transpose()?.unwrap_or_default();
    Ok([BEFORE, &escape_for_script(&input), AFTER].concat())
}

/// What the page may connect to: nothing.
const FORBIDDEN: &str = "default-src 'none';";

/// What the page may connect to that follows a recording: where it came from.
const CONNECTED: &str = "default-src 'none'; connect-src 'self';";

/// Returns the page that follows a recording which is being written: with its name and its beginning. The page requests what follows at
/// `/recording?from=N`, where it is served, and may connect to nothing else.
///
/// # Errors
/// None in practice: the input is compressed in memory.
pub fn live(name: &str, beginning: &[u8]) -> io::Result<String> {
    let input = PageInput { name, bytes: beginning, system: "", arguments: "", schedulers: &[] };
    let mut input = input.json()?;
    if let Some(fields) = input.as_object_mut() {
        fields.insert("live".to_owned(), Value::Bool(true));
    }
    Ok([&BEFORE.replacen(FORBIDDEN, CONNECTED, 1), &escape_for_script(&input), AFTER].concat())
}

/// Escapes an input for the page: a name could end the script that it stands in.
fn escape_for_script(input: &Value) -> String {
    input.to_string().replace('<', "\\u003c")
}

impl PageInput<'_> {
    fn json(self) -> io::Result<Value> {
        let PageInput { name, bytes, system, arguments, schedulers } = self;
        let bytes = compress_to_text(bytes)?;
        Ok(json!({ "name": name, "system": system, "arguments": arguments, "schedulers": schedulers, "bytes": bytes }))
    }
}

/// Returns the modules of the page: name and bytes.
pub fn sizes() -> impl Iterator<Item = (&'static str, usize)> {
    SIZES.into_iter().map(|(name, size)| (name, *size))
}

/// Compresses bytes, and returns them as text in base 64.
fn compress_to_text(bytes: &[u8]) -> io::Result<String> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(bytes)?;
    Ok(base64::engine::general_purpose::STANDARD.encode(gzip.finish()?))
}
