//! The choice of the policy.

use std::path::{Path, PathBuf};

use clap::Args;
use lictor_contract::Description;
use lictor_decide::record::{Digested, Source};
use lictor_policy::Switch;
use sha2::{Digest, Sha256};

use super::failure::Failure;
use super::kept;
use super::limited::Limited;
use super::remote::{Fetched, Remote};
use crate::Native;
use crate::embedded;
use lictor_host::policy::Policy;
use lictor_host::recording::Identified;
use lictor_host::sandbox::{Limits, Loaded};

/// The options that choose a policy.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Choice {
    /// The policy, a WebAssembly component: a file, or one of a registry, `oci://...` [default: the embedded one]
    #[arg(long, value_name = "FILE", conflicts_with = "native")]
    component: Option<PathBuf>,
    /// Run the embedded policy without WebAssembly
    #[arg(long)]
    native: bool,
    #[command(flatten)]
    remote: Remote,
    #[command(flatten)]
    pub(super) limits: Limited,
}

/// A chosen policy, which can be started any number of times.
pub(super) struct Chosen {
    loaded: Option<Loaded>,
    switched: Option<(String, Switch)>,
    /// The limits of a component.
    pub(super) limits: Limits,
    /// The source of the policy.
    pub(super) source: Source,
}

impl Choice {
    /// Makes the choice of a word: `embedded`, `native`, or a component, with these limits: its file, or its name in a registry, pinned to a digest.
    pub(super) fn named(word: &str, limits: &Limited, remote: &Remote) -> Choice {
        let component = (!matches!(word, "embedded" | "native")).then(|| PathBuf::from(word));
        let native = word == "native";
        let limits = if native { Limited::default() } else { limits.clone() };
        Choice { component, native, limits, remote: remote.about(word) }
    }

    /// Returns this choice and that of `word`, for commands with two policies. The options about registries apply to both.
    pub(super) fn and(&self, word: &str) -> Result<(Choice, Choice), Failure> {
        let own = self.component.as_deref().and_then(Path::to_str).unwrap_or_default();
        self.remote.must_be_about(&[own, word])?;
        let first = Choice { remote: self.remote.about(own), ..self.clone() };
        Ok((first, Choice::named(word, &self.limits, &self.remote)))
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
    pub(super) fn first(&self) -> Choice {
        let own = self.component.as_deref().and_then(Path::to_str).unwrap_or_default();
        Choice { remote: self.remote.about(own), ..self.clone() }
    }

    /// Returns the choice of a word, with the same limits and options about registries.
    #[cfg(feature = "live")]
    pub(super) fn next(&self, word: &str) -> Choice {
        Choice::named(word, &self.limits, &self.remote)
    }

    /// Loads the component of these bytes; `name` is its name for people.
    ///
    /// # Errors
    /// A key is given: then a signature is demanded, and these bytes have none. The component cannot be loaded.
    #[cfg(feature = "live")]
    pub(super) fn given(&self, name: &str, bytes: Vec<u8>) -> Result<Chosen, Failure> {
        if self.remote.demands_signature() {
            return Err(Failure::Useless("`--key` demands a signature, and one that is not of a registry has none"));
        }
        let component = Some(Fetched { name: name.to_owned(), bytes, trust: None });
        Choice { native: false, ..self.clone() }.load(component, self.limits.read()?)
    }

    /// Finds the policy.
    pub(super) fn find(&self) -> Result<Chosen, Failure> {
        let limits = self.limits.read()?;
        if self.native && self.limits.is_given() {
            return Err(Failure::Useless("`--limit` bounds a component, and `--native` runs none"));
        }
        let read = match &self.component {
            None => self.remote.must_be_unused().map(|()| None)?,
            Some(path) => Some(self.remote.fetch(path, &limits)?),
        };
        self.load(read, limits)
    }

    /// Loads a component that was read; without one, the embedded policy.
    fn load(&self, read: Option<Fetched>, limits: Limits) -> Result<Chosen, Failure> {
        if self.native {
            return Ok(Chosen { loaded: None, switched: None, limits, source: Source::default() });
        }
        let bytes = read.as_ref().map_or(embedded(), |read| read.bytes.as_slice());
        let (file, trust) = read.as_ref().map_or((None, None), |read| (Some(read.name.clone()), read.trust));
        let refused = |error| Failure::Component { file: name_of(file.as_deref()).to_owned(), error };
        let loaded = kept::sandbox(limits.clone()).and_then(|sandbox| sandbox.load(bytes)).map_err(refused)?;
        let component = Digested { bytes: bytes.len(), sha256: format!("{:x}", Sha256::digest(bytes)) };
        let source = Source { file, trust, component: Some(component) };
        Ok(Chosen { loaded: Some(loaded), switched: None, limits, source })
    }
}

impl Chosen {
    /// Makes the embedded policy without WebAssembly, with this law switched.
    pub(super) fn switched(code: &str, to: Switch) -> Chosen {
        let (switched, source) = (Some((code.to_owned(), to)), Source::default());
        Chosen { loaded: None, switched, limits: Limits::default(), source }
    }

    /// Returns the SHA-256 of the component. Without WebAssembly: that of the embedded one, which was built from the same sources.
    pub(super) fn digest(&self) -> String {
        match &self.source.component {
            Some(component) => component.sha256.clone(),
            None => format!("{:x}", Sha256::digest(embedded())),
        }
    }

    /// Returns the identity of the policy, for a recording.
    pub(super) fn identified(&self, described: &Description) -> Identified {
        Identified {
            name: described.name.clone(),
            version: described.version.clone(),
            component: self.digest(),
            native: self.source.component.is_none(),
        }
    }

    /// Returns the version of the contract that the component exports. `None`: the policy is native.
    pub(super) fn contract(&self) -> Option<String> {
        self.loaded.as_ref().and_then(Loaded::contract)
    }

    /// Starts the policy with an empty cluster.
    pub(super) fn start(&self) -> Result<Box<dyn Policy>, Failure> {
        match (&self.loaded, &self.switched) {
            (None, None) => Ok(Box::new(Native::default())),
            (None, Some((code, to))) => Ok(Box::new(Native::switched(code, *to))),
            (Some(loaded), _) => {
                let file = || name_of(self.source.file.as_deref()).to_owned();
                let started = loaded.start().map_err(|error| Failure::Component { file: file(), error })?;
                Ok(Box::new(started))
            }
        }
    }
}

/// Returns the name of a component in messages.
pub(super) fn name_of(file: Option<&str>) -> &str {
    file.unwrap_or("embedded")
}
