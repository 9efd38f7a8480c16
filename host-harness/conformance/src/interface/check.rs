//! A check: one rule of the contract, and how a policy is held to it.

use lictor_contract::Interface;

use super::checks::ALL;
use super::lab::{Lab, Verdict};

/// A rule that a policy keeps.
pub struct Check {
    /// Its name: the interface and what holds.
    pub id: &'static str,
    /// What it demands, in a sentence.
    pub demands: &'static str,
    /// Where the rule stands.
    pub rule: &'static str,
    /// What to mend where it does not hold.
    pub remedy: &'static str,
    /// Holds a policy to it in one cluster.
    pub(super) verdict: fn(&Lab<'_>) -> Verdict,
}

impl Check {
    /// The interface that it is about; none: the core.
    pub fn interface(&self) -> Option<Interface> {
        Interface::named(self.section())
    }

    /// The name of that interface.
    pub fn section(&self) -> &'static str {
        self.id.split('/').next().unwrap_or_default()
    }
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Check").field("id", &self.id).finish_non_exhaustive()
    }
}

/// All checks, interface by interface.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    ALL.iter().copied().flatten()
}

/// Whether something holds; else what is wrong.
pub(super) fn hold(holds: bool, wrong: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(wrong()) }
}
