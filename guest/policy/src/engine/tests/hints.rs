//! A law names every kind of event after which it may hold: checked on random small worlds, event by event.

use std::collections::BTreeMap;

use serde_json::json;

use crate::contract::{ChangeKind, Event, Object, PodId};
use crate::laws::{LawCheck, Laws};
use crate::testing::{PodBuilder, PolicyHarness, key, object, pod};

/// The systems, and the API group of their PodGroups.
const SYSTEMS: [(&str, &str); 5] = [
    ("koordinator", "scheduling.sigs.k8s.io"),
    ("kubernetes", "scheduling.k8s.io"),
    ("coscheduling", "scheduling.x-k8s.io"),
    ("volcano", "scheduling.volcano.sh"),
    ("yunikorn", ""),
];
const PODS: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];
const NODES: [&str; 2] = ["n", "m"];

/// Random numbers that are the same on every machine (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap().checked_rem(most).unwrap()
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// Returns a queue of Volcano, or one of two PodGroups with roles and elastic pods.
fn of_volcano(dice: &mut Dice, group: &str) -> Object {
    if dice.below(2) == 0 {
        let spec = json!({"capability": {"cpu": dice.of(&["2", "4"])}, "deserved": {"cpu": dice.of(&["1", "3"])},
            "guarantee": {"resource": {"cpu": dice.of(&["0", "1"])}}});
        let body = json!({"spec": spec, "status": {"state": dice.of(&["Open", "Closed"])}});
        return Object { group: group.to_owned(), ..object("Queue", dice.of(&["/q", "/r"]), [&[], &[]], body) };
    }
    let mut spec = json!({"minMember": dice.of(&[1, 2, 3]), "queue": dice.of(&["q", "r", "default"])});
    if dice.below(3) == 0 {
        spec["minTaskMember"] = json!({"worker": 1});
    }
    if dice.below(6) == 0 {
        spec["networkTopology"] = json!({"mode": "hard"});
    }
    let elastic = [("volcano.sh/elastic-train", "true"), ("volcano.sh/elastic-cooldown-time", "60s")];
    let annotations: &[(&str, &str)] = if dice.below(2) == 0 { &elastic } else { &[] };
    let name = dice.of(&["default/x", "default/y"]);
    Object { group: group.to_owned(), ..object("PodGroup", name, [&[], annotations], json!({"spec": spec})) }
}

/// Returns the configuration of YuniKorn: two queues, with preemption on or off.
fn of_yunikorn(dice: &mut Dice) -> Object {
    let queue = |dice: &mut Dice, name: &str| {
        json!({"name": name, "properties": {"preemption.policy": dice.of(&["default", "disabled"]), "preemption.delay": "0s"},
            "resources": {"guaranteed": {"vcore": dice.of(&["1", "3"])}, "max": {"vcore": dice.of(&["3", "6"])}}})
    };
    let queues = [queue(dice, "q"), queue(dice, "r")];
    let partition = json!({"name": "default", "preemption": {"enabled": dice.of(&[true, true, false])},
        "placementrules": [{"name": "provided", "create": dice.of(&[true, false])}],
        "queues": [{"name": "root", "submitacl": "*", "queues": queues}]});
    let body = json!({"data": {"queues.yaml": json!({"partitions": [partition]}).to_string()}});
    Object { group: String::new(), ..object("ConfigMap", "yunikorn/yunikorn-configs", [&[], &[]], body) }
}

/// Returns one of two PodGroups, or the quota of the namespace.
fn some_object(dice: &mut Dice, system: &str, group: &str) -> Object {
    match system {
        "volcano" => return of_volcano(dice, group),
        "yunikorn" => return of_yunikorn(dice),
        _ => {}
    }
    if system != "kubernetes" && dice.below(3) == 0 {
        let (min, max) = (dice.of(&["0", "2", "4"]), dice.of(&["2", "4", "9"]));
        let body = json!({"spec": {"min": {"cpu": min}, "max": {"cpu": max}}});
        return Object { group: group.to_owned(), ..object("ElasticQuota", "default/default", [&[], &[]], body) };
    }
    let (name, minimum) = (dice.of(&["default/x", "default/y"]), dice.of(&[1, 2, 3]));
    let groups = [("gang.scheduling.koordinator.sh/groups", r#"["default/x","default/y"]"#)];
    let spec = match system {
        "kubernetes" => {
            let policy = dice.of(&["Never", "PreemptLowerPriority"]);
            json!({"schedulingPolicy": {"gang": {"minCount": minimum}}, "priority": 5, "preemptionPolicy": policy})
        }
        "coscheduling" => json!({"minMember": minimum, "minResources": {"cpu": dice.of(&["0", "3"])}}),
        _ => json!({"minMember": minimum}),
    };
    let annotations: &[(&str, &str)] = if dice.below(3) == 0 { &groups } else { &[] };
    Object { group: group.to_owned(), ..object("PodGroup", name, [&[], annotations], json!({"spec": spec})) }
}

fn some_pod(dice: &mut Dice, system: &str, nodes: &[&str]) -> PodBuilder {
    let mut draft = pod(dice.of(&PODS)).requests(dice.of(&["cpu=1", "cpu=2", "cpu=3"])).priority(dice.of(&[0, 5, 9]));
    if let Some(job) = dice.of(&[None, Some("x"), Some("y")]) {
        draft = match system {
            "koordinator" => draft.job(job),
            "coscheduling" => draft.label("scheduling.x-k8s.io/pod-group", job),
            "volcano" => {
                let role = dice.of(&["worker", "master"]);
                draft.annotation("scheduling.k8s.io/group-name", job).label("volcano.sh/task-spec", role)
            }
            "yunikorn" => draft.label("applicationId", job).label("queue", dice.of(&["root.q", "root.r"])),
            _ => draft.with(|pod| {
                pod.template_mut().fields = vec![crate::contract::Attribute { key: 0, value: format!("\"{job}\"") }]
            }),
        };
    }
    if system == "koordinator" && dice.below(4) == 0 {
        draft = draft.annotation("gang.scheduling.koordinator.sh/min-available", dice.of(&["1", "3"]));
    }
    let (never, terminating, gated, ended) =
        (dice.below(6) == 0, dice.below(6) == 0, dice.below(8) == 0, dice.below(8) == 0);
    draft = draft.with(|pod| {
        pod.template_mut().never_preempts = never;
        (pod.terminating, pod.preempted, pod.gated) = (terminating, terminating, gated);
        if ended {
            pod.phase = crate::contract::Phase::Succeeded;
        }
    });
    match (dice.below(3), nodes) {
        (_, []) | (0, _) => draft,
        (1, nodes) => draft.on(dice.of(nodes)),
        (_, nodes) => draft.nominated(dice.of(nodes)),
    }
}

/// Returns the gates, limits and laws of permit of a system, and those of its cycle.
fn every_gate(laws: &Laws) -> Vec<LawCheck> {
    let mut gates = [
        &laws.preconditions.unresolvable,
        &laws.preconditions.resolvable,
        &laws.preconditions.in_flight,
        &laws.preconditions.preemption,
        &laws.plan_invariants,
        &laws.preconditions.permit,
    ]
    .map(Vec::clone)
    .concat();
    if let Some(cycle) = &laws.cycle {
        let of_cycle =
            [&cycle.admission, &cycle.normal, &cycle.growth, &cycle.elastic, &cycle.reclaim.cross_queue_preconditions];
        gates.extend(of_cycle.map(Vec::clone).concat());
        gates.push(cycle.size);
    }
    gates
}

/// Returns the laws that do not hold for the waiting pods, each with its hint.
fn denied(world: &mut PolicyHarness) -> BTreeMap<(PodId, &'static str), &'static [ChangeKind]> {
    let gates = every_gate(&world.engine.laws().unwrap().clone());
    let waits = |(ix, pod): (crate::model::PodIx, &crate::model::PodInfo)| pod.is_schedulable().then_some(ix.0);
    let pods: Vec<PodId> = world.engine.cluster().pods().filter_map(waits).collect();
    let mut denied = BTreeMap::new();
    for id in pods {
        for gate in &gates {
            if world.engine.while_waiting(id, gate.holds).is_err() {
                denied.insert((id, gate.rule.code), gate.rule.about.retry_after);
            }
        }
    }
    denied
}

#[test]
fn a_law_that_an_event_makes_hold_names_that_kind_of_event() {
    for seed in 1..=200 {
        let (system, group) = SYSTEMS[usize::try_from(seed).unwrap() % SYSTEMS.len()];
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let mut world = PolicyHarness::of(system, "");
        let mut nodes: Vec<&str> = Vec::new();
        for _ in 0..40 {
            let before = denied(&mut world);
            let mut about = None;
            let kind = match dice.below(10) {
                0 => {
                    let node = dice.of(&NODES);
                    world.node(node, dice.of(&["cpu=1", "cpu=3", "cpu=6"]));
                    nodes.retain(|other| *other != node);
                    nodes.push(node);
                    ChangeKind::NodeUpserted
                }
                1 if !nodes.is_empty() => {
                    let node = nodes.swap_remove(dice.below(nodes.len()));
                    let id = world.numbers.nodes[node];
                    world.apply(vec![Event::NodeRemoved(id)]);
                    ChangeKind::NodeRemoved
                }
                2 | 3 => {
                    let object = some_object(&mut dice, system, group);
                    world.object(object);
                    ChangeKind::ObjectUpserted
                }
                4 => {
                    let object = some_object(&mut dice, system, group);
                    world.apply(vec![Event::ObjectRemoved(key(&object))]);
                    ChangeKind::ObjectRemoved
                }
                5 => {
                    let name = format!("default/{}", dice.of(&PODS));
                    let known = world.numbers.pods.get(&name).copied();
                    let known = known.filter(|id| world.engine.cluster().pod(crate::model::PodIx(*id)).is_some());
                    let Some(id) = known else { continue };
                    world.apply(vec![Event::PodRemoved(id)]);
                    about = Some(id);
                    ChangeKind::PodRemoved
                }
                _ => {
                    let draft = some_pod(&mut dice, system, &nodes);
                    let name = draft.name();
                    world.pod(draft);
                    about = Some(world.id(&name));
                    ChangeKind::PodUpserted
                }
            };
            let after = denied(&mut world);
            for ((id, code), hint) in before.iter().filter(|(key, _)| !after.contains_key(*key)) {
                let waits =
                    world.engine.cluster().pod(crate::model::PodIx(*id)).is_some_and(|pod| pod.is_schedulable());
                let named = hint.contains(&kind);
                assert!(
                    named || !waits || about == Some(*id),
                    "seed {seed}: {code} holds after {kind:?}, hint {hint:?}"
                );
            }
        }
    }
}
