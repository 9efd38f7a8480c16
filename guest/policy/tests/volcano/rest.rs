//! The properties. Each is said here again in the words of the proposal, with plain counts.
#![expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "tests")]

use proptest::prelude::*;

use crate::host::{Cycle, Host, Job, Pod, Queue};

/// Whether the proposal lets a job have this size.
fn may_be(job: &Job, size: u32) -> bool {
    match job.elastic {
        None => true,
        Some(0) => size == job.minimum || (size > job.minimum && [1, 2, 4, 8, 16].contains(&size)),
        Some(factor) => size >= job.minimum && (size - job.minimum).is_multiple_of(factor),
    }
}

fn queue() -> impl Strategy<Value = Queue> {
    let some = |most: u32| prop_oneof![Just(None), (0..most).prop_map(Some)];
    (some(8), some(3), some(12)).prop_map(|(deserved, guarantee, capability)| {
        // A queue that may hold less than it is guaranteed contradicts itself.
        let capability = capability.map(|most| most.max(guarantee.unwrap_or(0)));
        Queue { deserved, guarantee, capability }
    })
}

fn job() -> impl Strategy<Value = Job> {
    let elastic = prop_oneof![Just(None), Just(Some(0)), (1u32..4).prop_map(Some)];
    (0usize..3, 1u32..4, 0u32..7, elastic, any::<bool>(), 0u32..4).prop_map(
        |(queue, minimum, more, elastic, runs, beyond)| {
            let mut job = Job { queue, minimum, pods: minimum + more, elastic, running: 0 };
            let sizes = (minimum..=(minimum + beyond).min(job.pods)).rev();
            let size = sizes.into_iter().find(|size| may_be(&job, *size)).unwrap_or(minimum);
            job.running = if runs { size } else { 0 };
            job
        },
    )
}

fn scene() -> impl Strategy<Value = (&'static str, Vec<u32>, Vec<Queue>, Vec<Job>)> {
    let mode = prop_oneof![Just("reclaim"), Just("elastic")];
    let queues = proptest::collection::vec(queue(), 3);
    (mode, proptest::collection::vec(1u32..7, 1..4), queues, proptest::collection::vec(job(), 1..6))
}

/// What must hold when a cycle was carried out, in which jobs had these sizes before.
fn check(mode: &str, sizes: &[u32], host: &Host, cycle: &Cycle) -> Result<(), TestCaseError> {
    for (at, job) in host.jobs.iter().enumerate() {
        let size = host.running(at);
        // Who begins with less than the minimum has nothing to keep to.
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
    for (at, queue) in host.queues.iter().enumerate() {
        let grew =
            |counts: &dyn Fn(Pod) -> bool| cycle.bound.iter().any(|pod| host.jobs[pod.0].queue == at && counts(*pod));
        if let Some(most) = queue.capability.filter(|_| grew(&|_| true)) {
            prop_assert!(host.held(at, |_| true) <= most, "queue {at} holds more than its capability {most}");
        }
        let normal = |pod: Pod| !host.is_elastic(pod);
        let due =
            queue.deserved.filter(|deserved| *deserved > 0).map(|deserved| deserved.max(queue.guarantee.unwrap_or(0)));
        if let Some(due) = due.filter(|_| mode == "elastic" && grew(&normal)) {
            prop_assert!(host.held(at, normal) <= due, "normal pods of queue {at} hold more than it deserves, {due}");
        }
        let taken = cycle.plans.iter().flat_map(|(_, victims)| victims);
        let taken: Vec<&Pod> = taken.filter(|pod| host.jobs[pod.0].queue == at && normal(**pod)).collect();
        if !taken.is_empty() {
            prop_assert_eq!(mode, "reclaim", "a normal pod is evicted");
            let left = host.held(at, |pod| !taken.contains(&&pod));
            prop_assert!(left >= queue.guarantee.unwrap_or(0), "queue {at} is left {left}, below its guarantee");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn jobs_keep_to_their_sizes_and_evictions_to_their_purpose_until_all_is_quiet((mode, nodes, queues, jobs) in scene()) {
        let mut host = Host::new(mode, nodes, queues, jobs);
        let mut promised: Vec<Pod> = Vec::new();
        let mut quiet = 0;
        for _ in 0..40 {
            let sizes: Vec<u32> = (0..host.jobs.len()).map(|job| host.running(job)).collect();
            let cycle = host.cycle();
            check(mode, &sizes, &host, &cycle)?;
            for pod in &promised {
                prop_assert!(cycle.bound.contains(pod), "others made way for {pod:?}, and it does not run");
            }
            promised = cycle.plans.iter().flat_map(|(waiting, _)| waiting.iter().copied()).collect();
            for (waiting, victims) in &cycle.plans {
                prop_assert!(!waiting.is_empty() && !victims.is_empty());
                prop_assert!(waiting.iter().all(|pod| !host.is_elastic(*pod)), "others make way for elastic pods");
                let job = waiting[0].0;
                let will_run = u32::try_from(waiting.len()).unwrap_or(0) + host.running(job);
                prop_assert!(will_run >= host.jobs[job].minimum, "others make way for less than a gang");
            }
            quiet = if cycle.bound.is_empty() && cycle.plans.is_empty() { quiet + 1 } else { 0 };
            if quiet > 2 {
                return Ok(());
            }
            host.complete();
        }
        prop_assert!(false, "after 40 cycles somebody is still being evicted or bound");
    }
}
