//! Jobs: pods that are decided upon together.

use std::collections::BTreeSet;

use super::PodIx;

/// The name of a job: namespace and name.
pub type JobKey = (String, String);

/// The field that all pods of a PodGroup of Kubernetes have alike: [`Gang::unjudged`] has it where they differ.
pub const SCHEDULER_NAME: &str = "/spec/schedulerName";

/// Which members make a gang complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    /// Those held at permit.
    OnlyWaiting,
    /// Those held at permit and those bound.
    WaitingAndRunning,
    /// Those held at permit; once any member was bound, none is needed any more.
    OnceSatisfied,
}

/// What a gang needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gang {
    /// So many members are bound together, or none.
    pub minimum: u32,
    /// How long a member is held at permit, nanoseconds.
    pub timeout: i64,
    /// A gang that cannot reach its minimum without a member that found no room gives up what is held at permit for its group.
    pub fails_together: bool,
    /// A member that loses its room makes those of the group that are held at permit give up theirs.
    pub leaves_together: bool,
    /// Which members count.
    pub matching: Match,
    /// Members with scheduling gates count among the members that a gang must have before any is tried.
    pub counts_gated: bool,
    /// The gangs that must be complete together with this one, itself included; empty: itself alone.
    pub group: Vec<JobKey>,
    /// A field of its object, or an annotation, that demands what no law judges, a JSON pointer.
    pub unjudged: Option<&'static str>,
}

/// One pass of attempts over the members of a gang. A host may try them in any order and at any time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Round {
    /// The members that were tried in this round.
    pub tried: BTreeSet<PodIx>,
    /// A member was tried that found neither a node nor a plan.
    pub has_failures: bool,
    /// How the round ended, if the gang could not reach its minimum in it: no further member is tried in the round.
    pub failure: Option<Failure>,
}

/// The end of a round in which a gang could not reach its minimum. The same attempts would fail in the same way until the cluster changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Failure {
    /// Pods of other gangs that held a node at Permit when the round ended. What such a pod gives up is new to the gang.
    pub held_by_others: BTreeSet<PodIx>,
    /// The moment from which on a new round may begin without a change, nanoseconds since 1970.
    pub until: i64,
}

/// A job.
#[derive(Debug, Clone)]
pub struct Job {
    /// Its name.
    pub key: JobKey,
    /// Its pods, in no order.
    pub members: Vec<PodIx>,
    /// What its own object says it needs.
    pub declared: Option<Gang>,
    /// When its own object was created, nanoseconds since 1970, where that counts.
    pub declared_at: Option<i64>,
    /// What its pods say it needs; counts where there is no object.
    pub annotated: Option<Gang>,
    /// Members were bound together once.
    pub satisfied: bool,
    /// When the first of the pods it has was created, nanoseconds since 1970. One that is gone does not count: a policy that never
    /// knew it decides as one that did.
    pub first_created: Option<i64>,
    /// When the first of the pods it has entered, nanoseconds since 1970.
    pub first_entered: Option<i64>,
    /// When it failed to be placed last, nanoseconds since 1970; none: not since it was last placed.
    pub failed_at: Option<i64>,
    /// The attempts for its members, where it is a gang.
    pub round: Round,
}

impl Job {
    /// A job of no pods yet.
    pub fn new(key: JobKey) -> Job {
        Job {
            key,
            members: Vec::new(),
            declared: None,
            declared_at: None,
            annotated: None,
            satisfied: false,
            first_created: None,
            first_entered: None,
            failed_at: None,
            round: Round::default(),
        }
    }

    /// Returns whether nothing is known of the job but its name.
    pub fn is_pristine(&self) -> bool {
        let is_described = self.declared.is_some() || self.annotated.is_some();
        self.members.is_empty()
            && !is_described
            && !self.satisfied
            && self.failed_at.is_none()
            && self.round == Round::default()
    }

    /// What the job needs, if anybody said so.
    pub fn gang(&self) -> Option<&Gang> {
        self.declared.as_ref().or(self.annotated.as_ref())
    }
}
