//! Builds the policy's component and leaves it in `OUT_DIR/lictor.wasm`, for the harness to embed.
//!
//! The guest is built by a cargo of its own, in a target directory of its own (the outer one is locked by the build that
//! runs this script) and in an environment of its own (what is meant for the host's compiler would break the guest).
//! Where `LICTOR_COMPONENT` names a component, that one is embedded and nothing is built.

use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs};

const TARGET: &str = "wasm32-unknown-unknown";
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
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={PREBUILT}");
    // Tests that build guests of their own share what is built here.
    println!("cargo::rustc-env=LICTOR_GUEST_PROFILE={}", profile());
    println!("cargo::rustc-env=LICTOR_GUEST_FLAGS={}", guest_flags(&workspace).join("\u{1f}"));
    if let Some(component) = env::var_os(PREBUILT) {
        println!("cargo::rerun-if-changed={}", Path::new(&component).display());
        let bytes =
            fs::read(&component).map_err(|error| format!("{PREBUILT}={}: {error}", Path::new(&component).display()))?;
        return Ok(fs::write(out.join("lictor.wasm"), bytes)?);
    }

    // Of the guest's crates those that are in the component.
    for input in
        ["guest/component", "guest/contract", "guest/policy", "wit", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml"]
    {
        println!("cargo::rerun-if-changed={}", workspace.join(input).display());
    }
    ensure_target()?;
    let module = build_guest(&workspace, &out.join("guest"))?;
    let component = wit_component::ComponentEncoder::default().validate(true).module(&fs::read(module)?)?.encode()?;
    fs::write(out.join("lictor.wasm"), component)?;
    Ok(())
}

fn path_of(variable: &str) -> Result<PathBuf, String> {
    env::var_os(variable).map(PathBuf::from).ok_or_else(|| format!("cargo did not set `{variable}`"))
}

/// The compiler that builds the harness builds the guest, too.
fn rustc() -> OsString {
    env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())
}

/// Adds the guest's target to the toolchain in force where it is missing: without it the compiler would only say that it
/// "can't find crate for `std`".
fn ensure_target() -> Result<(), Box<dyn Error>> {
    if target_is_there()? {
        return Ok(());
    }
    let toolchain = env::var("RUSTUP_TOOLCHAIN").ok();
    let mut add = Command::new("rustup");
    add.args(["target", "add", TARGET]);
    if let Some(toolchain) = &toolchain {
        add.args(["--toolchain", toolchain]);
    }
    let line = format!("{add:?}").replace('"', "");
    match add.stdout(Stdio::null()).status() {
        Ok(status) if status.success() && target_is_there()? => Ok(()),
        _ => Err(format!("the target `{TARGET}` is not installed and could not be added; run `{line}`").into()),
    }
}

fn target_is_there() -> Result<bool, Box<dyn Error>> {
    let asked = Command::new(rustc()).args(["--print", "target-libdir", "--target", TARGET]).output()?;
    let libraries = PathBuf::from(String::from_utf8(asked.stdout)?.trim());
    Ok(asked.status.success() && libraries.is_dir() && fs::read_dir(libraries)?.next().is_some())
}

/// Builds the guest and returns its core module.
fn build_guest(workspace: &Path, target_dir: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let mut cargo = Command::new(path_of("CARGO")?);
    let profile = profile();
    cargo.args(["build", "--locked", "--package", "lictor-component", "--profile", profile, "--target", TARGET]);
    cargo.arg("--target-dir").arg(target_dir).current_dir(workspace);
    for (name, _) in env::vars_os() {
        if !name.to_str().is_some_and(passes) {
            cargo.env_remove(name);
        }
    }
    cargo.env("RUSTC", rustc()).env("CARGO_ENCODED_RUSTFLAGS", guest_flags(workspace).join("\u{1f}"));
    if !cargo.status()?.success() {
        return Err("the guest does not build; what its compiler said is above".into());
    }
    Ok(target_dir.join(TARGET).join(profile).join("lictor_component.wasm"))
}

/// The host's profile chooses the guest's; cargo says which of its two it comes from.
fn profile() -> &'static str {
    if env::var_os("PROFILE").is_some_and(|profile| profile == "release") { RELEASED } else { QUICK }
}

/// Vectors make the engine about a tenth faster. No path of this machine may get into the bytes.
fn guest_flags(workspace: &Path) -> Vec<String> {
    let mut flags = vec!["-Ctarget-feature=+simd128".to_owned()];
    let homes = [env::var_os("CARGO_HOME").map(PathBuf::from), env::home_dir().map(|home| home.join(".cargo"))];
    if let Some(home) = homes.into_iter().flatten().next() {
        flags.push(format!("--remap-path-prefix={}=/cargo", home.display()));
    }
    flags.push(format!("--remap-path-prefix={}=/lictor", workspace.display()));
    flags
}

/// Whether the guest's build may see this variable: nothing that cargo tells this script or that is meant for the host's
/// compiler, only how crates are fetched and which toolchain is in force.
fn passes(name: &str) -> bool {
    const FETCHING: [&str; 4] = ["CARGO_HOME", "CARGO_NET_", "CARGO_REGISTRIES_", "CARGO_HTTP_"];
    const BARRED: [&str; 4] = ["CARGO", "RUSTC", "RUSTDOC", "RUSTFLAGS"];
    const TOLD: [&str; 7] = ["TARGET", "HOST", "OPT_LEVEL", "PROFILE", "MAKEFLAGS", "NUM_JOBS", "OUT_DIR"];
    FETCHING.iter().any(|start| name.starts_with(start))
        || !(BARRED.iter().any(|start| name.starts_with(start)) || TOLD.contains(&name) || name == "DEBUG")
}
