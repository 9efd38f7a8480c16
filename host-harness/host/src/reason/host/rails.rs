//! The rules of the rails.

use super::{HostRule, rule};

/// The rules, one a rail.
pub(super) const RAIL_RULES: [HostRule; 8] = [
    rule(
        "host/rail-system-priority",
        "no pod of the cluster itself is evicted",
        &[("", "the rail `system-priority` protects `{pod}`: its priority {priority} is 2000000000 or above")],
        "A pod whose priority is that of `system-cluster-critical` (2000000000) or above is evicted for nobody, whatever the policy says. Example: a policy evicts `kube-proxy` for a pod of priority -10. The plan is refused. `--rail system-priority=off` allows such victims.",
    ),
    rule(
        "host/rail-namespace",
        "no pod of a protected namespace is evicted",
        &[("", "the rail `namespaces` protects the namespace of `{pod}`")],
        "The pods of the protected namespaces are evicted for nobody. By default, this is `kube-system`. `--rail namespaces=kube-system,monitoring` protects others, too; `--rail namespaces=none` protects none.",
    ),
    rule(
        "host/rail-never-evict",
        "no pod with the label `lictor.dev/never-evict: \"true\"` is evicted",
        &[("", "the rail `never-evict` protects `{pod}` by its label `lictor.dev/never-evict`")],
        "A pod with this label is evicted for nobody, whatever its priority and its queue. `--rail never-evict=off` ignores the label.",
    ),
    rule(
        "host/rail-budgets",
        "no victims beyond what their PodDisruptionBudgets allow",
        &[
            (
                "",
                "the rail `budgets` refuses {victims} {victims:victim|victims} of the PodDisruptionBudget `{budget}`: it allows {allowed}",
            ),
            (
                "leaving",
                "the rail `budgets` refuses {victims} {victims:victim|victims} of the PodDisruptionBudget `{budget}`: it allows {allowed}, and {earlier} of earlier plans still {earlier:leaves|leave}",
            ),
            (
                "several",
                "the rail `budgets` refuses the victim `{pod}`: it has {count} PodDisruptionBudgets, and the API server evicts no such pod",
            ),
        ],
        "The API server refuses an eviction that a PodDisruptionBudget does not allow (`status.disruptionsAllowed`). A plan of which it would refuse a part is refused as a whole before the first eviction, so that no pod leaves in vain. Victims of earlier plans that have not left count, too. A pod that has not started, has ended or is being deleted is evicted whatever its budget says, and so is one that is not ready where the budget has `unhealthyPodEvictionPolicy: AlwaysAllow` or enough healthy pods (Kubernetes: `pkg/registry/core/pod/storage/eviction.go`, `EvictionREST.Create`). The laws of `kubernetes` evict beyond a budget as a last resort, as kube-scheduler deletes pods without asking budgets; `--rail budgets=off` lets such plans pass, and is the default of `lictor test`. The API server still refuses the evictions.",
    ),
    rule(
        "host/rail-higher-priority",
        "no victim has a higher priority than the preemptor",
        &[(
            "",
            "the rail `higher-priority` refuses the victim `{pod}` of priority {priority} for `{preemptor}` of priority {of-preemptor}",
        )],
        "A pod without a priority has the priority 0. Some systems go by guarantee: a queue takes back what it is guaranteed, whatever the priorities (Volcano's reclaim, ElasticQuotas of scheduler-plugins). In others, the priority of a PodGroup or a Reservation counts, or an offset of a queue is added. The host accepts their plans where the system declares it (`system-info.evicts-higher-priority`) and the rail is `declared`: the default for the policy of this build. For a component of somebody else the default is `refused`; the operator allows it by `--rail higher-priority=declared`.",
    ),
    rule(
        "host/rail-victims-per-plan",
        "a plan has few victims",
        &[("", "the rail `victims-per-plan` refuses {victims} {victims:victim|victims}: at most {most}")],
        "A plan of 1,000 victims is accepted by default, a larger one is refused as a whole. `--rail victims-per-plan=N` sets another maximum, `none` no maximum.",
    ),
    rule(
        "host/rail-victims-per-window",
        "few pods are evicted within a time",
        &[
            (
                "",
                "the rail `victims-per-window` refuses {victims} {victims:victim|victims} before {time}: {earlier} {earlier:was|were} evicted in the last {window}, at most {most}",
            ),
            (
                "never",
                "the rail `victims-per-window` refuses {victims} {victims:victim|victims}: {earlier} {earlier:was|were} evicted in the last {window}, at most {most}",
            ),
        ],
        "At most 5,000 pods are evicted within 10 minutes by default, so that a policy with a mistake does not empty a cluster. A refused plan is tried again when enough of the time has passed. The count is of this process: after a restart it begins anew. `--rail victims-per-window=100/1h` sets another maximum, `none` no maximum.",
    ),
    rule(
        "host/rail-victims-per-namespace",
        "few pods of one namespace are evicted within a time",
        &[
            (
                "",
                "the rail `victims-per-namespace` refuses {victims} {victims:victim|victims} in `{namespace}` before {time}: {earlier} {earlier:was|were} evicted in the last {window}, at most {most}",
            ),
            (
                "never",
                "the rail `victims-per-namespace` refuses {victims} {victims:victim|victims} in `{namespace}`: {earlier} {earlier:was|were} evicted in the last {window}, at most {most}",
            ),
        ],
        "At most 2,500 pods of one namespace are evicted within 10 minutes by default. Otherwise as `host/rail-victims-per-window`.",
    ),
];
