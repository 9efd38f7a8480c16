//! The metrics, in the text format of OpenMetrics. Names and units follow the instrumentation guide of Kubernetes: base units, `_total` for
//! counts; where kube-scheduler or client-go has a metric for the same, the part after the prefix is the same.

pub mod labels;
mod progress;
mod session_state;
mod step;
#[cfg(test)]
mod tests;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

use labels::*;
pub use progress::SessionMetrics;
pub use session_state::SessionState;
pub use step::PendingCounts;

/// Counts by labels.
type Counts<L> = Family<L, Counter>;
/// Gauges by labels.
type Gauges<L> = Family<L, Gauge>;
/// Histograms by labels.
type Histograms<L> = Family<L, Histogram, fn() -> Histogram>;

/// Returns a histogram for times of decisions and requests: 0.1 ms to 13 s.
fn short() -> Histogram {
    Histogram::new(exponential_buckets(0.0001, 2.0, 18))
}

/// Returns a histogram for times of pods that wait: 10 ms to 2.8 hours.
fn long() -> Histogram {
    Histogram::new(exponential_buckets(0.01, 2.0, 21))
}

/// Returns a histogram for numbers of victims: 1 to 512.
fn victims() -> Histogram {
    Histogram::new(exponential_buckets(1.0, 2.0, 10))
}

macro_rules! metrics {
    ($($field:ident: $kind:ty = $new:expr, $name:literal, $about:literal;)*) => {
        /// Every metric. Clones share their numbers.
        #[derive(Debug, Clone)]
        pub struct Metrics {
            $(#[doc = $about] pub $field: $kind,)*
        }

        impl Default for Metrics {
            fn default() -> Metrics {
                Metrics { $($field: $new,)* }
            }
        }

        impl Metrics {
            /// Returns a registry with all metrics, to be written out.
            pub fn registry(&self) -> Registry {
                let mut registry = Registry::default();
                $(registry.register($name, $about.trim_end_matches('.'), self.$field.clone());)*
                registry
            }
        }
    };
}

metrics! {
    build_info: Gauges<Build> = Family::default(), "lictor_build_info",
        "What runs: always 1.";
    schedule_attempts: Counts<SystemResult> = Family::default(), "lictor_schedule_attempts",
        "Attempts for pods, each once, by result: scheduled, waiting, nominated, unschedulable, rejected, or error where the policy failed.";
    bound: Counts<System> = Family::default(), "lictor_pods_admitted",
        "Pods that it was decided to let go.";
    plans: Counts<SystemResult> = Family::default(), "lictor_plans",
        "Plans that evict pods, by result: made, or refused by the host.";
    rail_refusals: Counts<Reason> = Family::default(), "lictor_rail_refusals",
        "Plans that a rail refused, by the rail.";
    nominations: Counts<System> = Family::default(), "lictor_nominations",
        "Plans that evict no pod: nominations to free capacity.";
    preemption_victims: Histograms<System> = Family::new_with_constructor(victims), "lictor_preemption_victims",
        "Victims of a plan.";
    evictions: Counts<How> = Family::default(), "lictor_evictions",
        "Victims, by how they leave: delete (evicted by us), soft (marked, for others to delete) or unreserved (held at permit, and pending again).";
    foreign_evictions: Counts<Kind> = Family::default(), "lictor_foreign_evictions",
        "Pods that others evict, by kind: preemption (by kube-scheduler) or eviction (by the Eviction API).";
    plans_in_flight: Gauge = Gauge::default(), "lictor_plans_in_flight",
        "Plans whose victims have not all left or whose pods are not all bound.";
    plans_given_up: Counts<Reason> = Family::default(), "lictor_plans_given_up",
        "Plans that were given up, by reason: eviction-refused, not-admitted or nothing-moves.";
    refused_pods: Gauge = Gauge::default(), "lictor_refused_pods",
        "Pods that were let go and that kube-scheduler refuses.";
    overdue_victims: Gauge = Gauge::default(), "lictor_overdue_victims",
        "Victims that still run a minute after they were marked.";
    pending_pods: Gauges<Queue> = Family::default(), "lictor_pending_pods",
        "Pending pods: active, gated by somebody else, nominated, or held at permit.";
    decision_duration: Histograms<System> = Family::new_with_constructor(short), "lictor_decision_duration_seconds",
        "How long the session took to decide about all pending pods.";
    admission_duration: Histograms<System> = Family::new_with_constructor(long), "lictor_pod_admission_duration_seconds",
        "From the creation of a pod to the decision to let it go.";
    preemption_duration: Histograms<System> = Family::new_with_constructor(long), "lictor_preemption_duration_seconds",
        "From a plan to the decision to let the pods go that it is for.";
    faults: Counts<Kind> = Family::default(), "lictor_policy_faults",
        "Faults of the policy by kind.";
    restarts: Counter = Counter::default(), "lictor_policy_restarts",
        "New instances of the policy that were told the cluster.";
    policy_memory: Gauge = Gauge::default(), "lictor_policy_memory_bytes",
        "Memory of the instance of the policy.";
    breaker_state: Gauges<State> = Family::default(), "lictor_breaker_state",
        "1 for the state of the breaker: closed, open or half-open.";
    breaker_opened: Counter = Counter::default(), "lictor_breaker_opened",
        "How often the breaker opened.";
    replacements: Counts<Ended> = Family::default(), "lictor_policy_replacements",
        "Replacements of the policy, by how they ended: done or rolled-back.";
    commands: Counts<Outcome> = Family::default(), "lictor_commands",
        "Commands by action and outcome.";
    api_requests: Counts<Request> = Family::default(), "lictor_api_requests",
        "Requests to the API server, by verb and status code.";
    api_duration: Histograms<Verb> = Family::new_with_constructor(short), "lictor_api_request_duration_seconds",
        "How long the API server took to answer.";
    mistakes: Counter = Counter::default(), "lictor_unreadable_objects",
        "Objects that could not be read.";
    unsaved: Counter = Counter::default(), "lictor_checkpoint_failures",
        "Checkpoints that were not stored.";
    rivals: Counter = Counter::default(), "lictor_other_controllers",
        "How often another controller was seen to write at the same time; each counts once in 5 minutes.";
    events_dropped: Counter = Counter::default(), "lictor_events_dropped",
        "Events that were not written because there were too many.";
    reports_lost: Counts<Kind> = Family::default(), "lictor_reports_lost",
        "Events, conditions, statuses and marks that were not written, by the kind of the object: refused, not answered, or too many waited.";
    leader: Gauges<Election> = Family::default(), "leader_election_master_status",
        "1 where this process leads.";
}

impl Metrics {
    /// Returns the metrics as the text that is scraped.
    ///
    /// # Errors
    /// Never with the present metrics: writing to a string does not fail.
    pub fn text(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &self.registry())?;
        Ok(text)
    }
}

/// Converts a number of things to the value of a gauge.
fn gauge(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
