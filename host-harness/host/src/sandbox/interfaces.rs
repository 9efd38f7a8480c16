//! The interfaces of the contract by name, and whether a component exports them.

use lictor_contract::Interface;
use wasmtime::Engine;
use wasmtime::component::Component;

use super::{LoadError, Presence};

/// The prefix of the names of the contract's interfaces.
const PACKAGE: &str = "lictor:policy/";
/// The version of the contract this host knows.
const VERSION: &str = "0.1.0";
/// The prefix of the compatible versions.
const TRACK: &str = "0.1.";

/// An interface of the contract, as components export it.
pub(super) struct ExportedInterface {
    pub(super) name: &'static str,
    functions: &'static [&'static str],
}

pub(super) const CORE: ExportedInterface =
    ExportedInterface { name: "lictor:policy/core@0.1.0", functions: &["describe", "configure", "apply"] };

/// The interfaces that every policy exports: the types, and the core.
const REQUIRED: [ExportedInterface; 3] = [
    ExportedInterface { name: "lictor:policy/cluster@0.1.0", functions: &[] },
    ExportedInterface { name: "lictor:policy/answers@0.1.0", functions: &[] },
    CORE,
];

/// Returns an optional interface as components export it.
pub(super) const fn optional(interface: Interface) -> ExportedInterface {
    let (name, functions): (_, &[_]) = match interface {
        Interface::Queue => ("lictor:policy/queue@0.1.0", &["queue-keys"]),
        Interface::Placement => {
            ("lictor:policy/placement@0.1.0", &["pre-filter", "filter", "post-filter", "reserve", "unreserve"])
        }
        Interface::Score => ("lictor:policy/score@0.1.0", &["score"]),
        Interface::Permit => ("lictor:policy/permit@0.1.0", &["permit"]),
        Interface::Cycle => ("lictor:policy/cycle@0.1.0", &["act"]),
        Interface::Account => ("lictor:policy/account@0.1.0", &["queues", "memberships"]),
        Interface::Explain => ("lictor:policy/explain@0.1.0", &["record-notes", "notes"]),
        Interface::State => ("lictor:policy/state@0.1.0", &["save", "restore"]),
        Interface::Marks => ("lictor:policy/marks@0.1.0", &["marks"]),
        Interface::Enforce => ("lictor:policy/enforce@0.1.0", &["enforce"]),
        Interface::Standing => ("lictor:policy/standing@0.1.0", &["standings"]),
    };
    ExportedInterface { name, functions }
}

impl ExportedInterface {
    /// Returns whether the component exports the interface, or a compatible version of it.
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

/// Refuses a component that imports anything, or lacks an interface or function that every policy exports.
pub(super) fn check(component: &Component, engine: &Engine) -> Result<(), LoadError> {
    let imports: Vec<String> = component.component_type().imports(engine).map(|(name, _)| name.to_owned()).collect();
    if !imports.is_empty() {
        return Err(LoadError::Imports(imports));
    }
    if let Some(lacking) = REQUIRED.iter().find(|interface| !interface.is_in(component)) {
        return Err(match contract_version(component, engine) {
            Some(found) if !found.starts_with(TRACK) => LoadError::OtherVersion { found, known: VERSION },
            _ => LoadError::LacksInterface(lacking.name.to_owned()),
        });
    }
    let known = REQUIRED.into_iter().chain(Interface::ALL.iter().map(|interface| optional(*interface)));
    known.into_iter().try_for_each(|interface| interface.check_functions(component))
}

/// Returns the version of the contract that a component exports. `None`: the component exports no interface of the contract.
pub(super) fn contract_version(component: &Component, engine: &Engine) -> Option<String> {
    let exported = component.component_type();
    let version = |name: &str| Some(name.strip_prefix(PACKAGE)?.split_once('@')?.1.to_owned());
    exported.exports(engine).find_map(|(name, _)| version(name))
}

/// Returns the interfaces of the contract, each with whether a component exports it.
pub(super) fn presence(component: &Component) -> Vec<Presence> {
    let short = |exported: &ExportedInterface| {
        let name = exported.name.strip_prefix(PACKAGE).and_then(|name| name.split_once('@'));
        name.map_or(exported.name, |(name, _)| name).to_owned()
    };
    let found = |exported: &ExportedInterface, required| Presence {
        interface: short(exported),
        required,
        present: exported.is_in(component),
    };
    let required = REQUIRED.iter().map(|exported| found(exported, true));
    required.chain(Interface::ALL.iter().map(|interface| found(&optional(*interface), false))).collect()
}
