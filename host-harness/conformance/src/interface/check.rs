//! A check: one rule of the contract, and how a policy is held to it.

use lictor_contract::Interface;

use super::checks::ALL;
use super::lab::{CheckContext, CheckResult};

/// A rule of the contract, with the check that a policy keeps it.
pub struct Check {
    /// The name: the interface and the rule.
    pub id: &'static str,
    /// The demand, in a sentence.
    pub demands: &'static str,
    /// The place of the rule in the contract.
    pub rule: &'static str,
    /// What to change in a policy that breaks the rule.
    pub remedy: &'static str,
    /// Checks a policy in one cluster.
    pub(super) verdict: fn(&CheckContext<'_>) -> CheckResult,
}

impl Check {
    /// Returns the interface of the rule. `None`: the core.
    pub fn interface(&self) -> Option<Interface> {
        Interface::named(self.section())
    }

    /// Returns the name of the interface of the rule.
    pub fn section(&self) -> &'static str {
        self.id.split('/').next().unwrap_or_default()
    }
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Check").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Returns all checks, interface by interface.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    ALL.iter().copied().flatten()
}

/// Checks a condition.
///
/// # Errors
/// The text of `wrong`, where the condition does not hold.
pub(super) fn ensure(holds: bool, wrong: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(wrong()) }
}
