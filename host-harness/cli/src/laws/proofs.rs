//! The scenarios that prove laws, as the scenarios name them.

use std::path::Path;

use serde::Serialize;

use lictor_conformance::{Scenario, load};
use lictor_host::cluster::InputError;

/// A scenario that proves a law.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Proof {
    /// The name of the scenario.
    pub(super) scenario: String,
    /// The file of the scenario.
    pub(super) file: String,
    /// The description of the scenario.
    pub(super) description: String,
}

/// The scenarios.
#[derive(Default)]
pub(super) struct ProvingScenarios(Vec<Scenario>);

impl ProvingScenarios {
    /// Reads the scenarios of a directory; without a name, those of the repository. Empty where the command was installed without the repository.
    pub(super) fn find(named: Option<&Path>) -> Result<ProvingScenarios, Vec<InputError>> {
        let own = Path::new("fixtures/scenarios");
        let directory = named.or_else(|| own.is_dir().then_some(own));
        Ok(ProvingScenarios(directory.map(|directory| load(&[directory])).transpose()?.unwrap_or_default()))
    }

    /// Returns the scenarios in which a law denies.
    pub(super) fn denies(&self, code: &str) -> Vec<Proof> {
        self.that(|scenario| scenario.denies.iter().any(|law| law == code))
    }

    /// Returns the scenarios in which a law is asked and allows.
    pub(super) fn allows(&self, code: &str) -> Vec<Proof> {
        self.that(|scenario| scenario.allows.iter().any(|law| law == code))
    }

    fn that(&self, proves: impl Fn(&Scenario) -> bool) -> Vec<Proof> {
        let proof = |scenario: &Scenario| Proof {
            scenario: scenario.name.clone(),
            file: scenario.origin.file().to_string(),
            description: scenario.description.clone(),
        };
        self.0.iter().filter(|scenario| proves(scenario)).map(proof).collect()
    }
}
