//! The options of `lictor upgrade --live`.

use std::path::PathBuf;

use clap::Args;

use super::ClusterArgs;

const HEADING: &str = "In a running process";

/// A replacement in a running process.
#[derive(Debug, Clone, Args)]
pub(crate) struct LiveUpgradeArgs {
    /// Replace the policy of a running process (`lictor run`), and report the result. `--shadow` and `--watch` are seconds then; an option that
    /// is not given has the value with which the process was started. A file is one of the machine of the process
    #[arg(long, help_heading = HEADING,
        conflicts_with_all = ["inputs", "component", "native", "laws", "args", "schedulers", "to_system", "key", "insecure_unsigned"])]
    pub(crate) live: bool,
    /// The socket of the process (`lictor run --explain-socket`)
    #[arg(long, value_name = "PATH", requires = "live", default_value = "/run/lictor/explain.sock", help_heading = HEADING)]
    pub(super) socket: PathBuf,
    /// Order it through this ConfigMap, `namespace/name`, which the process follows (`lictor run --policy-map`). A file is one of this machine,
    /// and is written into the ConfigMap
    #[arg(long, value_name = "NAME", requires = "live", conflicts_with = "socket", value_parser = super::namespaced,
        help_heading = HEADING)]
    pub(super) map: Option<(String, String)>,
    /// Give up the replacement that is under way: the old policy stays, or is back
    #[arg(long, requires = "live", conflicts_with = "to", help_heading = HEADING)]
    pub(super) give_up: bool,
    /// How many answers must have been compared before the new policy takes over
    #[arg(long, value_name = "N", requires = "live", help_heading = HEADING)]
    pub(super) answers: Option<u64>,
    /// For how many seconds more they are waited for; then the old policy stays
    #[arg(long, value_name = "SECONDS", requires = "live", help_heading = HEADING)]
    pub(super) patience: Option<u32>,
    #[command(flatten)]
    pub(super) access: ClusterArgs,
}

/// An order of a replacement.
#[cfg_attr(not(feature = "live"), expect(dead_code, reason = "what is asked for is refused"))]
pub(crate) struct UpgradeRequest<'a> {
    pub(crate) live: &'a LiveUpgradeArgs,
    /// The component.
    pub(crate) to: Option<&'a str>,
    /// The file with the arguments of the component.
    pub(crate) args: Option<&'a std::path::Path>,
    /// Seconds of shadow and of watch.
    pub(crate) seconds: (Option<u64>, Option<u64>),
    /// The number of answers that may differ.
    pub(crate) allow: Option<u64>,
    pub(crate) output: crate::screen::TextOrJson,
}
