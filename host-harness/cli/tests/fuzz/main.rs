//! Random clusters: the policy against the oracle, and the oracle against policies that are broken on purpose.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

#[macro_use]
mod forward;
mod made;
mod rounds;
mod standing;
mod tampered;

use lictor::Native;
use lictor_conformance::fuzz::{FuzzFailure, attempt, scenario, shrink, title};
use lictor_conformance::{load, run};
use lictor_oracle::{FuzzCase, RunCounts, SystemKind, generate};
use lictor_policy::Mutation;
use serde_json::Value;
use tampered::{Tamper, Tampered};

/// The number of cases of each system; the command can run any number.
const CASES: u64 = 100;

/// Returns how a changed policy fails a case. `None`: the case does not detect the change.
fn tampered(case: &FuzzCase, how: Tamper) -> Option<FuzzFailure> {
    attempt(case, Box::new(Tampered::new(how)), None).1
}

/// Finds the first case that detects the change.
fn detected(system: SystemKind, how: Tamper) -> (FuzzCase, FuzzFailure) {
    let found = |index| {
        let case = generate(system, 1, index);
        tampered(&case, how).map(|failure| (case, failure))
    };
    (0..CASES).find_map(found).unwrap_or_else(|| panic!("{how:?} is never detected by {system}"))
}

#[test]
fn the_policy_breaks_no_law_on_random_clusters() {
    for system in SystemKind::ALL {
        let mut tally = RunCounts::default();
        for index in 0..CASES {
            let case = generate(system, 1, index);
            let (numbers, failure) = attempt(&case, Box::new(Native::default()), None);
            assert_eq!(failure.map(|failure| scenario(&case, &failure)), None);
            tally.add(&numbers);
        }
        assert!(tally.plans > 0 && tally.victims > 0, "{system} has no plan in {CASES} cases: {tally:?}");
    }
}

/// Removes the amounts of GPUs from an object.
fn remove_gpus(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("nvidia.com/gpu");
            fields.values_mut().for_each(remove_gpus);
        }
        Value::Array(values) => values.iter_mut().for_each(remove_gpus),
        _ => {}
    }
}

/// Checks clusters that have shown a mistake. In the first three a member of a gang fits its nominated node only when another one is on its own: it waits, and its gang has not
/// failed. In the fourth a gang is owed GPUs, is short of cpu, and another pod takes idle GPUs: that is no reason to evict pods for cpu. In the
/// fifth, two elastic jobs shrink, and one of them needs no second step. In the sixth, a pod is above the minimum of its gang, and a victim, once
/// another pod of the gang, which was left out, is bound. In the seventh, one eviction makes room for a whole gang, on the second node.
/// In the eighth, a queue is above its deserved amounts with a pod that waits for room that is coming. In the ninth, one large pod of an elastic job makes
/// room rather than two small ones of another. In the tenth, a gang that waits for cpu makes that cpu short for the next plan. In the eleventh, another
/// nominated pod has a constraint against what a gang was promised, so its plan stands no more.
#[test]
fn clusters_in_which_a_law_was_broken_once_keep_it() {
    let cases = [
        (SystemKind::Coscheduling, 9_000_001, 412),
        (SystemKind::Coscheduling, 9_000_001, 30_399),
        (SystemKind::Kubernetes, 6_200_009, 122),
        (SystemKind::Volcano, 6_200_007, 218),
        (SystemKind::Volcano, 9_100_001, 2_866),
        (SystemKind::Volcano, 12_100_000, 5_285),
        (SystemKind::Volcano, 13_100_000, 20_212),
        (SystemKind::Volcano, 14_300_000, 8_779),
        (SystemKind::Volcano, 15_200_000, 19_407),
        (SystemKind::Volcano, 15_100_000, 8_013),
        (SystemKind::Coscheduling, 18_300_000, 8_995),
    ];
    for (system, seed, index) in cases {
        let mut case = generate(system, seed, index);
        if system == SystemKind::Coscheduling {
            // These clusters had no GPUs when they showed the mistake.
            case.objects.iter_mut().for_each(remove_gpus);
        }
        let (_, failure) = attempt(&case, Box::new(Native::default()), None);
        assert_eq!(failure.map(|failure| scenario(&case, &failure)), None, "{system}, case {index} of seed {seed}");
    }
}

/// Checks two plans that take pods from an elastic job, which then grows into idle capacity that neither of the two could use. From 8 pods, 4 are
/// evicted for 4 cpu and 2 for 2 cpu. Both sizes are powers of two, and the 2 that stay become 4 with one pod on each of the other nodes.
#[test]
fn a_job_may_grow_in_the_cycle_in_which_it_gave_pods_away() {
    let case = made::grows_after_it_shrinks();
    let (numbers, failure) = attempt(&case, Box::new(Native::default()), None);
    assert_eq!(failure.map(|failure| scenario(&case, &failure)), None);
    assert_eq!((numbers.plans, numbers.victims), (2, 6));
}

#[test]
fn a_reversed_queue_is_detected() {
    for system in [SystemKind::Kubernetes, SystemKind::Coscheduling, SystemKind::Koordinator] {
        assert_eq!(detected(system, Tamper::Queue).1.law, "higher-priority-first");
    }
}

#[test]
fn a_policy_that_never_plans_is_detected() {
    for (system, law) in [
        (SystemKind::Kubernetes, "best-node-first"),
        (SystemKind::Koordinator, "a-plan-is-found"),
        (SystemKind::Yunikorn, "a-plan-is-found"),
        (SystemKind::Volcano, "idle-room-is-used"),
    ] {
        assert_eq!(detected(system, Tamper::Timid).1.law, law, "{system}");
    }
}

#[test]
fn a_needless_victim_is_detected() {
    for system in [SystemKind::Kubernetes, SystemKind::Coscheduling, SystemKind::Koordinator, SystemKind::Yunikorn] {
        let law = detected(system, Tamper::Greedy).1.law;
        let known = [
            "no-needless-victim",
            "best-node-first",
            "victim-is-eligible",
            "yunikorn/2",
            "yunikorn/3",
            "yunikorn/5",
            "yunikorn/6",
            "victim-ranks-lower",
            "victim-is-of-the-quota-that-gives",
        ];
        assert!(known.contains(&law.as_str()), "{system}: {law}");
    }
}

#[test]
fn a_gang_that_does_not_wait_for_its_members_is_detected() {
    for (system, law) in [
        (SystemKind::Coscheduling, "gang-is-complete-or-waits"),
        (SystemKind::Koordinator, "bound-where-there-is-room"),
    ] {
        assert_eq!(detected(system, Tamper::Hasty).1.law, law, "{system}");
    }
}

#[test]
fn members_that_do_not_fail_together_are_detected() {
    assert_eq!(detected(SystemKind::Koordinator, Tamper::Stubborn).1.law, "gang-fails-together");
}

#[test]
fn empty_usage_is_detected() {
    for system in [SystemKind::Koordinator, SystemKind::Yunikorn, SystemKind::Volcano] {
        assert_eq!(detected(system, Tamper::Usage).1.law, "usage-is-the-sum-of-the-pods");
    }
}

#[test]
fn a_law_that_is_switched_off_is_detected() {
    for (system, code, breach) in [
        (SystemKind::Yunikorn, "yunikorn/quota-switch", "queue-gives-back-when-due"),
        (SystemKind::Yunikorn, "yunikorn/quota-delay", "queue-gives-back-when-due"),
        (SystemKind::Yunikorn, "yunikorn/giver-is-of-no-daemon-set", "giver-is-eligible"),
        (SystemKind::Yunikorn, "yunikorn/stops-at-max", "stops-at-max"),
        (SystemKind::Yunikorn, "yunikorn/giver-keeps-guarantee", "giver-keeps-guarantee"),
        (SystemKind::Yunikorn, "yunikorn/ordinary-pod-gives-first", "ordinary-pod-gives-first"),
        (SystemKind::Coscheduling, "coscheduling/gang-minimum-is-free", "gang-has-its-members"),
        (SystemKind::Coscheduling, "coscheduling/fits-max-of-quota", "quota-is-kept"),
        (SystemKind::Coscheduling, "coscheduling/fits-min-of-all-quotas", "quota-is-kept"),
        (SystemKind::Volcano, "volcano/victim-frees-what-is-owed", "victim-frees-what-is-owed"),
    ] {
        let mut broken = (0..20 * CASES).map(|index| {
            let policy = Native::switched(code, Mutation::AlwaysHolds);
            attempt(&generate(system, 1, index), Box::new(policy), None).1
        });
        assert!(broken.any(|failure| failure.is_some_and(|failure| failure.law == breach)), "{code} is never missed");
    }
}

/// Checks this law in a made cluster. In random clusters, "volcano/victim-frees-what-is-owed" nearly always decides together with this law.
#[test]
fn a_queue_that_takes_what_others_lack_is_detected() {
    let case = made::contested();
    assert_eq!(attempt(&case, Box::new(Native::default()), None).1.map(|failure| failure.text), None);
    let policy = Native::switched("volcano/reclaimer-stays-within-deserved", Mutation::AlwaysHolds);
    let failure = attempt(&case, Box::new(policy), None).1;
    assert_eq!(failure.map(|failure| failure.law).as_deref(), Some("reclaimer-stays-within-deserved"));
}

/// Checks that a search finds the same with and without an explanation. An explained search looks at every node; another search leaves out nodes
/// that cannot be the cheapest.
#[test]
fn a_search_that_looks_at_few_nodes_finds_what_one_finds_that_looks_at_all() {
    for system in SystemKind::ALL {
        for index in 0..CASES {
            let case = generate(system, 2027, index);
            let explained = Box::new(Tampered::new(Tamper::Explained));
            let (_, failure) = attempt(&case, Box::new(Native::default()), Some(explained));
            assert_eq!(failure.map(|failure| failure.text), None, "{system}, case {index}");
        }
    }
}

#[test]
fn two_policies_that_differ_are_detected() {
    let (case, _) = detected(SystemKind::Kubernetes, Tamper::Queue);
    let (_, failure) = attempt(&case, Box::new(Native::default()), Some(Box::new(Tampered::new(Tamper::Queue))));
    assert_eq!(failure.unwrap().law, "same-everywhere");
}

#[test]
fn a_case_is_reduced_and_becomes_a_scenario_that_runs() {
    let (case, failure) = detected(SystemKind::Kubernetes, Tamper::Timid);
    let (case, failure) = shrink(&case, failure, |case| tampered(case, Tamper::Timid));
    // A node, a running pod, and the preemptor.
    assert_eq!(case.objects.len(), 3, "{:?}", case.objects);
    let directory = std::env::temp_dir().join(format!("lictor-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join(format!("{}.yaml", title(&case, &failure))), scenario(&case, &failure)).unwrap();
    let scenarios = load(&[&directory]).unwrap();
    std::fs::remove_dir_all(&directory).unwrap();
    // At the last step, the policy does what the oracle expects, and the changed policy does not.
    assert!(run(&scenarios[0], Box::new(Native::default())).passed);
    assert!(!run(&scenarios[0], Box::new(Tampered::new(Tamper::Timid))).passed);
}
