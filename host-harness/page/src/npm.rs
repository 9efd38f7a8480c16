//! The engine as a package for npm: a module of JavaScript for browsers, workers, bundlers and node, with its types.

use std::path::Path;
use std::{fs, io};

/// What is compiled, as the build script left it.
const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/npm/lictor-web.js"));
const MODULE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/npm/lictor-web_bg.wasm"));
const CLASS: &str = include_str!(concat!(env!("OUT_DIR"), "/npm/lictor-web.d.ts"));

/// What is written by hand.
const MANIFEST: &str = include_str!("../npm/package.json");
const NODE: &str = include_str!("../npm/node.js");
const README: &str = include_str!("../npm/README.md");
const LICENSE: &str = include_str!("../../../LICENSE");

/// Instances of the class can be disposed of, which older libraries of TypeScript do not know.
const LIBRARY: &str = "/// <reference lib=\"esnext.disposable\" />\n";

/// Writes the package into a folder, which is made where there is none.
///
/// # Errors
/// The folder cannot be written, or two types have the same name.
pub fn write(folder: &Path) -> io::Result<()> {
    let types = lictor_web::declarations().map_err(io::Error::other)?;
    fs::create_dir_all(folder)?;
    fs::write(folder.join("package.json"), MANIFEST.replace("{version}", env!("CARGO_PKG_VERSION")))?;
    fs::write(folder.join("lictor-web.d.ts"), [LIBRARY, CLASS, "\n", &types].concat())?;
    fs::write(folder.join("lictor-web_bg.wasm"), MODULE)?;
    let texts = [("lictor-web.js", SCRIPT), ("node.js", NODE), ("README.md", README), ("LICENSE", LICENSE)];
    texts.into_iter().try_for_each(|(name, text)| fs::write(folder.join(name), text))
}
