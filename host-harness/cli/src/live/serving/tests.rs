//! Figures of several connections.

use lictor_controller::ops::Health;
use lictor_controller::ops::metrics::PendingCounts;
use lictor_host::session::{BreakerState, FailureCause};

use super::*;

struct Silent;

impl ConnectionObserver for Silent {
    fn step(&self, _: &StepOutput, _: &Session) {}
    fn error(&self, _: &SessionError) {}
    fn object_invalid(&self, _: &InputError) {}
    fn write_line(&self, _: &str) {}
}

/// Returns the state that connections share, and the status that it shows.
fn shared() -> (Arc<Status>, Arc<SharedMetrics<Silent>>) {
    let (status, system) = (Arc::new(Status::default()), "koordinator".to_owned());
    (status.clone(), Arc::new(SharedMetrics { next_observer: Silent, status, system, connections: Mutex::default() }))
}

fn connect(shared: &Arc<SharedMetrics<Silent>>, active: usize) -> ConnectionMetricsObserver<Silent> {
    let mut number = 0;
    shared.change(|all, next| {
        (number, *next) = (*next, next.saturating_add(1));
        all.insert(number, ConnectionSnapshot::default());
    });
    let connection = ConnectionMetricsObserver { shared: shared.clone(), number, counts: Mutex::default() };
    let pending = PendingCounts { active, ..PendingCounts::default() };
    connection.show(SessionState { pending, plans: 1, policy_memory: 7, ..SessionState::default() });
    connection
}

#[test]
fn a_scheduler_that_goes_takes_its_own_counts_along_and_no_others() {
    let (status, shared) = shared();
    let plans = || status.metrics.plans_in_flight.get();
    let (one, other) = (connect(&shared, 3), connect(&shared, 4));
    assert_eq!(plans(), 2);
    assert_eq!(status.readiness(), Health::Healthy("ok: leads"));
    drop(other);
    assert_eq!(plans(), 1);
    assert_eq!(status.readiness(), Health::Healthy("ok: leads"));
    drop(one);
    assert_eq!(plans(), 0);
    assert_eq!(status.readiness(), Health::Healthy("ok: stands by"));
}

#[test]
fn the_worst_breaker_is_shown_and_the_memory_of_all_policies_until_their_schedulers_go() {
    let (status, shared) = shared();
    let has = |line: &str| status.metrics.text().unwrap_or_default().lines().any(|have| have == line);
    let one = connect(&shared, 0);
    one.show(SessionState { policy_memory: 5, breaker: BreakerState::Open { until: 7 }, ..SessionState::default() });
    let other = connect(&shared, 0);
    assert!(has("lictor_breaker_state{state=\"open\"} 1"), "that of the other is closed");
    assert!(has("lictor_policy_memory_bytes 12"));
    drop(one);
    assert!(has("lictor_breaker_state{state=\"closed\"} 1"));
    drop(other);
    assert!(has("lictor_policy_memory_bytes 0"));
}

#[test]
fn attempts_that_failed_are_counted_and_not_whatever_could_not_be_served() {
    let (status, shared) = shared();
    let connection = connect(&shared, 0);
    let cause = FailureCause::NoSuchPod("a/b".to_owned());
    connection.error(&SessionError { input: "binding of a/b".to_owned(), cause });
    connection.attempt_failed();
    let text = status.metrics.text().unwrap_or_default();
    let line = "lictor_schedule_attempts_total{system=\"koordinator\",result=\"error\"} 1";
    assert!(text.lines().any(|have| have == line), "{text}");
}

#[test]
fn checkpoints_that_cannot_be_stored_are_counted() {
    let (status, shared) = shared();
    connect(&shared, 0).checkpoint_failed("the disk is full");
    let text = status.metrics.text().unwrap_or_default();
    assert!(text.lines().any(|have| have == "lictor_checkpoint_failures_total 1"), "{text}");
}
