//! The choice of the policy.

use std::path::{Path, PathBuf};

use clap::Args;
use lictor_contract::Description;
use lictor_decide::record::{ComponentDigest, PolicySource};
use lictor_policy::Mutation;
use sha2::{Digest, Sha256};

use super::failure::CommandError;
use super::kept;
use super::limited::LimitArgs;
use super::rails::RailArgs;
use super::remote::{FetchedComponent, RegistryArgs};
use crate::Native;
use crate::embedded;
use lictor_host::policy::Policy;
use lictor_host::rails::{HigherPriorityVictims, Rails};
use lictor_host::recording::PolicyIdentity;
use lictor_host::sandbox::{LoadedComponent, SandboxLimits};
use lictor_host::session::CandidatePolicy;

/// The options that choose a policy.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct PolicyArgs {
    /// The policy, a WebAssembly component: a file, or one of a registry, `oci://...` [default: the embedded one]
    #[arg(long, value_name = "FILE", conflicts_with = "native")]
    component: Option<PathBuf>,
    /// Run the embedded policy without WebAssembly
    #[arg(long)]
    native: bool,
    #[command(flatten)]
    remote: RegistryArgs,
    #[command(flatten)]
    pub(super) bounds: BoundArgs,
}

/// The options that bound a policy.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct BoundArgs {
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    rails: RailArgs,
}

/// A chosen policy, which can be started any number of times.
pub(super) struct LoadedPolicy {
    loaded: Option<LoadedComponent>,
    mutation: Option<(String, Mutation)>,
    /// The limits of a component.
    pub(super) limits: SandboxLimits,
    /// The rails.
    pub(super) rails: Rails,
    /// The source of the policy.
    pub(super) source: PolicySource,
}

impl PolicyArgs {
    /// Makes the choice of a word: `embedded`, `native`, or a component, with these bounds: its file, or its name in a registry, pinned to a digest.
    pub(super) fn from_word(word: &str, bounds: &BoundArgs, remote: &RegistryArgs) -> PolicyArgs {
        let component = (!matches!(word, "embedded" | "native")).then(|| PathBuf::from(word));
        let native = word == "native";
        let limits = if native { LimitArgs::default() } else { bounds.limits.clone() };
        let bounds = BoundArgs { limits, rails: bounds.rails.clone() };
        PolicyArgs { component, native, bounds, remote: remote.about(word) }
    }

    /// Returns this choice and that of `word`, for commands with two policies. The options about registries apply to both.
    pub(super) fn with_second(&self, word: &str) -> Result<(PolicyArgs, PolicyArgs), CommandError> {
        let own = self.component.as_deref().and_then(Path::to_str).unwrap_or_default();
        self.remote.must_be_about(&[own, word])?;
        let first = PolicyArgs { remote: self.remote.about(own), ..self.clone() };
        Ok((first, PolicyArgs::from_word(word, &self.bounds, &self.remote)))
    }

    /// Returns whether the choice is the policy of this build, with or without WebAssembly.
    #[cfg(feature = "page")]
    pub(super) fn is_built_in(&self) -> bool {
        self.component.is_none()
    }

    /// Returns the file of the component. `None`: the policy comes from this build or from a registry.
    pub(super) fn file(&self) -> Option<&Path> {
        self.component.as_deref().filter(|file| !file.starts_with("oci:"))
    }

    /// Returns this choice, where other policies may follow: the options about registries apply to those, too.
    #[cfg(feature = "live")]
    pub(super) fn first(&self) -> PolicyArgs {
        let own = self.component.as_deref().and_then(Path::to_str).unwrap_or_default();
        PolicyArgs { remote: self.remote.about(own), ..self.clone() }
    }

    /// Returns the choice of a word, with the same limits and options about registries.
    #[cfg(feature = "live")]
    pub(super) fn next(&self, word: &str) -> PolicyArgs {
        PolicyArgs::from_word(word, &self.bounds, &self.remote)
    }

    /// Loads the component of these bytes; `name` is its name for people.
    ///
    /// # Errors
    /// A signature or a report is demanded, and these bytes have none. The component cannot be loaded.
    #[cfg(feature = "live")]
    pub(super) fn load_bytes(&self, name: &str, bytes: Vec<u8>) -> Result<LoadedPolicy, CommandError> {
        self.remote.must_allow_bytes()?;
        let component = Some(FetchedComponent { name: name.to_owned(), bytes, trust: None, report: None });
        PolicyArgs { native: false, ..self.clone() }.load(component, self.bounds.limits.read()?)
    }

    /// Returns this choice for scenarios, which test laws: those of `kubernetes` evict beyond a budget where no other victim makes the room.
    pub(super) fn for_scenarios(&self) -> PolicyArgs {
        let bounds = BoundArgs { rails: self.bounds.rails.with_default("budgets=off"), ..self.bounds.clone() };
        PolicyArgs { bounds, ..self.clone() }
    }

    /// Finds the policy.
    pub(super) fn load_policy(&self) -> Result<LoadedPolicy, CommandError> {
        let limits = self.bounds.limits.read()?;
        if self.native && self.bounds.limits.is_given() {
            return Err(CommandError::ConflictingOptions("`--limit` bounds a component, and `--native` runs none"));
        }
        let read = match &self.component {
            None => self.remote.must_be_unused().map(|()| None)?,
            Some(path) => Some(self.remote.fetch(path, &limits)?),
        };
        self.load(read, limits)
    }

    /// Loads a component that was read; without one, the embedded policy.
    fn load(&self, read: Option<FetchedComponent>, limits: SandboxLimits) -> Result<LoadedPolicy, CommandError> {
        if self.native {
            let (rails, source) = (self.bounds.rails.read(true)?, PolicySource::default());
            return Ok(LoadedPolicy { loaded: None, mutation: None, limits, rails, source });
        }
        let bytes = read.as_ref().map_or(embedded(), |read| read.bytes.as_slice());
        let rails = self.bounds.rails.read(bytes == embedded())?;
        let (file, trust) = read.as_ref().map_or((None, None), |read| (Some(read.name.clone()), read.trust));
        let report = read.as_ref().and_then(|read| read.report.clone());
        let refused = |error| CommandError::Component { file: name_of(file.as_deref()).to_owned(), error };
        let loaded = kept::sandbox(limits.clone()).and_then(|sandbox| sandbox.load(bytes)).map_err(refused)?;
        let component = ComponentDigest { bytes: bytes.len(), sha256: format!("{:x}", Sha256::digest(bytes)) };
        let source = PolicySource { file, trust, report, component: Some(component) };
        Ok(LoadedPolicy { loaded: Some(loaded), mutation: None, limits, rails, source })
    }
}

impl LoadedPolicy {
    /// Makes the embedded policy without WebAssembly, with this law switched.
    pub(super) fn switched(code: &str, to: Mutation) -> LoadedPolicy {
        let (switched, source) = (Some((code.to_owned(), to)), PolicySource::default());
        let (limits, rails) = (SandboxLimits::default(), Rails::default());
        LoadedPolicy { loaded: None, mutation: switched, limits, rails, source }
    }

    /// Returns the SHA-256 of the component. Without WebAssembly: that of the embedded one, which was built from the same sources.
    pub(super) fn digest(&self) -> String {
        match &self.source.component {
            Some(component) => component.sha256.clone(),
            None => format!("{:x}", Sha256::digest(embedded())),
        }
    }

    /// Returns the identity of the policy, for a recording.
    pub(super) fn identified(&self, described: &Description) -> PolicyIdentity {
        PolicyIdentity {
            name: described.name.clone(),
            version: described.version.clone(),
            component: self.digest(),
            native: self.source.component.is_none(),
        }
    }

    /// Returns the version of the contract that the component exports. `None`: the policy is native.
    pub(super) fn contract(&self) -> Option<String> {
        self.loaded.as_ref().and_then(LoadedComponent::contract)
    }

    /// Applies the rails of this choice to a candidate for the replacement of another policy.
    pub(super) fn bound(&self, candidate: CandidatePolicy) -> CandidatePolicy {
        match self.rails.higher_priority {
            HigherPriorityVictims::Declared => candidate,
            HigherPriorityVictims::Refused => candidate.refusing_higher_priority(),
        }
    }

    /// Starts the policy with an empty cluster.
    pub(super) fn start(&self) -> Result<Box<dyn Policy>, CommandError> {
        match (&self.loaded, &self.mutation) {
            (None, None) => Ok(Box::new(Native::default())),
            (None, Some((code, to))) => Ok(Box::new(Native::switched(code, *to))),
            (Some(loaded), _) => {
                let file = || name_of(self.source.file.as_deref()).to_owned();
                let started = loaded.start().map_err(|error| CommandError::Component { file: file(), error })?;
                Ok(Box::new(started))
            }
        }
    }
}

/// Returns the name of a component in messages.
pub(super) fn name_of(file: Option<&str>) -> &str {
    file.unwrap_or("embedded")
}
