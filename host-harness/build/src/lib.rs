//! Builds crates of this workspace for WebAssembly, from build scripts.
//!
//! They are built by a cargo of its own, in a target directory of its own (the outer one is locked by the build that runs the
//! script) and in an environment of its own (what is meant for the host's compiler would break them).

use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// What the crates are built for.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// Returns the path that cargo gives in an environment variable.
///
/// # Errors
/// Where cargo did not set it.
pub fn path_of(variable: &str) -> Result<PathBuf, String> {
    env::var_os(variable).map(PathBuf::from).ok_or_else(|| format!("cargo did not set `{variable}`"))
}

/// Returns the folder in which guests are built: one for all builds of the same target directory, whichever features they chose. Cargo gives each
/// choice an `OUT_DIR` of its own, `TARGET/PROFILE/build/NAME-HASH/out`, in which everything would be compiled once more.
///
/// # Errors
/// Where cargo did not set `OUT_DIR`.
pub fn shared_target_dir() -> Result<PathBuf, String> {
    let out = path_of("OUT_DIR")?;
    Ok(out.ancestors().nth(3).unwrap_or(&out).join("guest"))
}

/// Makes cargo run the script again when one of these files or folders below the workspace has changed.
pub fn rerun_if_changed(workspace: &Path, inputs: &[&str]) {
    for input in inputs.iter().chain(&["Cargo.toml", "Cargo.lock", "rust-toolchain.toml"]) {
        println!("cargo::rerun-if-changed={}", workspace.join(input).display());
    }
}

/// Returns the compiler that builds the harness, so that it builds the modules, too.
fn rustc() -> OsString {
    env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())
}

/// Adds the target to the toolchain in force where it is missing: without it the compiler would only say that it "can't find
/// crate for `std`".
///
/// # Errors
/// Where it cannot be added; the message has the command to run.
pub fn ensure_target() -> Result<(), Box<dyn Error>> {
    if is_target_installed()? {
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
        Ok(status) if status.success() && is_target_installed()? => Ok(()),
        _ => Err(format!("the target `{TARGET}` is not installed and could not be added; run `{line}`").into()),
    }
}

fn is_target_installed() -> Result<bool, Box<dyn Error>> {
    let asked = Command::new(rustc()).args(["--print", "target-libdir", "--target", TARGET]).output()?;
    let libraries = PathBuf::from(String::from_utf8(asked.stdout)?.trim());
    Ok(asked.status.success() && libraries.is_dir() && fs::read_dir(libraries)?.next().is_some())
}

/// The settings with which modules are built.
#[derive(Debug)]
pub struct Build<'a> {
    /// The root of the workspace.
    pub workspace: &'a Path,
    /// Where the compiler leaves what it makes.
    pub target_dir: &'a Path,
    /// The profile of the workspace.
    pub profile: &'a str,
    /// Flags of the compiler.
    pub flags: Vec<String>,
}

impl Build<'_> {
    /// Builds these packages and returns the module of each, in their order.
    ///
    /// # Errors
    /// Where one does not build; the compiler has said why.
    pub fn modules<const N: usize>(&self, packages: [&str; N]) -> Result<[PathBuf; N], Box<dyn Error>> {
        let mut cargo = Command::new(path_of("CARGO")?);
        cargo.args(["build", "--locked", "--profile", self.profile, "--target", TARGET]);
        cargo.arg("--target-dir").arg(self.target_dir).current_dir(self.workspace);
        cargo.args(packages.iter().flat_map(|package| ["--package", package]));
        for (name, _) in env::vars_os() {
            if !name.to_str().is_some_and(passes) {
                cargo.env_remove(name);
            }
        }
        cargo.env("RUSTC", rustc()).env("CARGO_ENCODED_RUSTFLAGS", self.flags.join("\u{1f}"));
        if !cargo.status()?.success() {
            return Err(format!("{} does not build; what its compiler said is above", packages.join(", ")).into());
        }
        let folder = self.target_dir.join(TARGET).join(self.profile);
        Ok(packages.map(|package| folder.join(package.replace('-', "_")).with_extension("wasm")))
    }
}

/// Returns the compiler flags that keep the paths of this machine out of the bytes.
#[must_use]
pub fn without_paths(workspace: &Path) -> Vec<String> {
    let homes = [env::var_os("CARGO_HOME").map(PathBuf::from), env::home_dir().map(|home| home.join(".cargo"))];
    let home = homes.into_iter().flatten().next().map(|home| format!("--remap-path-prefix={}=/cargo", home.display()));
    let root = format!("--remap-path-prefix={}=/lictor", workspace.display());
    home.into_iter().chain([root]).collect()
}

/// Returns whether the guest's build may see this variable: nothing that cargo tells this script or that is meant for the host's compiler, only how
/// crates are fetched and which toolchain is in force.
fn passes(name: &str) -> bool {
    const FETCHING: [&str; 4] = ["CARGO_HOME", "CARGO_NET_", "CARGO_REGISTRIES_", "CARGO_HTTP_"];
    const BARRED: [&str; 4] = ["CARGO", "RUSTC", "RUSTDOC", "RUSTFLAGS"];
    const CARGO_VARIABLES: [&str; 7] = ["TARGET", "HOST", "OPT_LEVEL", "PROFILE", "MAKEFLAGS", "NUM_JOBS", "OUT_DIR"];
    FETCHING.iter().any(|start| name.starts_with(start))
        || !(BARRED.iter().any(|start| name.starts_with(start)) || CARGO_VARIABLES.contains(&name) || name == "DEBUG")
}
