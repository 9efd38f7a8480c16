//! A policy under test: a test sends it the events of a cluster and calls it.

use std::collections::BTreeMap;

use super::{NameNumbering, PodBuilder, RESOURCES};
use crate::Engine;
use crate::contract::*;

/// A policy and the cluster that a test announces to it, one call of `apply` for each event.
#[derive(Debug)]
pub struct PolicyHarness {
    pub engine: Engine,
    pub numbers: NameNumbering,
    /// The findings for the authors of the objects so far.
    pub findings: Vec<Finding>,
}

/// A plan in names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPlan {
    pub id: u64,
    /// The node of each pod.
    pub nominations: BTreeMap<String, String>,
    pub victims: Vec<String>,
}

impl PolicyHarness {
    /// Creates a policy with Koordinator's laws.
    pub fn new() -> PolicyHarness {
        PolicyHarness::with("")
    }

    /// Creates a policy with Koordinator's laws and these arguments.
    pub fn with(arguments: &str) -> PolicyHarness {
        PolicyHarness::of("koordinator", arguments)
    }

    pub fn of(laws: &str, arguments: &str) -> PolicyHarness {
        let mut engine = Engine::default();
        engine.configure(laws, arguments).unwrap();
        let mut world = PolicyHarness { engine, numbers: NameNumbering::new(laws), findings: Vec::new() };
        let resources = RESOURCES.map(|name| Resource { name: name.to_owned(), everywhere: 0 });
        world.apply(vec![Event::Resources(resources.to_vec())]);
        world
    }

    pub fn apply(&mut self, events: Vec<Event>) {
        let applied = self.engine.apply(events).unwrap();
        self.findings.extend(applied.findings);
    }

    pub fn node(&mut self, name: &str, amounts: &str) {
        let event = self.numbers.node(name, amounts);
        self.apply(vec![event]);
    }

    pub fn pod(&mut self, draft: PodBuilder) {
        let events = self.numbers.pod(&draft);
        self.apply(events.to_vec());
    }

    pub fn remove_pod(&mut self, pod: &str) {
        let id = self.id(pod);
        self.apply(vec![Event::PodRemoved(id)]);
    }

    pub fn object(&mut self, object: Object) {
        self.apply(vec![Event::ObjectUpserted(object)]);
    }

    /// Returns the number of a pod; without a namespace it is `default`.
    pub fn id(&self, pod: &str) -> PodId {
        let name = if pod.contains('/') { pod.to_owned() } else { format!("default/{pod}") };
        *self.numbers.pods.get(&name).unwrap()
    }

    fn name(names: &BTreeMap<String, u32>, id: u32) -> String {
        names.iter().find(|(_, other)| **other == id).map(|(name, _)| name.clone()).unwrap()
    }

    pub fn pod_name(&self, id: PodId) -> String {
        PolicyHarness::name(&self.numbers.pods, id)
    }

    pub fn node_name(&self, id: NodeId) -> String {
        PolicyHarness::name(&self.numbers.nodes, id)
    }

    /// Returns these pods in the order of their keys, as a host sorts them.
    pub fn queue(&mut self, pods: &[PodId]) -> Vec<PodId> {
        let mut pods = pods.to_vec();
        pods.sort_by_key(|pod| self.pod_name(*pod));
        self.engine.queue_keys(&pods).unwrap().sort(pods)
    }

    pub fn pre_filter(&mut self, pod: &str) -> Admission {
        self.engine.pre_filter(self.id(pod)).unwrap().admission
    }

    pub fn post_filter(&mut self, pod: &str) -> PostFiltered {
        self.engine.post_filter(&[self.id(pod)], &Refuted::default()).unwrap()
    }

    /// Returns the plan for a pod. The error is the law that refused it.
    pub fn plan(&mut self, pod: &str) -> Result<NamedPlan, String> {
        let PostFiltered { plan, reason, .. } = self.post_filter(pod);
        plan.map(|plan| self.named(&plan)).ok_or(reason.code)
    }

    pub fn named(&self, plan: &Plan) -> NamedPlan {
        let nominations = plan.nominations.iter().map(|at| (self.pod_name(at.pod), self.node_name(at.node))).collect();
        NamedPlan {
            id: plan.id,
            nominations,
            victims: plan.victims.iter().map(|victim| self.pod_name(victim.pod)).collect(),
        }
    }

    pub fn reserve(&mut self, pod: &str, node: &str) {
        let node = *self.numbers.nodes.get(node).unwrap();
        self.engine.reserve(self.id(pod), node).unwrap();
    }

    /// Returns the notes on a pod, a line each: the subject, the outcome, the law without its system, and the facts.
    pub fn trace_lines(&self, preemptor: &str) -> Vec<String> {
        let line = |note: Note| {
            let subject = match note.subject {
                Subject::Preemptor => "asker".to_owned(),
                Subject::Pod(pod) => self.pod_name(pod).trim_start_matches("default/").to_owned(),
                Subject::Node(node) => self.node_name(node),
                Subject::Queue(queue) => format!("queue {queue}"),
            };
            let code = note.reason.code.split_once('/').map_or(note.reason.code.as_str(), |(_, law)| law);
            format!("{subject} {:?} {code}: {}", note.outcome, render_reason(&note.reason))
        };
        self.engine.notes(self.id(preemptor)).unwrap().into_iter().map(line).collect()
    }

    /// Returns the account of a quota.
    pub fn account(&self, name: &str) -> QueueAccount {
        self.engine.queues().unwrap().into_iter().find(|queue| queue.name == name).unwrap()
    }
}

/// Writes a reason in a line: its case, where it has one, and its facts.
pub fn render_reason(reason: &Reason) -> String {
    let amount = |amount: &Amount| {
        let resource = usize::try_from(amount.resource).ok().and_then(|at| RESOURCES.get(at)).copied().unwrap_or("?");
        format!("{resource} {}", crate::quantity::exact(resource, amount.value))
    };
    let fact = |Fact { name, value }: &Fact| match value {
        FactValue::Amounts(amounts) => {
            format!("{name} {}", amounts.iter().map(amount).collect::<Vec<_>>().join(" "))
        }
        FactValue::Count(n) | FactValue::Duration(n) | FactValue::Time(n) => format!("{name} {n}"),
        FactValue::Pod(id) | FactValue::Node(id) => format!("{name} #{id}"),
        FactValue::Queue(text) | FactValue::Job(text) | FactValue::Text(text) => format!("{name} {text}"),
    };
    let facts = reason.facts.iter().map(fact).collect::<Vec<_>>().join(", ");
    match (reason.case.as_str(), facts.as_str()) {
        ("", facts) => facts.to_owned(),
        (case, "") => case.to_owned(),
        (case, facts) => format!("{case}: {facts}"),
    }
}

/// Fails if one of these lines is not among the notes.
pub fn assert_trace(said: &[String], lines: &[&str]) {
    for line in lines {
        assert!(said.iter().any(|said| said == line), "`{line}` is not in {said:#?}");
    }
}
