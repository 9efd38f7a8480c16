//! Small clusters at random: few nodes, pods and quotas, so that they get in each other's way.

use std::collections::BTreeSet;

use proptest::option::{of, weighted};
use proptest::prelude::*;

use crate::contract::{Event, Object};
use crate::testing::{self, Draft, Numbers, OPT_OUT, SOFT_EVICTION, World};

/// Amounts of `cpu` (whole cores) and `gpu`.
pub type Pair = [i64; 2];

#[derive(Debug, Clone)]
pub struct Scene {
    pub flags: Flags,
    pub nodes: Vec<Pair>,
    pub quotas: Vec<Quota>,
    pub pods: Vec<Pod>,
}

/// The arguments.
#[derive(Debug, Clone)]
pub struct Flags {
    pub unlabelled_is_non_preemptible: bool,
    pub only_labels_trigger: bool,
    pub default_quota_is_spared: bool,
    pub parents_bind: bool,
}

#[derive(Debug, Clone)]
pub struct Quota {
    /// Always an earlier one.
    pub parent: Option<usize>,
    pub min: [Option<i64>; 2],
    pub max: [Option<i64>; 2],
}

#[derive(Debug, Clone)]
pub struct Pod {
    pub name: String,
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
const QUOTAS: usize = 3;

fn rarely() -> impl Strategy<Value = bool> {
    proptest::bool::weighted(0.1)
}

fn flags() -> impl Strategy<Value = Flags> {
    (rarely(), rarely(), rarely(), rarely()).prop_map(|(class, trigger, default, parents)| Flags {
        unlabelled_is_non_preemptible: class,
        only_labels_trigger: trigger,
        default_quota_is_spared: default,
        parents_bind: parents,
    })
}

fn quotas() -> impl Strategy<Value = Vec<Quota>> {
    let bound = |lowest: i64, highest: i64| [weighted(0.8, lowest..highest), weighted(0.3, 0..4i64)];
    let quota = move |at: usize| {
        let parent = if at == 0 { Just(None).boxed() } else { weighted(0.5, 0..at).boxed() };
        (parent, bound(0, 12), bound(2, 16)).prop_map(|(parent, min, max)| Quota { parent, min, max })
    };
    (0..QUOTAS).map(quota).collect::<Vec<_>>()
}

fn other(nodes: usize) -> impl Strategy<Value = Pod> {
    let place = prop_oneof![
        8 => (0..nodes).prop_map(Place::Running),
        1 => (0..nodes).prop_map(Place::Nominated),
        1 => Just(Place::Pending),
    ];
    let leaving = weighted(0.1, prop_oneof![Just(Leaving::Terminating), Just(Leaving::Marked)]);
    let job = prop_oneof![6 => Just(None), 1 => Just(Some(JOB)), 2 => Just(Some("other"))];
    let preemptible = weighted(0.4, proptest::bool::weighted(0.7));
    (0..4i32, [1..5i64, 0..2], preemptible, of(0..QUOTAS), job, place, leaving, rarely(), 0..3i64).prop_map(
        |(priority, asks, preemptible, quota, job, place, leaving, opted_out, started)| Pod {
            name: String::new(),
            priority,
            asks,
            preemptible,
            can_preempt: None,
            quota,
            job,
            place,
            leaving,
            opted_out,
            only: None,
            started,
        },
    )
}

/// The waiting pods of the job: all alike, or alike but for what they ask for.
fn askers(nodes: usize, alike: bool) -> impl Strategy<Value = Vec<Pod>> {
    let only = weighted(0.2, proptest::collection::btree_set(0..nodes, 1..=nodes));
    let asks = proptest::collection::vec([1..6i64, 0..2], 1..=3);
    let labels = (weighted(0.4, any::<bool>()), weighted(0.2, proptest::bool::weighted(0.8)));
    (1..5i32, asks, labels, of(0..QUOTAS), only).prop_map(
        move |(priority, asks, (preemptible, can_preempt), quota, only)| {
            let first = asks.first().copied().unwrap_or_default();
            let asker = |(at, asks): (usize, &Pair)| Pod {
                name: format!("a{at}"),
                priority,
                asks: if alike { first } else { *asks },
                preemptible,
                can_preempt,
                quota,
                job: Some(JOB),
                place: Place::Pending,
                leaving: None,
                opted_out: false,
                only: only.clone(),
                started: 0,
            };
            asks.iter().enumerate().map(asker).collect()
        },
    )
}

/// Up to 4 nodes, 12 others and 3 pods of the asking job, which are alike or not.
pub fn scene(alike: bool) -> impl Strategy<Value = Scene> {
    proptest::collection::vec([2..9i64, 0..3], 1..=4).prop_flat_map(move |nodes| {
        let others = proptest::collection::vec((other(nodes.len()), rarely()), 0..=12);
        (flags(), quotas(), others, askers(nodes.len(), alike)).prop_map(move |(flags, quotas, others, askers)| {
            let mut scene = Scene { flags, nodes: nodes.clone(), quotas, pods: askers };
            for (at, (mut pod, overcommits)) in others.into_iter().enumerate() {
                pod.name = format!("p{at}");
                if pod.job == Some(JOB) && !pod.is_running() {
                    pod.job = None;
                }
                if overcommits || scene.has_room_for(&pod) {
                    scene.pods.push(pod);
                }
            }
            scene
        })
    })
}

impl Scene {
    fn has_room_for(&self, pod: &Pod) -> bool {
        let Place::Running(node) = pod.place else { return true };
        let held = self.pods.iter().filter(|other| other.place == pod.place);
        let held = held.fold(pod.asks, |[cpu, gpu], other| [cpu + other.asks[0], gpu + other.asks[1]]);
        held[0] <= self.nodes[node][0] && held[1] <= self.nodes[node][1]
    }

    pub fn arguments(&self) -> String {
        let Flags { unlabelled_is_non_preemptible, only_labels_trigger, default_quota_is_spared, parents_bind } =
            self.flags;
        format!(
            r#"{{"disableDefaultPreemptiable": {unlabelled_is_non_preemptible},
                "disableDefaultTriggerPreemption": {only_labels_trigger},
                "disableDefaultQuotaPreemption": {default_quota_is_spared}, "enableCheckParentQuota": {parents_bind}}}"#
        )
    }

    /// Everything there is, each thing an event of its own.
    pub fn events(&self, numbers: &mut Numbers) -> Vec<Event> {
        let mut events: Vec<Event> = self.objects().into_iter().map(Event::ObjectUpserted).collect();
        for (at, has) in self.nodes.iter().enumerate() {
            events.push(numbers.node(&format!("n{at}"), &amounts(*has)));
        }
        for pod in &self.pods {
            events.extend(numbers.pod(&pod.draft()));
        }
        events
    }

    pub fn objects(&self) -> Vec<Object> {
        let bound = |[cpu, gpu]: [Option<i64>; 2]| {
            let part = |name: &str, amount: Option<i64>| amount.map(|n| format!("{name}={n} ")).unwrap_or_default();
            part("cpu", cpu) + &part("gpu", gpu)
        };
        let quotas = self.quotas.iter().enumerate().map(|(at, quota)| {
            let parent = quota.parent.map(|parent| format!("q{parent}")).unwrap_or_default();
            testing::quota(&format!("q{at}"), &parent, &bound(quota.min), &bound(quota.max))
        });
        quotas.chain([testing::pod_group(JOB, 2, &[])]).collect()
    }

    /// A policy that was told of it, one thing after the other.
    pub fn world(&self) -> World {
        let mut world = World::with(&self.arguments());
        let events = self.events(&mut world.numbers);
        world.tell(events);
        world
    }
}

fn amounts([cpu, gpu]: Pair) -> String {
    format!("cpu={cpu} gpu={gpu}")
}

impl Pod {
    fn draft(&self) -> Draft {
        let mut draft = testing::pod(&self.name).priority(self.priority).asks(&amounts(self.asks));
        draft = match self.place {
            Place::Pending => draft,
            Place::Nominated(node) => draft.nominated(&format!("n{node}")),
            Place::Running(node) => draft.on(&format!("n{node}")),
        };
        if let Some(preemptible) = self.preemptible {
            draft = draft.preemptible(preemptible);
        }
        if let Some(can) = self.can_preempt {
            draft = draft.label(testing::CAN_PREEMPT, if can { "true" } else { "false" });
        }
        if let Some(quota) = self.quota {
            draft = draft.quota(&format!("q{quota}"));
        }
        if let Some(job) = self.job {
            draft = draft.job(job);
        }
        if self.leaving == Some(Leaving::Marked) {
            draft = draft.label(SOFT_EVICTION, "true");
        }
        if self.opted_out {
            draft = draft.label(OPT_OUT, "true");
        }
        if let Some(only) = &self.only {
            let names: Vec<String> = only.iter().map(|node| format!("n{node}")).collect();
            draft = draft.only_on(&names.iter().map(String::as_str).collect::<Vec<_>>());
        }
        draft.with(|pod| {
            (pod.started, pod.created) = (Some(self.started), self.started);
            pod.terminating = self.leaving == Some(Leaving::Terminating);
        })
    }
}
