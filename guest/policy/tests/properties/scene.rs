//! Small clusters at random: few nodes, pods and quotas with little to spare, so that they get in each other's way.

use std::collections::BTreeSet;
use std::ops::Range;

use proptest::option::weighted;
use proptest::prelude::*;

/// Amounts of `cpu` (whole cores) and `gpu`.
pub type Pair = [i64; 2];

#[derive(Debug, Clone)]
pub struct Scene {
    pub laws: Laws,
    pub nodes: Vec<Pair>,
    pub quotas: Vec<Quota>,
    /// The pods of the asking job come first. Some entries are reservations.
    pub pods: Vec<Pod>,
}

/// The laws and their arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Laws {
    pub name: &'static str,
    pub unlabelled_is_non_preemptible: bool,
    pub only_labels_trigger: bool,
    pub default_quota_is_spared: bool,
    pub parents_bind: bool,
    pub shares_out: bool,
}

#[derive(Debug, Clone)]
pub struct Quota {
    /// Always an earlier one.
    pub parent: Option<usize>,
    pub min: [Option<i64>; 2],
    pub max: [Option<i64>; 2],
    /// How many of its pods may be disrupted, for laws that know of budgets.
    pub disruptions: Option<i64>,
}

#[derive(Debug, Clone)]
pub struct Pod {
    pub name: String,
    pub is_reservation: bool,
    pub priority: i32,
    pub asks: Pair,
    pub preemptible: Option<bool>,
    pub can_preempt: Option<bool>,
    pub quota: Option<usize>,
    pub job: Option<&'static str>,
    pub place: Place,
    pub leaving: Option<Leaving>,
    pub opted_out: bool,
    pub only: Option<BTreeSet<usize>>,
    pub inside: Option<&'static str>,
    pub started: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Pending,
    Nominated(usize),
    Running(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaving {
    Terminating,
    Marked,
}

/// The job that asks.
pub const JOB: &str = "job";
const QUOTAS: usize = 2;

/// A kind of scene, by the part of the policy that it tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cast {
    /// Koordinator's jobs alone; the pods of the asking one are alike.
    Alike,
    /// The same, but the pods ask for different amounts.
    Unlike,
    /// Every system of laws, shares, reservations, budgets.
    Everything,
}

fn rarely() -> impl Strategy<Value = bool> {
    proptest::bool::weighted(0.1)
}

fn laws(cast: Cast) -> impl Strategy<Value = Laws> {
    let names = match cast {
        Cast::Everything => vec!["koordinator", "koordinator", "kubernetes", "coscheduling"],
        Cast::Alike | Cast::Unlike => vec!["koordinator"],
    };
    let shares = if cast == Cast::Everything { 0.3 } else { 0.0 };
    let flags = (rarely(), rarely(), rarely(), rarely(), proptest::bool::weighted(shares));
    (proptest::sample::select(names), flags).prop_map(|(name, (class, trigger, default, parents, shares))| Laws {
        name,
        unlabelled_is_non_preemptible: class,
        only_labels_trigger: trigger,
        default_quota_is_spared: default,
        parents_bind: parents,
        shares_out: shares,
    })
}

/// Generates mins that leave a job room, and maxima not far above: where there is little to spare, victims are needed.
fn quotas() -> impl Strategy<Value = Vec<Quota>> {
    let bounds = |cpu: Range<i64>| (weighted(0.8, cpu), weighted(0.2, 0..4i64));
    let quota = move |at: usize| {
        let parent = if at == 0 { Just(None).boxed() } else { weighted(0.5, 0..at).boxed() };
        (parent, bounds(3..12), bounds(0..5), weighted(0.5, 0..3i64)).prop_map(
            |(parent, (cpu, gpu), (above, gpu_above), disruptions)| Quota {
                parent,
                min: [cpu, gpu],
                max: [above.map(|above| cpu.unwrap_or(5) + above), gpu_above.map(|above| gpu.unwrap_or(0) + above)],
                disruptions,
            },
        )
    };
    (0..QUOTAS).map(quota).collect::<Vec<_>>()
}

/// Generates a pod of another job, or a running one of the same job.
fn other(nodes: usize) -> impl Strategy<Value = Pod> {
    let place = prop_oneof![
        8 => (0..nodes).prop_map(Place::Running),
        1 => (0..nodes).prop_map(Place::Nominated),
        1 => Just(Place::Pending),
    ];
    let leaving = weighted(0.15, prop_oneof![Just(Leaving::Terminating), Just(Leaving::Marked)]);
    let job = prop_oneof![6 => Just(None), 1 => Just(Some(JOB)), 2 => Just(Some("other"))];
    let labels = (weighted(0.4, proptest::bool::weighted(0.7)), weighted(0.8, 0..QUOTAS), rarely());
    (0..4i32, [1..5i64, 0..2], labels, job, place, leaving, 0..3i64).prop_map(
        |(priority, asks, (preemptible, quota, opted_out), job, place, leaving, started)| Pod {
            priority,
            asks,
            preemptible,
            quota,
            job: job.filter(|job| *job != JOB || matches!(place, Place::Running(_))),
            place,
            leaving,
            opted_out,
            started,
            ..Pod::default()
        },
    )
}

/// Generates a reservation, or a pod inside one.
fn nominated_on(nodes: usize) -> impl Strategy<Value = Pod> {
    let name = proptest::sample::select(vec!["r0", "r1"]);
    (other(nodes), any::<bool>(), name).prop_map(|(pod, is_reservation, name)| match is_reservation {
        true => Pod { name: name.to_owned(), is_reservation, can_preempt: pod.preemptible, job: None, ..pod },
        false => Pod { inside: Some(name), ..pod },
    })
}

/// Generates the waiting pods of the job.
fn askers(nodes: usize, cast: Cast) -> impl Strategy<Value = Vec<Pod>> {
    let only = weighted(0.2, proptest::collection::btree_set(0..nodes, 1..=nodes));
    let asks = proptest::collection::vec([1..6i64, 0..2], 1..=3);
    let labels = (weighted(0.7, proptest::bool::weighted(0.3)), weighted(0.1, any::<bool>()));
    let nominated = weighted(0.2, 0..nodes);
    (1..5i32, asks, labels, weighted(0.9, 0..QUOTAS), only, nominated).prop_map(
        move |(priority, asks, (preemptible, can_preempt), quota, only, nominated)| {
            let first = asks.first().copied().unwrap_or_default();
            let preemptor = |(at, asks): (usize, &Pair)| Pod {
                name: format!("a{at}"),
                priority,
                asks: if cast == Cast::Alike { first } else { *asks },
                preemptible,
                can_preempt,
                quota,
                job: Some(JOB),
                place: nominated.map_or(Place::Pending, Place::Nominated),
                only: only.clone(),
                ..Pod::default()
            };
            asks.iter().enumerate().map(preemptor).collect()
        },
    )
}

/// Generates a scene of up to 4 nodes, 12 other pods and 3 pods of the preempting job.
pub fn scene(cast: Cast) -> impl Strategy<Value = Scene> {
    proptest::collection::vec([2..9i64, 0..3], 1..=4).prop_flat_map(move |nodes| {
        let others = proptest::collection::vec((other(nodes.len()), rarely()), 0..=12);
        let most = if cast == Cast::Everything { 4 } else { 0 };
        let nominated_on = proptest::collection::vec(nominated_on(nodes.len()), 0..=most);
        (laws(cast), quotas(), others, nominated_on, askers(nodes.len(), cast)).prop_map(
            move |(laws, quotas, others, nominated_on, askers)| {
                let mut scene = Scene { laws, nodes: nodes.clone(), quotas, pods: askers };
                let others = others.into_iter().chain(nominated_on.into_iter().map(|pod| (pod, false)));
                for (at, (mut pod, overcommits)) in others.enumerate() {
                    if !pod.is_reservation {
                        pod.name = format!("p{at}");
                    }
                    let is_new = scene.pods.iter().all(|other| other.name != pod.name);
                    if is_new && (overcommits || scene.has_room_for(&pod)) {
                        scene.pods.push(pod);
                    }
                }
                scene
            },
        )
    })
}

impl Scene {
    fn has_room_for(&self, pod: &Pod) -> bool {
        let Place::Running(node) = pod.place else { return true };
        let held = self.pods.iter().filter(|other| other.place == pod.place);
        let held = held.fold(pod.asks, |[cpu, gpu], other| [cpu + other.asks[0], gpu + other.asks[1]]);
        held[0] <= self.nodes[node][0] && held[1] <= self.nodes[node][1]
    }
}

impl Default for Pod {
    fn default() -> Pod {
        Pod {
            name: String::new(),
            is_reservation: false,
            priority: 0,
            asks: [0; 2],
            preemptible: None,
            can_preempt: None,
            quota: None,
            job: None,
            place: Place::Pending,
            leaving: None,
            opted_out: false,
            only: None,
            inside: None,
            started: 0,
        }
    }
}

impl Pod {
    pub fn is_running(&self) -> bool {
        matches!(self.place, Place::Running(_))
    }
}
