//! Random trees, nodes and workloads: as plain numbers, and as events for the policy.

use proptest::prelude::*;

use super::super::{Scene, annotation, daemon, keys, label, of_app};
use crate::testing::PodBuilder;

/// The queues below the root. A leaf is a queue without children.
pub const QUEUES: [&str; 9] =
    ["root.a", "root.a.x", "root.a.y", "root.a.y.u", "root.a.y.v", "root.b", "root.b.x", "root.b.y", "root.c"];
pub const LEAVES: [&str; 6] = ["root.a.x", "root.a.y.u", "root.a.y.v", "root.b.x", "root.b.y", "root.c"];
pub const NODES: usize = 2;

/// The resources: YuniKorn's name and Kubernetes' name.
pub const RESOURCES: [(&str, &str); 3] = [("vcore", "cpu"), ("memory", "memory"), ("gpu", "gpu")];
/// An amount of each resource.
pub type Amounts = [i64; RESOURCES.len()];
/// The indices of the resources.
pub const ALL: std::ops::Range<usize> = 0..RESOURCES.len();

#[derive(Debug, Clone)]
pub struct Queue {
    /// The guarantee of a leaf; for a parent, the part above the sum of its children.
    guaranteed: [Option<i64>; RESOURCES.len()],
    /// A lower bound of the maximum, which is raised where the children need more.
    max: [Option<i64>; RESOURCES.len()],
    pub fenced: bool,
    pub disabled: bool,
    pub priority_fenced: bool,
    pub offset: i64,
}

#[derive(Debug, Clone)]
pub struct Pod {
    pub name: String,
    pub leaf: &'static str,
    /// One of two applications of its leaf.
    pub app: bool,
    pub request: Amounts,
    pub priority: i64,
    pub node: usize,
    pub opted_out: bool,
    pub leaving: bool,
    /// Whether it belongs to a DaemonSet.
    pub daemon: bool,
}

#[derive(Debug, Clone)]
pub struct Case {
    pub queues: Vec<Queue>,
    pub pods: Vec<Pod>,
    pub free: Vec<Amounts>,
    /// A preemptor of a DaemonSet may run on its node only.
    pub preemptor: Pod,
    pub nominated: Option<Pod>,
}

fn often(probability: f64) -> impl Strategy<Value = bool> {
    proptest::bool::weighted(probability)
}

fn a_queue() -> impl Strategy<Value = Queue> {
    let bound = |often: [f64; 3], amounts: std::ops::Range<i64>| {
        often.map(|probability| proptest::option::weighted(probability, amounts.clone()))
    };
    (
        bound([0.6, 0.3, 0.2], 0..5),
        bound([0.15, 0.1, 0.1], 0..12),
        (often(0.1), often(0.1), often(0.15)),
        prop_oneof![2 => Just(0i64), 1 => -1..2i64],
    )
        .prop_map(|(guaranteed, max, (fenced, disabled, priority_fenced), offset)| Queue {
            guaranteed,
            max,
            fenced,
            disabled,
            priority_fenced,
            offset,
        })
}

pub fn a_pod() -> impl Strategy<Value = Pod> {
    let flags = (often(0.2), often(0.1), often(0.1), often(0.4));
    let request = (1..4i64, prop_oneof![2 => Just(0i64), 1 => 1..4i64], prop_oneof![3 => Just(0i64), 1 => 1..3i64]);
    (proptest::sample::select(LEAVES.as_slice()), request, -1..3i64, 0..NODES, flags).prop_map(
        |(leaf, (cpu, memory, gpu), priority, node, (opted_out, leaving, daemon, app))| Pod {
            name: String::new(),
            leaf,
            app,
            // Some pods request none of the resource that most preemptors request.
            request: [if gpu > 1 { 0 } else { cpu }, memory, gpu],
            priority,
            node,
            opted_out,
            leaving,
            daemon,
        },
    )
}

pub fn a_case() -> impl Strategy<Value = Case> {
    let queues = proptest::collection::vec(a_queue(), QUEUES.len());
    let free = proptest::collection::vec([0..2i64, 0..2, 0..2], NODES);
    let nominated = proptest::option::weighted(0.3, a_pod());
    (queues, proptest::collection::vec(a_pod(), 1..9), free, a_pod(), nominated).prop_map(
        |(queues, mut pods, free, mut preemptor, mut nominated)| {
            for (at, pod) in pods.iter_mut().enumerate() {
                pod.name = format!("p{at}");
            }
            preemptor.name = "q-preemptor".to_owned();
            if let Some(nominated) = &mut nominated {
                (nominated.name, nominated.daemon) = ("q-nominated".to_owned(), false);
            }
            Case { queues, pods, free, preemptor, nominated }
        },
    )
}

pub fn is_below(queue: &str, above: &str) -> bool {
    queue == above || queue.starts_with(&format!("{above}."))
}

/// Returns the paths from a queue up to, and without, the root.
pub fn path(queue: &str) -> Vec<&str> {
    let mut path: Vec<&str> = QUEUES.into_iter().filter(|above| is_below(queue, above)).collect();
    path.sort_by_key(|above| std::cmp::Reverse(above.len()));
    path
}

fn children(parent: &str) -> impl Iterator<Item = &'static str> {
    QUEUES.into_iter().filter(move |queue| queue.rsplit_once('.').is_some_and(|(above, _)| above == parent))
}

impl Case {
    pub fn queue(&self, name: &str) -> &Queue {
        self.queues.get(QUEUES.iter().position(|known| *known == name).unwrap()).unwrap()
    }

    /// Returns the guarantee of a queue.
    pub fn guaranteed(&self, name: &str, r: usize) -> Option<i64> {
        let below: i64 = children(name).map(|child| self.claim(child, r)).sum();
        self.queue(name).guaranteed[r].map(|own| own + below)
    }

    /// Returns the guarantee of a queue, or the sum of its children. The guarantee of its parent must cover this.
    fn claim(&self, name: &str, r: usize) -> i64 {
        let below = || children(name).map(|child| self.claim(child, r)).sum();
        self.guaranteed(name, r).unwrap_or_else(below)
    }

    pub fn max(&self, name: &str, r: usize) -> Option<i64> {
        let below = QUEUES.into_iter().filter(|queue| *queue != name && is_below(queue, name));
        let below = below.filter_map(|queue| self.max(queue, r)).max().unwrap_or(0);
        self.queue(name).max[r].map(|own| own.max(self.claim(name, r)).max(below))
    }

    /// Checks whether preemption is disabled for a leaf: the nearest queue with a policy decides.
    pub fn disabled(&self, leaf: &str) -> bool {
        let own = path(leaf).into_iter().map(|queue| self.queue(queue)).find(|queue| queue.disabled || queue.fenced);
        own.is_some_and(|queue| queue.disabled)
    }

    /// Returns the children of a queue as YAML, with their descendants.
    fn yaml(&self, parent: &str) -> String {
        let entry = |name: &str| {
            let queue = self.queue(name);
            let bound = |of: &dyn Fn(usize) -> Option<i64>| {
                ALL.filter_map(|r| Some(format!("{}: {}", RESOURCES[r].0, of(r)?))).collect::<Vec<_>>().join(", ")
            };
            let (guaranteed, max) = (bound(&|r| self.guaranteed(name, r)), bound(&|r| self.max(name, r)));
            let mut properties = format!("priority.offset: \"{}\"", queue.offset);
            if queue.disabled {
                properties += ", preemption.policy: disabled";
            } else if queue.fenced {
                properties += ", preemption.policy: fence";
            }
            if queue.priority_fenced {
                properties += ", priority.policy: fence";
            }
            let last = name.rsplit('.').next().unwrap();
            format!(
                "{{name: {last}, resources: {{guaranteed: {{{guaranteed}}}, max: {{{max}}}}}, properties: {{{properties}}}, \
                 queues: [{}]}}",
                self.yaml(name)
            )
        };
        children(parent).map(entry).collect::<Vec<_>>().join(", ")
    }

    /// Returns the allocatable of a node: the requests of its pods plus what is free.
    pub fn allocatable(&self, node: usize) -> Amounts {
        let held = |r: usize| self.pods.iter().filter(|pod| pod.node == node).map(|pod| pod.request[r]).sum::<i64>();
        std::array::from_fn(|r| self.free[node][r] + held(r))
    }

    /// Creates a scene with the queues and nodes, without pods.
    pub fn empty_scene(&self) -> Scene {
        let mut scene = Scene::new(&format!("[{}]", self.yaml("root")));
        for node in 0..NODES {
            scene.0.node(&format!("n{node}"), &notation(&self.allocatable(node)));
        }
        scene
    }

    pub fn scene(&self) -> Scene {
        let running = self.pods.iter().enumerate().map(|(at, pod)| {
            let (leaving, created) = (pod.leaving, i64::try_from(at).unwrap());
            let draft = draft(pod).on(&format!("n{}", pod.node));
            draft.with(|pod| (pod.terminating, pod.created) = (leaving, created))
        });
        let late = |draft: PodBuilder| draft.with(|pod| pod.created = 100);
        let nominated = self.nominated.iter().map(|pod| late(draft(pod)).nominated(&format!("n{}", pod.node)));
        let scene = self.empty_scene().pods(running.chain(nominated).collect::<Vec<_>>());
        scene.pods([late(draft(&self.preemptor))]).after(30)
    }
}

/// Writes amounts in the notation of the tests.
fn notation(amounts: &Amounts) -> String {
    ALL.map(|r| format!("{}={}", RESOURCES[r].1, amounts[r])).collect::<Vec<_>>().join(" ")
}

/// Returns a pod as it is reported to the policy.
pub fn draft(pod: &Pod) -> PodBuilder {
    let priority = i32::try_from(pod.priority).unwrap();
    let app = format!("{}-{}", pod.leaf, pod.app);
    let draft = match pod.daemon {
        true => label(
            daemon(&pod.name, pod.leaf, 0, (&format!("n{}", pod.node), u32::try_from(pod.node).unwrap())),
            keys::APPLICATION,
            &app,
        ),
        false => of_app(&pod.name, &app, pod.leaf, 0),
    };
    let requests: Vec<String> =
        ALL.filter(|r| pod.request[*r] > 0).map(|r| format!("{}={}", RESOURCES[r].1, pod.request[r])).collect();
    annotation(
        draft.requests(&requests.join(" ")).priority(priority),
        keys::ALLOW_PREEMPTION,
        if pod.opted_out { "false" } else { "true" },
    )
}
