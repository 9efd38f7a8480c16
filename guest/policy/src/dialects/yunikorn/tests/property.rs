//! On random trees and workloads: no plan breaks a law, nobody goes in vain, and where a group exists one is found.
//!
//! The laws are restated here over names and plain numbers, and every group on every node is tried.

mod restated;

use proptest::prelude::*;

use super::{Scene, annotation, keys, of};

/// The queues below the root; a leaf is one that nobody names as its parent.
const QUEUES: [&str; 7] = ["root.a", "root.a.x", "root.a.y", "root.b", "root.b.x", "root.b.y", "root.c"];
const LEAVES: [&str; 5] = ["root.a.x", "root.a.y", "root.b.x", "root.b.y", "root.c"];
const NODES: usize = 2;

#[derive(Debug, Clone)]
struct Queue {
    /// Of a leaf its own, of a parent what it has beyond the sum of its children.
    guaranteed: Option<i64>,
    max: Option<i64>,
    fenced: bool,
    spared: bool,
    priority_fenced: bool,
    offset: i64,
}

#[derive(Debug, Clone)]
struct Pod {
    name: String,
    leaf: &'static str,
    cpu: i64,
    priority: i64,
    node: usize,
    opted_out: bool,
    leaving: bool,
}

#[derive(Debug, Clone)]
struct Case {
    queues: Vec<Queue>,
    pods: Vec<Pod>,
    free: Vec<i64>,
    asker: Pod,
    promised: Option<Pod>,
}

fn a_queue() -> impl Strategy<Value = Queue> {
    let often = |p| proptest::bool::weighted(p);
    (
        proptest::option::weighted(0.6, 0..5i64),
        proptest::option::weighted(0.15, 0..3i64),
        often(0.1),
        often(0.1),
        often(0.15),
        -1..2i64,
    )
        .prop_map(|(guaranteed, max, fenced, spared, priority_fenced, offset)| Queue {
            guaranteed,
            max,
            fenced,
            spared,
            priority_fenced,
            offset,
        })
}

fn a_pod() -> impl Strategy<Value = Pod> {
    let flags = (proptest::bool::weighted(0.25), proptest::bool::weighted(0.1));
    (proptest::sample::select(LEAVES.as_slice()), 1..4i64, -1..3i64, 0..NODES, flags).prop_map(
        |(leaf, cpu, priority, node, (opted_out, leaving))| Pod {
            name: String::new(),
            leaf,
            cpu,
            priority,
            node,
            opted_out,
            leaving,
        },
    )
}

fn a_case() -> impl Strategy<Value = Case> {
    let queues = proptest::collection::vec(a_queue(), QUEUES.len());
    let pods = proptest::collection::vec(a_pod(), 1..9);
    let promised = proptest::option::weighted(0.3, a_pod());
    (queues, pods, proptest::collection::vec(0..2i64, NODES), a_pod(), promised).prop_map(
        |(queues, mut pods, free, mut asker, mut promised)| {
            for (at, pod) in pods.iter_mut().enumerate() {
                pod.name = format!("p{at}");
            }
            asker.name = "asker".to_owned();
            if let Some(promised) = &mut promised {
                promised.name = "promised".to_owned();
            }
            Case { queues, pods, free, asker, promised }
        },
    )
}

fn is_below(queue: &str, above: &str) -> bool {
    queue == above || queue.starts_with(&format!("{above}."))
}

/// The paths from a queue up to, and without, the root.
fn path(queue: &str) -> Vec<&str> {
    let mut path: Vec<&str> = QUEUES.into_iter().filter(|above| is_below(queue, above)).collect();
    path.sort_by_key(|above| std::cmp::Reverse(above.len()));
    path
}

impl Case {
    fn queue(&self, name: &str) -> &Queue {
        self.queues.get(QUEUES.iter().position(|known| *known == name).unwrap()).unwrap()
    }

    fn guaranteed(&self, name: &str) -> Option<i64> {
        let children: i64 =
            QUEUES.iter().filter(|q| q.starts_with(&format!("{name}."))).filter_map(|q| self.queue(q).guaranteed).sum();
        self.queue(name).guaranteed.map(|own| own + children)
    }

    fn max(&self, name: &str) -> Option<i64> {
        // Above all that is guaranteed, so that the configuration is one.
        let sum: i64 = QUEUES.iter().filter(|q| is_below(q, name)).filter_map(|q| self.guaranteed(q)).sum();
        let below: i64 = QUEUES.iter().filter(|q| q.starts_with(&format!("{name}."))).filter_map(|q| self.max(q)).sum();
        self.queue(name).max.map(|own| own + sum + below)
    }

    /// The nearest queue that has a policy of its own decides.
    fn spared(&self, leaf: &str) -> bool {
        let own = path(leaf).into_iter().map(|queue| self.queue(queue)).find(|queue| queue.spared || queue.fenced);
        own.is_some_and(|queue| queue.spared)
    }

    fn yaml(&self) -> String {
        let entry = |name: &str, inner: String| {
            let queue = self.queue(name);
            let amount = |what: &str, n: Option<i64>| n.map_or(String::new(), |n| format!("{what}: {{vcore: {n}}}, "));
            let resources = amount("guaranteed", self.guaranteed(name)) + &amount("max", self.max(name));
            let mut properties = format!("priority.offset: \"{}\"", queue.offset);
            if queue.spared {
                properties += ", preemption.policy: disabled";
            } else if queue.fenced {
                properties += ", preemption.policy: fence";
            }
            if queue.priority_fenced {
                properties += ", priority.policy: fence";
            }
            let last = name.rsplit('.').next().unwrap();
            format!("{{name: {last}, resources: {{{resources}}}, properties: {{{properties}}}, queues: [{inner}]}}")
        };
        let leaf = |name: &str| entry(name, String::new());
        let a = entry("root.a", format!("{}, {}", leaf("root.a.x"), leaf("root.a.y")));
        let b = entry("root.b", format!("{}, {}", leaf("root.b.x"), leaf("root.b.y")));
        format!("- {a}\n- {b}\n- {}", leaf("root.c"))
    }

    fn scene(&self) -> Scene {
        let mut scene = Scene::new(&self.yaml());
        for (at, free) in self.free.iter().enumerate() {
            let bound: i64 = self.pods.iter().filter(|pod| pod.node == at).map(|pod| pod.cpu).sum();
            scene.0.node(&format!("n{at}"), &format!("cpu={}", bound + free));
        }
        let draft = |pod: &Pod| {
            let priority = i32::try_from(pod.priority).unwrap();
            let draft = of(&pod.name, pod.leaf, u32::try_from(pod.cpu).unwrap()).priority(priority);
            annotation(draft, keys::ALLOW_PREEMPTION, if pod.opted_out { "false" } else { "true" })
        };
        let running = self.pods.iter().map(|pod| {
            let leaving = pod.leaving;
            draft(pod).on(&format!("n{}", pod.node)).with(|pod| pod.terminating = leaving)
        });
        let promised = self.promised.iter().map(|pod| draft(pod).nominated(&format!("n{}", pod.node)));
        let scene = scene.pods(running.chain(promised).collect::<Vec<_>>());
        scene.pods([draft(&self.asker)]).after(30)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn a_plan_is_a_smallest_legal_group_and_is_found_where_there_is_one(case in a_case()) {
        let mut scene = case.scene();
        scene.0.pre_filter("asker");
        let plan = scene.0.plan("asker");
        let empty_capacity = |node: usize| case.free.get(node).unwrap() + case.pods.iter().filter(|pod| pod.node == node).map(|pod| pod.cpu).sum::<i64>();
        let coming = (0..NODES).any(|node| case.has_room(node, &[]) && case.fits_max(&[]) && empty_capacity(node) >= case.asker.cpu);
        let legal = case.legal();
        let Ok(plan) = plan else {
            prop_assert!(coming || legal.is_empty(), "there is {legal:?}, but no plan");
            return Ok(());
        };
        let node: usize = plan.nominations.values().next().unwrap().trim_start_matches('n').parse().unwrap();
        let group: Vec<&Pod> = case.pods.iter().filter(|pod| plan.victims.contains(&format!("default/{}", pod.name))).collect();
        prop_assert_eq!(group.len(), plan.victims.len());
        prop_assert!(group.iter().all(|pod| pod.node == node), "{group:?} are not all on n{node}");
        prop_assert!(case.is_legal(node, &group), "{group:?}");
        for pod in &group {
            let without: Vec<&Pod> = group.iter().copied().filter(|other| other.name != pod.name).collect();
            prop_assert!(!case.suffices(node, &without), "{pod:?} goes in vain");
        }
        if group.iter().any(|pod| pod.opted_out) {
            let spared = legal.iter().find(|(_, group)| group.iter().all(|pod| !pod.opted_out));
            prop_assert!(spared.is_none(), "{spared:?} would have done");
        }
    }
}
