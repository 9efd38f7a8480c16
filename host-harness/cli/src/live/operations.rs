//! The options of the parts around the loop: the election, health and metrics, reports, questions.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::namespaced;

const HEADING: &str = "Operations";

/// The options of the parts around the decision loop.
#[derive(Debug, Clone, Args)]
pub(super) struct OperationsArgs {
    /// Carry out only while this process holds this Lease, `namespace/name`; others stand by
    #[arg(long, value_name = "NAME", value_parser = namespaced, help_heading = HEADING)]
    lease: Option<(String, String)>,
    /// Serve /healthz, /readyz and /metrics here, such as `0.0.0.0:8080`
    #[arg(long, value_name = "ADDRESS", help_heading = HEADING)]
    listen: Option<SocketAddr>,
    /// Answer `lictor explain --live` and `lictor upgrade --live` at this Unix socket
    #[arg(long, value_name = "PATH", help_heading = HEADING)]
    explain_socket: Option<PathBuf>,
    /// Explain every decision in full, for `lictor explain --live`: nodes, laws, victims. That costs time
    #[arg(long, help_heading = HEADING)]
    explain: bool,
    /// Mark each running pod with its standing: the label `lictor.dev/standing` (`safe` or `evictable`), and the condition `lictor.dev/Safe`
    /// with the law that protects the pod, or with the preemptors that may evict it
    #[arg(long, help_heading = HEADING)]
    standing: bool,
    /// Write no events, conditions and status of quotas and queues
    #[arg(long, help_heading = HEADING)]
    no_reports: bool,
}

#[cfg(feature = "live")]
mod wanted {
    use lictor_controller::decide::RunMode;
    use lictor_controller::lease::{ElectionConfig, LeaseTimings};
    use lictor_controller::ops::start::OperationsConfig;
    use lictor_controller::report;
    use lictor_controller::upgrade::ReplacementService;

    use super::OperationsArgs;
    use crate::live::open::ClusterSessionFactory;

    impl OperationsArgs {
        /// Returns whether the process answers over a socket.
        pub(in crate::live) fn has_socket(&self) -> bool {
            self.explain_socket.is_some()
        }

        /// Returns the parts to start, with their settings.
        pub(in crate::live) fn config(
            &self,
            mode: RunMode,
            opening: &ClusterSessionFactory,
            desk: ReplacementService,
            identity: String,
        ) -> OperationsConfig {
            let lease = self.lease.clone().map(|(namespace, name)| {
                let identity = identity.clone();
                ElectionConfig { namespace, name, identity, terms: LeaseTimings::default() }
            });
            OperationsConfig {
                lease,
                listen: self.listen,
                socket: self.explain_socket.clone(),
                replacements: Some(desk),
                reports: !self.no_reports,
                standing: self.standing,
                mode: match mode {
                    RunMode::Enforce => report::ReportMode::Enforce,
                    RunMode::DryRun | RunMode::Observe => report::ReportMode::DryRun,
                },
                explains: self.explain,
                system: opening.system_name.clone(),
                policy: (opening.policy.clone(), opening.active_policy().chosen.digest()),
                identity,
            }
        }
    }
}
