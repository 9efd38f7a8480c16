//! The denial of a law, as data. It is converted into facts only when a reason is reported.

use super::ReasonFacts;
use crate::model::{Cluster, JobIx, QueueIx, ResourceIx};

/// A named amount: a term of a sum, or a bound. The name is that of the fact in a reason.
pub type FactAmount = (&'static str, i64);

/// Named amounts, at most five. They need no allocation, because laws are checked for every candidate of every node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactAmounts([FactAmount; 5]);

impl FromIterator<FactAmount> for FactAmounts {
    fn from_iter<I: IntoIterator<Item = FactAmount>>(parts: I) -> FactAmounts {
        let mut all = [("", 0); 5];
        all.iter_mut().zip(parts).for_each(|(place, part)| *place = part);
        FactAmounts(all)
    }
}

impl<const N: usize> From<[FactAmount; N]> for FactAmounts {
    fn from(parts: [FactAmount; N]) -> FactAmounts {
        parts.into_iter().collect()
    }
}

impl FactAmounts {
    /// Creates a list of these parts.
    pub fn of(parts: [FactAmount; 5]) -> FactAmounts {
        FactAmounts(parts)
    }
}

/// The reason why a law does not hold, as data. The template of the sentence is in the file of the law.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denial {
    /// A queue would exceed a bound.
    OverBound {
        /// The queue.
        queue: QueueIx,
        /// The resource.
        resource: ResourceIx,
        /// The terms of the sum, and the bound.
        parts: FactAmounts,
    },
    /// A sum of a queue does not compare with a bound of the queue as it must.
    BoundViolated {
        /// The case of the law.
        case: &'static str,
        /// The queue.
        queue: QueueIx,
        /// The resource.
        resource: ResourceIx,
        /// The terms of the sum, and the bound.
        parts: FactAmounts,
    },
    /// A queue and its siblings would together exceed what all of them may use.
    SiblingsOverBound {
        /// The queue.
        queue: QueueIx,
        /// The resource.
        resource: ResourceIx,
        /// The terms of the sum, and the bound.
        parts: FactAmounts,
    },
    /// A pod has not waited long enough. Both times are in nanoseconds.
    TooSoon {
        /// The time for which the pod has waited.
        waited: i64,
        /// The time for which it must wait.
        delay: i64,
    },
    /// The law holds only from this moment on, in nanoseconds since 1970.
    NotBefore(i64),
    /// A priority is not low enough.
    Priority {
        /// The priority of the victim.
        victim: i32,
        /// The priority of the preemptor.
        preemptor: i32,
    },
    /// A gang is not complete.
    Incomplete {
        /// The gang.
        job: JobIx,
        /// The case of the law: which pods are counted.
        case: &'static str,
        /// The number of pods that there are.
        have: usize,
        /// The number of pods that there must be.
        need: u32,
    },
    /// A gang could not be complete in its last round of attempts.
    Failed {
        /// The gang.
        job: JobIx,
        /// The number of pods that there are.
        have: usize,
        /// The number of pods that there must be.
        need: u32,
        /// The moment from which another round may begin, in nanoseconds since 1970.
        until: i64,
    },
    /// Neither an object nor a pod describes a gang.
    UndescribedGang {
        /// The gang of the preemptor.
        job: JobIx,
        /// The place in the gang group of the gang without a description. `None`: it is the gang of the preemptor.
        member: Option<usize>,
    },
    /// A pod, or the PodGroup of a gang, has a demand that no law judges.
    UnsupportedField {
        /// The gang. `None`: the demand is that of one pod.
        job: Option<JobIx>,
        /// The case of the law.
        case: &'static str,
        /// The field with the demand, as a JSON pointer.
        field: &'static str,
    },
    /// The nodes together have too little for a gang.
    ClusterTooSmall {
        /// The gang.
        job: JobIx,
        /// The resource. `None`: no node has it.
        resource: Option<ResourceIx>,
        /// The amounts free and needed.
        parts: FactAmounts,
    },
    /// A plan is in flight.
    PlanInFlight {
        /// The plan.
        plan: u64,
        /// The number of its victims that have not left yet.
        left: usize,
    },
    /// A denial about a queue, without amounts: the case of the law, and the queue.
    Queue(&'static str, QueueIx),
    /// A denial about a resource, without amounts: the case of the law, and the resource.
    Resource(&'static str, ResourceIx),
    /// A denial without facts: the case of the law.
    Case(&'static str),
}

/// A queue that uses too much of a resource, so that evictions could make the law hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shortfall {
    /// The queue.
    pub queue: QueueIx,
    /// The resource.
    pub resource: ResourceIx,
    /// Whether pods of the sibling queues count as well, if their queue uses more than its guarantee.
    pub includes_siblings: bool,
}

impl Denial {
    /// Returns a function that makes the denial of an exceeded bound from the parts of a sum.
    pub fn exceeds(queue: QueueIx, resource: ResourceIx) -> impl FnOnce(FactAmounts) -> Denial {
        move |parts| Denial::OverBound { queue, resource, parts }
    }

    /// Returns a function that makes the denial of a wrong sum, in this case of the law, from its parts.
    pub fn amount(case: &'static str, queue: QueueIx, resource: ResourceIx) -> impl FnOnce(FactAmounts) -> Denial {
        move |parts| Denial::BoundViolated { case, queue, resource, parts }
    }

    /// Returns the queue of the failed constraint. `None`: it is not about a queue.
    pub fn queue(&self) -> Option<QueueIx> {
        match self {
            Denial::OverBound { queue, .. }
            | Denial::SiblingsOverBound { queue, .. }
            | Denial::BoundViolated { queue, .. }
            | Denial::Queue(_, queue) => Some(*queue),
            _ => None,
        }
    }

    /// Returns the queue and the resource that evictions would have to free for the law to hold. `None`: evictions of a queue do not help.
    pub fn shortfall(&self) -> Option<Shortfall> {
        match self {
            Denial::OverBound { queue, resource, .. } => {
                Some(Shortfall { queue: *queue, resource: *resource, includes_siblings: false })
            }
            Denial::SiblingsOverBound { queue, resource, .. } => {
                Some(Shortfall { queue: *queue, resource: *resource, includes_siblings: true })
            }
            _ => None,
        }
    }

    /// Returns the moment from which time alone may make the law hold, in nanoseconds since 1970. `None`: time changes nothing.
    pub fn retry_at(&self, now: i64) -> Option<i64> {
        match self {
            Denial::TooSoon { waited, delay } => Some(now.saturating_add(delay.saturating_sub(*waited))),
            Denial::NotBefore(moment) | Denial::Failed { until: moment, .. } => Some(*moment),
            _ => None,
        }
    }

    /// Returns the denial as facts of a reason.
    pub fn detail(&self, cluster: &Cluster) -> ReasonFacts {
        match self {
            Denial::OverBound { queue, resource, parts } | Denial::SiblingsOverBound { queue, resource, parts } => {
                amounts(cluster, ReasonFacts::default(), (*queue, *resource), parts)
            }
            Denial::BoundViolated { case, queue, resource, parts } => {
                amounts(cluster, ReasonFacts::case(case), (*queue, *resource), parts)
            }
            Denial::TooSoon { waited, delay } => {
                ReasonFacts::default().duration("waited", *waited).duration("delay", *delay)
            }
            Denial::NotBefore(_) => ReasonFacts::default(),
            Denial::Priority { victim, preemptor } => {
                ReasonFacts::default().count("priority", *victim).count("preemptor-priority", *preemptor)
            }
            Denial::Incomplete { job, case, have, need } => {
                let gang = cluster.job(*job).map(|job| job.key.clone()).unwrap_or_default();
                ReasonFacts::case(case).job("gang", &gang).count("have", *have).count("need", *need)
            }
            Denial::Failed { job, have, need, .. } => {
                Denial::Incomplete { job: *job, case: "", have: *have, need: *need }.detail(cluster)
            }
            Denial::UndescribedGang { job, member } => {
                let job = cluster.job(*job);
                let group = job.and_then(|job| job.gang()).map(|gang| gang.group.as_slice()).unwrap_or_default();
                let other = member.and_then(|member| group.get(member));
                let gang = other.or(job.map(|job| &job.key)).cloned().unwrap_or_default();
                ReasonFacts::case("undeclared").job("gang", &gang)
            }
            Denial::UnsupportedField { job, case, field } => {
                let gang = job.and_then(|job| cluster.job(job)).map(|job| &job.key);
                let detail = ReasonFacts::case(case);
                gang.map_or(detail.clone(), |gang| detail.job("gang", gang)).text("field", *field)
            }
            Denial::ClusterTooSmall { job, resource, parts } => {
                let gang = cluster.job(*job).map(|job| job.key.clone()).unwrap_or_default();
                let detail = ReasonFacts::case(if resource.is_some() { "" } else { "unknown" }).job("gang", &gang);
                let parts = parts.0.iter().filter(|(name, _)| !name.is_empty());
                parts.fold(detail, |detail, (name, n)| match resource {
                    Some(resource) => detail.amount(name, *resource, *n),
                    None => detail,
                })
            }
            Denial::PlanInFlight { plan, left } => ReasonFacts::case("plan").count("plan", *plan).count("left", *left),
            Denial::Queue(case, queue) => ReasonFacts::case(case).queue("queue", queue_name(cluster, *queue)),
            Denial::Resource(case, resource) => {
                ReasonFacts::case(case).text("resource", cluster.resource_name(*resource).to_owned())
            }
            Denial::Case(case) => ReasonFacts::case(case),
        }
    }
}

/// Returns the amounts of a resource in a queue as facts. The amounts promised and of victims are left out where they are zero.
fn amounts(
    cluster: &Cluster,
    detail: ReasonFacts,
    (queue, resource): (QueueIx, ResourceIx),
    parts: &FactAmounts,
) -> ReasonFacts {
    let name = queue_name(cluster, queue);
    let told =
        parts.0.iter().filter(|(name, n)| !name.is_empty() && (*n != 0 || !["promised", "victims"].contains(name)));
    told.fold(detail.queue("queue", name), |detail, (name, n)| detail.amount(name, resource, *n))
}

fn queue_name(cluster: &Cluster, queue: QueueIx) -> &str {
    cluster.queue(queue).map_or("?", |queue| queue.name.as_str())
}
