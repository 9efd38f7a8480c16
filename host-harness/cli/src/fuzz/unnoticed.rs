//! Why no judge notices a mutant: the reasons of `host-harness/judges/MUTANTS.md`.

use crate::Mutant;

const ORDER: &str = "a judge is asked about an attempt, not about which pod is tried first";
const AGAIN: &str = "no ruling, but rare: the attempt must come while victims leave, and end otherwise";
const DEVICES: &str = "ruling C32: upstream allocates device by device, and the judge has no part of it. Attempts in such clusters are not compared";
const PLACEMENT: &str =
    "upstream meets the demand, by parts that the judge does not have. Attempts for such pods are not compared";
const MEMBERS: &str = "equal: where members are missing, the laws about a complete gang refuse the pod as well, and only the reason is another";
const PERMIT: &str = "what is held at Permit is given to the judge as it is, so that who holds it is not compared";
const SELDOM: &str = "the generator makes no such cluster";
const WITHIN: &str =
    "equal: another law protects the same pods. A pod of the group has the priority of the group, and ranks no lower";
const GIVERS: &str = "the victims of upstream are compared by what it can tell apart, and no cluster has others";

/// The reasons by law, and by what becomes of it; empty for whatever becomes of it.
const REASONS: &[(&str, &str, &str)] = &[
    ("kubernetes/higher-priority-first", "", ORDER),
    ("coscheduling/gang-members-together", "", ORDER),
    ("koordinator/higher-priority-first", "", ORDER),
    ("yunikorn/fair-queues-first", "", ORDER),
    (
        "kubernetes/gang-demands-are-known",
        "without ``",
        "ruling K21: placements by topology are off in the judge, and no cluster demands one",
    ),
    ("kubernetes/gang-has-its-members", "", MEMBERS),
    ("kubernetes/gang-can-start", "", MEMBERS),
    ("kubernetes/gang-has-not-failed", "", PERMIT),
    (
        "kubernetes/its-room-is-not-held-at-permit",
        "",
        "ruling K22: upstream has no half group that holds room, so nothing can be compared",
    ),
    ("kubernetes/victim-is-of-another-job", "", WITHIN),
    ("coscheduling/gang-has-its-members", "", MEMBERS),
    (
        "coscheduling/gang-has-not-failed",
        "",
        "ruling R25: the group holds its nodes while it can be complete; upstream rejects it at Permit",
    ),
    ("coscheduling/gang-minimum-is-free", "without `unknown`", SELDOM),
    (
        "coscheduling/its-room-is-not-held-at-permit",
        "",
        "ruling R17: a nominated pod waits for a more important one at Permit; no cluster of the run has this",
    ),
    (
        "coscheduling/victim-is-no-part-of-a-plan",
        "",
        "rulings R38 and R54: upstream plans pod by pod; no cluster of the run has this",
    ),
    ("coscheduling/no-preempted-pod-is-leaving", "", AGAIN),
    ("coscheduling/costlier-eviction-first", "", "ruling R29: the choice among equal plans is one of the policy"),
    ("coscheduling/cheapest-node-first", "", "ruling R29: the choice among equal plans is one of the policy"),
    ("koordinator/gang-has-its-members", "", MEMBERS),
    (
        "koordinator/gang-demands-are-known",
        "",
        "rulings C26 and C31: upstream does not read such groups, and no cluster has them",
    ),
    ("koordinator/pod-demands-are-known", "without `field`", PLACEMENT),
    ("koordinator/pod-demands-are-known", "out of force", PLACEMENT),
    ("koordinator/pod-demands-are-known", "", DEVICES),
    ("koordinator/last-plan-is-done", "", "rulings C24 and C45: upstream evicts more pods while victims leave"),
    ("koordinator/victim-is-bound", "", "equal: a pod without a node gives no room"),
    ("koordinator/victim-is-of-the-same-kind", "", "reservations hold room, which the judge does not look at"),
    ("koordinator/victim-is-outside-reservations", "", "reservations hold room, which the judge does not look at"),
    (
        "koordinator/victim-is-of-another-job",
        "",
        "equal in most clusters: the pods of a job have one priority, and rank no lower",
    ),
    ("koordinator/victim-is-preemptible", "without `opted-out`", SELDOM),
    ("koordinator/victim-outside-default-quota", "", "an argument that no cluster sets puts it in force"),
    ("koordinator/victim-frees-the-bound", "", "ruling C34; quotas above are full in few clusters"),
    ("koordinator/important-first", "", "ruling C33: the choice among equal plans is one of the policy"),
    ("koordinator/cheapest-node-first", "", "ruling C33: the choice among equal plans is one of the policy"),
    (
        "yunikorn/pod-demands-are-known",
        "without `field`",
        "ruling D27: upstream makes placeholders, which the judge does not look at",
    ),
    (
        "yunikorn/pod-demands-are-known",
        "out of force",
        "ruling D27: upstream makes placeholders, which the judge does not look at",
    ),
    ("yunikorn/pod-demands-are-known", "", "upstream knows no shares of devices, and no cluster has them"),
    ("yunikorn/not-again", "", "ruling D19: upstream lets a pod preempt once, whatever is leaving"),
    ("yunikorn/4", "", "rulings D3, D5 and D7 explain what comes of it"),
    (
        "yunikorn/victim-queue-is-not-spared",
        "",
        "ruling D13, and D5: few queues are spared, and their pods are large beside the guarantee",
    ),
    ("yunikorn/shared-guarantee", "", "ruling D18: upstream has no such law"),
    ("yunikorn/important-first", "", "ruling A6: the choice among equal plans is one of the policy"),
    ("yunikorn/smallest-group-first", "", "ruling A6: the choice among equal plans is one of the policy"),
    ("yunikorn/giver-holds-what-is-over", "", GIVERS),
    ("yunikorn/giver-is-of-no-daemon-set", "", GIVERS),
    ("yunikorn/giver-keeps-guarantee", "", "rulings D1 and Q3"),
];

/// Returns why a mutant is not noticed.
pub(super) fn reason(mutant: &Mutant) -> Option<&'static str> {
    let change = mutant.change();
    let is_it = |(code, which, _): &&(&str, &str, &str)| *code == mutant.code && (which.is_empty() || *which == change);
    REASONS.iter().find(is_it).map(|(.., reason)| *reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutants;

    #[test]
    fn every_reason_is_about_a_mutant() {
        for (at, (code, change, _)) in REASONS.iter().enumerate() {
            let is_it = |mutant: &Mutant| mutant.code == *code && (change.is_empty() || *change == mutant.change());
            assert!(mutants().any(|mutant| is_it(&mutant)), "{code} {change}");
            let before = REASONS.iter().take(at);
            assert!(
                before.into_iter().all(|(other, which, _)| other != code || !which.is_empty()),
                "{code} {change}: unreached"
            );
        }
    }
}
