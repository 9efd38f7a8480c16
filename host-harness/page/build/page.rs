//! The page, left in `OUT_DIR`, with a mark where the input belongs: the engine and the front end as modules, what wasm-bindgen says to
//! browsers, style and markup.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::Path;

use base64::Engine;
use flate2::{Compression, write::GzEncoder};
use wasm_bindgen_cli_support::Bindgen;

use super::modules::{Modules, scripted};

/// The mark where the page has its input.
const INPUT: &str = "{{input}}";

/// Builds the page.
pub(crate) fn build(modules: &Modules) -> Result<(), Box<dyn Error>> {
    let Modules { workspace, out, engine, app } = modules;
    let (engine, app) = (ScriptedModule::of("engine", engine)?, ScriptedModule::of("app", app)?);
    let shell = |name: &str| fs::read_to_string(workspace.join("host-harness/page/shell").join(name));
    let page = fill(
        &shell("page.html")?,
        &[
            ("page.css", &shell("page.css")?),
            ("examples", &examples(workspace)?),
            ("engine.js", &engine.script),
            ("worker.js", &shell("worker.js")?),
            ("engine.wasm", &compress_to_text(&engine.module)?),
            ("app.wasm", &compress_to_text(&app.module)?),
            ("app.js", &app.script),
            ("boot.js", &shell("boot.js")?),
        ],
    )?;
    let (before, after) = page.split_once(INPUT).ok_or("the page has no mark for its input")?;
    fs::write(out.join("before.html"), before)?;
    fs::write(out.join("after.html"), after)?;
    let sizes = [&engine, &app].map(|part| format!("({:?}, &{:?}),", part.name, part.module.len()));
    fs::write(out.join("sizes.rs"), format!("[{}]", sizes.concat()))?;
    Ok(())
}

/// Each with its title, its system and its file below `fixtures`.
const EXAMPLES: [(&str, &str, &str); 5] = [
    ("Four teams share 44 nodes", "koordinator", "snapshots/four-teams.yaml"),
    ("Three zones: spread, affinity, volumes", "kubernetes", "snapshots/three-zones.yaml"),
    (
        "Queues take back what they are guaranteed",
        "yunikorn",
        "scenarios/yunikorn/guide-general-case-seven-to-five.yaml",
    ),
    ("An elastic job shrinks", "volcano", "scenarios/volcano/shrink-the-lower-priority-job-first.yaml"),
    ("A gang takes back lent room", "coscheduling", "scenarios/coscheduling/cos-quota-gang-takes-back.yaml"),
];

/// Returns the examples as JSON. Their parts need no escapes.
fn examples(workspace: &Path) -> Result<String, Box<dyn Error>> {
    let example = |(title, system, path): (&str, &str, &str)| {
        let file = workspace.join("fixtures").join(path);
        println!("cargo::rerun-if-changed={}", file.display());
        let name = path.rsplit('/').next().unwrap_or(path);
        let bytes = compress_to_text(&fs::read(&file)?)?;
        let fields = [("title", title), ("name", name), ("system", system), ("arguments", ""), ("bytes", &*bytes)];
        Ok(format!("{{{}}}", fields.map(|(name, value)| format!("{name:?}:{value:?}")).join(",")))
    };
    let examples: Result<Vec<String>, std::io::Error> = EXAMPLES.into_iter().map(example).collect();
    Ok(format!("[{}]", examples?.join(",")))
}

/// Compresses bytes, and returns them as text in base 64.
fn compress_to_text(bytes: &[u8]) -> std::io::Result<String> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes)?;
    Ok(base64::engine::general_purpose::STANDARD.encode(gzip.finish()?))
}

/// Puts each part where its name stands between double braces.
fn fill(template: &str, parts: &[(&str, &str)]) -> Result<String, String> {
    let mut page = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").ok_or("a mark in page.html has no end")?;
        page.push_str(before);
        rest = after;
        match parts.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => page.push_str(&escape_script_ends(text)),
            None if name == "input" => page.push_str(INPUT),
            None => return Err(format!("page.html names {name}, which there is not")),
        }
    }
    page.push_str(rest);
    Ok(page)
}

/// Escapes the ends of scripts in a text, which would end the script that contains the text.
fn escape_script_ends(text: &str) -> String {
    text.replace("</script", "<\\/script").replace("<!--", "<\\!--")
}

/// A module and the script that starts it.
struct ScriptedModule {
    name: &'static str,
    script: String,
    module: Vec<u8>,
}

impl ScriptedModule {
    fn of(name: &'static str, module: &Path) -> Result<ScriptedModule, Box<dyn Error>> {
        let mut bindgen = Bindgen::new();
        bindgen.no_modules(true)?.no_modules_global(name)?;
        let mut made = scripted(bindgen, name, module)?;
        Ok(ScriptedModule { name, script: made.js().to_owned(), module: made.wasm_mut().emit_wasm() })
    }
}
