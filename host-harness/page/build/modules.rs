//! The modules that the compiler makes: the engine and, for the page, its front end.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use lictor_build::{Build, ensure_target, path_of, rerun_if_changed, shared_target_dir, without_paths};
use wasm_bindgen_cli_support::{Bindgen, Output};

/// How large a function may be that is copied to where it is called: less than half of what `opt-level = "s"` allows. It saves a
/// fortieth of what is loaded. What is decided first takes as long; once the browser has optimised the module, an eighth longer.
const INLINING: &str = "-Cllvm-args=-inline-threshold=20";

/// The files of the modules.
pub(crate) struct Modules {
    /// The root of the workspace.
    #[cfg(feature = "bundle")]
    pub(crate) workspace: PathBuf,
    /// Where what is made of them is left.
    pub(crate) out: PathBuf,
    pub(crate) engine: PathBuf,
    #[cfg(feature = "bundle")]
    pub(crate) app: PathBuf,
}

impl Modules {
    /// Builds them.
    pub(crate) fn build() -> Result<Modules, Box<dyn Error>> {
        let workspace = path_of("CARGO_MANIFEST_DIR")?.join("../..").canonicalize()?;
        let out = path_of("OUT_DIR")?;
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
        let target_dir = shared_target_dir()?;
        let mut flags = without_paths(&workspace);
        flags.push(INLINING.to_owned());
        let build = Build { workspace: &workspace, target_dir: &target_dir, profile: profile(), flags };
        #[cfg(feature = "bundle")]
        let [engine, app] = build.modules(["lictor-web", "lictor-page-app"])?;
        #[cfg(not(feature = "bundle"))]
        let [engine] = build.modules(["lictor-web"])?;
        Ok(Modules {
            out,
            engine,
            #[cfg(feature = "bundle")]
            workspace,
            #[cfg(feature = "bundle")]
            app,
        })
    }
}

/// Returns the profile of the modules. A released module is to be small; a module that people wait for is to be built soon.
fn profile() -> &'static str {
    if std::env::var_os("PROFILE").is_some_and(|profile| profile == "release") { "web" } else { "web-quick" }
}

/// Builds a module with the script that starts it. Fails if the module brings further scripts.
pub(crate) fn scripted(mut bindgen: Bindgen, name: &str, module: &Path) -> Result<Output, Box<dyn Error>> {
    bindgen.input_bytes(name, fs::read(module)?).remove_name_section(true).remove_producers_section(true);
    let made = bindgen.generate_output()?;
    let own = made.snippets().values().flatten().chain(made.local_modules().keys()).next();
    match own {
        Some(own) => Err(format!("{name} brings a script of its own, which has no place beside it: {own}").into()),
        None => Ok(made),
    }
}
