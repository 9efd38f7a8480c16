//! The properties. Each is said here again in the words of the proposal, with plain counts.
#![expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "tests")]

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestError, TestRng, TestRunner};

use crate::host::{Cycle, Host, Job, Planned, Pod, Queue, Setup};

/// Returns whether the proposal lets a job have this size.
fn may_be(job: &Job, size: u32) -> bool {
    match job.elastic {
        None => true,
        Some(0) => size == job.minimum || (size > job.minimum && [1, 2, 4, 8, 16].contains(&size)),
        Some(factor) => size >= job.minimum && (size - job.minimum).is_multiple_of(factor),
    }
}

fn some(most: u32) -> impl Strategy<Value = Option<u32>> {
    prop_oneof![Just(None), (0..most).prop_map(Some)]
}

fn queue() -> impl Strategy<Value = Queue> {
    (some(8), some(3), some(12), some(12)).prop_map(|(deserved, guarantee, capability, memory)| {
        // A queue that may hold less than it is guaranteed contradicts itself.
        let capability = capability.map(|most| most.max(guarantee.unwrap_or(0)));
        Queue { deserved, guarantee, capability, memory }
    })
}

fn job() -> impl Strategy<Value = Job> {
    let elastic = prop_oneof![Just(None), Just(Some(0)), (1u32..4).prop_map(Some)];
    let sizes = (1u32..4, 0u32..7, 0i64..6, 0u32..4);
    let seconds = |weight| prop_oneof![weight => Just(0i64), 1 => 1i64..200];
    let spec = (0u32..3, prop_oneof![3 => Just(1u32), 1 => 2u32..4], 0u32..3, seconds(3), seconds(2));
    (0usize..3, elastic, sizes, spec).prop_map(|(queue, elastic, sizes, spec)| {
        let (minimum, more, arrives, beyond) = sizes;
        // Half of the jobs run when the test begins, the others are submitted one after the other.
        let (runs, arrives) = (arrives < 3, (arrives - 2).max(0));
        let (priority, cores, memory, cooldown, interval) = spec;
        let pods = minimum + more;
        let mut job =
            Job { queue, minimum, pods, elastic, running: 0, arrives, priority, cores, memory, cooldown, interval };
        let sizes = (minimum..=(minimum + beyond).min(job.pods)).rev();
        let size = sizes.into_iter().find(|size| may_be(&job, *size)).unwrap_or(minimum);
        job.running = if runs { size } else { 0 };
        job
    })
}

fn setup() -> impl Strategy<Value = Setup> {
    let mode = prop_oneof![Just("reclaim"), Just("elastic")];
    let actions = prop_oneof![
        2 => Just("allocate, reclaim, elastic"),
        1 => Just("allocate, preempt, elastic"),
        1 => Just("allocate, preempt, reclaim, elastic"),
        1 => Just("reclaim, elastic, allocate"),
    ];
    let tree = prop_oneof![Just(None), (3u32..12).prop_map(Some)];
    let nodes = proptest::collection::vec((1u32..7, 2u32..12), 1..4);
    let jobs = proptest::collection::vec(job(), 1..6);
    ((mode, actions, tree, 1usize..4), nodes, proptest::collection::vec(queue(), 3), jobs).prop_map(
        |((mode, actions, parent, linger), nodes, queues, jobs)| {
            // So does a parent that may hold less than is guaranteed below it.
            let guaranteed = queues.iter().take(2).map(|queue| queue.guarantee.unwrap_or(0)).sum();
            let parent = parent.map(|most: u32| most.max(guaranteed));
            Setup { mode, actions, parent, nodes, queues, jobs, linger }
        },
    )
}

/// Checks that jobs that had these sizes before the cycle have legal sizes after it.
fn check_sizes(sizes: &[u32], host: &Host) -> Result<(), TestCaseError> {
    for (at, job) in host.setup.jobs.iter().enumerate() {
        let size = host.running(at);
        // A job that begins with less than its minimum has no legal size to keep to.
        if sizes[at] != 0 && sizes[at] < job.minimum {
            continue;
        }
        if size != sizes[at] && size != 0 {
            prop_assert!(may_be(job, size), "job {at} ({job:?}) went from {} to {size}", sizes[at]);
        }
        if size != sizes[at] && job.elastic.is_none() && size < job.minimum {
            prop_assert_eq!(size, 0, "job {} runs with less than its minimum", at);
        }
    }
    Ok(())
}

/// Checks that queues in which a pod was bound hold no more than they may.
fn check_bounds(host: &Host, cycle: &Cycle) -> Result<(), TestCaseError> {
    let grew = |queues: &[usize], counts: &dyn Fn(Pod) -> bool| {
        cycle.bound.iter().any(|pod| queues.contains(&host.setup.jobs[pod.0].queue) && counts(*pod))
    };
    let asks_memory = |pod: Pod| host.setup.jobs[pod.0].memory > 0;
    for (at, queue) in host.setup.queues.iter().enumerate() {
        let (cores, bytes) = host.held(&[at], |_| true);
        if let Some(most) = queue.capability.filter(|_| grew(&[at], &|_| true)) {
            prop_assert!(cores <= most, "queue {at} holds {cores} cores, more than its capability {most}");
        }
        if let Some(most) = queue.memory.filter(|_| grew(&[at], &asks_memory)) {
            prop_assert!(bytes <= most, "queue {at} holds {bytes} bytes, more than its capability {most}");
        }
        let normal = |pod: Pod| !host.is_elastic(pod);
        let deserved = queue.deserved.filter(|deserved| *deserved > 0);
        let entitlement = deserved.map(|deserved| deserved.max(queue.guarantee.unwrap_or(0)));
        if let Some(entitlement) = entitlement.filter(|_| host.setup.mode == "elastic" && grew(&[at], &normal)) {
            let (cores, _) = host.held(&[at], normal);
            prop_assert!(
                cores <= entitlement,
                "normal pods of queue {at} hold {cores}, more than it deserves, {entitlement}"
            );
        }
    }
    if let Some(most) = host.setup.parent.filter(|_| grew(&[0, 1], &|_| true)) {
        let (cores, _) = host.held(&[0, 1], |_| true);
        prop_assert!(cores <= most, "the queues below the parent hold {cores}, more than its capability {most}");
    }
    Ok(())
}

/// Checks that the victims of a plan may be evicted, and that the gang is complete afterwards.
fn check_plan(host: &Host, plan: &Planned) -> Result<(), TestCaseError> {
    let Planned { action, waiting, victims } = plan;
    let jobs = &host.setup.jobs;
    prop_assert!(!waiting.is_empty() && !victims.is_empty());
    prop_assert!(waiting.iter().all(|pod| !host.is_elastic(*pod)), "pods are evicted for elastic pods");
    let preemptor = &jobs[waiting[0].0];
    let will_run = u32::try_from(waiting.len()).unwrap_or(0) + host.running(waiting[0].0);
    prop_assert!(will_run >= preemptor.minimum, "pods are evicted for less than a gang");
    for victim in victims {
        let protected = host.bound_at.get(victim).is_some_and(|at| host.now < at + jobs[victim.0].cooldown);
        prop_assert!(!protected, "{victim:?} is evicted in its cooldown time");
        let job = &jobs[victim.0];
        if action == "preempt" {
            prop_assert!(job.queue == preemptor.queue && job.priority < preemptor.priority, "{victim:?} is preempted");
            continue;
        }
        let queue = &host.setup.queues[preemptor.queue];
        let entitlement = queue.deserved.unwrap_or(0).max(queue.guarantee.unwrap_or(0));
        if host.setup.mode == "reclaim" && job.queue != preemptor.queue {
            let asked = preemptor.cores * u32::try_from(waiting.len()).unwrap_or(0);
            prop_assert!(
                asked <= entitlement,
                "{asked} cores are taken from others for a queue that deserves {entitlement}"
            );
        }
        if !host.is_elastic(*victim) {
            prop_assert!(host.setup.mode == "reclaim" && job.queue != preemptor.queue, "{victim:?} is taken back");
        }
    }
    Ok(())
}

/// Checks that a queue from which a plan reclaims normal pods keeps its guarantee, and its deserved amount where nothing else lowers that. Elastic
/// pods of the queue that are evicted for the same gang leave first. Those that are evicted for a later gang still count.
fn check_guarantees(host: &Host, cycle: &Cycle, promised: &BTreeSet<Pod>) -> Result<(), TestCaseError> {
    let cores = |pod: &Pod| host.setup.jobs[pod.0].cores;
    for (at, queue) in host.setup.queues.iter().enumerate() {
        let of_queue = |pod: &&Pod| host.setup.jobs[pod.0].queue == at;
        // What was promised to pods of the queue before counts as held here, as it does for a plan that reclaims from the queue.
        let awaited = promised.iter().filter(|pod| of_queue(pod) && !host.bound.contains_key(pod));
        let held = host.held(&[at], |_| true).0 + awaited.map(cores).sum::<u32>();
        let plain = host.setup.parent.is_none() && host.setup.queues.iter().all(|queue| queue.guarantee.is_none());
        let all: u32 = host.setup.nodes.iter().map(|(cores, _)| cores).sum();
        let most = queue.capability.unwrap_or(u32::MAX).min(all);
        let deserved = queue.deserved.filter(|deserved| plain && *deserved <= most).unwrap_or(0);
        let guaranteed = queue.guarantee.unwrap_or(0);
        for (number, plan) in cycle.plans.iter().enumerate().filter(|(_, plan)| plan.action == "reclaim") {
            let taken_back = plan.victims.iter().filter(of_queue).filter(|pod| !host.is_elastic(**pod));
            let Some(largest) = taken_back.map(cores).max() else { continue };
            let others = cycle.plans.iter().enumerate();
            let others = others.filter(|(other, plan)| *other > number || plan.action == "preempt");
            let later = others.flat_map(|(_, plan)| &plan.victims).filter(of_queue).map(cores).sum::<u32>();
            let left = held + later;
            prop_assert!(left >= guaranteed, "queue {at} is left {left}, below its guarantee {guaranteed}");
            prop_assert!(left + largest > deserved, "queue {at} is left {left} of {deserved} by pods of {largest}");
        }
    }
    Ok(())
}

/// Lives through cycles until nothing happens any more.
fn live(setup: Setup, without: Option<&str>) -> Result<(), TestCaseError> {
    let linger = setup.linger;
    let mut host = Host::new(setup, without);
    let mut scaled_at: Vec<Option<i64>> = vec![None; host.setup.jobs.len()];
    let (mut promised, mut entitlement): (BTreeSet<Pod>, BTreeSet<Pod>) = (BTreeSet::new(), BTreeSet::new());
    let mut quiet = 0;
    for number in 1..=120 {
        let sizes: Vec<u32> = (0..host.setup.jobs.len()).map(|job| host.running(job)).collect();
        let cycle = host.cycle();
        check_sizes(&sizes, &host)?;
        check_bounds(&host, &cycle)?;
        check_guarantees(&host, &cycle, &promised)?;
        cycle.plans.iter().try_for_each(|plan| check_plan(&host, plan))?;
        for job in cycle.bound.iter().filter(|pod| host.is_elastic(**pod)).map(|pod| pod.0) {
            let since = scaled_at[job].map(|at| host.now - at);
            let interval = host.setup.jobs[job].interval;
            prop_assert!(since.is_none_or(|since| since >= interval || since == 0), "job {job} grows too soon");
        }
        let grown = cycle.bound.iter().filter(|pod| host.is_elastic(**pod)).map(|pod| pod.0);
        let shrunk = cycle.plans.iter().flat_map(|plan| &plan.victims).map(|pod| pod.0);
        grown.chain(shrunk).for_each(|job| scaled_at[job] = Some(host.now));
        for pod in &entitlement {
            prop_assert!(host.bound.contains_key(pod), "pods were evicted for {pod:?}, and it does not run");
        }
        entitlement.clear();
        promised.extend(cycle.plans.iter().flat_map(|plan| plan.waiting.iter().copied()));
        let arrived = host.setup.jobs.iter().all(|job| job.arrives * 60 <= host.now);
        quiet = if arrived && cycle.bound.is_empty() && cycle.plans.is_empty() { quiet + 1 } else { 0 };
        // What must wait for some time has happened by now.
        if quiet > 6 + linger {
            return Ok(());
        }
        if number % linger == 0 {
            host.complete();
            entitlement = std::mem::take(&mut promised);
        }
    }
    Err(TestCaseError::fail("after 120 cycles somebody is still being evicted or bound"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn jobs_keep_to_their_sizes_and_evictions_to_their_purpose_until_all_is_quiet(setup in setup()) {
        live(setup, None)?;
    }
}

/// The laws that are switched off one by one, with the mode and the actions in which each of them decides, and a seed that finds it soon.
///
/// Not "volcano/reclaimer-stays-within-deserved": with one resource, "volcano/victim-frees-what-is-owed" alone is enough.
const SILENT: [(&str, &str, &str, u8); 10] = [
    ("volcano/elastic-size-is-legal", "reclaim", "allocate, reclaim, elastic", 1),
    ("volcano/normal-victim-leaves-guarantee", "reclaim", "allocate, reclaim, elastic", 1),
    ("volcano/normal-pods-fit-deserved", "elastic", "allocate, reclaim, elastic", 1),
    ("volcano/queue-fits-capability", "reclaim", "allocate, reclaim, elastic", 1),
    ("volcano/scaling-interval-is-over", "reclaim", "allocate, reclaim, elastic", 1),
    ("volcano/victim-is-elastic", "elastic", "allocate, reclaim, elastic", 1),
    ("volcano/victim-is-past-its-cooldown", "reclaim", "allocate, preempt, reclaim, elastic", 1),
    ("volcano/victim-job-ranks-lower", "reclaim", "allocate, preempt, elastic", 1),
    ("volcano/normal-victim-is-of-another-queue", "reclaim", "allocate, reclaim, elastic", 1),
    ("volcano/normal-victim-queue-is-above-deserved", "reclaim", "allocate, reclaim, elastic", 1),
];

#[test]
fn the_properties_are_broken_where_a_law_is_silent() {
    for (law, mode, actions, seed) in SILENT {
        let config = ProptestConfig {
            cases: 20_000,
            max_shrink_iters: 0,
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        let setups = setup().prop_map(|setup| Setup { mode, actions, ..setup });
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
        let found = TestRunner::new_with_rng(config, rng).run(&setups, |setup| live(setup, Some(law)));
        assert!(matches!(found, Err(TestError::Fail(..))), "without {law} everything still holds");
    }
}
