//! What a session was opened with.

use std::collections::BTreeMap;

use lictor_contract::Description;
use serde::{Deserialize, Serialize};

use crate::rails::Rails;
use crate::sandbox::SandboxLimits;
use crate::session::FaultRules;

/// The name of the limit that a replay repeats: the memory above which an instance is replaced.
const RECYCLE: &str = "recycleBytes";

/// The settings that a recorded session was opened with. With the same settings and inputs, a session decides the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    /// The policy.
    pub policy: PolicyIdentity,
    /// The name of the system.
    pub system: String,
    /// The arguments, a JSON object; empty for none.
    pub arguments: String,
    /// The schedulers whose pods are decided about. Empty: the schedulers that the system stands for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub schedulers: Vec<String>,
    /// How the session treats a policy that fails.
    #[serde(default)]
    pub fault_rules: FaultRules,
    /// The limits of the policy, by the names of the fields of [`SandboxLimits`]. Times are in milliseconds, sizes in bytes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<String, u64>,
    /// The rails.
    #[serde(default, skip_serializing_if = "Rails::are_default")]
    pub rails: Rails,
    /// The sources of the inputs, as the user named them. Empty where the user named none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
}

/// The identity of the policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyIdentity {
    /// The name that the policy describes itself with.
    pub name: String,
    /// The version that the policy describes itself with.
    pub version: String,
    /// The SHA-256 of the component in hexadecimal. Without WebAssembly: of the component that the same sources were built into.
    pub component: String,
    /// The policy ran without WebAssembly.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub native: bool,
}

impl Header {
    /// Creates the header of a policy that runs without WebAssembly, in a session of this system with default settings.
    pub fn native(described: &Description, system: &str) -> Header {
        let [name, version] = [&described.name, &described.version].map(Clone::clone);
        Header {
            policy: PolicyIdentity { name, version, component: String::new(), native: true },
            system: system.to_owned(),
            arguments: String::new(),
            schedulers: Vec::new(),
            fault_rules: FaultRules::default(),
            limits: BTreeMap::new(),
            rails: Rails::default(),
            sources: Vec::new(),
        }
    }

    /// Returns the limits of a sandbox in the form of a header.
    pub fn limits(limits: &SandboxLimits) -> BTreeMap<String, u64> {
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

    /// Returns the bytes of memory above which an instance was replaced. `None`: memory was not measured.
    pub(super) fn recycle_bytes(&self) -> Option<u64> {
        self.limits.get(RECYCLE).copied().filter(|_| !self.policy.native)
    }
}
