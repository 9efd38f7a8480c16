//! The limits of a policy, as the user sets them.

use std::time::Duration;

use clap::Args;
use lictor_host::policy::CallError;
use lictor_host::sandbox::{LIMITS, LimitInfo, LoadError, PolicyFault, SandboxLimits};
use lictor_host::session::FailureCause;

use super::failure::CommandError;
use lictor_decide::Problem;

/// The options that bound a policy.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct LimitArgs {
    /// Bound what the component may use, such as `memory=256Mi`; may be repeated; `--help` lists the limits
    #[arg(long = "limit", value_name = "NAME=VALUE", long_help = help())]
    limits: Vec<String>,
}

/// Returns the help text of `--limit`.
fn help() -> String {
    let line = |limit: LimitInfo| {
        format!("\n  {:<13} {} [{}; default: {}]", limit.name, limit.about, limit.kind, limit.default)
    };
    let lines: String = LIMITS.into_iter().map(line).collect();
    format!("Bound what the component may use, such as `memory=256Mi`; may be repeated:{lines}")
}

impl LimitArgs {
    /// Returns whether the user set any limits.
    pub(super) fn is_given(&self) -> bool {
        !self.limits.is_empty()
    }

    /// Returns the limits: those that the user set, and the defaults of the others.
    pub(super) fn read(&self) -> Result<SandboxLimits, CommandError> {
        let mut limits = SandboxLimits::default();
        for text in &self.limits {
            limits.set(text).map_err(|error| {
                let remedy = "run `lictor inspect --help` for the limits, their units and defaults";
                lictor_decide::DecideError::Refused(Box::new(Problem::error(error.to_string()).remedy(remedy)))
            })?;
        }
        Ok(limits)
    }
}

/// Returns what to do where a policy has failed.
pub(super) fn remedy(cause: &FailureCause) -> String {
    let breakage = match cause {
        FailureCause::CallError(CallError::Broke { cause, .. }) => cause.downcast_ref(),
        _ => None,
    };
    let otherwise = || "the answer was discarded; run `lictor inspect` for details of the policy".to_owned();
    breakage.and_then(raise_limit_hint).map_or_else(otherwise, |more| format!("nothing was decided; {more}"))
}

/// Returns what to do where a component is refused. `None`: the error says it itself.
pub(super) fn remedy_at_start(error: &LoadError) -> Option<String> {
    match error {
        LoadError::Broke(breakage) => raise_limit_hint(breakage),
        LoadError::TooLarge { bytes, .. } => Some(allow("component", &mebibytes(*bytes))),
        LoadError::SlowToCompile(time) => Some(allow("compile-time", &twice(*time))),
        _ => None,
    }
}

/// Returns how to raise the limit that a policy has met. `None`: no limit was met.
fn raise_limit_hint(breakage: &PolicyFault) -> Option<String> {
    Some(match breakage {
        PolicyFault::Deadline(time) => allow("call-time", &twice(*time)),
        PolicyFault::Fuel(fuel) => allow("call-fuel", &fuel.saturating_mul(2).to_string()),
        PolicyFault::Memory { wanted, .. } => allow("memory", &mebibytes(wanted.saturating_mul(2))),
        PolicyFault::ResultTooLarge(bytes) => allow("result", &mebibytes(bytes.saturating_mul(2))),
        PolicyFault::Trapped { .. } | PolicyFault::BadAnswer(_) | PolicyFault::AlreadyFailed { .. } => return None,
    })
}

fn allow(limit: &str, value: &str) -> String {
    format!("mend the policy, or allow it more, such as `--limit {limit}={value}`")
}

/// Returns bytes as mebibytes, rounded up.
fn mebibytes(bytes: usize) -> String {
    format!("{}Mi", bytes.div_ceil(1 << 20))
}

/// Returns twice a time, in whole seconds.
fn twice(time: Duration) -> String {
    format!("{}s", time.as_secs().saturating_mul(2).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_is_proposed_is_a_larger_one() {
        let proposed = |breakage| raise_limit_hint(&breakage).unwrap();
        assert!(proposed(PolicyFault::Deadline(Duration::from_millis(50))).ends_with("`--limit call-time=1s`"));
        assert!(proposed(PolicyFault::Deadline(Duration::from_secs(10))).ends_with("`--limit call-time=20s`"));
        assert!(proposed(PolicyFault::Fuel(5)).ends_with("`--limit call-fuel=10`"));
        let memory = PolicyFault::Memory { wanted: (4 << 30) + 1, limit: 4 << 30 };
        assert!(proposed(memory).ends_with("`--limit memory=8193Mi`"));
        assert!(proposed(PolicyFault::ResultTooLarge(10)).ends_with("`--limit result=1Mi`"));
        assert_eq!(raise_limit_hint(&PolicyFault::BadAnswer(String::new())), None);
    }
}
