//! The choice of the policy.

use std::path::PathBuf;

use clap::Args;
use lictor_policy::Switch;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::failure::Failure;
use super::kept;
use crate::Native;
use crate::embedded;
use lictor_host::policy::Policy;
use lictor_host::sandbox::Loaded;

/// The options that choose a policy.
#[derive(Debug, Clone, Args)]
pub(super) struct Choice {
    /// The policy, a WebAssembly component [default: the embedded one]
    #[arg(long, value_name = "FILE", conflicts_with = "native")]
    component: Option<PathBuf>,
    /// Run the embedded policy without WebAssembly
    #[arg(long)]
    native: bool,
}

/// A policy that can be started any number of times.
pub(super) struct Chosen {
    loaded: Option<Loaded>,
    switched: Option<(String, Switch)>,
    /// Its source.
    pub(super) source: Source,
}

/// The source of a policy.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Source {
    /// The file; none for the embedded policy.
    pub(super) file: Option<String>,
    /// The component; none where the policy runs without WebAssembly.
    pub(super) component: Option<Digested>,
}

/// The identity of a component.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Digested {
    /// Its size in bytes.
    pub(super) bytes: usize,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub(super) sha256: String,
}

impl Choice {
    /// Finds the policy.
    pub(super) fn find(&self) -> Result<Chosen, Failure> {
        if self.native {
            return Ok(Chosen { loaded: None, switched: None, source: Source { file: None, component: None } });
        }
        let read;
        let (file, bytes) = match &self.component {
            None => (None, embedded()),
            Some(path) => {
                read = read_component(path)?;
                (Some(path.display().to_string()), read.as_slice())
            }
        };
        let refused = |error| Failure::Component { file: name_of(file.as_deref()).to_owned(), error };
        let loaded = kept::sandbox().and_then(|sandbox| sandbox.load(bytes)).map_err(refused)?;
        let component = Digested { bytes: bytes.len(), sha256: format!("{:x}", Sha256::digest(bytes)) };
        Ok(Chosen { loaded: Some(loaded), switched: None, source: Source { file, component: Some(component) } })
    }
}

impl Chosen {
    /// The embedded policy without WebAssembly, with this law switched.
    pub(super) fn switched(code: &str, to: Switch) -> Chosen {
        let source = Source { file: None, component: None };
        Chosen { loaded: None, switched: Some((code.to_owned(), to)), source }
    }

    /// The version of the contract that the component exports; none for the native policy.
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

impl Source {
    /// A short description.
    pub(super) fn short(&self) -> String {
        match &self.component {
            None => "native".to_owned(),
            Some(component) => {
                let digest: String = component.sha256.chars().take(12).collect();
                format!("component {digest} ({})", name_of(self.file.as_deref()))
            }
        }
    }
}

/// The name of a component in messages.
pub(super) fn name_of(file: Option<&str>) -> &str {
    file.unwrap_or("embedded")
}

/// Reads the file of a component.
pub(super) fn read_component(path: &std::path::Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| Failure::Unreadable { file: path.display().to_string(), error })
}
