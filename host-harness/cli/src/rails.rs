//! The rails of every policy, as the user sets them.

use clap::Args;
use lictor_decide::{DecideError, Problem};
use lictor_host::rails::{HigherPriorityVictims, RAILS, RailInfo, Rails};

use super::failure::CommandError;

/// The options about what no policy may evict.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct RailArgs {
    /// Set what no policy may evict, such as `namespaces=kube-system,monitoring`; may be repeated; `--help` lists the rails
    #[arg(long = "rail", value_name = "NAME=VALUE", long_help = help())]
    rails: Vec<String>,
}

/// Returns the help text of `--rail`.
fn help() -> String {
    let line =
        |rail: RailInfo| format!("\n  {:<21} {} [{}; default: {}]", rail.name, rail.about, rail.kind, rail.default);
    let lines: String = RAILS.into_iter().map(line).collect();
    format!(
        "Set what no policy may evict, such as `namespaces=kube-system,monitoring`; may be repeated. Where `--component` names a policy that \
         is not the one of this build, `higher-priority` is `refused` by default; in `lictor test`, `budgets` is `off`:{lines}"
    )
}

impl RailArgs {
    /// Makes `setting`, written as `name=value`, a default. What the user sets goes before.
    pub(super) fn with_default(&self, setting: &str) -> RailArgs {
        RailArgs { rails: std::iter::once(setting.to_owned()).chain(self.rails.iter().cloned()).collect() }
    }

    /// Returns the rails: those that the user set, and the defaults of the others. `is_built_in`: the policy is the one of this build, whose
    /// manual says where a guarantee counts and not the priority.
    pub(super) fn read(&self, is_built_in: bool) -> Result<Rails, CommandError> {
        let mut rails = Rails::of_command();
        if !is_built_in {
            rails.higher_priority = HigherPriorityVictims::Refused;
        }
        for text in &self.rails {
            rails.set(text).map_err(|error| {
                let remedy = "run `lictor decide --help` for the rails, their values and defaults";
                DecideError::Refused(Box::new(Problem::error(error.to_string()).remedy(remedy)))
            })?;
        }
        Ok(rails)
    }
}
