//! Random clusters: the policy against the oracle, and the oracle against policies that are broken on purpose.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

use lictor::Native;
use lictor_conformance::fuzz::{Failure, attempt, scenario, shrink, title};
use lictor_conformance::{load, run};
use lictor_contract::*;
use lictor_host::policy::{CallError, Policy};
use lictor_oracle::{Case, System, Tally, generate};

/// How many cases of every system; the command plays as many as one likes.
const CASES: u64 = 100;

/// What is done to the answers of a policy.
#[derive(Debug, Clone, Copy)]
enum Tamper {
    /// The queue is turned round.
    Queue,
    /// There is never a plan.
    Timid,
    /// Some other pod that runs makes way, too.
    Greedy,
    /// The books are empty.
    Books,
    /// Nobody waits at permit.
    Hasty,
    /// Nobody who waits at permit gives up for another one that fails.
    Stubborn,
}

/// A policy whose answers are tampered with.
struct Tampered {
    native: Native,
    how: Tamper,
    running: Vec<Pod>,
}

impl Tampered {
    fn new(how: Tamper) -> Tampered {
        Tampered { native: Native::default(), how, running: Vec::new() }
    }

    /// Evicts another pod of a node on which somebody makes way, of no higher priority.
    fn evict_more(&self, plan: &mut Plan) {
        let Some(first) = plan.victims.first().cloned() else { return };
        let victim = self.running.iter().find(|pod| pod.id == first.pod).unwrap();
        let named = |pod: &Pod| plan.victims.iter().any(|victim| victim.pod == pod.id);
        let other = self
            .running
            .iter()
            .find(|pod| !named(pod) && !pod.terminating && pod.node == victim.node && pod.priority <= victim.priority);
        if let Some(other) = other {
            plan.victims.push(Victim { pod: other.id, ..first });
        }
    }
}

impl Policy for Tampered {
    fn restart(&mut self) -> Result<(), CallError> {
        self.running.clear();
        self.native.restart()
    }
    fn describe(&mut self) -> Result<Description, CallError> {
        self.native.describe()
    }
    fn configure(&mut self, laws: &str, arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        self.native.configure(laws, arguments)
    }
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        for event in &events {
            match event {
                Event::PodUpserted(pod) => {
                    self.running.retain(|known| known.id != pod.id);
                    self.running.extend(pod.node.map(|_| pod.clone()));
                }
                Event::PodRemoved(gone) => self.running.retain(|known| known.id != *gone),
                _ => {}
            }
        }
        self.native.apply(events)
    }
    fn queue_order(&mut self, pods: Vec<PodId>) -> Result<Vec<PodId>, CallError> {
        let mut order = self.native.queue_order(pods)?;
        if matches!(self.how, Tamper::Queue) {
            order.reverse();
        }
        Ok(order)
    }
    fn pre_filter(&mut self, pod: PodId) -> Result<PreFiltered, CallError> {
        self.native.pre_filter(pod)
    }
    fn filter(&mut self, pod: PodId) -> Result<NodeVerdicts, CallError> {
        self.native.filter(pod)
    }
    fn post_filter(&mut self, pod: PodId, refuted: &[Placement]) -> Result<PostFiltered, CallError> {
        let mut answer = self.native.post_filter(pod, refuted)?;
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
    fn queues(&mut self) -> Result<Vec<QueueAccount>, CallError> {
        let mut books = self.native.queues()?;
        if matches!(self.how, Tamper::Books) {
            books.clear();
        }
        Ok(books)
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

/// How a policy that is tampered with fails a case.
fn tampered(case: &Case, how: Tamper) -> Option<Failure> {
    attempt(case, Box::new(Tampered::new(how)), None).1
}

/// The first case in which it is found out.
fn found_out(system: System, how: Tamper) -> (Case, Failure) {
    let found = |index| {
        let case = generate(system, 1, index);
        tampered(&case, how).map(|failure| (case, failure))
    };
    (0..CASES).find_map(found).unwrap_or_else(|| panic!("{how:?} is never found out by {system}"))
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
fn a_queue_that_is_turned_round_is_found_out() {
    for system in [System::Kubernetes, System::Coscheduling, System::Koordinator] {
        assert_eq!(found_out(system, Tamper::Queue).1.law, "higher-priority-first");
    }
}

#[test]
fn a_policy_that_never_plans_is_found_out() {
    for (system, law) in [
        (System::Kubernetes, "best-node-first"),
        (System::Koordinator, "a-plan-is-found"),
        (System::Yunikorn, "a-plan-is-found"),
        (System::Volcano, "idle-room-is-given"),
    ] {
        assert_eq!(found_out(system, Tamper::Timid).1.law, law, "{system}");
    }
}

#[test]
fn a_victim_too_many_is_found_out() {
    for system in [System::Kubernetes, System::Coscheduling, System::Koordinator, System::Yunikorn] {
        let law = found_out(system, Tamper::Greedy).1.law;
        let known =
            ["who-can-stay-stays", "victim-may-go", "yunikorn/2", "yunikorn/3", "yunikorn/5", "victim-ranks-lower"];
        assert!(known.contains(&law.as_str()), "{system}: {law}");
    }
}

#[test]
fn a_gang_that_does_not_wait_for_its_members_is_found_out() {
    for (system, law) in
        [(System::Coscheduling, "gang-is-complete-or-waits"), (System::Koordinator, "bound-where-there-is-room")]
    {
        assert_eq!(found_out(system, Tamper::Hasty).1.law, law, "{system}");
    }
}

#[test]
fn members_that_do_not_fail_together_are_found_out() {
    assert_eq!(found_out(System::Koordinator, Tamper::Stubborn).1.law, "gang-fails-together");
}

#[test]
fn empty_books_are_found_out() {
    for system in [System::Koordinator, System::Yunikorn, System::Volcano] {
        assert_eq!(found_out(system, Tamper::Books).1.law, "books-say-what-is-held");
    }
}

#[test]
fn two_policies_that_differ_are_found_out() {
    let (case, _) = found_out(System::Kubernetes, Tamper::Queue);
    let (_, failure) = attempt(&case, Box::new(Native::default()), Some(Box::new(Tampered::new(Tamper::Queue))));
    assert_eq!(failure.unwrap().law, "same-everywhere");
}

#[test]
fn a_case_is_made_smaller_and_becomes_a_scenario_that_runs() {
    let (case, failure) = found_out(System::Kubernetes, Tamper::Timid);
    let (case, failure) = shrink(&case, failure, |case| tampered(case, Tamper::Timid));
    // A node, who runs there, and who wants its place.
    assert_eq!(case.objects.len(), 3, "{:?}", case.objects);
    let directory = std::env::temp_dir().join(format!("lictor-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join(format!("{}.yaml", title(&case, &failure))), scenario(&case, &failure)).unwrap();
    let scenarios = load(&[&directory]).unwrap();
    std::fs::remove_dir_all(&directory).unwrap();
    // What the oracle expects at the last step is what the policy does, and not what the broken one does.
    assert!(run(&scenarios[0], Box::new(Native::default())).passed);
    assert!(!run(&scenarios[0], Box::new(Tampered::new(Tamper::Timid))).passed);
}
