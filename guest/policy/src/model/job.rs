//! Jobs: pods that are decided upon together.

use std::collections::{BTreeMap, BTreeSet};

use super::{PodInfo, PodIx};

/// The name of a job: namespace and name.
pub type JobKey = (String, String);

/// The field that all pods of a PodGroup of Kubernetes must share. [`Gang::unsupported_field`] holds it where they differ.
pub const SCHEDULER_NAME: &str = "/spec/schedulerName";

/// The kind of members that count for a gang.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchPolicy {
    /// Members that wait at Permit.
    OnlyWaiting,
    /// Members that wait at Permit and bound members.
    WaitingAndRunning,
    /// Members that wait at Permit; once any member was bound, the gang needs none any more.
    OnceSatisfied,
}

/// The demands of a gang.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gang {
    /// The number of members that are bound together, or none.
    pub minimum: u32,
    /// The time for which a member waits at Permit, in nanoseconds.
    pub timeout: i64,
    /// Whether the gang gives up what its group holds at Permit, if it cannot reach its minimum without a member that did not fit.
    pub releases_on_failure: bool,
    /// Whether the members of the group at Permit give up their nodes when one member loses its node.
    pub releases_on_unreserve: bool,
    /// The kind of members that count.
    pub match_policy: MatchPolicy,
    /// Whether members with scheduling gates count among those that must exist before any member is tried.
    pub counts_gated: bool,
    /// The gangs that must be complete together with this one, itself included. Empty: only this one.
    pub group: Vec<JobKey>,
    /// A field of its object, or an annotation, with a demand that no law judges, as a JSON pointer.
    pub unsupported_field: Option<&'static str>,
}

/// One pass of attempts over the members of a gang. A host may try them in any order and at any time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GangRound {
    /// The members that were tried in this round.
    pub tried: BTreeSet<PodIx>,
    /// Whether a tried member found neither a node nor a plan.
    pub has_failures: bool,
    /// How the round ended, if the gang could not reach its minimum in it: no further member is tried in the round.
    pub failure: Option<RoundFailure>,
}

/// The end of a round in which a gang could not reach its minimum. The same attempts would fail in the same way until the cluster changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoundFailure {
    /// Pods of other gangs that reserved a node at Permit when the round ended. What such a pod gives up is a change for the gang.
    pub held_by_others: BTreeSet<PodIx>,
    /// The moment from which a new round may begin without a change, in nanoseconds since 1970.
    pub until: i64,
}

/// A job.
#[derive(Debug, Clone)]
pub struct Job {
    /// Its name.
    pub key: JobKey,
    /// Its pods, in no order.
    pub members: Vec<PodIx>,
    /// The demands in the object of the job.
    pub declared: Option<Gang>,
    /// The creation of the object of the job, in nanoseconds since 1970, where it counts.
    pub declared_at: Option<i64>,
    /// The demands in the annotations of its pods, which count where the job has no object.
    pub annotated: Option<Gang>,
    /// Whether members were bound together once.
    pub was_complete: bool,
    /// The earliest creation among its present pods, in nanoseconds since 1970. Pods that are gone do not count, so that a policy that never knew
    /// them decides the same.
    pub first_created: Option<i64>,
    /// The earliest entry among its present pods, in nanoseconds since 1970.
    pub first_entered: Option<i64>,
    /// The number of its present pods of each priority.
    pub priorities: BTreeMap<i32, usize>,
    /// The last time at which the job could not be placed, in nanoseconds since 1970. `None`: not since it was last placed.
    pub failed_at: Option<i64>,
    /// The attempts for its members, where the job is a gang.
    pub round: GangRound,
}

impl Job {
    /// Creates a job without pods.
    pub fn new(key: JobKey) -> Job {
        Job {
            key,
            members: Vec::new(),
            declared: None,
            declared_at: None,
            annotated: None,
            was_complete: false,
            first_created: None,
            first_entered: None,
            priorities: BTreeMap::new(),
            failed_at: None,
            round: GangRound::default(),
        }
    }

    /// Adds a pod.
    pub fn add_pod(&mut self, ix: PodIx, pod: &PodInfo) {
        self.members.push(ix);
        self.first_created = Some(self.first_created.map_or(pod.times.created, |first| first.min(pod.times.created)));
        self.first_entered = Some(self.first_entered.map_or(pod.times.entered, |first| first.min(pod.times.entered)));
        self.count(pod.priority());
    }

    /// Removes a pod. `member` returns each of the others.
    pub fn remove_pod<'p>(&mut self, ix: PodIx, pod: &PodInfo, member: impl Fn(PodIx) -> Option<&'p PodInfo>) {
        self.members.retain(|other| *other != ix);
        self.discount(pod.priority());
        if self.first_created == Some(pod.times.created) || self.first_entered == Some(pod.times.entered) {
            let members = || self.members.iter().filter_map(|other| member(*other));
            let first = (members().map(|pod| pod.times.created).min(), members().map(|pod| pod.times.entered).min());
            (self.first_created, self.first_entered) = first;
        }
    }

    /// Notes that a pod has another priority.
    pub fn move_priority(&mut self, from: i32, to: i32) {
        self.discount(from);
        self.count(to);
    }

    fn count(&mut self, priority: i32) {
        let count = self.priorities.entry(priority).or_default();
        *count = count.saturating_add(1);
    }

    fn discount(&mut self, priority: i32) {
        match self.priorities.get(&priority).copied() {
            Some(count) if count > 1 => self.priorities.insert(priority, count.saturating_sub(1)),
            _ => self.priorities.remove(&priority),
        };
    }

    /// Returns the lowest priority among its present pods. `None`: the job has no pod.
    pub fn least_priority(&self) -> Option<i32> {
        self.priorities.keys().next().copied()
    }

    /// Returns whether nothing but the name of the job is known.
    pub fn is_pristine(&self) -> bool {
        let is_described = self.declared.is_some() || self.annotated.is_some();
        self.members.is_empty()
            && !is_described
            && !self.was_complete
            && self.failed_at.is_none()
            && self.round == GangRound::default()
    }

    /// Returns the demands of the job: those of its object, else those of its pods. `None`: the job is no gang.
    pub fn gang(&self) -> Option<&Gang> {
        self.declared.as_ref().or(self.annotated.as_ref())
    }
}
