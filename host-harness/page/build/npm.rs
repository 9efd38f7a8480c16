//! The engine for an npm package: `OUT_DIR/npm` has the module, the script that starts it, and its types as far as wasm-bindgen knows
//! them.

use std::error::Error;
use std::fs;

use wasm_bindgen_cli_support::Bindgen;

use super::modules::{Modules, scripted};

/// Writes them.
pub(crate) fn build(modules: &Modules) -> Result<(), Box<dyn Error>> {
    let mut bindgen = Bindgen::new();
    bindgen.web(true)?.omit_default_module_path(false).typescript(true);
    let mut made = scripted(bindgen, "lictor-web", &modules.engine)?;
    let folder = modules.out.join("npm");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("lictor-web.js"), made.js())?;
    fs::write(folder.join("lictor-web.d.ts"), made.ts().ok_or("wasm-bindgen wrote no types")?)?;
    fs::write(folder.join("lictor-web_bg.wasm"), made.wasm_mut().emit_wasm())?;
    Ok(())
}
