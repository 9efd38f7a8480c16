//! Scenarios whose end in a living cluster is another one than in the harness, and why.

/// The scenario, and the reason.
const KNOWN: [(&str, &str); 6] = [
    (
        "koordinator/gang-strict-failure-releases-waiting-members",
        "the room of the member that is released has the other one tried again, once a second: they take turns at Permit",
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
];

/// Why a scenario ends otherwise.
pub fn difference(scenario: &str) -> Option<&'static str> {
    KNOWN.iter().find(|(name, _)| *name == scenario).map(|(_, why)| *why)
}
