//! Pods and plans between two steps, for the metrics about both.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use lictor_host::session::{Counters, Session, StepOutput};

use super::{Metrics, SessionState};

/// The progress of one session as the metrics need it.
#[derive(Debug, Default)]
pub struct SessionMetrics {
    /// The pods that plans make room for: since when, and by which plan.
    nominated_since: BTreeMap<String, (i64, u64)>,
    /// The counters of the session at the last count.
    counters: Counters,
}

impl SessionMetrics {
    /// Takes the results of an input.
    pub fn step(&mut self, metrics: &Metrics, system: &str, step: &StepOutput, session: &Session) {
        metrics.step(system, step);
        let (mirror, now) = (session.mirror(), session.mirror().now());
        for pod in step.happened.bound.keys() {
            let created = mirror.pod_id(pod).and_then(|id| mirror.pod(id)).map(|pod| pod.created);
            metrics.admitted(system, since(now, created.unwrap_or(now)));
            if let Some((began, _)) = self.nominated_since.remove(pod) {
                metrics.preempted(system, since(now, began));
            }
        }
        for plan in step.happened.plans.iter().filter(|plan| !plan.victims.is_empty()) {
            self.nominated_since.extend(plan.nominated.keys().map(|pod| (pod.clone(), (now, plan.plan))));
        }
        for pod in &step.happened.withdrawn {
            self.nominated_since.remove(pod);
        }
    }

    /// Forgets a pod that is gone.
    pub fn forget(&mut self, pod: &str) {
        self.nominated_since.remove(pod);
    }

    /// Updates the metrics that are counted over all pods.
    pub fn count(&mut self, metrics: &Metrics, session: &Session) {
        let state = self.counted(metrics, session);
        metrics.set_session_state(state);
    }

    /// Counts what the session has counted since the last call. Returns the state of the session, for a caller that shows several sessions.
    pub fn counted(&mut self, metrics: &Metrics, session: &Session) -> SessionState {
        let mirror = session.mirror();
        self.nominated_since.retain(|pod, _| mirror.pod_id(pod).is_some());
        let plans: BTreeSet<u64> = self.nominated_since.values().map(|(_, plan)| *plan).collect();
        let counters = session.counters();
        metrics.session(&self.counters, &counters);
        self.counters = counters;
        SessionState::of(session, plans.len())
    }
}

fn since(now: i64, then: i64) -> Duration {
    Duration::from_nanos(u64::try_from(now.saturating_sub(then)).unwrap_or_default())
}
