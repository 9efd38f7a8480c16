//! The candidates, by job and level.

use crate::contract::{Outcome, Subject};
use crate::engine::DecisionTrace;
use crate::model::{Cluster, PodInfo, PodIx, ResourceIx};

use super::elastic_first::is_elastic;
use super::{BundleSearchInput, trace};

/// Pods of one job that may be evicted.
#[derive(Debug, Clone)]
pub struct VictimBundle {
    /// The pods in the order of eviction.
    pub pods: Vec<PodIx>,
    /// The legal numbers of victims. `None`: any number, or all of the pods for jobs that are evicted whole.
    pub steps: Option<Vec<usize>>,
    /// The loss if all of the pods are evicted; zero for bundles of the lower levels.
    pub loss: JobLoss,
}

/// The loss if jobs are evicted whole; smaller is better.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobLoss {
    /// The number of gangs that need more than one pod to run.
    pub gangs: usize,
    /// The work that the pods lose: the time that each has run times its largest share of the cluster. Nanoseconds times millionths.
    pub work: i128,
    /// The number of pods.
    pub pods: usize,
}

impl JobLoss {
    /// Returns the loss if these pods are evicted, whose jobs include so many gangs.
    pub fn of(cluster: &Cluster, pods: &[PodIx], gangs: usize) -> JobLoss {
        JobLoss { gangs, work: lost_work(cluster, pods), pods: pods.len() }
    }

    /// Returns both losses together.
    pub fn plus(self, other: JobLoss) -> JobLoss {
        JobLoss {
            gangs: self.gangs.saturating_add(other.gangs),
            work: self.work.saturating_add(other.work),
            pods: self.pods.saturating_add(other.pods),
        }
    }
}

impl VictimBundle {
    /// Returns the largest legal number of victims.
    pub fn max_victims(&self) -> usize {
        self.steps.as_ref().map_or(self.pods.len(), |steps| steps.last().copied().unwrap_or(0))
    }

    /// Returns the largest step of an elastic job below a number of victims. `None`: there is no smaller step.
    pub fn step_below(&self, count: usize) -> Option<usize> {
        self.steps.as_ref()?.iter().copied().rev().find(|step| *step < count)
    }

    /// Returns the smallest legal number of victims that is not below this one. `None`: no legal number is that large.
    pub fn step(&self, at_least: usize) -> Option<usize> {
        match &self.steps {
            None => Some(at_least).filter(|count| *count <= self.pods.len()),
            Some(steps) => steps.iter().copied().find(|step| *step >= at_least),
        }
    }
}

/// Returns the bundles of each level, the least important first. Of jobs that are evicted whole, those with the smallest loss are first.
pub fn gather(
    cluster: &Cluster,
    notes: &mut DecisionTrace,
    victim_search: &BundleSearchInput<'_>,
) -> Vec<Vec<VictimBundle>> {
    let (mut elastic, mut single, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    let leads = cluster.jobs().filter_map(|(_, job)| job.members.first().copied());
    let alone = cluster.pods().filter(|(_, pod)| pod.attributes.job.is_none()).map(|(ix, _)| ix);
    let is_far = |lead: PodIx| {
        victim_search.only_own_queue
            && cluster.pod(lead).is_none_or(|pod| pod.queue != victim_search.preemptor.part.queue)
    };
    for lead in leads.chain(alone).filter(|lead| !is_far(*lead)) {
        let holders = running_pods(cluster, victim_search, lead);
        let free: Vec<PodIx> =
            holders.iter().copied().filter(|ix| may_evict(cluster, notes, victim_search, *ix)).collect();
        let Some(first) = free.first().and_then(|ix| cluster.pod(*ix)) else { continue };
        match first.attributes.job.and_then(|job| cluster.elastic(job)) {
            Some(terms) => {
                let pods: Vec<PodIx> = free.iter().copied().filter(|ix| is_elastic(cluster, *ix)).collect();
                let minimum = cluster.minimum(lead);
                let left = |step: &usize| holders.len().saturating_sub(*step);
                let legal = |step: &usize| left(step) >= minimum && terms.allows(minimum, left(step));
                let steps: Vec<usize> = (1..=pods.len()).filter(legal).collect();
                if !steps.is_empty() {
                    elastic.push(VictimBundle { pods, steps: Some(steps), loss: JobLoss::default() });
                }
            }
            // The pods of the job are evicted together, as a bundle of the last level.
            None if free.first().is_some_and(|ix| cluster.disruption_group(*ix).is_some()) => {}
            None => {
                let spare = |ix: &PodIx| {
                    victim_search.first_denial(cluster, &victim_search.rules.single_victim_filters, *ix, None).is_none()
                };
                let pods: Vec<PodIx> = free.iter().copied().filter(spare).collect();
                if !pods.is_empty() {
                    single.push(VictimBundle { pods, steps: None, loss: JobLoss::default() });
                }
            }
        }
        if free.len() == holders.len() && cluster.minimum(lead) > 0 {
            let loss = JobLoss::of(cluster, &free, usize::from(cluster.minimum(lead) > 1));
            whole.push(VictimBundle { pods: free, steps: None, loss });
        } else {
            trace::explain_inseparable_pods(cluster, notes, victim_search, &free);
        }
    }
    let mut levels = vec![elastic, single, whole];
    for level in &mut levels {
        level.sort_by(|a, b| match (first_pod(cluster, a), first_pod(cluster, b)) {
            (Some(a), Some(b)) => (victim_search.rules.order.1)(cluster, victim_search.preemptor.part.queue, a, b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        });
    }
    if let Some(whole) = levels.last_mut() {
        whole.sort_by_key(|job| job.loss);
    }
    levels
}

/// Returns the work that these pods lose: for each the time that it has run times its largest share of the cluster. A pod that has not
/// started loses nothing. Nanoseconds times millionths.
fn lost_work(cluster: &Cluster, victims: &[PodIx]) -> i128 {
    let work = |pod: &PodInfo| {
        let run = pod.times.started.map_or(0, |started| cluster.now().saturating_sub(started).max(0));
        let share = |(resource, amount): (ResourceIx, i64)| {
            let all = i128::from(cluster.allocatable(resource).max(1));
            i128::from(amount).saturating_mul(1_000_000).checked_div(all).unwrap_or(0)
        };
        let counts = |(resource, _): &(ResourceIx, i64)| cluster.resource_name(*resource) != "pods";
        i128::from(run).saturating_mul(pod.request().iter().filter(counts).map(share).max().unwrap_or(0))
    };
    victims.iter().filter_map(|ix| cluster.pod(*ix)).map(work).fold(0, i128::saturating_add)
}

fn first_pod<'c>(cluster: &'c Cluster, bundle: &VictimBundle) -> Option<&'c PodInfo> {
    bundle.pods.first().and_then(|ix| cluster.pod(*ix))
}

/// Returns the pods of a job that use nodes, in the order of eviction.
fn running_pods(cluster: &Cluster, victim_search: &BundleSearchInput<'_>, lead: PodIx) -> Vec<PodIx> {
    let mut holders: Vec<_> = cluster.placed_members(lead).collect();
    holders.sort_by(|(_, a), (_, b)| (victim_search.tasks.compare)(cluster, b, a));
    holders.into_iter().map(|(ix, _)| ix).collect()
}

fn may_evict(cluster: &Cluster, notes: &mut DecisionTrace, victim_search: &BundleSearchInput<'_>, ix: PodIx) -> bool {
    match victim_search.first_denial(cluster, &victim_search.rules.victim_filters, ix, None) {
        None => true,
        Some((rule, denial)) => {
            notes.record_denial_and_hint(cluster, Subject::Pod(ix.0), Outcome::Spared, &rule, &denial);
            false
        }
    }
}
