//! The plugin arguments, under upstream's names.

use crate::contract::{Argument, ArgumentKind};
use crate::systems::{Arguments, argument};

/// The arguments in force.
#[derive(Debug, Clone)]
pub struct Args {
    /// A pod without the label is preemptible.
    pub unlabelled_is_preemptible: bool,
    /// A pod may preempt unless its preemption policy forbids it; else only by label.
    pub policy_triggers: bool,
    /// Victims are deleted, not marked for somebody else to delete.
    pub delete_victims: bool,
    /// Pods of the default quota make way for nobody.
    pub default_quota_is_spared: bool,
    /// The ancestors of a quota bound its pods, too.
    pub parents_bind: bool,
    /// What there is is shared out; the share stands in the place of max.
    pub shares_out: bool,
    /// Mins that are more than there is shrink in proportion.
    pub scales_min: bool,
    /// How long a gang that does not say so waits at permit, nanoseconds.
    pub default_timeout: i64,
}

impl Args {
    /// Reads the arguments.
    pub fn new(arguments: &Arguments) -> Args {
        Args {
            unlabelled_is_preemptible: !arguments.flag("disableDefaultPreemptiable"),
            policy_triggers: !arguments.flag("disableDefaultTriggerPreemption"),
            delete_victims: arguments.flag("podShouldBeDeletedWhenPreempted"),
            default_quota_is_spared: arguments.flag("disableDefaultQuotaPreemption"),
            parents_bind: arguments.flag("enableCheckParentQuota"),
            shares_out: arguments.flag("enableRuntimeQuota"),
            scales_min: arguments.flag("enableMinQuotaScale"),
            default_timeout: arguments.duration("defaultTimeout"),
        }
    }
}

impl Args {
    /// Arguments that put every law in force.
    pub fn everything() -> Args {
        Args {
            unlabelled_is_preemptible: true,
            policy_triggers: true,
            delete_victims: true,
            default_quota_is_spared: true,
            parents_bind: true,
            shares_out: true,
            scales_min: true,
            default_timeout: 0,
        }
    }
}

/// The arguments there are.
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
            "victims are deleted by the scheduler instead of marked for somebody else to delete",
        ),
        argument("disableDefaultQuotaPreemption", Boolean, "false", "pods of the default quota make way for nobody"),
        argument("enableCheckParentQuota", Boolean, "false", "the ancestors of a quota bound its pods, too"),
        argument(
            "enableRuntimeQuota",
            Boolean,
            "false",
            "what there is is shared out among the quotas that ask for it; the share stands in the place of max",
        ),
        argument("enableMinQuotaScale", Boolean, "true", "mins that are more than there is shrink in proportion"),
        argument("defaultTimeout", Duration, "\"600s\"", "how long a gang that does not say so waits at permit"),
    ]
}
