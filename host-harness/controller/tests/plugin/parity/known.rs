//! Scenarios whose end in a living cluster is another one than in the harness, and why.

/// Scenarios that end as in the harness in some runs, and so in others: each with the reason.
const SOMETIMES: [(&str, &str, &str); 4] = [
    (
        "coscheduling/cos-quota-of-a-rejected-group-is-free",
        r#"{"bound":{"team-a/alone":"n1","team-a/runs":"n1"},"nominated":{},"waiting":[],"victims":[]}"#,
        "two pods of one priority wait for the room of a group: which of them is tried first when it has been rejected, and has the room, \
         depends on the moment",
    ),
    (
        "coscheduling/cos-switch-orders-the-queue-anew",
        r#"{"bound":{"default/r":"n1"},"nominated":{},"waiting":[],"victims":["default/b1"]}"#,
        "r and a2 are of one priority: where a2 is tried before r, a2 waits at Permit, and a1, which outranks b1, evicts b1 for the group",
    ),
    (
        "coscheduling/cos-quota-leaving-pods-and-the-promise-they-leave-for-count-once",
        r#"{"bound":{"b/n":"n1"},"nominated":{"a/m":"n2"},"waiting":[],"victims":["b/v2"]}"#,
        "the story deletes v1, which n has evicted: whether it was evicted or deleted first depends on the moment",
    ),
    (
        "koordinator/quota-who-leaves-counts-for-the-quota-above",
        r#"{"bound":{"default/a-high":"n1","default/a-new":"n1","default/b-high":"n2","default/b-new":"n3"},"nominated":{},"waiting":[],"victims":["default/a-low","default/b-low"]}"#,
        "a-new fits n1 and n3: which of them is emptier depends on which pods are bound when it is tried",
    ),
];

/// The scenario, and the reason.
const KNOWN: [(&str, &str); 12] = [
    (
        "kubernetes/kube-budget-of-an-unknown-version-is-left-out",
        "the API server takes no object of a version that does not exist",
    ),
    (
        "kubernetes/kube-budget-of-v1beta1-with-an-empty-selector-covers-nothing",
        "the API server serves no policy/v1beta1 any more",
    ),
    (
        "kubernetes/kube-group-of-an-unknown-version-is-left-out",
        "the API server takes no object of a version that does not exist",
    ),
    (
        "koordinator/group-of-kubernetes-with-claims-is-not-tried",
        "the API server drops the claims of a PodGroup: the feature is off",
    ),
    (
        "kubernetes/kube-group-with-a-topology-is-not-tried",
        "the API server drops the topology of a PodGroup: the feature is off",
    ),
    ("kubernetes/kube-group-that-never-preempts", "the API server drops the preemptionPolicy of a PodGroup"),
    ("kubernetes/kube-group-has-the-priority-of-its-class", "the API server takes no PodGroup whose class has changed"),
    (
        "kubernetes/kube-group-has-one-priority",
        "kube-scheduler tries no group whose pods have another priority than the group: nobody can ask about them",
    ),
    (
        "kubernetes/kube-group-evicts-one-pod-of-a-group-that-need-not-leave-whole",
        "kube-scheduler tries no group whose pods have another priority than the group: nobody can ask about them",
    ),
    (
        "kubernetes/kube-last-member-keeps-the-room-that-its-plan-promised",
        "kube-scheduler tries the pods of a group one after the other and ends with the first that has no node: g-2 is not tried",
    ),
    (
        "yunikorn/reservation-ends-when-the-queue-is-removed",
        "the harness tries the pod again at once, kube-scheduler when a victim has left: until then it keeps its nomination",
    ),
    (
        "koordinator/nominations-end-when-a-member-is-deleted",
        "the harness tries the pod again at once, kube-scheduler when a victim has left: until then it keeps its nomination",
    ),
];

/// Returns why a scenario ends otherwise. `None`: it is not known to.
pub fn difference(scenario: &str) -> Option<&'static str> {
    KNOWN.iter().find(|(name, _)| *name == scenario).map(|(_, why)| *why)
}

/// Returns why a scenario ends like this in some runs. `None`: it is not known to.
pub fn now_and_then(scenario: &str, end: &str) -> Option<&'static str> {
    SOMETIMES.iter().find(|(name, other, _)| *name == scenario && *other == end).map(|(.., why)| *why)
}
