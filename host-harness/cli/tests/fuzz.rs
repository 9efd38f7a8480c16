//! Random clusters: the policy against the oracle, and the oracle against policies that are broken on purpose.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;

use lictor::Native;
use lictor_conformance::fuzz::{Failure, attempt, scenario, shrink, title};
use lictor_conformance::{load, run};
use lictor_contract::*;
use lictor_host::policy::{CallError, Policy};
use lictor_oracle::{Case, System, Tally, generate};
use lictor_policy::Switch;

/// The number of cases of each system; the command can run any number.
const CASES: u64 = 100;

/// A change of the answers of a policy.
#[derive(Debug, Clone, Copy)]
enum Tamper {
    /// The queue is reversed.
    Queue,
    /// There is never a plan.
    Timid,
    /// Another running pod is evicted as well.
    Greedy,
    /// The reported usage is empty.
    Usage,
    /// No pod waits at permit.
    Hasty,
    /// Waiting pods are not released when another pod of their gang fails.
    Stubborn,
    /// Everything is explained, whether anybody asks for it or not: every node is looked at.
    Explained,
}

/// A policy with changed answers.
struct Tampered {
    native: Native,
    how: Tamper,
    pods: BTreeMap<PodId, Pod>,
}

impl Tampered {
    fn new(how: Tamper) -> Tampered {
        Tampered { native: Native::default(), how, pods: BTreeMap::new() }
    }

    /// Evicts another pod on the node of the first victim, of the same or a lower priority.
    fn evict_more(&self, plan: &mut Plan) {
        let Some(first) = plan.victims.first().cloned() else { return };
        let victim = self.pods.get(&first.pod).unwrap();
        let named = |pod: &Pod| plan.victims.iter().any(|victim| victim.pod == pod.id);
        let other = self.pods.values().find(|pod| {
            !named(pod)
                && pod.node.is_some()
                && !pod.terminating
                && pod.node == victim.node
                && pod.priority <= victim.priority
        });
        if let Some(other) = other {
            plan.victims.push(Victim { pod: other.id, ..first });
        }
    }
}

impl Policy for Tampered {
    fn restart(&mut self) -> Result<(), CallError> {
        self.pods.clear();
        self.native.restart()
    }
    fn has(&self, interface: Interface) -> bool {
        self.native.has(interface)
    }
    fn describe(&mut self) -> Result<Description, CallError> {
        self.native.describe()
    }
    fn configure(&mut self, laws: &str, arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        let configured = self.native.configure(laws, arguments);
        if let Tamper::Explained = self.how {
            self.native.record_notes(true)?;
        }
        configured
    }
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        for event in &events {
            match event {
                Event::PodUpserted(pod) => {
                    self.pods.insert(pod.id, pod.clone());
                }
                Event::PodStatus(status) => self.pods.get_mut(&status.id).unwrap().set_status(status),
                Event::PodRemoved(gone) => drop(self.pods.remove(gone)),
                _ => {}
            }
        }
        self.native.apply(events)
    }
    fn queue_keys(&mut self, pods: &[PodId]) -> Result<SortKeys, CallError> {
        let mut answer = self.native.queue_keys(pods)?;
        if matches!(self.how, Tamper::Queue) {
            answer.keys.iter_mut().flatten().for_each(|byte| *byte = !*byte);
        }
        Ok(answer)
    }
    fn pre_filter(&mut self, pod: PodId) -> Result<PreFiltered, CallError> {
        self.native.pre_filter(pod)
    }
    fn filter(&mut self, pod: PodId) -> Result<NodeVerdicts, CallError> {
        self.native.filter(pod)
    }
    fn post_filter(&mut self, pods: &[PodId], refuted: &Refuted) -> Result<PostFiltered, CallError> {
        let mut answer = self.native.post_filter(pods, refuted)?;
        match (self.how, &mut answer.plan) {
            (Tamper::Timid, plan) => *plan = None,
            (Tamper::Greedy, Some(plan)) => self.evict_more(plan),
            (Tamper::Stubborn, _) => answer.effects.releases.clear(),
            _ => {}
        }
        Ok(answer)
    }
    fn reserve(&mut self, pod: PodId, node: NodeId) -> Result<Effects, CallError> {
        self.native.reserve(pod, node)
    }
    fn unreserve(&mut self, pod: PodId, cause: ReleaseCause) -> Result<Effects, CallError> {
        self.native.unreserve(pod, cause)
    }
    fn permit(&mut self, pod: PodId) -> Result<Permitted, CallError> {
        let mut permitted = self.native.permit(pod)?;
        if matches!(self.how, Tamper::Hasty) {
            permitted.permission = Permission::Allow;
        }
        Ok(permitted)
    }
    fn act(&mut self) -> Result<Actions, CallError> {
        let mut actions = self.native.act()?;
        if matches!(self.how, Tamper::Timid) {
            actions.bindings.clear();
        }
        Ok(actions)
    }
    fn enforce(&mut self) -> Result<Enforced, CallError> {
        self.native.enforce()
    }
    fn queues(&mut self) -> Result<Vec<QueueAccount>, CallError> {
        let mut accounts = self.native.queues()?;
        if matches!(self.how, Tamper::Usage) {
            accounts.clear();
        }
        Ok(accounts)
    }
    fn marks(&mut self, pod: PodId, node: NodeId) -> Result<Vec<Mark>, CallError> {
        self.native.marks(pod, node)
    }
    fn record_notes(&mut self, on: bool) -> Result<(), CallError> {
        self.native.record_notes(on)
    }
    fn notes(&mut self, pod: PodId) -> Result<Vec<Note>, CallError> {
        self.native.notes(pod)
    }
    fn save(&mut self) -> Result<Checkpoint, CallError> {
        self.native.save()
    }
    fn restore(&mut self, checkpoint: &Checkpoint) -> Result<Result<(), StateError>, CallError> {
        self.native.restore(checkpoint)
    }
}

/// How a changed policy fails a case.
fn tampered(case: &Case, how: Tamper) -> Option<Failure> {
    attempt(case, Box::new(Tampered::new(how)), None).1
}

/// The first case that detects the change.
fn detected(system: System, how: Tamper) -> (Case, Failure) {
    let found = |index| {
        let case = generate(system, 1, index);
        tampered(&case, how).map(|failure| (case, failure))
    };
    (0..CASES).find_map(found).unwrap_or_else(|| panic!("{how:?} is never detected by {system}"))
}

#[test]
fn the_policy_breaks_no_law_on_random_clusters() {
    for system in System::ALL {
        let mut tally = Tally::default();
        for index in 0..CASES {
            let case = generate(system, 1, index);
            let (numbers, failure) = attempt(&case, Box::new(Native::default()), None);
            assert_eq!(failure.map(|failure| scenario(&case, &failure)), None);
            tally.add(&numbers);
        }
        assert!(tally.plans > 0 && tally.victims > 0, "{system} has no plan in {CASES} cases: {tally:?}");
    }
}

#[test]
fn a_reversed_queue_is_detected() {
    for system in [System::Kubernetes, System::Coscheduling, System::Koordinator] {
        assert_eq!(detected(system, Tamper::Queue).1.law, "higher-priority-first");
    }
}

#[test]
fn a_policy_that_never_plans_is_detected() {
    for (system, law) in [
        (System::Kubernetes, "best-node-first"),
        (System::Koordinator, "a-plan-is-found"),
        (System::Yunikorn, "a-plan-is-found"),
        (System::Volcano, "idle-room-is-used"),
    ] {
        assert_eq!(detected(system, Tamper::Timid).1.law, law, "{system}");
    }
}

#[test]
fn a_needless_victim_is_detected() {
    for system in [System::Kubernetes, System::Coscheduling, System::Koordinator, System::Yunikorn] {
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
    for (system, law) in
        [(System::Coscheduling, "gang-is-complete-or-waits"), (System::Koordinator, "bound-where-there-is-room")]
    {
        assert_eq!(detected(system, Tamper::Hasty).1.law, law, "{system}");
    }
}

#[test]
fn members_that_do_not_fail_together_are_detected() {
    assert_eq!(detected(System::Koordinator, Tamper::Stubborn).1.law, "gang-fails-together");
}

#[test]
fn empty_usage_is_detected() {
    for system in [System::Koordinator, System::Yunikorn, System::Volcano] {
        assert_eq!(detected(system, Tamper::Usage).1.law, "usage-is-the-sum-of-the-pods");
    }
}

#[test]
fn a_law_that_is_switched_off_is_detected() {
    for (system, code, breach) in [
        (System::Yunikorn, "yunikorn/quota-switch", "queue-gives-back-when-due"),
        (System::Yunikorn, "yunikorn/quota-delay", "queue-gives-back-when-due"),
        (System::Yunikorn, "yunikorn/giver-is-of-no-daemon-set", "giver-is-eligible"),
        (System::Yunikorn, "yunikorn/stops-at-max", "stops-at-max"),
        (System::Yunikorn, "yunikorn/giver-keeps-guarantee", "giver-keeps-guarantee"),
        (System::Yunikorn, "yunikorn/ordinary-pod-gives-first", "ordinary-pod-gives-first"),
        (System::Coscheduling, "coscheduling/gang-minimum-is-free", "gang-has-its-members"),
        (System::Coscheduling, "coscheduling/fits-max-of-quota", "quota-is-kept"),
        (System::Coscheduling, "coscheduling/fits-min-of-all-quotas", "quota-is-kept"),
        (System::Volcano, "volcano/reclaimer-stays-within-deserved", "reclaimer-stays-within-deserved"),
    ] {
        let mut broken = (0..20 * CASES).map(|index| {
            let policy = Native::switched(code, Switch::Silent);
            attempt(&generate(system, 1, index), Box::new(policy), None).1
        });
        assert!(broken.any(|failure| failure.is_some_and(|failure| failure.law == breach)), "{code} is never missed");
    }
}

/// A search that is explained looks at every node; one that is not leaves out those that cannot be the cheapest.
#[test]
fn a_search_that_looks_at_few_nodes_finds_what_one_finds_that_looks_at_all() {
    for system in System::ALL {
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
    let (case, _) = detected(System::Kubernetes, Tamper::Queue);
    let (_, failure) = attempt(&case, Box::new(Native::default()), Some(Box::new(Tampered::new(Tamper::Queue))));
    assert_eq!(failure.unwrap().law, "same-everywhere");
}

#[test]
fn a_case_is_reduced_and_becomes_a_scenario_that_runs() {
    let (case, failure) = detected(System::Kubernetes, Tamper::Timid);
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
