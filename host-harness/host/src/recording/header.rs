//! What a session was opened with.

use std::collections::BTreeMap;

use lictor_contract::Description;
use serde::{Deserialize, Serialize};

use crate::sandbox::Limits;
use crate::session::FaultRules;

/// The limit whose effect a replay repeats: where an instance was replaced because of its memory.
const RECYCLE: &str = "recycleBytes";

/// What a recorded session was opened with: with the same, and the same inputs, it decides the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    /// The policy.
    pub policy: Identified,
    /// The name of the system.
    pub system: String,
    /// Its arguments, a JSON object; empty for none.
    pub arguments: String,
    /// The schedulers whose pods are decided about; empty: those that the system stands for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub schedulers: Vec<String>,
    /// How the session treats a policy that fails.
    #[serde(default)]
    pub fault_rules: FaultRules,
    /// What the policy may use, by the names of the fields of [`Limits`]; times in milliseconds.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<String, u64>,
    /// What the inputs were read from, as the user named it; empty where nobody did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
}

/// Which policy it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Identified {
    /// Its name, as it says.
    pub name: String,
    /// Its version, as it says.
    pub version: String,
    /// The SHA-256 of the component in hexadecimal. Without WebAssembly: of the component that the same sources were built into.
    pub component: String,
    /// It ran without WebAssembly.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub native: bool,
}

impl Header {
    /// Of a policy that runs without WebAssembly, in a session of this system as it comes.
    pub fn native(described: &Description, system: &str) -> Header {
        let [name, version] = [&described.name, &described.version].map(Clone::clone);
        Header {
            policy: Identified { name, version, component: String::new(), native: true },
            system: system.to_owned(),
            arguments: String::new(),
            schedulers: Vec::new(),
            fault_rules: FaultRules::default(),
            limits: BTreeMap::new(),
            sources: Vec::new(),
        }
    }

    /// The limits of a sandbox as a header has them.
    pub fn limits(limits: &Limits) -> BTreeMap<String, u64> {
        let size = |bytes: usize| u64::try_from(bytes).unwrap_or(u64::MAX);
        let time = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let all = [
            ("memoryBytes", size(limits.memory_bytes)),
            (RECYCLE, size(limits.recycle_bytes)),
            ("callDeadline", time(limits.call_deadline)),
            ("resultBytes", size(limits.result_bytes)),
            ("componentBytes", size(limits.component_bytes)),
            ("compileDeadline", time(limits.compile_deadline)),
        ];
        let fuel = limits.call_fuel.map(|fuel| ("callFuel", fuel));
        all.into_iter().chain(fuel).map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// The bytes of memory past which an instance was replaced; none where memory was not measured.
    pub(super) fn recycle_bytes(&self) -> Option<u64> {
        self.limits.get(RECYCLE).copied().filter(|_| !self.policy.native)
    }
}
