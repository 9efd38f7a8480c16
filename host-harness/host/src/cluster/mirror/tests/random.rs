//! Random changes in random order: the drained events lead to the same picture as a replay of the whole cluster.

use proptest::prelude::*;

use super::picture::Picture;
use super::*;

/// Something that happens.
#[derive(Debug, Clone)]
enum Step {
    Apply(String),
    Remove(String),
    Bind(PodId, NodeId),
    Nominate(PodId, Option<NodeId>),
    Mark(PodId, &'static str),
    Terminate(PodId),
    Clock(i64),
    Drain,
}

pub(super) fn a_node() -> impl Strategy<Value = String> {
    (0..4, 0..3, any::<bool>(), 0..2).prop_map(|(name, zone, unschedulable, gpus)| {
        format!(
            "{{apiVersion: v1, kind: Node, metadata: {{name: n{name}, labels: {{zone: z{zone}}}}}, spec: {{unschedulable: {unschedulable}}}, status: {{allocatable: {{cpu: 4, gpu{name}: {gpus}}}}}}}"
        )
    })
}

pub(super) fn a_pod() -> impl Strategy<Value = String> {
    let place = prop_oneof![
        Just(String::new()),
        (0..5).prop_map(|node| format!("nodeName: n{node}, ")),
        (0..3).prop_map(|zone| format!("nodeSelector: {{zone: z{zone}}}, ")),
        (0..5).prop_map(|node| format!("affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{{matchFields: [{{key: metadata.name, operator: In, values: [n{node}]}}]}}]}}}}}}, ")),
    ];
    let between = prop_oneof![
        4 => Just(String::new()),
        1 => (0..3, prop_oneof![Just("zone"), Just("host")]).prop_map(|(team, topology)| format!("affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{labelSelector: {{matchLabels: {{team: t{team}}}}}, topologyKey: {topology}, namespaceSelector: {{matchLabels: {{a: b}}}}}}]}}}}, ")),
        1 => (0..3).prop_map(|team| format!("affinity: {{podAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{labelSelector: {{matchExpressions: [{{key: team, operator: NotIn, values: [t{team}]}}]}}, topologyKey: zone}}]}}}}, ")),
        1 => (1..3).prop_map(|skew| format!("topologySpreadConstraints: [{{maxSkew: {skew}, topologyKey: zone, nodeTaintsPolicy: Honor, labelSelector: {{matchExpressions: [{{key: team, operator: Exists}}]}}}}], ")),
        1 => Just("volumes: [{name: v, persistentVolumeClaim: {claimName: c}}], ".to_owned()),
    ];
    let place = (place, between).prop_map(|(place, between)| {
        if place.is_empty() || between.is_empty() || !between.starts_with("affinity") {
            place + &between
        } else {
            place
        }
    });
    let class = prop_oneof![Just(String::new()), (0..3).prop_map(|class| format!("priorityClassName: c{class}, "))];
    (0..6, 0..3, place, class, 0..5).prop_map(|(name, uid, place, class, nominated)| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: p{name}, uid: u{uid}, labels: {{team: t{uid}}}}}, spec: {{{place}{class}containers: [{{name: c, resources: {{requests: {{cpu: 1, r{name}: 1}}}}}}]}}, status: {{nominatedNodeName: n{nominated}}}}}"
        )
    })
}

pub(super) fn another() -> impl Strategy<Value = String> {
    prop_oneof![
        (0..3, -2..2, any::<bool>()).prop_map(|(name, value, default)| class(
            &format!("c{name}"),
            value,
            &format!("globalDefault: {default}")
        )),
        (0..2, 0..3).prop_map(|(name, max)| format!(
            "{{apiVersion: scheduling.sigs.k8s.io/v1alpha1, kind: ElasticQuota, metadata: {{name: q{name}, namespace: x}}, spec: {{max: {{cpu: {max}}}}}}}"
        )),
        prop_oneof![Just("b"), Just("c")].prop_map(|label| format!("{{apiVersion: v1, kind: Namespace, metadata: {{name: default, labels: {{a: {label}}}}}}}")),
        prop_oneof![Just("ReadWriteOncePod"), Just("ReadWriteOnce")].prop_map(|mode| format!("{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: c, namespace: default}}, spec: {{accessModes: [{mode}]}}}}")),
        (0..5).prop_map(|node| format!("{SLOT}status: {{state: Open, placement: {{node: n{node}}}}}\n")),
        Just(SLOT.to_owned()),
    ]
}

fn a_step() -> impl Strategy<Value = Step> {
    let key = prop_oneof![
        (0..4).prop_map(|name| format!("Node/n{name}")),
        (0..6).prop_map(|name| format!("Pod/default/p{name}")),
        (0..3).prop_map(|name| format!("PriorityClass/c{name}")),
        (0..2).prop_map(|name| format!("ElasticQuota/x/q{name}")),
        Just("Slot/r".to_owned()),
        Just("Namespace/default".to_owned()),
        Just("PersistentVolumeClaim/default/c".to_owned()),
    ];
    prop_oneof![
        3 => a_node().prop_map(Step::Apply),
        4 => a_pod().prop_map(Step::Apply),
        2 => another().prop_map(Step::Apply),
        3 => key.prop_map(Step::Remove),
        2 => (0..8_u32, 0..4_u32).prop_map(|(pod, node)| Step::Bind(pod, node)),
        1 => (0..8_u32, proptest::option::of(0..4_u32)).prop_map(|(pod, node)| Step::Nominate(pod, node)),
        1 => (0..8_u32, prop_oneof![Just("team"), Just("none")]).prop_map(|(pod, key)| Step::Mark(pod, key)),
        1 => (0..8_u32).prop_map(Step::Terminate),
        1 => (0..1000_i64).prop_map(Step::Clock),
        3 => Just(Step::Drain),
    ]
}

fn take(step: Step, mirror: &mut Mirror, picture: &mut Picture) {
    match step {
        Step::Apply(text) => apply(mirror, &text),
        Step::Remove(key) => {
            mirror.remove(&key);
        }
        Step::Bind(pod, node) => mirror.bind(pod, node),
        Step::Nominate(pod, node) => mirror.nominate(pod, node),
        Step::Mark(pod, key) => {
            let mark = Mark { place: MarkPlace::Label, key: key.to_owned(), value: "marked".to_owned() };
            mirror.mark(pod, &[mark]);
        }
        Step::Terminate(pod) => mirror.terminate(pod),
        Step::Clock(now) => mirror.set_clock(now),
        Step::Drain => picture.apply(mirror.drain_events()),
    }
}

proptest! {
    #[test]
    fn changes_and_replay_tell_the_same(steps in proptest::collection::vec(a_step(), 1..60)) {
        let (mut mirror, mut picture) = (mirror(), Picture::default());
        for step in steps {
            take(step, &mut mirror, &mut picture);
        }
        picture.apply(mirror.drain_events());
        let mut told = Picture::default();
        told.apply(mirror.replay());
        prop_assert_eq!(picture, told);
        prop_assert_eq!(mirror.drain_events(), []);
        // `eligible` for a node gives the same result as its terrain.
        for (pod, node) in mirror.pods.all().flat_map(|pod| mirror.nodes.all().map(move |node| (pod, node))) {
            let plainly = mirror.shared.shapes.constraints(pod.record.shape).map(|wanted| wanted.check(&node.terrain));
            prop_assert_eq!(Some(mirror.eligible(pod.record.id, node.record.id)), plainly);
        }
    }
}
