//! Components of registries: their options, and the commands that push and pull them. The code for registries is built in with the feature `oci`
//! only.

#[cfg(not(feature = "oci"))]
mod off;
#[cfg(feature = "oci")]
mod on;
#[cfg(feature = "oci")]
mod report;

use std::path::{Path, PathBuf};

use clap::Args;
use lictor_host::sandbox::SandboxLimits;

use super::failure::CommandError;
use super::screen::TextOrJson;

/// The prefix of the name of a component in a registry.
const SCHEME: &str = "oci://";
/// Seconds that one answer of a registry may take.
const TIMEOUT: u64 = 60;
/// The heading of the options in the help.
const HEADING: &str = "Components of registries, oci://registry/repository:tag";

/// The options of requests to registries.
#[derive(Debug, Clone, Args)]
pub(super) struct RegistryNetworkArgs {
    /// Ask registries of other machines without TLS, too; those of this machine always are
    #[arg(long, help_heading = HEADING)]
    plain_http: bool,
    /// How long one answer of a registry may take
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT, value_parser = clap::value_parser!(u64).range(1..=3600),
        help_heading = HEADING)]
    registry_timeout: u64,
}

impl Default for RegistryNetworkArgs {
    fn default() -> RegistryNetworkArgs {
        RegistryNetworkArgs { plain_http: false, registry_timeout: TIMEOUT }
    }
}

/// The options that decide which components of registries may be loaded.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct RegistryArgs {
    /// The public key of the publisher, such as cosign.pub: what is not signed by it is not loaded
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    key: Option<PathBuf>,
    /// Load a component that is neither verified by a key nor pinned to a digest
    #[arg(long, conflicts_with = "key", help_heading = HEADING)]
    insecure_unsigned: bool,
    /// Load only a component that was pushed with a conformance report in which everything passed
    #[arg(long, help_heading = HEADING)]
    require_report: bool,
    #[command(flatten)]
    network: RegistryNetworkArgs,
}

/// Push a policy to a registry: a Wasm artifact with its WIT and its report, signed
#[derive(Debug, Args)]
pub(super) struct PushArgs {
    /// The component
    #[arg(value_name = "FILE")]
    component: PathBuf,
    /// Where to: `oci://registry/repository:tag`
    #[arg(value_name = "REFERENCE")]
    reference: String,
    /// The conformance report of the component, as `lictor test --component FILE --report REPORT` writes it
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Push a report with failures, too
    #[arg(long, requires = "report")]
    allow_failed_report: bool,
    /// Sign it with this private key, such as cosign.key; its password is read from COSIGN_PASSWORD
    #[arg(long, value_name = "FILE")]
    sign_key: Option<PathBuf>,
    #[command(flatten)]
    network: RegistryNetworkArgs,
    /// The format of the output
    #[arg(long, value_enum, default_value = "text")]
    output: TextOrJson,
}

/// Pull a policy from a registry into files: the component, its WIT and its report
#[derive(Debug, Args)]
pub(super) struct PullArgs {
    /// What: `oci://registry/repository:tag`, or `...@sha256:...`
    #[arg(value_name = "REFERENCE")]
    reference: String,
    /// Where the files are written
    #[arg(long, short, value_name = "DIRECTORY", default_value = ".")]
    directory: PathBuf,
    #[command(flatten)]
    remote: RegistryArgs,
    /// The format of the output
    #[arg(long, value_enum, default_value = "text")]
    output: TextOrJson,
}

/// A component that was read or pulled.
pub(super) struct FetchedComponent {
    /// The file, or the reference with the digest that was resolved.
    pub(super) name: String,
    /// The bytes of the component.
    pub(super) bytes: Vec<u8>,
    /// Why a component of a registry may be loaded. `None`: it comes from a file.
    pub(super) trust: Option<&'static str>,
    /// What the conformance report says that the component was pushed with. `None`: there is no report.
    pub(super) report: Option<String>,
}

/// Returns whether a word names a component of a registry.
pub(super) fn is_reference(word: &str) -> bool {
    word.starts_with(SCHEME)
}

impl RegistryArgs {
    /// Returns the options for a word: these, where the word names a component of a registry, else the defaults.
    pub(super) fn about(&self, word: &str) -> RegistryArgs {
        if is_reference(word) { self.clone() } else { RegistryArgs::default() }
    }

    /// Checks that one of the words names a component of a registry, where options for registries are given.
    ///
    /// # Errors
    /// [`CommandError::Useless`] where the options apply to none of the words.
    pub(super) fn must_be_about(&self, words: &[&str]) -> Result<(), CommandError> {
        if words.iter().any(|word| is_reference(word)) { Ok(()) } else { self.must_be_unused() }
    }

    /// Reads a component: a file, or one of a registry. A component of a registry is verified, and no more is downloaded than may be loaded.
    pub(super) fn fetch(&self, component: &Path, limits: &SandboxLimits) -> Result<FetchedComponent, CommandError> {
        if let Some(reference) = component.to_str().filter(|name| name.starts_with(SCHEME)) {
            return fetch(reference, self, limits);
        }
        self.must_be_unused()?;
        let bytes = std::fs::read(component)
            .map_err(|error| CommandError::Unreadable { file: component.display().to_string(), error })?;
        Ok(FetchedComponent { name: component.display().to_string(), bytes, trust: None, report: None })
    }

    /// Checks that a component may be loaded that is not of a registry.
    ///
    /// # Errors
    /// A signature or a report is demanded, and such a component has none.
    #[cfg(feature = "live")]
    pub(super) fn must_allow_bytes(&self) -> Result<(), CommandError> {
        let demands = [
            (self.key.is_some(), "`--key` demands a signature, and a component that is not of a registry has none"),
            (
                self.require_report,
                "`--require-report` demands a report, and a component that is not of a registry has none",
            ),
        ];
        demands.into_iter().find(|(is, _)| *is).map_or(Ok(()), |(_, why)| Err(CommandError::ConflictingOptions(why)))
    }

    /// Checks that no option for registries is given. A file or the embedded policy would ignore the option, and users would rely on it.
    ///
    /// # Errors
    /// [`CommandError::Useless`] where such an option is given.
    pub(super) fn must_be_unused(&self) -> Result<(), CommandError> {
        if self.key.is_some() || self.insecure_unsigned || self.require_report {
            return Err(CommandError::ConflictingOptions(
                "`--key`, `--insecure-unsigned` and `--require-report` are about components of registries \
                 (`--component oci://...`): no signature of a file or of the embedded policy is verified",
            ));
        }
        Ok(())
    }
}

#[cfg(not(feature = "oci"))]
use off::fetch;
#[cfg(not(feature = "oci"))]
pub(super) use off::{pull, push};
#[cfg(feature = "oci")]
use on::fetch;
#[cfg(feature = "oci")]
pub(super) use on::{pull, push};

#[cfg(all(test, feature = "live"))]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_of_no_registry_meet_no_demand() {
        let (key, none) = (Some(PathBuf::from("cosign.pub")), RegistryArgs::default());
        assert!(none.must_allow_bytes().is_ok());
        assert!(RegistryArgs { key, ..none.clone() }.must_allow_bytes().is_err());
        assert!(RegistryArgs { require_report: true, ..none }.must_allow_bytes().is_err());
    }
}
