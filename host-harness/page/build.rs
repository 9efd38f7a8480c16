//! Builds the page where the feature `bundle` asks for it, and leaves it in `OUT_DIR/page.html`, with a mark where the input
//! belongs: the engine and the front end as modules, what wasm-bindgen says to browsers, style and markup.

fn main() -> std::process::ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "bundle")]
    if let Err(error) = bundle::build() {
        println!("cargo::error={error}");
        return std::process::ExitCode::FAILURE;
    }
    std::process::ExitCode::SUCCESS
}

#[cfg(feature = "bundle")]
mod bundle {
    use std::error::Error;
    use std::fs;
    use std::io::Write;
    use std::path::Path;

    use base64::Engine;
    use flate2::{Compression, write::GzEncoder};
    use lictor_build::{Build, ensure_target, path_of, rerun_if_changed, without_paths};
    use wasm_bindgen_cli_support::Bindgen;

    /// The mark where the page has its input.
    const INPUT: &str = "{{input}}";

    /// Builds the page.
    pub(super) fn build() -> Result<(), Box<dyn Error>> {
        let folder = path_of("CARGO_MANIFEST_DIR")?;
        let (workspace, out) = (folder.join("../..").canonicalize()?, path_of("OUT_DIR")?);
        rerun_if_changed(
            &workspace,
            &[
                "guest",
                "host-harness/host",
                "host-harness/conformance",
                "host-harness/decide",
                "host-harness/picture",
                "host-harness/page/app",
                "host-harness/page/shell",
            ],
        );
        ensure_target()?;
        let target_dir = out.join("modules");
        let build = Build {
            workspace: &workspace,
            target_dir: &target_dir,
            profile: profile(),
            flags: without_paths(&workspace),
        };
        let [engine, app] = build.modules(["lictor-web", "lictor-page-app"])?;
        let (engine, app) = (Part::of("engine", &engine)?, Part::of("app", &app)?);
        let shell = |name: &str| fs::read_to_string(folder.join("shell").join(name));
        let page = fill(
            &shell("page.html")?,
            &[
                ("page.css", &shell("page.css")?),
                ("examples", &examples(&workspace)?),
                ("engine.js", &engine.script),
                ("worker.js", &shell("worker.js")?),
                ("engine.wasm", &packed(&engine.module)?),
                ("app.wasm", &packed(&app.module)?),
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

    /// The examples as JSON. What they are made of needs no escapes.
    fn examples(workspace: &Path) -> Result<String, Box<dyn Error>> {
        let example = |(title, system, path): (&str, &str, &str)| {
            let file = workspace.join("fixtures").join(path);
            println!("cargo::rerun-if-changed={}", file.display());
            let name = path.rsplit('/').next().unwrap_or(path);
            let bytes = packed(&fs::read(&file)?)?;
            let fields = [("title", title), ("name", name), ("system", system), ("arguments", ""), ("bytes", &*bytes)];
            Ok(format!("{{{}}}", fields.map(|(name, value)| format!("{name:?}:{value:?}")).join(",")))
        };
        let examples: Result<Vec<String>, std::io::Error> = EXAMPLES.into_iter().map(example).collect();
        Ok(format!("[{}]", examples?.join(",")))
    }

    /// Bytes as text: compressed, then in base 64.
    fn packed(bytes: &[u8]) -> std::io::Result<String> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(bytes)?;
        Ok(base64::engine::general_purpose::STANDARD.encode(gzip.finish()?))
    }

    /// What is released and measured is small; what people wait for is built soon.
    fn profile() -> &'static str {
        if std::env::var_os("PROFILE").is_some_and(|profile| profile == "release") { "web" } else { "web-quick" }
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
                Some((_, text)) => page.push_str(&harmless(text)),
                None if name == "input" => page.push_str(INPUT),
                None => return Err(format!("page.html names {name}, which there is not")),
            }
        }
        page.push_str(rest);
        Ok(page)
    }

    /// A script that contains the end of a script would end there.
    fn harmless(text: &str) -> String {
        text.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    }

    /// A module and the script that starts it.
    struct Part {
        name: &'static str,
        script: String,
        module: Vec<u8>,
    }

    impl Part {
        fn of(name: &'static str, module: &Path) -> Result<Part, Box<dyn Error>> {
            let mut bindgen = Bindgen::new();
            bindgen.input_bytes(name, fs::read(module)?).no_modules(true)?.no_modules_global(name)?;
            bindgen.typescript(false).remove_name_section(true).remove_producers_section(true);
            let mut made = bindgen.generate_output()?;
            let own = made.snippets().values().flatten().chain(made.local_modules().keys()).next();
            if let Some(own) = own {
                return Err(format!("{name} brings a script of its own, which has no place in the page: {own}").into());
            }
            Ok(Part { name, script: made.js().to_owned(), module: made.wasm_mut().emit_wasm() })
        }
    }
}
