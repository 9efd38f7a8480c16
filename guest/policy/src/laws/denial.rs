//! What a law found wrong, as data; it becomes facts only when somebody is to be told.

use super::Detail;
use crate::model::{Cluster, JobIx, QueueIx, ResourceIx};

/// An amount of a sum or a bound, and what it is called as a fact.
pub type Part = (&'static str, i64);

/// Amounts by name, at most five; without an allocation, as laws are asked of every candidate of every node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts([Part; 5]);

impl FromIterator<Part> for Parts {
    fn from_iter<I: IntoIterator<Item = Part>>(parts: I) -> Parts {
        let mut all = [("", 0); 5];
        all.iter_mut().zip(parts).for_each(|(place, part)| *place = part);
        Parts(all)
    }
}

impl<const N: usize> From<[Part; N]> for Parts {
    fn from(parts: [Part; N]) -> Parts {
        parts.into_iter().collect()
    }
}

impl Parts {
    /// These parts.
    pub fn of(parts: [Part; 5]) -> Parts {
        Parts(parts)
    }
}

/// What a law found wrong. The sentence for it stands beside the law.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denial {
    /// A queue would exceed a bound.
    Exceeds {
        /// The queue.
        queue: QueueIx,
        /// The resource.
        resource: ResourceIx,
        /// What adds up, and the bound.
        parts: Parts,
    },
    /// A sum of a queue is not what it has to be beside a bound of it.
    Amount {
        /// Which case of the law it is.
        case: &'static str,
        /// The queue.
        queue: QueueIx,
        /// The resource.
        resource: ResourceIx,
        /// What adds up, and the bound.
        parts: Parts,
    },
    /// A queue and those beside it would together exceed what there is for all of them.
    Together {
        /// The queue.
        queue: QueueIx,
        /// The resource.
        resource: ResourceIx,
        /// What adds up, and the bound.
        parts: Parts,
    },
    /// A pod has not waited long enough, nanoseconds.
    TooSoon {
        /// How long it has waited.
        waited: i64,
        /// How long it must.
        delay: i64,
    },
    /// The moment at which the law begins to hold has not come, nanoseconds since 1970.
    Before(i64),
    /// A priority is not low enough.
    Priority {
        /// The victim's.
        victim: i32,
        /// The preemptor's.
        preemptor: i32,
    },
    /// A gang is not complete.
    Incomplete {
        /// The gang.
        job: JobIx,
        /// Which case of the law it is: which pods are counted.
        case: &'static str,
        /// How many there are.
        have: usize,
        /// How many there must be.
        need: u32,
    },
    /// A gang could not be complete in its last round of attempts.
    Failed {
        /// The gang.
        job: JobIx,
        /// How many pods there are.
        have: usize,
        /// How many there must be.
        need: u32,
        /// The moment from which on another round may begin, nanoseconds since 1970.
        until: i64,
    },
    /// A gang is not described by anybody.
    Undeclared {
        /// The gang that asks.
        job: JobIx,
        /// The place in its group of the gang that is not described; none where it is itself.
        member: Option<usize>,
    },
    /// A pod, or the PodGroup of a gang, demands what no law judges.
    Unjudged {
        /// The gang. `None`: the demand is that of one pod.
        job: Option<JobIx>,
        /// Which case of the law it is.
        case: &'static str,
        /// The field that demands it, a JSON pointer.
        field: &'static str,
    },
    /// The nodes together have too little for a gang.
    Short {
        /// The gang.
        job: JobIx,
        /// The resource; none where no node has it.
        resource: Option<ResourceIx>,
        /// What is free, and what is needed.
        parts: Parts,
    },
    /// A plan is under way.
    Underway {
        /// The plan.
        plan: u64,
        /// How many of its victims have not left yet.
        left: usize,
    },
    /// It is about a queue, without numbers: which case of the law it is, and the queue.
    Queue(&'static str, QueueIx),
    /// It is about a resource, without numbers: which case of the law it is, and the resource.
    Resource(&'static str, ResourceIx),
    /// There are no numbers to it: the case of the law says it all.
    Case(&'static str),
}

/// A queue whose pods use too much of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shortfall {
    /// The queue.
    pub queue: QueueIx,
    /// The resource.
    pub resource: ResourceIx,
    /// Pods of the queues beside it count as well, if their queue uses more than it is guaranteed.
    pub beside: bool,
}

impl Denial {
    /// A queue would exceed a bound by these parts.
    pub fn exceeds(queue: QueueIx, resource: ResourceIx) -> impl FnOnce(Parts) -> Denial {
        move |parts| Denial::Exceeds { queue, resource, parts }
    }

    /// A sum of a queue is not what it has to be, in this case of the law.
    pub fn amount(case: &'static str, queue: QueueIx, resource: ResourceIx) -> impl FnOnce(Parts) -> Denial {
        move |parts| Denial::Amount { case, queue, resource, parts }
    }

    /// The queue that stands in the way, where it is one.
    pub fn queue(&self) -> Option<QueueIx> {
        match self {
            Denial::Exceeds { queue, .. }
            | Denial::Together { queue, .. }
            | Denial::Amount { queue, .. }
            | Denial::Queue(_, queue) => Some(*queue),
            _ => None,
        }
    }

    /// What would have to come free for the law to hold, where that helps.
    pub fn shortfall(&self) -> Option<Shortfall> {
        match self {
            Denial::Exceeds { queue, resource, .. } => {
                Some(Shortfall { queue: *queue, resource: *resource, beside: false })
            }
            Denial::Together { queue, resource, .. } => {
                Some(Shortfall { queue: *queue, resource: *resource, beside: true })
            }
            _ => None,
        }
    }

    /// The moment from which on time alone may have made the law hold, where it can, nanoseconds since 1970.
    pub fn retry_at(&self, now: i64) -> Option<i64> {
        match self {
            Denial::TooSoon { waited, delay } => Some(now.saturating_add(delay.saturating_sub(*waited))),
            Denial::Before(moment) | Denial::Failed { until: moment, .. } => Some(*moment),
            _ => None,
        }
    }

    /// What it is, to be reported.
    pub fn detail(&self, cluster: &Cluster) -> Detail {
        match self {
            Denial::Exceeds { queue, resource, parts } | Denial::Together { queue, resource, parts } => {
                amounts(cluster, Detail::default(), (*queue, *resource), parts)
            }
            Denial::Amount { case, queue, resource, parts } => {
                amounts(cluster, Detail::case(case), (*queue, *resource), parts)
            }
            Denial::TooSoon { waited, delay } => {
                Detail::default().duration("waited", *waited).duration("delay", *delay)
            }
            Denial::Before(_) => Detail::default(),
            Denial::Priority { victim, preemptor } => {
                Detail::default().count("priority", *victim).count("preemptor-priority", *preemptor)
            }
            Denial::Incomplete { job, case, have, need } => {
                let gang = cluster.job(*job).map(|job| job.key.clone()).unwrap_or_default();
                Detail::case(case).job("gang", &gang).count("have", *have).count("need", *need)
            }
            Denial::Failed { job, have, need, .. } => {
                Denial::Incomplete { job: *job, case: "", have: *have, need: *need }.detail(cluster)
            }
            Denial::Undeclared { job, member } => {
                let job = cluster.job(*job);
                let group = job.and_then(|job| job.gang()).map(|gang| gang.group.as_slice()).unwrap_or_default();
                let other = member.and_then(|member| group.get(member));
                let gang = other.or(job.map(|job| &job.key)).cloned().unwrap_or_default();
                Detail::case("undeclared").job("gang", &gang)
            }
            Denial::Unjudged { job, case, field } => {
                let gang = job.and_then(|job| cluster.job(job)).map(|job| &job.key);
                let detail = Detail::case(case);
                gang.map_or(detail.clone(), |gang| detail.job("gang", gang)).text("field", *field)
            }
            Denial::Short { job, resource, parts } => {
                let gang = cluster.job(*job).map(|job| job.key.clone()).unwrap_or_default();
                let detail = Detail::case(if resource.is_some() { "" } else { "unknown" }).job("gang", &gang);
                let parts = parts.0.iter().filter(|(name, _)| !name.is_empty());
                parts.fold(detail, |detail, (name, n)| match resource {
                    Some(resource) => detail.amount(name, *resource, *n),
                    None => detail,
                })
            }
            Denial::Underway { plan, left } => Detail::case("plan").count("plan", *plan).count("left", *left),
            Denial::Queue(case, queue) => Detail::case(case).queue("queue", queue_name(cluster, *queue)),
            Denial::Resource(case, resource) => {
                Detail::case(case).text("resource", cluster.resource_name(*resource).to_owned())
            }
            Denial::Case(case) => Detail::case(case),
        }
    }
}

/// The amounts of a resource in a queue. What is promised and what victims hold is left out where it is nothing.
fn amounts(cluster: &Cluster, detail: Detail, (queue, resource): (QueueIx, ResourceIx), parts: &Parts) -> Detail {
    let name = queue_name(cluster, queue);
    let told =
        parts.0.iter().filter(|(name, n)| !name.is_empty() && (*n != 0 || !["promised", "victims"].contains(name)));
    told.fold(detail.queue("queue", name), |detail, (name, n)| detail.amount(name, resource, *n))
}

fn queue_name(cluster: &Cluster, queue: QueueIx) -> &str {
    cluster.queue(queue).map_or("?", |queue| queue.name.as_str())
}
