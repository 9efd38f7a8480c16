//! The interfaces of the contract by name, and whether a component exports them.

use wasmtime::Engine;
use wasmtime::component::Component;

use super::LoadError;

/// What the names of the contract's interfaces begin with.
const PACKAGE: &str = "lictor:policy/";
/// The version of the contract this host knows.
const VERSION: &str = "0.1.0";
/// What the versions begin with that are compatible with it.
const TRACK: &str = "0.1.";

/// An interface of the contract.
pub(super) struct Interface {
    pub(super) name: &'static str,
    functions: &'static [&'static str],
}

pub(super) const CLUSTER: Interface = Interface { name: "lictor:policy/cluster@0.1.0", functions: &[] };
pub(super) const DECISION: Interface = Interface {
    name: "lictor:policy/decision@0.1.0",
    functions: &[
        "describe",
        "configure",
        "apply",
        "queue-order",
        "pre-filter",
        "filter",
        "post-filter",
        "reserve",
        "unreserve",
        "permit",
        "act",
    ],
};
pub(super) const ACCOUNT: Interface = Interface { name: "lictor:policy/account@0.1.0", functions: &["queues"] };
pub(super) const BINDING: Interface = Interface { name: "lictor:policy/binding@0.1.0", functions: &["marks"] };
pub(super) const EXPLAIN: Interface =
    Interface { name: "lictor:policy/explain@0.1.0", functions: &["record-notes", "notes"] };
pub(super) const STATE: Interface = Interface { name: "lictor:policy/state@0.1.0", functions: &["save", "restore"] };

impl Interface {
    /// Whether the component exports the interface, or a compatible version of it.
    pub(super) fn is_in(&self, component: &Component) -> bool {
        component.get_export_index(None, self.name).is_some()
    }

    /// Refuses a component that exports the interface without one of its functions.
    fn check_functions(&self, component: &Component) -> Result<(), LoadError> {
        let Some(index) = component.get_export_index(None, self.name) else {
            return Ok(());
        };
        let lacks = |function: &&&str| component.get_export_index(Some(&index), **function).is_none();
        match self.functions.iter().find(lacks) {
            Some(function) => {
                Err(LoadError::LacksFunction { interface: self.name.to_owned(), function: (*function).to_owned() })
            }
            None => Ok(()),
        }
    }
}

/// Refuses a component that imports anything, or does not export what every policy does.
pub(super) fn check(component: &Component, engine: &Engine) -> Result<(), LoadError> {
    let imports: Vec<String> = component.component_type().imports(engine).map(|(name, _)| name.to_owned()).collect();
    if !imports.is_empty() {
        return Err(LoadError::Imports(imports));
    }
    if let Some(lacking) = [CLUSTER, DECISION].iter().find(|interface| !interface.is_in(component)) {
        return Err(match contract_version(component, engine) {
            Some(found) if !found.starts_with(TRACK) => LoadError::OtherVersion { found, known: VERSION },
            _ => LoadError::LacksInterface(lacking.name.to_owned()),
        });
    }
    let known = [CLUSTER, DECISION, ACCOUNT, BINDING, EXPLAIN, STATE];
    known.iter().try_for_each(|interface| interface.check_functions(component))
}

/// The version of the contract that a component exports.
pub(super) fn contract_version(component: &Component, engine: &Engine) -> Option<String> {
    let exported = component.component_type();
    let version = |name: &str| Some(name.strip_prefix(PACKAGE)?.split_once('@')?.1.to_owned());
    exported.exports(engine).find_map(|(name, _)| version(name))
}
