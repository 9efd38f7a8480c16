//! Builds the policy's component and leaves it in `OUT_DIR/lictor.wasm`, for the harness to embed.
//!
//! Where `LICTOR_COMPONENT` names a component, that one is embedded and nothing is built.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use lictor_build::{Build, ensure_target, path_of, rerun_if_changed, shared_target_dir, without_paths};

/// The profiles of the guest: what is released and measured, and what is built while people wait.
const RELEASED: &str = "guest";
const QUICK: &str = "guest-quick";
const PREBUILT: &str = "LICTOR_COMPONENT";

fn main() -> ExitCode {
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("cargo::error={error}");
            ExitCode::FAILURE
        }
    }
}

fn build() -> Result<(), Box<dyn Error>> {
    let workspace = path_of("CARGO_MANIFEST_DIR")?.join("../..").canonicalize()?;
    let out = path_of("OUT_DIR")?;
    let target_dir = shared_target_dir()?;
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={PREBUILT}");
    // Tests that build guests of their own share what is built here.
    println!("cargo::rustc-env=LICTOR_GUEST_TARGET={}", target_dir.display());
    println!("cargo::rustc-env=LICTOR_GUEST_PROFILE={}", profile());
    println!("cargo::rustc-env=LICTOR_GUEST_FLAGS={}", flags(&workspace).join("\u{1f}"));
    if let Some(component) = env::var_os(PREBUILT) {
        println!("cargo::rerun-if-changed={}", Path::new(&component).display());
        let bytes =
            fs::read(&component).map_err(|error| format!("{PREBUILT}={}: {error}", Path::new(&component).display()))?;
        return Ok(fs::write(out.join("lictor.wasm"), bytes)?);
    }

    // Of the guest's crates those that are in the component.
    rerun_if_changed(&workspace, &["guest/component", "guest/contract", "guest/policy", "wit"]);
    ensure_target()?;
    let guest = Build { workspace: &workspace, target_dir: &target_dir, profile: profile(), flags: flags(&workspace) };
    let [module] = guest.modules(["lictor-component"])?;
    let component = wit_component::ComponentEncoder::default().validate(true).module(&fs::read(module)?)?.encode()?;
    fs::write(out.join("lictor.wasm"), component)?;
    Ok(())
}

/// Returns the guest's profile, which the host's profile chooses. Cargo says whether the host's profile comes from `release` or from `debug`.
fn profile() -> &'static str {
    if env::var_os("PROFILE").is_some_and(|profile| profile == "release") { RELEASED } else { QUICK }
}

/// Returns the compiler flags of the guest. Vectors (`simd128`) make the engine about a tenth faster.
fn flags(workspace: &Path) -> Vec<String> {
    [vec!["-Ctarget-feature=+simd128".to_owned()], without_paths(workspace)].concat()
}
