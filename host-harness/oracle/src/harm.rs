//! What stops when pods are evicted, counted from the objects alone.
//!
//! A gang needs so many pods at a time. When fewer stay, all of it stops; a pod beyond that number, or of no gang, stops alone; a gang that
//! is too small already, and a pod that leaves anyway, lose nothing.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::placement::{PlacementProblem, Set};
use crate::world::{ModelCluster, ModelPod};

/// The cost of some evictions. Less comes first, criterion by criterion.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EvictionHarm {
    /// Victims whose disruption budget is used up.
    pub(crate) violations: usize,
    /// The highest priority of a victim that would go on otherwise.
    highest: Option<i64>,
    /// Gangs that stop.
    gangs: usize,
    /// The sum of the parts of all resources of the cluster that the pods request that stop, in billionths, each rounded down.
    size: i64,
    /// How often the job that was evicted most often was evicted before.
    evictions: i64,
    /// The earliest start of a pod that stops, in seconds.
    start: Reverse<i64>,
}

/// Returns the name of the gang of a pod, and how many pods it needs at a time; none for a pod of no gang.
pub(crate) type GangOf<'a> = &'a dyn Fn(&ModelPod) -> Option<(String, usize)>;

/// Counts the harm of evictions.
#[derive(Clone, Copy)]
pub(crate) struct Counting<'w, 'g> {
    pub(crate) world: &'w ModelCluster,
    pub(crate) gang_of: GangOf<'g>,
    pub(crate) priority: fn(&ModelPod) -> i64,
}

impl<'w> Counting<'w, '_> {
    /// Returns the gang of a pod, if it needs more than one pod, and its pods that run.
    fn gang(&self, pod: &ModelPod) -> Option<(String, usize, Vec<&'w ModelPod>)> {
        let (name, needed) = (self.gang_of)(pod).filter(|(_, needed)| *needed > 1)?;
        let is_member = |other: &&ModelPod| (self.gang_of)(other).is_some_and(|(other, _)| other == name);
        let run = |other: &&ModelPod| other.occupied_node().is_some() && !other.leaving;
        let running = self.world.pods.values().filter(|other| run(other) && is_member(other)).collect();
        Some((name, needed, running))
    }

    /// Returns the part of the cluster that a pod requests.
    fn part(&self, pod: &ModelPod) -> i64 {
        let all = |resource: &str| self.world.nodes.values().map(|node| node.allocatable.get(resource)).sum::<i64>();
        let part = |(resource, amount): (&String, &i64)| match all(resource) {
            0 => 0,
            all => i64::try_from(i128::from(*amount) * 1_000_000_000 / i128::from(all)).unwrap_or(i64::MAX),
        };
        pod.request.0.iter().map(part).sum()
    }

    /// Returns what evictions cost; so many of them violate a budget.
    pub(crate) fn of(&self, victims: &[&'w ModelPod], violations: usize) -> EvictionHarm {
        let mut by_gang: BTreeMap<String, Vec<&ModelPod>> = BTreeMap::new();
        let (mut stopped, mut evicted, mut gangs) = (Vec::new(), Vec::new(), 0);
        for pod in victims.iter().copied().filter(|pod| !pod.leaving) {
            match self.gang(pod) {
                None => {
                    stopped.push(pod);
                    evicted.push(pod);
                }
                Some((_, needed, running)) if running.len() < needed => {}
                Some((name, ..)) => {
                    evicted.push(pod);
                    by_gang.entry(name).or_default().push(pod);
                }
            }
        }
        for pods in by_gang.into_values() {
            let Some((_, needed, running)) = pods.first().and_then(|pod| self.gang(pod)) else { continue };
            let breaks = running.len() - pods.len() < needed;
            gangs += usize::from(breaks);
            stopped.extend(if breaks { running } else { pods });
        }
        EvictionHarm {
            violations,
            highest: evicted.iter().map(|pod| (self.priority)(pod)).max(),
            gangs,
            size: stopped.iter().map(|pod| self.part(pod)).sum(),
            evictions: stopped.iter().map(|pod| self.world.past_evictions(pod)).max().unwrap_or(0),
            start: Reverse(stopped.iter().map(|pod| self.started(pod)).min().unwrap_or(i64::MAX)),
        }
    }

    fn started(&self, pod: &ModelPod) -> i64 {
        pod.times.started.unwrap_or(self.world.now)
    }

    /// Returns the key by which a pod stays rather than others: the least key stays first.
    pub(crate) fn importance(&self, pod: &ModelPod) -> impl Ord + use<> {
        let alone = (1, self.part(pod));
        let (kind, size) = match self.gang(pod) {
            None => alone,
            Some((_, needed, running)) if running.len() == needed => {
                (0, running.iter().map(|member| self.part(member)).sum())
            }
            Some((_, needed, running)) if running.len() < needed => (2, self.part(pod)),
            Some(_) => alone,
        };
        let evictions = Reverse(self.world.past_evictions(pod));
        let rest = (self.started(pod), pod.times.created, pod.name.clone());
        (Reverse((self.priority)(pod)), kind, Reverse(size), evictions, rest)
    }

    /// Returns the least harm of any legal evictions after which all pods fit; none where there are too many candidates to try, or no
    /// evictions help.
    pub(crate) fn least(&self, problem: &PlacementProblem<'_>, legal: impl Fn(Set) -> bool) -> Option<EvictionHarm> {
        const MOST: usize = 10;
        if problem.candidates.len() > MOST {
            return None;
        }
        let mut best: Option<EvictionHarm> = None;
        for set in 0..=problem.all() {
            let victims: Vec<&ModelPod> =
                problem.of(set).filter_map(|candidate| self.world.pods.get(candidate.name)).collect();
            let harm = self.of(&victims, 0);
            if best.as_ref().is_none_or(|best| harm < *best) && legal(set) && problem.fits_without(set) {
                best = Some(harm);
            }
        }
        best
    }
}
