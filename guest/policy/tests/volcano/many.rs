//! Reclaim among more gangs than can be tried in every combination: no gang leaves that need not, and one gang at most where one is enough.
#![expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use crate::host::{Host, Job, Pod, Queue, Setup};

/// Returns a job that runs whole: none of its pods leaves without the others.
fn job((pods, cores): (u32, u32)) -> Job {
    let (queue, elastic, arrives, priority, memory, cooldown, interval) = (1, None, 0, 0, 0, 0, 0);
    Job { queue, minimum: pods, pods, elastic, running: pods, arrives, priority, cores, memory, cooldown, interval }
}

/// Returns how many nodes the host of the test fills with these jobs, the first node that has room first.
fn filled(jobs: &[Job]) -> usize {
    let mut nodes: Vec<u32> = Vec::new();
    for job in jobs {
        for _ in 0..job.pods {
            match nodes.iter_mut().find(|free| **free >= job.cores) {
                Some(free) => *free -= job.cores,
                None => nodes.push(4 - job.cores),
            }
        }
    }
    nodes.len()
}

/// Returns a cluster of many jobs of a queue that has lent most of its room, and a gang for which another queue reclaims.
fn setup() -> impl Strategy<Value = Setup> {
    let jobs = proptest::collection::vec((1u32..4, 1u32..4), 66..130);
    (jobs, 1u32..9, 1u32..4, 0u32..120).prop_map(|(jobs, pods, cores, lender)| {
        let mut jobs: Vec<Job> = jobs.into_iter().map(job).collect();
        let all: u32 = jobs.iter().map(|job| job.pods * job.cores).sum();
        let of = |deserved| Queue { deserved: Some(deserved), guarantee: None, capability: None, memory: None };
        let queues = vec![of(pods * cores), of(all.saturating_sub(lender)), of(0)];
        let nodes = vec![(4, 4); filled(&jobs)];
        jobs.push(Job { queue: 0, running: 0, arrives: 1, ..job((pods, cores)) });
        Setup { mode: "reclaim", actions: "allocate, reclaim, elastic", parent: None, nodes, queues, jobs, linger: 1 }
    })
}

/// Returns how many pods of the gang the nodes take with these places of pods gone.
fn room(host: &Host, places: &BTreeMap<Pod, usize>, gone: &BTreeSet<usize>) -> u32 {
    let jobs = &host.setup.jobs;
    let gang = jobs.last().map_or(1, |job| job.cores);
    let mut free: Vec<u32> = host.setup.nodes.iter().map(|(cores, _)| *cores).collect();
    for ((job, _), node) in places.iter().filter(|((job, _), _)| !gone.contains(job)) {
        free[*node] -= jobs[*job].cores;
    }
    free.into_iter().map(|free| free / gang).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn of_many_gangs_only_those_leave_that_are_needed(setup in setup()) {
        let mut host = Host::new(setup, None);
        let (last, before) = (host.setup.jobs.len() - 1, host.bound.clone());
        let (gang, lender) = (host.setup.jobs[last].clone(), host.setup.queues[1].deserved.unwrap_or(0));
        let used: u32 = before.keys().map(|(job, _)| host.setup.jobs[*job].cores).sum();
        let cycle = host.cycle();
        let victims: BTreeSet<usize> = cycle.plans.iter().flat_map(|plan| &plan.victims).map(|(job, _)| *job).collect();
        for victim in &victims {
            let others: BTreeSet<usize> = victims.iter().copied().filter(|other| other != victim).collect();
            prop_assert!(room(&host, &before, &others) < gang.pods, "job {victim} of {victims:?} need not leave");
        }
        // The queue gives as long as it uses more than it deserves, pod by pod.
        let may_leave = |at: usize| used + host.setup.jobs[at].cores > lender + host.setup.jobs[at].cores * host.setup.jobs[at].pods;
        let is_gang = |at: usize| host.setup.jobs[at].pods > 1;
        let is_enough = |at: usize| before.contains_key(&(at, 0)) && may_leave(at) && room(&host, &before, &[at].into()) >= gang.pods;
        let enough: Vec<usize> = (0..last).filter(|at| is_enough(*at)).collect();
        if room(&host, &before, &BTreeSet::new()) < gang.pods && !enough.is_empty() {
            let least = usize::from(enough.iter().all(|at| is_gang(*at)));
            let gangs = victims.iter().filter(|at| is_gang(**at)).count();
            prop_assert!(gangs <= least && !victims.is_empty(), "{victims:?} leave, and any of {enough:?} would be enough");
        }
    }
}

#[test]
fn a_gang_is_spared_where_less_is_lost_with_another() {
    // Four gangs of 4 cores on a node each, which come first in the order of eviction, and two that have two whole nodes each. The waiting gang needs
    // four nodes. Pod by pod the first four leave. With one of them spared, a gang of two nodes leaves in place of two of the others. Too many gangs, on
    // nodes that are too small, are there for a trial of every pair.
    let two_nodes = job((2, 4));
    let one_node = job((2, 2));
    let small = job((2, 1));
    let gang = Job { queue: 0, running: 0, arrives: 1, ..job((4, 4)) };
    let jobs = [vec![two_nodes; 2], vec![small; 70], vec![one_node; 4], vec![gang]].concat();
    let of = |deserved| Queue { deserved: Some(deserved), guarantee: None, capability: None, memory: None };
    // The jobs fill the nodes in this order.
    let nodes = [vec![(4, 4); 4], vec![(1, 1); 140], vec![(4, 4); 4]].concat();
    let queues = vec![of(16), of(0), of(0)];
    let setup =
        Setup { mode: "reclaim", actions: "allocate, reclaim, elastic", parent: None, nodes, queues, jobs, linger: 1 };
    let mut host = Host::new(setup, None);
    assert!(host.bound.len() == 152, "every job runs");
    let cycle = host.cycle();
    let victims: BTreeSet<usize> = cycle.plans.iter().flat_map(|plan| &plan.victims).map(|(job, _)| *job).collect();
    assert!(victims.len() <= 3, "{victims:?} leave");
    assert!(!victims.is_empty());
}
