//! Jobs: pods that are decided upon together.

use super::{PodIx, Symbol};

/// The name of a job: namespace and name.
pub type JobKey = (String, String);

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
    /// A member that finds no room makes those of the group that are held at permit give up theirs.
    pub fails_together: bool,
    /// A member that loses its room makes those of the group that are held at permit give up theirs.
    pub leaves_together: bool,
    /// Which members count.
    pub matching: Match,
    /// Members with scheduling gates count among the members that a gang must have before any is tried.
    pub counts_gated: bool,
    /// The gangs that must be complete together with this one, itself included; empty: itself alone.
    pub group: Vec<JobKey>,
}

/// The sizes an elastic job may have besides its minimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sizes {
    /// Powers of two.
    PowersOfTwo,
    /// The minimum and so many more pods, any number of times.
    Multiples(u32),
}

/// How a job grows and shrinks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elastic {
    /// The sizes it may have.
    pub sizes: Sizes,
    /// At least so long between two changes of its size before it grows, nanoseconds.
    pub interval: i64,
    /// It has no more pods than this; none: as many as there are.
    pub most: Option<u32>,
}

impl Elastic {
    /// Whether a job of this minimum may have this size: its minimum, or one of the sizes.
    pub fn allows(&self, minimum: usize, size: usize) -> bool {
        if size < minimum || self.most.is_some_and(|most| size > usize::try_from(most).unwrap_or(usize::MAX)) {
            return size == minimum;
        }
        let beyond = size.saturating_sub(minimum);
        match self.sizes {
            Sizes::PowersOfTwo => beyond == 0 || size.is_power_of_two(),
            Sizes::Multiples(factor) => {
                usize::try_from(factor).ok().and_then(|factor| beyond.checked_rem(factor)) == Some(0)
            }
        }
    }
}

/// What the object of a job says beside its gang.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PodGroupSpec {
    /// The name of its queue.
    pub queue: Option<Symbol>,
    /// Its priority, which is not that of its pods.
    pub priority: i32,
    /// When it was created, nanoseconds since 1970.
    pub created: i64,
    /// So many pods of each of these roles it needs.
    pub roles: Vec<(Symbol, u32)>,
    /// How it grows and shrinks, where it does.
    pub elastic: Option<Elastic>,
    /// It said that none of its pods is to be a victim.
    pub opted_out: bool,
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
    /// What its pods say it needs; counts where there is no object.
    pub annotated: Option<Gang>,
    /// The member that the others depend on, where the system knows one: a driver, a master.
    pub originator: Option<PodIx>,
    /// What its own object says beside that, where its system has such an object.
    pub pod_group: Option<PodGroupSpec>,
    /// When it grew or shrank last, nanoseconds since 1970.
    pub scaled_at: Option<i64>,
    /// Members were bound together once.
    pub satisfied: bool,
    /// When the first of the pods it has was created, nanoseconds since 1970. One that is gone does not count: a policy that never
    /// knew it decides as one that did.
    pub first_created: Option<i64>,
    /// When it failed to be placed last, nanoseconds since 1970; none: not since it was last placed.
    pub failed_at: Option<i64>,
}

impl Job {
    /// A job of no pods yet.
    pub fn new(key: JobKey) -> Job {
        Job {
            key,
            members: Vec::new(),
            declared: None,
            annotated: None,
            originator: None,
            pod_group: None,
            scaled_at: None,
            satisfied: false,
            first_created: None,
            failed_at: None,
        }
    }

    /// How it grows and shrinks, where it does.
    pub fn elastic(&self) -> Option<&Elastic> {
        self.pod_group.as_ref()?.elastic.as_ref()
    }

    /// What the job needs, if anybody said so.
    pub fn gang(&self) -> Option<&Gang> {
        self.declared.as_ref().or(self.annotated.as_ref())
    }
}
