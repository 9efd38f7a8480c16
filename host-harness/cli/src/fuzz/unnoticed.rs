//! Why no judge notices a mutant: the reasons of `host-harness/judges/MUTANTS.md`.

use super::suspect::TestedMutant;
use crate::Mutant;

/// The kinds of reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SurvivalKind {
    /// The mutant decides in the same way, by another law.
    Equal,
    /// Upstream has no such law, or the judge has no part of what the law is about.
    NoCounterpart,
    /// A ruling explains the mutant's decision, too.
    Ruled,
    /// The law decides something that the judge does not answer.
    NotCompared,
    /// The generator makes no cluster, or few, in which the mutant decides differently.
    Rare,
}

impl SurvivalKind {
    /// Returns the name of the kind.
    pub(super) fn name(self) -> &'static str {
        match self {
            SurvivalKind::Equal => "equal",
            SurvivalKind::NoCounterpart => "no counterpart",
            SurvivalKind::Ruled => "explained by a ruling",
            SurvivalKind::NotCompared => "not asked",
            SurvivalKind::Rare => "no such cluster",
        }
    }
}

/// A reason.
pub(super) type SurvivalReason = (SurvivalKind, &'static str);

const AGAIN: SurvivalReason =
    (SurvivalKind::Rare, "no ruling, but rare: the attempt must come while victims leave, and end otherwise");
const MEMBERS: SurvivalReason = (
    SurvivalKind::Equal,
    "equal: where members are missing, the laws about a complete gang refuse the pod as well, and only the reason is another",
);
const PERMIT: SurvivalReason = (
    SurvivalKind::NotCompared,
    "what is held at Permit is given to the judge as it is, so that who holds it is not compared",
);
const WITHIN: SurvivalReason = (
    SurvivalKind::Equal,
    "equal: another law protects the same pods. A pod of the group has the priority of the group, and ranks no lower",
);
const GIVERS: SurvivalReason = (
    SurvivalKind::Rare,
    "the victims of upstream are compared by what it can tell apart, and few clusters have others",
);

const CHOICE: SurvivalReason = (
    SurvivalKind::Ruled,
    "rulings A6, C33 and R29: which of several plans that are as good is taken is the policy's to choose",
);
const RESERVATIONS: SurvivalReason =
    (SurvivalKind::NotCompared, "reservations hold room, which the judge does not look at");
const UNSEEN: SurvivalReason = (
    SurvivalKind::Rare,
    "no attempt of the run ended otherwise, so that no ruling is known to explain what it decides",
);

/// The reasons by law and by the change of the law; an empty change stands for every change.
const REASONS: &[(&str, &str, SurvivalReason)] = &[
    ("kubernetes/gang-has-its-members", "", MEMBERS),
    ("kubernetes/gang-can-start", "", MEMBERS),
    ("kubernetes/gang-has-not-failed", "", PERMIT),
    (
        "kubernetes/its-room-is-not-held-at-permit",
        "",
        (
            SurvivalKind::NoCounterpart,
            "ruling K22: upstream has no half group that holds room, so nothing can be compared",
        ),
    ),
    ("kubernetes/victim-is-of-another-job", "", WITHIN),
    (
        "kubernetes/no-victim-is-leaving",
        "",
        (
            SurvivalKind::Ruled,
            "ruling K10: pods that leave count as gone, and with them gone upstream makes the same plan",
        ),
    ),
    ("coscheduling/gang-has-its-members", "", MEMBERS),
    (
        "coscheduling/gang-has-not-failed",
        "",
        (
            SurvivalKind::Ruled,
            "ruling R25: the group holds its nodes while it can be complete; upstream rejects it at Permit",
        ),
    ),
    (
        "coscheduling/its-room-is-not-held-at-permit",
        "",
        (
            SurvivalKind::Rare,
            "ruling R17: a nominated pod waits for a more important one at Permit; no cluster of the run has this",
        ),
    ),
    (
        "coscheduling/victim-is-no-part-of-a-plan",
        "",
        (SurvivalKind::Rare, "rulings R38 and R54: upstream plans pod by pod; no cluster of the run has this"),
    ),
    ("coscheduling/no-preempted-pod-is-leaving", "", AGAIN),
    ("coscheduling/costlier-eviction-first", "", CHOICE),
    ("coscheduling/cheapest-node-first", "", CHOICE),
    ("koordinator/gang-has-its-members", "", MEMBERS),
    (
        "koordinator/gang-demands-are-known",
        "without `schedulers`",
        (
            SurvivalKind::NoCounterpart,
            "ruling C26: only pods of a PodGroup of Kubernetes are of one scheduler, and upstream does not read such groups",
        ),
    ),
    (
        "koordinator/pod-demands-are-known",
        "without `uncounted`",
        (SurvivalKind::Equal, "equal: what no node counts fits no node, in upstream, too"),
    ),
    (
        "koordinator/last-plan-is-done",
        "",
        (SurvivalKind::Ruled, "rulings C24 and C45: upstream evicts more pods while victims leave"),
    ),
    (
        "koordinator/its-room-is-not-held-at-permit",
        "",
        (
            SurvivalKind::Rare,
            "ruling C23: a nominated pod waits for one at Permit on its room; no cluster of the run has this",
        ),
    ),
    (
        "koordinator/may-preempt",
        "",
        (SurvivalKind::Ruled, "rulings C1, C3, C4, C6 and C36 explain that upstream has no such plan by the quotas"),
    ),
    (
        "koordinator/gang-is-complete",
        "without `waiting-or-running`",
        (SurvivalKind::Ruled, "ruling C25: upstream has pods wait at Permit whose gang cannot be complete"),
    ),
    (
        "koordinator/victim-is-bound",
        "",
        (SurvivalKind::Rare, "ruling C78: few clusters have pods at Permit when a pod comes that could evict them"),
    ),
    ("koordinator/victim-is-of-the-same-kind", "", RESERVATIONS),
    ("koordinator/victim-is-outside-reservations", "", RESERVATIONS),
    (
        "koordinator/victim-is-of-another-job",
        "",
        (SurvivalKind::Equal, "equal in most clusters: the pods of a job have one priority, and rank no lower"),
    ),
    (
        "koordinator/victim-frees-the-bound",
        "",
        (SurvivalKind::Rare, "ruling C34; quotas above are full in few clusters"),
    ),
    ("koordinator/important-first", "", CHOICE),
    ("koordinator/cheapest-node-first", "", CHOICE),
    (
        "yunikorn/not-again",
        "",
        (SurvivalKind::Ruled, "ruling D19: upstream lets a pod preempt once, whatever is leaving"),
    ),
    (
        "yunikorn/switch",
        "",
        (SurvivalKind::Rare, "few clusters have preemption off in a partition where a pod would evict others"),
    ),
    (
        "yunikorn/3",
        "",
        (
            SurvivalKind::Ruled,
            "an application is in one queue, where laws 4 and 5 protect its pods; rulings D5, D7 and D8 explain the rest",
        ),
    ),
    (
        "yunikorn/7",
        "",
        (SurvivalKind::Ruled, "rulings D3, D5 and D7 explain that upstream has no plan, whatever the fence is"),
    ),
    ("yunikorn/ordinary-pod-gives-first", "", GIVERS),
    ("yunikorn/4", "", (SurvivalKind::Ruled, "rulings D3, D5 and D7 explain what comes of it")),
    (
        "yunikorn/victim-queue-is-not-spared",
        "",
        (
            SurvivalKind::Rare,
            "ruling D13, and D5: few queues are spared, and their pods are large beside the guarantee",
        ),
    ),
    ("yunikorn/shared-guarantee", "", (SurvivalKind::NoCounterpart, "ruling D18: upstream has no such law")),
    ("yunikorn/important-first", "", CHOICE),
    ("yunikorn/smallest-group-first", "", CHOICE),
    ("yunikorn/giver-holds-what-is-over", "", GIVERS),
    ("yunikorn/giver-is-of-no-daemon-set", "", GIVERS),
    ("yunikorn/giver-keeps-guarantee", "", (SurvivalKind::Ruled, "rulings D1 and Q3")),
];

/// Returns why a mutant is not noticed. A mutant that never decided differently has the reason [`UNSEEN`] in place of a ruling. `None`: no reason is
/// listed.
pub(super) fn reason(suspect: &TestedMutant) -> Option<SurvivalReason> {
    let listed = listed(&suspect.mutant)?;
    let is_seen = listed.0 != SurvivalKind::Ruled || !suspect.verdicts.is_empty();
    Some(if is_seen { listed } else { UNSEEN })
}

/// Returns the reason on the list.
fn listed(mutant: &Mutant) -> Option<SurvivalReason> {
    let change = mutant.change();
    let is_it = |(code, which, _): &&(&str, &str, SurvivalReason)| {
        *code == mutant.code && (which.is_empty() || *which == change)
    };
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

    #[test]
    fn a_ruling_is_the_reason_only_where_something_came_of_the_mutant() {
        let mut suspect = mutants().find(|mutant| mutant.code == "yunikorn/4").map(TestedMutant::new).unwrap();
        assert_eq!(reason(&suspect), Some(UNSEEN));
        suspect.verdicts.insert("D3", 1);
        assert_eq!(reason(&suspect).map(|(kind, _)| kind), Some(SurvivalKind::Ruled));
    }
}
