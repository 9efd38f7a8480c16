//! A policy that is configured and has no cluster yet.

use super::OpenError;
use super::configured::configure;
use crate::policy::Policy;
use crate::replace::Configuration;

/// A configured policy that is to replace another one. It can be created on any thread: configuring takes some milliseconds, for which the session
/// must not wait. See [`Session::replace`](super::Session::replace).
pub struct CandidatePolicy {
    pub(super) policy: Box<dyn Policy>,
    pub(super) configuration: Configuration,
}

impl CandidatePolicy {
    /// Configures a policy with this system (its first one where the name is empty) and these arguments.
    ///
    /// # Errors
    /// The policy refuses the configuration, decides at a point whose interface it lacks, or fails.
    pub fn new(mut policy: Box<dyn Policy>, system: &str, arguments: &str) -> Result<CandidatePolicy, OpenError> {
        let (configuration, _) = configure(policy.as_mut(), system, arguments)?;
        Ok(CandidatePolicy { policy, configuration })
    }

    /// Refuses victims of a higher priority than the preemptor, although the policy declares rules by which there are such.
    #[must_use]
    pub fn refusing_higher_priority(mut self) -> CandidatePolicy {
        self.configuration.evicts_higher_priority = false;
        self
    }
}
