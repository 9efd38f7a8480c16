//! A cluster of one node and two pods, and its recording. The tests in a browser use it, too.

use lictor_decide::record::PolicySource;
use lictor_decide::{ClusterSession, ClusterSnapshot, CycleInterval, DecisionSettings, Native};
use lictor_host::policy::Policy;
use lictor_host::recording::{Header, Recorder};

/// A node of 2 cpu that `low` fills, and `high` that waits with a higher priority.
pub(crate) const TWO: &str = r#"
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "2", pods: "9"}}}
- {apiVersion: v1, kind: Pod, metadata: {name: low, namespace: d}, spec: {nodeName: n1, priority: 1, containers: [{name: c, resources: {requests: {cpu: "2"}}}]}, status: {phase: Running}}
- {apiVersion: v1, kind: Pod, metadata: {name: high, namespace: d}, spec: {priority: 5, containers: [{name: c, resources: {requests: {cpu: "2"}}}]}}
"#;

/// Returns a recording of two cycles: `low` is evicted for `high`, and has left before the second cycle, in which `high` is bound.
pub(crate) fn recorded() -> Vec<u8> {
    let mut native = Native::default();
    let described = native.describe().unwrap();
    let (recorder, memory) = Recorder::in_memory();
    let policy = recorder.observe(Box::new(native), &Header::native(&described, "kubernetes"));
    let with = DecisionSettings { system: "kubernetes", recorder: Some(&recorder), ..DecisionSettings::default() };
    let mut opened =
        ClusterSession::open(policy, described, with, || ClusterSnapshot::from_text("two.yaml", TWO.to_owned()))
            .unwrap();
    opened.decide(1, PolicySource::default()).unwrap();
    opened.apply_interval(CycleInterval { victims_leave: true, seconds: 5 }).unwrap();
    opened.decide(1, PolicySource::default()).unwrap();
    recorder.finish().unwrap();
    memory.take()
}
