//! The mutants of the laws: each law as a whole, and each of several cases of denial.

use lictor_policy::{Mutation, list_laws};

/// A law with a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mutant {
    /// The code of the law.
    pub code: &'static str,
    /// The change of the law.
    pub to: Mutation,
}

impl Mutant {
    /// Returns the change of the law, in words.
    pub fn change(&self) -> String {
        match self.to {
            Mutation::AlwaysHolds => "out of force".to_owned(),
            Mutation::AlwaysFails => "to the contrary".to_owned(),
            Mutation::WithoutCase(case) => format!("without `{case}`"),
        }
    }
}

/// The cases in which a law of a system denies nothing. They say why the law holds, or explain a cycle (`gang-is-complete`), or are about something
/// that the system does not have.
const NO_DENIALS: [(&str, &str); 21] = [
    ("koordinator/gang-is-complete", "half"),
    ("koordinator/gang-is-complete", "complete"),
    ("koordinator/gang-is-complete", "single"),
    ("kubernetes/gang-is-complete", "half"),
    ("kubernetes/gang-is-complete", "complete"),
    ("kubernetes/gang-is-complete", "single"),
    ("coscheduling/gang-is-complete", "half"),
    ("coscheduling/gang-is-complete", "complete"),
    ("coscheduling/gang-is-complete", "single"),
    ("volcano/gang-is-complete", "half"),
    ("volcano/gang-is-complete", "complete"),
    ("volcano/gang-is-complete", "single"),
    // Match policies are Koordinator's.
    ("kubernetes/gang-is-complete", "waiting"),
    ("coscheduling/gang-is-complete", "waiting"),
    ("volcano/gang-is-complete", "waiting"),
    // Queues that demand groups of nodes are Volcano's.
    ("koordinator/pod-demands-are-known", "nodes"),
    ("yunikorn/pod-demands-are-known", "nodes"),
    // `queue-takes-pods` is asked before, and a pod of an unknown PodGroup is in no queue.
    ("volcano/gang-has-its-members", "undeclared"),
    // The host passes no pod of another scheduler to the policy.
    ("yunikorn/queue-is-known", "scheduler"),
    // Each pod takes one of `pods`: the queue of a victim uses some of what is requested.
    ("yunikorn/5", "unused"),
    // Queues reclaim only for pods that request something.
    ("volcano/reclaimer-stays-within-deserved", "nothing"),
];

/// Returns the mutants of all laws in force. Each law is out of force, reversed, and without each of its cases of denial where it has several. A
/// comparator has no cases.
pub fn mutants() -> impl Iterator<Item = Mutant> {
    list_laws().into_iter().flat_map(|(_, entry)| {
        let of = move |to| Mutant { code: entry.code, to };
        let cases = entry.templates.iter().map(|(case, _)| *case).filter(|_| entry.templates.len() > 1);
        let denying = cases.filter(move |case| !NO_DENIALS.contains(&(entry.code, case)));
        [Mutation::AlwaysHolds, Mutation::AlwaysFails].into_iter().chain(denying.map(Mutation::WithoutCase)).map(of)
    })
}
