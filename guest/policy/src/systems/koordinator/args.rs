//! The plugin arguments, with upstream's names.

use crate::contract::{Argument, ArgumentKind};
use crate::systems::{SystemArguments, argument};

/// The arguments in force.
#[derive(Debug, Clone)]
pub struct KoordinatorArgs {
    /// Whether a pod without the preemptible label is preemptible.
    pub unlabelled_is_preemptible: bool,
    /// Whether a pod without the can-preempt label may preempt unless its preemption policy is `Never`. If false, only the label allows it.
    pub preemption_policy_allows: bool,
    /// Whether the scheduler deletes victims. If false, it marks them for another component to delete.
    pub delete_victims: bool,
    /// Whether pods of the default quota are never evicted.
    pub default_quota_protected: bool,
    /// Whether the bounds of a quota's ancestors apply to its pods as well.
    pub checks_ancestors: bool,
    /// Whether cluster capacity is split among the requesting quotas; the share replaces `max`.
    pub uses_runtime_quota: bool,
    /// Whether all mins shrink in proportion where they exceed the capacity.
    pub scale_min: bool,
    /// The time for which a gang without its own timeout waits at Permit, in nanoseconds.
    pub default_timeout: i64,
}

impl KoordinatorArgs {
    /// Reads the arguments.
    pub fn new(arguments: &SystemArguments) -> KoordinatorArgs {
        KoordinatorArgs {
            unlabelled_is_preemptible: !arguments.flag("disableDefaultPreemptiable"),
            preemption_policy_allows: !arguments.flag("disableDefaultTriggerPreemption"),
            delete_victims: arguments.flag("podShouldBeDeletedWhenPreempted"),
            default_quota_protected: arguments.flag("disableDefaultQuotaPreemption"),
            checks_ancestors: arguments.flag("enableCheckParentQuota"),
            uses_runtime_quota: arguments.flag("enableRuntimeQuota"),
            scale_min: arguments.flag("enableMinQuotaScale"),
            default_timeout: arguments.duration("defaultTimeout"),
        }
    }
}

impl KoordinatorArgs {
    /// Returns arguments that put every law in force.
    pub fn all_enabled() -> KoordinatorArgs {
        KoordinatorArgs {
            unlabelled_is_preemptible: true,
            preemption_policy_allows: true,
            delete_victims: true,
            default_quota_protected: true,
            checks_ancestors: true,
            uses_runtime_quota: true,
            scale_min: true,
            default_timeout: 0,
        }
    }
}

/// Returns the arguments that the system declares.
pub fn arguments() -> Vec<Argument> {
    use ArgumentKind::{Boolean, Duration};
    vec![
        argument(
            "disableDefaultPreemptiable",
            Boolean,
            "false",
            "a pod without the label quota.scheduling.koordinator.sh/preemptible is non-preemptible",
        ),
        argument(
            "disableDefaultTriggerPreemption",
            Boolean,
            "false",
            "only the label quota.scheduling.koordinator.sh/can-preempt lets a pod preempt, not its preemptionPolicy",
        ),
        argument(
            "podShouldBeDeletedWhenPreempted",
            Boolean,
            "false",
            "the scheduler deletes victims instead of marking them for another component to delete",
        ),
        argument("disableDefaultQuotaPreemption", Boolean, "false", "pods of the default quota are never evicted"),
        argument(
            "enableCheckParentQuota",
            Boolean,
            "false",
            "the bounds of a quota's ancestors apply to its pods as well",
        ),
        argument(
            "enableRuntimeQuota",
            Boolean,
            "false",
            "splits cluster capacity among the requesting quotas; the share replaces `max`",
        ),
        argument(
            "enableMinQuotaScale",
            Boolean,
            "true",
            "where the mins exceed the capacity, all of them shrink in proportion",
        ),
        argument("defaultTimeout", Duration, "\"600s\"", "how long a gang without its own timeout waits at permit"),
    ]
}
