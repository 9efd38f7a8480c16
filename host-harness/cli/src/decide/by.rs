//! The choice of the system and the policy that decide about a cluster.

use clap::Args;

use super::{Explain, Question, Source, decide};
use crate::arguments::{self, InForce};
use crate::choice::{Choice, Chosen};
use crate::failure::Failure;
use lictor_decide::Opened;
use lictor_decide::jobs::Jobs;
use lictor_decide::record::Record;

/// The system and the policy.
#[derive(Debug, Args)]
pub(crate) struct By {
    #[command(flatten)]
    pub(crate) in_force: InForce,
    #[command(flatten)]
    pub(crate) policy: Choice,
}

impl By {
    /// Decides one cycle about a cluster: `source` returns the cluster for this policy and this system. `look` runs before any decision.
    pub(crate) fn once<T>(
        &self,
        explain: Explain,
        source: impl FnOnce(&Chosen, &str) -> Result<Source, Failure>,
        look: impl FnOnce(&mut Opened) -> Result<T, Failure>,
    ) -> Result<(Record, Jobs, T), Failure> {
        let InForce { laws, args, schedulers } = &self.in_force;
        let arguments = arguments::read(args.as_deref())?;
        let chosen = self.policy.find()?;
        let snapshots = &source(&chosen, laws)?;
        let question = Question { snapshots, laws, schedulers, cycles: 1, explain, recorder: None };
        decide(&question, &chosen, arguments, look)
    }
}
