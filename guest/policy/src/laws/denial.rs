//! What a law found wrong, in numbers; it becomes a sentence only when somebody is to be told.

use super::Detail;
use crate::model::{Cluster, JobIx, QueueIx, ResourceIx};
use crate::quantity::exact;

/// Part of a sum, and what it is called.
pub type Part = (&'static str, i64);

/// What a law found wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denial {
    /// A queue would exceed a bound.
    Exceeds {
        /// The queue.
        queue: QueueIx,
        /// The resource.
        resource: ResourceIx,
        /// What adds up.
        parts: Vec<Part>,
        /// What it adds up beyond.
        bound: Part,
    },
    /// A sum of a queue is not what it has to be beside a bound of it.
    Amount {
        /// The queue.
        queue: QueueIx,
        /// The resource.
        resource: ResourceIx,
        /// What adds up.
        parts: Vec<Part>,
        /// What the sum is and must not be: `is more than`.
        relation: &'static str,
        /// The bound.
        bound: Part,
    },
    /// A pod has not waited long enough, nanoseconds.
    TooSoon {
        /// How long it has waited.
        waited: i64,
        /// How long it must.
        delay: i64,
    },
    /// A priority is not low enough.
    Priority {
        /// The victim's.
        victim: i32,
        /// The preemptor's.
        preemptor: i32,
    },
    /// A priority is too high.
    Ranks {
        /// The victim's.
        victim: i32,
        /// The preemptor's.
        preemptor: i32,
    },
    /// A gang is not complete.
    Incomplete {
        /// The gang.
        job: JobIx,
        /// What is counted.
        counted: &'static str,
        /// How many there are.
        have: usize,
        /// How many there must be.
        need: u32,
    },
    /// A gang is not described by anybody.
    Undeclared {
        /// Namespace and name of the gang.
        gang: String,
    },
    /// A plan is under way.
    Underway {
        /// The plan.
        plan: u64,
        /// How many of its victims have not left yet.
        left: usize,
    },
    /// What there is to say is the same each time.
    Fact(&'static str),
}

impl Denial {
    /// The queue that stands in the way, where it is one.
    pub fn queue(&self) -> Option<QueueIx> {
        match self {
            Denial::Exceeds { queue, .. } | Denial::Amount { queue, .. } => Some(*queue),
            _ => None,
        }
    }

    /// What it is, to be reported.
    pub fn detail(&self, cluster: &Cluster) -> Detail {
        self.sentence(cluster).into()
    }

    /// The sentence.
    pub fn sentence(&self, cluster: &Cluster) -> String {
        match self {
            Denial::Exceeds { queue, resource, parts, bound } => {
                let (called, name) = (cluster.queue_term(), queue_name(cluster, *queue));
                let resource = cluster.resource_name(*resource);
                let counted = parts.iter().filter(|(what, n)| *n != 0 || *what == "asked");
                let sum: Vec<String> = counted.map(|(what, n)| format!("{what} {}", exact(resource, *n))).collect();
                let limit = exact(resource, bound.1);
                format!("{called} `{name}`, {resource}: {} is more than {} {limit}", sum.join(" + "), bound.0)
            }
            Denial::Amount { queue, resource, parts, relation, bound } => {
                let (called, name) = (cluster.queue_term(), queue_name(cluster, *queue));
                let resource = cluster.resource_name(*resource);
                let counted = parts.iter().enumerate().filter(|(at, (_, n))| *n != 0 || *at == 0);
                let sum: Vec<String> =
                    counted.map(|(_, (what, n))| format!("{what} {}", exact(resource, *n))).collect();
                let limit = exact(resource, bound.1);
                format!("{called} `{name}`, {resource}: {} {relation} {} {limit}", sum.join(" "), bound.0)
            }
            Denial::TooSoon { waited, delay } => {
                let seconds = |n: &i64| jiff::SignedDuration::from_nanos(*n);
                format!("it has waited {:#}, others make way after {:#}", seconds(waited), seconds(delay))
            }
            Denial::Priority { victim, preemptor } => {
                format!("its priority {victim} is not lower than the preemptor's {preemptor}")
            }
            Denial::Ranks { victim, preemptor } => {
                format!("its priority {victim} counts as higher than the preemptor's {preemptor}")
            }
            Denial::Incomplete { job, counted, have, need } => {
                let (namespace, name) = cluster.job(*job).map(|job| job.key.clone()).unwrap_or_default();
                format!("gang `{namespace}/{name}` has {have} {counted} of the {need} it needs")
            }
            Denial::Undeclared { gang } => {
                format!("there is no PodGroup `{gang}`, and no pod says what the gang needs")
            }
            Denial::Underway { plan, left } => {
                format!("waiting for preemption: {left} of the victims of plan {plan} have not left yet")
            }
            Denial::Fact(fact) => (*fact).to_owned(),
        }
    }
}

fn queue_name(cluster: &Cluster, queue: QueueIx) -> &str {
    cluster.queue(queue).map_or("?", |queue| queue.name.as_str())
}
