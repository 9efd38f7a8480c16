//! What a component is, for people and machines to read.

use lictor_contract::Description;
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::types::{Component, ComponentItem};

use super::interfaces::{contract_version, presence};
use super::signature::TypeNames;
use super::{LoadError, Sandbox};
use crate::policy::Policy;

/// The description of a component, or of a file that should be one.
#[derive(Debug, Serialize)]
pub struct Inspection {
    /// Its size in bytes.
    pub bytes: usize,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// The version of the contract that the component exports.
    pub contract: Option<String>,
    /// The imports; empty for a policy.
    pub imports: Vec<String>,
    /// The interfaces of the contract that this host knows, and whether the component exports each.
    pub interfaces: Vec<Presence>,
    /// The exports, in the order of the component.
    pub exports: Vec<Export>,
    /// The answer of the policy's function `describe`.
    pub description: Option<Description>,
    /// Why this host refuses the component as a policy. `None`: the host takes it.
    #[serde(serialize_with = "as_text")]
    pub refused: Option<LoadError>,
}

/// An interface of the contract, and whether a component exports it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Presence {
    /// The interface, without package and version.
    pub interface: String,
    /// Whether every policy must export the interface.
    pub required: bool,
    /// Whether this component exports the interface.
    pub present: bool,
}

/// Something a component exports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Export {
    /// The name: `namespace:package/interface@version` for an interface.
    pub name: String,
    /// The functions of an interface, or the exported function itself.
    pub functions: Vec<Function>,
}

/// A function that a component exports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Function {
    /// The name.
    pub name: String,
    /// The type in WIT, such as `func(pod: u32) -> result<permitted, policy-error>`.
    pub signature: String,
}

impl Sandbox {
    /// Describes a component as far as it can be read. Where the host refuses the component, the description has the reason.
    pub fn inspect(&self, bytes: &[u8]) -> Inspection {
        let mut told = Inspection {
            bytes: bytes.len(),
            sha256: format!("{:x}", Sha256::digest(bytes)),
            contract: None,
            imports: Vec::new(),
            interfaces: Vec::new(),
            exports: Vec::new(),
            description: None,
            refused: None,
        };
        told.refused = self.inspect_into(bytes, &mut told).err();
        told
    }

    fn inspect_into(&self, bytes: &[u8], told: &mut Inspection) -> Result<(), LoadError> {
        let component = self.compile(bytes)?;
        let shape = component.component_type();
        told.contract = contract_version(&component, component.engine());
        told.imports = shape.imports(component.engine()).map(|(name, _)| name.to_owned()).collect();
        told.interfaces = presence(&component);
        told.exports = exports(&shape, component.engine());
        let mut policy = self.admit(&component)?.start()?;
        told.description = Some(policy.describe().map_err(|fault| LoadError::NoDescription(fault.to_string()))?);
        Ok(())
    }
}

fn exports(component: &Component, engine: &Engine) -> Vec<Export> {
    let names = TypeNames::of(component, engine);
    let function = |name: &str, item: &ComponentItem| match item {
        ComponentItem::ComponentFunc(function) => {
            Some(Function { name: name.to_owned(), signature: names.signature(function) })
        }
        _ => None,
    };
    let export = |name: &str, item: &ComponentItem| {
        let functions = match item {
            ComponentItem::ComponentInstance(interface) => {
                interface.exports(engine).filter_map(|(name, item)| function(name, &item.ty)).collect()
            }
            single => function(name, single).into_iter().collect(),
        };
        Export { name: name.to_owned(), functions }
    };
    component.exports(engine).map(|(name, item)| export(name, &item.ty)).collect()
}

fn as_text<S: Serializer>(refused: &Option<LoadError>, out: S) -> Result<S::Ok, S::Error> {
    refused.as_ref().map(LoadError::to_string).serialize(out)
}
