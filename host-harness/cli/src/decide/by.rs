//! The choice of the system and the policy that decide about a cluster.

use clap::Args;

use super::{DecideRequest, ExplainMode, SnapshotSource, decide};
use crate::arguments::{self, SystemArgs};
use crate::choice::{LoadedPolicy, PolicyArgs};
use crate::failure::CommandError;
use lictor_decide::ClusterSession;
use lictor_decide::jobs::Jobs;
use lictor_decide::record::DecisionReport;

/// The system and the policy.
#[derive(Debug, Args)]
pub(crate) struct PolicySelectionArgs {
    #[command(flatten)]
    pub(crate) in_force: SystemArgs,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
}

impl PolicySelectionArgs {
    /// Decides one cycle about a cluster: `source` returns the cluster for this policy and this system. `look` runs before any decision.
    pub(crate) fn decide_once<T>(
        &self,
        explain: ExplainMode,
        source: impl FnOnce(&LoadedPolicy, &str) -> Result<SnapshotSource, CommandError>,
        look: impl FnOnce(&mut ClusterSession) -> Result<T, CommandError>,
    ) -> Result<(DecisionReport, Jobs, T), CommandError> {
        let SystemArgs { laws, args, schedulers } = &self.in_force;
        let arguments = arguments::read(args.as_deref())?;
        let chosen = self.policy.load_policy()?;
        let snapshots = &source(&chosen, laws)?;
        let question = DecideRequest { snapshots, system: laws, schedulers, cycles: 1, explain, recorder: None };
        decide(&question, &chosen, arguments, look)
    }
}
