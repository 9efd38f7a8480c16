//! The good policy with one rule broken: the one that the check of this name holds a policy to.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};

use lictor_contract::*;
use lictor_host::policy::{CallError, Policy};

use super::good::{Answer, Good, name, reason};

/// The number of instances so far.
static BORN: AtomicI64 = AtomicI64::new(0);

/// The policy. Without a rule to break, it is the good policy.
#[derive(Debug, Clone)]
pub(super) struct Mutant {
    pub(super) good: Good,
    pub(super) breaks: &'static str,
    born: i64,
    /// A count that a correct policy would not keep.
    pub(super) count: i64,
    pub(super) arrived: BTreeMap<PodId, i64>,
}

impl Mutant {
    pub(super) fn breaking(breaks: &'static str) -> Mutant {
        let (good, count, arrived) = (Good::default(), 0, BTreeMap::new());
        Mutant { good, breaks, born: BORN.fetch_add(1, Ordering::SeqCst), count, arrived }
    }

    pub(super) fn is(&self, rule: &str) -> bool {
        self.breaks == rule
    }

    /// Returns a number that the decisions must not depend on.
    fn stray(&self) -> i64 {
        match self.breaks {
            "core/two-instances-agree" => self.born,
            "core/told-in-parts" | "core/restart" | "core/errors-change-nothing" => self.count,
            "explain/changes-no-decision" => i64::from(self.good.noting),
            "standing/changes-no-decision" => self.count,
            _ => 0,
        }
    }

    /// Returns whether the pod is unknown and the broken rule makes the policy answer all the same.
    fn answers_stranger(&mut self, pod: PodId, rule: &str) -> bool {
        self.is(rule) && self.good.known(pod).is_err()
    }

    fn effects(&self) -> Effects {
        let withdrawn = if self.is("core/facts-name-what-is-told") { vec![9_999] } else { Vec::new() };
        Effects { withdrawn, ..Effects::default() }
    }

    fn number(&self, rule: &str, id: u64) -> u64 {
        if self.is(rule) { 1 } else { id }
    }

    /// Returns a wrong checkpoint: with pods by number.
    fn by_number(&self) -> Checkpoint {
        let number =
            |name: &String| self.good.pods.values().find(|pod| super::good::name(pod) == *name).map(|pod| pod.id);
        let lines = self.good.tries.iter().filter_map(|(name, tries)| Some(format!("{} {tries}\n", number(name)?)));
        Checkpoint { format: 3, bytes: format!("good {}\n{}", self.good.epoch, lines.collect::<String>()).into_bytes() }
    }
}

/// Returns the answer of the good policy as the host receives it.
pub(super) fn said<T>(call: &'static str, answer: Answer<T>) -> Result<T, CallError> {
    answer.map_err(|error| CallError::Refused { call, error })
}

impl Policy for Mutant {
    fn restart(&mut self) -> Result<(), CallError> {
        *self = Mutant::breaking(self.breaks);
        Ok(())
    }
    fn has(&self, interface: Interface) -> bool {
        interface != Interface::Score || !self.is("core/points-have-interfaces")
    }
    fn describe(&mut self) -> Result<Description, CallError> {
        self.described()
    }
    fn configure(&mut self, system: &str, arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        self.configured(system, arguments)
    }
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        self.applied(events)
    }
    fn queue_keys(&mut self, pods: &[PodId]) -> Result<SortKeys, CallError> {
        self.count += i64::from(matches!(self.breaks, "core/restart" | "queue/keys-hold-in-their-epoch"));
        let known: Vec<PodId> = pods.iter().copied().filter(|pod| self.good.known(*pod).is_ok()).collect();
        let asked = if self.is("queue/unknown-pod") { known } else { pods.to_vec() };
        let mut said = said("queue-keys", self.good.clone().queue_keys(&asked))?;
        let pod = |at: usize| pods.get(at).copied().unwrap_or_default();
        for (at, key) in said.keys.iter_mut().enumerate() {
            match self.breaks {
                "core/order-of-events" => *key = KeyBuilder::new().ascending(self.arrived[&pod(at)]).build(),
                "core/numbers-mean-nothing" => *key = KeyBuilder::new().ascending(i64::from(pod(at))).build(),
                "queue/keys-hold-in-their-epoch" => *key = KeyBuilder::new().ascending(self.count).build(),
                "queue/order-of-the-question" => *key = KeyBuilder::new().ascending(at as i64).build(),
                _ => {}
            }
        }
        match self.breaks {
            "queue/one-key-a-pod" => drop(said.keys.pop()),
            "queue/epoch-never-goes-back" => said.epoch = 1_000 - said.epoch,
            // The rule about the order of the question gets a new epoch each time, so that no other rule is broken.
            "core/order-of-events" | "core/numbers-mean-nothing" => said.epoch = 0,
            "queue/order-of-the-question" => {
                self.good.epoch += 1;
                said.epoch = self.good.epoch;
            }
            _ => {}
        }
        Ok(said)
    }
    fn pre_filter(&mut self, pod: PodId) -> Result<PreFiltered, CallError> {
        if self.good.known(pod).is_err() {
            self.count += i64::from(self.is("core/errors-change-nothing"));
        }
        if self.is("core/answers-every-call") && self.good.known(pod).is_ok_and(|pod| pod.name == "p2") {
            return Err(CallError::Broke { call: "pre-filter", cause: "boom".into() });
        }
        if self.answers_stranger(pod, "placement/unknown-pod") {
            let (retry, effects) = Default::default();
            return Ok(PreFiltered { admission: Admission::Pass, retry, effects });
        }
        let mut said = said("pre-filter", self.good.pre_filter(pod))?;
        said.effects = self.effects();
        if self.is("core/retry-names-events") {
            said.retry.after = vec!["pod-gone".to_owned()];
        }
        Ok(said)
    }
    fn filter(&mut self, pod: PodId) -> Result<NodeVerdicts, CallError> {
        let mut said = said("filter", self.good.filter(pod))?;
        match self.breaks {
            "placement/a-verdict-for-every-node" => drop(said.codes.pop()),
            "placement/codes-have-obstacles" => said.obstacles.clear(),
            "placement/judged-room-is-there" => said.codes.fill(0),
            "core/reasons-have-codes" => said.obstacles.iter_mut().for_each(|it| it.reason.code.clear()),
            "core/reasons-are-registered" => {
                said.obstacles.iter_mut().for_each(|it| it.reason = reason("unheard-of", Vec::new()));
            }
            _ => {}
        }
        Ok(said)
    }
    fn post_filter(&mut self, pods: &[PodId], refuted: &Refuted) -> Result<PostFiltered, CallError> {
        let (none, first) = (Refuted::default(), pods.first().copied().unwrap_or_default());
        let twice = self.is("placement/pods-of-post-filter-once") && pods.len() > 1;
        let pods = if twice { &[first] } else { pods };
        let refuted = if self.is("placement/refuted-is-not-planned") { &none } else { refuted };
        let mut said = said("post-filter", self.good.post_filter(pods, refuted))?;
        if let Some(plan) = &mut said.plan {
            plan.id = self.number("placement/plan-numbers-once", plan.id);
            match self.breaks {
                "placement/plans-are-sound" => plan.victims.clear(),
                "placement/plans-are-within-the-rails" => plan.victims.extend(self.good.protected_victim()),
                "a lower priority" => plan.victims.extend(self.good.outranking_victim(plan.preemptor)),
                _ => {}
            }
        }
        Ok(said)
    }
    fn score(&mut self, pod: PodId, nodes: &[NodeId]) -> Result<Vec<i64>, CallError> {
        if self.answers_stranger(pod, "score/unknown-pod") {
            return Ok(vec![0; nodes.len()]);
        }
        let mut said = said("score", self.good.score(pod, nodes))?;
        said.iter_mut().for_each(|score| *score = (*score + self.stray()) % 101);
        match self.breaks {
            "score/one-score-a-node" => drop(said.pop()),
            "score/from-0-to-100" => said.iter_mut().for_each(|score| *score += 101),
            "score/order-of-the-question" => said = (0..nodes.len() as i64).collect(),
            "core/numbers-have-holes" => said = nodes.iter().map(|node| i64::from(*node) % 101).collect(),
            _ => {}
        }
        Ok(said)
    }
    fn reserve(&mut self, pod: PodId, node: NodeId) -> Result<Effects, CallError> {
        said("reserve", self.good.reserve(pod, node))
    }
    fn unreserve(&mut self, pod: PodId, _cause: ReleaseCause) -> Result<Effects, CallError> {
        if self.is("placement/unreserve-undoes-reserve") {
            return Ok(Effects::default());
        }
        if self.is("account/unreserve-gives-back") {
            let node = self.good.reserved.get(&pod).copied();
            self.good.pods.entry(pod).and_modify(|pod| pod.node = node);
        }
        said("unreserve", self.good.unreserve(pod))
    }
    fn permit(&mut self, pod: PodId) -> Result<Permitted, CallError> {
        if self.is("permit/after-unreserve") && self.arrived.insert(pod, -1) == Some(-1) {
            return said("permit", Err(PolicyError::WrongState("it was permitted before".to_owned())));
        }
        if self.answers_stranger(pod, "permit/unknown-pod") {
            let (reason, retry, effects) = Default::default();
            return Ok(Permitted { permission: Permission::Allow, reason, retry, effects });
        }
        let mut said = said("permit", self.good.permit(pod))?;
        if self.is("permit/waits-are-not-negative") && matches!(said.permission, Permission::Wait(_)) {
            said.permission = Permission::Wait(-1);
        }
        Ok(said)
    }
    fn act(&mut self) -> Result<Actions, CallError> {
        let mut said = said("act", self.good.act())?;
        let closed = self.good.nodes.values().find(|node| node.name == "n4").map(|node| node.id);
        match (self.breaks, closed) {
            ("cycle/ends", _) => said.more = true,
            ("cycle/slices-are-whole", _) => said.plans.slices.iter_mut().for_each(|plan| plan.victims_end += 5),
            ("cycle/bindings-are-sound", Some(node)) => said.bindings.iter_mut().for_each(|at| at.node = node),
            ("cycle/plans-are-sound", _) => {
                said.plans.victims.clear();
                said.plans.slices.iter_mut().for_each(|plan| plan.victims_end = 0);
            }
            ("cycle/plans-are-within-the-rails", _) => self.good.evict_protected(&mut said.plans),
            ("cycle/plan-numbers-once", _) => said.plans.slices.iter_mut().for_each(|plan| plan.id = 1),
            _ => {}
        }
        Ok(said)
    }
    fn enforce(&mut self) -> Result<Enforced, CallError> {
        let mut said = said("enforce", self.good.enforce())?;
        let pending = self.good.pending().first().map(|pod| Victim { pod: pod.id, eviction: Eviction::Delete });
        for it in &mut said.enforcements {
            it.id = self.number("enforce/numbers-once", it.id);
            match (self.breaks, it.victims.first().cloned()) {
                ("enforce/victims-once", Some(first)) => it.victims.push(first),
                ("enforce/victims-are-sound", _) => it.victims.extend(pending.clone()),
                _ => {}
            }
        }
        Ok(said)
    }
    fn queues(&mut self) -> Result<Vec<QueueAccount>, CallError> {
        let mut said = said("queues", self.good.queues())?;
        match self.breaks {
            "account/parents-before-children" => said.reverse(),
            "account/amounts-are-known" => {
                said.iter_mut().flat_map(|queue| &mut queue.used).for_each(|amount| amount.resource = 99);
            }
            _ => {}
        }
        Ok(said)
    }
    fn memberships(&mut self, pods: &[PodId]) -> Result<Vec<Membership>, CallError> {
        self.members(pods)
    }
    fn marks(&mut self, pod: PodId, node: NodeId) -> Result<Vec<Mark>, CallError> {
        self.marked(pod, node)
    }
    fn standings(&mut self, pods: &[PodId]) -> Result<Vec<Vec<Threat>>, CallError> {
        self.threats(pods)
    }
    fn record_notes(&mut self, pods: &NotedPods) -> Result<(), CallError> {
        self.good.noting = *pods != NotedPods::None;
        Ok(())
    }
    fn notes(&mut self, pod: PodId) -> Result<Vec<Note>, CallError> {
        if self.is("explain/unknown-pod") && self.good.known(pod).is_err() {
            return Err(CallError::Broke { call: "notes", cause: "boom".into() });
        }
        let notes = self.good.known(pod).map(|pod| self.good.notes.get(&pod.id).cloned().unwrap_or_default());
        let mut notes = said("notes", notes)?;
        if self.is("explain/notes-once") {
            notes.extend(notes.first().cloned());
        }
        Ok(notes)
    }
    fn save(&mut self) -> Result<Checkpoint, CallError> {
        let saved = if self.is("state/restored-decides-alike") { self.by_number() } else { self.good.save() };
        if self.is("state/saving-changes-nothing") {
            self.good.tries.clear();
        }
        Ok(saved)
    }
    fn restore(&mut self, checkpoint: &Checkpoint) -> Result<Result<(), StateError>, CallError> {
        let mut checkpoint = checkpoint.clone();
        let malformed = Err(StateError::Malformed("as ever".to_owned()));
        match self.breaks {
            "state/own-checkpoint-is-taken" => return Ok(malformed),
            "state/unknown-format-is-refused" => checkpoint.format = 3,
            "state/refused-restore-changes-nothing" => self.good.tries.clear(),
            _ => {}
        }
        let taken = self.good.restore(&checkpoint);
        if self.is("state/restored-decides-alike") {
            let tries = std::mem::take(&mut self.good.tries);
            let named = |id: &str| self.good.pods.get(&id.parse().ok()?).map(name);
            self.good.tries = tries.into_iter().filter_map(|(id, tries)| Some((named(&id)?, tries))).collect();
        }
        let ignores = self.is("state/garbage-is-refused") && matches!(taken, Err(StateError::Malformed(_)));
        Ok(if ignores { Ok(()) } else { taken })
    }
}
