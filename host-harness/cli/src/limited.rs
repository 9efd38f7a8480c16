//! The limits of a policy, as the user sets them.

use clap::Args;
use lictor_host::sandbox::{LIMITS, LimitInfo, Limits};
use lictor_host::session::{Cause, FaultKind};

use super::failure::Failure;
use super::problem::Problem;

/// The options that bound a policy.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Limited {
    /// Bound what the component may use, such as `memory=256Mi`; may be repeated; `--help` lists the limits
    #[arg(long = "limit", value_name = "NAME=VALUE", long_help = help())]
    limits: Vec<String>,
}

/// What `--help` says of them.
fn help() -> String {
    let line = |limit: LimitInfo| {
        format!("\n  {:<13} {} [{}; default: {}]", limit.name, limit.about, limit.kind, limit.default)
    };
    let lines: String = LIMITS.into_iter().map(line).collect();
    format!("Bound what the component may use, such as `memory=256Mi`; may be repeated:{lines}")
}

impl Limited {
    /// Whether the user set any.
    pub(super) fn is_given(&self) -> bool {
        !self.limits.is_empty()
    }

    /// The limits: the defaults, but for those that the user set.
    pub(super) fn read(&self) -> Result<Limits, Failure> {
        let mut limits = Limits::default();
        for text in &self.limits {
            limits.set(text).map_err(|error| {
                let remedy = "run `lictor inspect --help` for the limits, their units and defaults";
                Failure::Refused(Box::new(Problem::error(error.to_string()).remedy(remedy)))
            })?;
        }
        Ok(limits)
    }
}

/// What to do where a policy has failed.
pub(super) fn remedy(cause: &Cause) -> String {
    let limit = match FaultKind::of(cause) {
        Some(FaultKind::Deadline) => "more time, such as `--limit call-time=20s`",
        Some(FaultKind::Fuel) => "more fuel, such as `--limit call-fuel=10G`",
        Some(FaultKind::Memory) => "more memory, such as `--limit memory=1Gi`",
        Some(FaultKind::ResultTooLarge) => "larger answers, such as `--limit result=128Mi`",
        _ => return "the answer was discarded; run `lictor inspect` for details of the policy".to_owned(),
    };
    format!("nothing was decided; mend the policy, or allow it {limit}")
}
