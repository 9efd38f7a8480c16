//! Which scenarios prove which law, as they say themselves.

use std::path::Path;

use serde::Serialize;

use lictor_conformance::{Scenario, load};
use lictor_host::cluster::InputError;

/// A scenario that proves a law.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Proof {
    /// Its name.
    pub(super) scenario: String,
    /// Where it stands.
    pub(super) file: String,
    /// What it shows.
    pub(super) description: String,
}

/// The scenarios.
pub(super) struct Proofs(Vec<Scenario>);

impl Proofs {
    /// Reads the scenarios of a directory. Where none is named they are those of the repository; none where only the command was
    /// installed.
    pub(super) fn find(named: Option<&Path>) -> Result<Proofs, Vec<InputError>> {
        let own = Path::new("fixtures/scenarios");
        let directory = named.or_else(|| own.is_dir().then_some(own));
        Ok(Proofs(directory.map(|directory| load(&[directory])).transpose()?.unwrap_or_default()))
    }

    /// Those in which a law denies.
    pub(super) fn denies(&self, code: &str) -> Vec<Proof> {
        self.that(|scenario| scenario.denies.iter().any(|law| law == code))
    }

    /// Those in which a law is asked and allows.
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
