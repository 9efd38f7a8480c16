//! The orders that the plugin carries out (`orders.go`).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use lictor_host::session::{CommandId, CommandOutcome};
use serde_json::{Value, json};

use crate::message::{CommandMessage, Commands, MarkMessage, Outcomes, ReleaseMessage};
use crate::say;
use crate::wire::kind;

use super::hints::POD_UPSERTED;
use super::play::SchedulerSimulation;
use super::plugin::PermitSignal;
use super::tasks::{Continuation, EvictionStep};
use super::world::{Object, SchedulerApiRequest, is_being_deleted, node_of, nominated, uid_of};

/// A plan that is carried out.
#[derive(Debug)]
pub(super) struct PlanExecution {
    /// The conversation that it comes from.
    connection: u64,
    commands: Vec<CommandMessage>,
    /// The nominations that kube-scheduler writes.
    written: BTreeSet<CommandId>,
    at: usize,
    /// The reason for which no pod is evicted.
    failed: String,
}

/// Returns the body of a patch that writes marks.
pub(super) fn marks(marks: &[MarkMessage]) -> Value {
    let mut places = BTreeMap::from([("labels", json!({})), ("annotations", json!({}))]);
    for mark in marks {
        let place = if mark.place == "label" { "labels" } else { "annotations" };
        places.entry(place).or_default()[&mark.key] = mark.value.as_str().into();
    }
    json!({"metadata": places})
}

fn is_gone(code: Option<u16>) -> bool {
    matches!(code, Some(404 | 409 | 422))
}

impl SchedulerSimulation<'_> {
    /// Carries out orders. Requests, which take time, are put into the tasks.
    pub(super) fn apply_commands(&mut self, commands: Commands) {
        let talk = self.host.number;
        self.add_line(|| format!("host {talk} commands {commands:?}"));
        let mut plan = Vec::new();
        for order in commands.commands {
            if order.action != "confirm" {
                let open = self.plugin.open.entry(order.object.uid.clone()).or_default();
                open.insert(order.action.clone(), order.clone());
            }
            match order.action.as_str() {
                _ if order.object.kind != "Pod" => {
                    self.report(talk, order.id, Err("kube-scheduler places pods only".to_owned()));
                }
                "bind" => self.allow(talk, &order),
                "confirm" => self.confirm(talk, order),
                _ => plan.push(order),
            }
        }
        for lost in commands.released {
            self.release(&lost);
        }
        if commands.anew {
            let woken = self.plugin.hints.host_returned();
            self.activate(woken);
        }
        if plan.is_empty() {
            return;
        }
        let written = self.record_plan(&plan);
        let number = self.tasks.number();
        self.tasks
            .runs
            .insert(number, PlanExecution { connection: talk, commands: plan, written, at: 0, failed: String::new() });
        self.carry_on(number);
    }

    /// Keeps the victims of a plan with the pods that they leave for. Returns the nominations that kube-scheduler writes.
    fn record_plan(&mut self, plan: &[CommandMessage]) -> BTreeSet<CommandId> {
        let (mut written, mut preemptors) = (BTreeSet::new(), Vec::new());
        for order in plan.iter().filter(|order| order.action == "nominate") {
            if order.node.is_empty() {
                let woken = self.plugin.hints.withdrawn(&order.object.uid);
                self.activate(woken);
                continue;
            }
            preemptors.push(order.object.pod_name());
            let takes =
                |asked: &mut super::plugin::PlanRequest| asked.assigns_node(&order.object.pod_name(), &order.node);
            if self.plugin.plan_request.as_mut().is_some_and(takes) {
                written.insert(order.id);
            }
        }
        for order in plan.iter().filter(|order| order.action == "evict") {
            self.plugin.victims.record_eviction(&order.object.uid, &preemptors);
            let node = self.feed_node_of(&order.object);
            if let Some(asked) = &mut self.plugin.plan_request {
                asked.evicted.entry(node).or_default().push(order.object.clone());
            }
        }
        self.observer.planned(self.api_server.now, self.host.number, plan);
        self.judge_budgets(plan);
        written
    }

    /// Lets a pod be bound. A pod of a question learns it from the answer; a pod that waits is woken.
    fn allow(&mut self, talk: u64, order: &CommandMessage) {
        let name = order.object.pod_name();
        let held = self.plugin.reserved.get_mut(&name).filter(|held| held.uid == order.object.uid);
        let Some(held) = held else {
            return self.report(talk, order.id, Err("kube-scheduler has given up the pod".to_owned()));
        };
        let waits = std::mem::take(&mut held.waiting);
        (held.bind, held.marks) = (order.id, order.marks.clone());
        if waits {
            self.signal_waiting(&name, PermitSignal::Allow);
        }
    }

    /// Lets go of a pod that has lost its node.
    fn release(&mut self, lost: &ReleaseMessage) {
        if self.plugin.reserved.get(&lost.pod).is_some_and(|held| held.bind == 0) {
            self.signal_waiting(
                &lost.pod,
                if lost.cause == "preempted" { PermitSignal::Preempt } else { PermitSignal::Reject },
            );
        }
    }

    /// Continues a plan: first the pods that get the room are nominated, one after the other, then the victims are evicted together.
    fn carry_on(&mut self, number: u64) {
        while let Some(run) = self.tasks.runs.get_mut(&number) {
            let Some(order) = run.commands.get(run.at).cloned() else { break };
            let talk = run.connection;
            if order.action != "nominate" {
                run.at += 1;
            } else if run.written.contains(&order.id) {
                run.at += 1;
                self.report(talk, order.id, Ok(()));
            } else {
                let node = if order.node.is_empty() { Value::Null } else { order.node.as_str().into() };
                let body = json!({"status": {"nominatedNodeName": node}});
                let (pod, uid) = (order.object.pod_name(), order.object.uid.clone());
                return self.send(
                    SchedulerApiRequest { verb: "patch status", pod, uid, body },
                    Continuation::Nominated(number),
                );
            }
        }
        let Some(run) = self.tasks.runs.get(&number) else { return };
        let failed = run.failed.clone();
        let victims: Vec<CommandMessage> =
            run.commands.iter().filter(|order| order.action == "evict").cloned().collect();
        for order in victims {
            if failed.is_empty() {
                let stage = if order.marks.is_empty() { EvictionStep::Condition } else { EvictionStep::Mark };
                self.evict(number, order, stage);
            } else {
                self.settle(number, &order, Err(failed.clone()));
            }
        }
    }

    pub(super) fn nominated(&mut self, number: u64, error: Option<u16>) {
        let Some(run) = self.tasks.runs.get_mut(&number) else { return };
        let order = run.commands[run.at].clone();
        run.at += 1;
        let talk = run.connection;
        let outcome = error.map_or(Ok(()), |code| Err(format!("code {code}")));
        if outcome.is_err() && !order.node.is_empty() {
            run.failed = "nobody is evicted for a nomination that failed".to_owned();
        }
        self.conclude(talk, &order, outcome);
        self.carry_on(number);
    }

    /// Marks a victim, gives it its condition, or deletes it.
    fn evict(&mut self, number: u64, order: CommandMessage, stage: EvictionStep) {
        let (verb, body) = match stage {
            EvictionStep::Mark => ("patch", marks(&order.marks)),
            EvictionStep::Condition => {
                let message = format!("preempted by plan {} of the policy", order.plan);
                let condition = json!({"type": "DisruptionTarget", "status": "True",
                                       "reason": "PreemptionByScheduler", "message": message});
                ("patch status", json!({"status": {"conditions": [condition]}}))
            }
            EvictionStep::Delete => {
                ("delete", json!({"plan": order.plan, "host": self.tasks.runs[&number].connection}))
            }
        };
        let (pod, uid) = (order.object.pod_name(), order.object.uid.clone());
        self.send(SchedulerApiRequest { verb, pod, uid, body }, Continuation::Evicted(number, order, stage));
    }

    pub(super) fn evicted(&mut self, number: u64, order: CommandMessage, stage: EvictionStep, error: Option<u16>) {
        match stage {
            EvictionStep::Mark if error.is_none() && order.delete => self.evict(number, order, EvictionStep::Condition),
            EvictionStep::Condition if error.is_none() || is_gone(error) => {
                self.evict(number, order, EvictionStep::Delete)
            }
            _ => {
                let is_gone = match stage {
                    EvictionStep::Mark => matches!(error, Some(404 | 422)),
                    EvictionStep::Condition | EvictionStep::Delete => is_gone(error),
                };
                let is_done = error.is_none() || is_gone;
                let outcome = if is_done { Ok(()) } else { Err(format!("code {error:?}")) };
                self.settle(number, &order, outcome);
            }
        }
    }

    /// Reports the outcome of an eviction.
    fn settle(&mut self, number: u64, order: &CommandMessage, outcome: Result<(), String>) {
        if outcome.is_err() {
            self.plugin.victims.record_stay(&order.object.uid);
        }
        if let Some(run) = self.tasks.runs.get(&number) {
            self.conclude(run.connection, order, outcome);
        }
    }

    /// Looks up the outcome of a command.
    fn confirm(&mut self, talk: u64, asked: CommandMessage) {
        let held = self.plugin.reserved.get(&asked.object.pod_name());
        if held.is_some_and(|held| held.bind == asked.id) {
            return self.report(talk, asked.id, Ok(()));
        }
        let pod = asked.object.pod_name();
        let request = SchedulerApiRequest { verb: "get", pod, uid: String::new(), body: Value::Null };
        let known = self.plugin.feed.objects.get(&asked.object.key()).cloned();
        self.send(request, Continuation::Confirmed(talk, asked, known));
    }

    pub(super) fn confirmed(
        &mut self,
        talk: u64,
        asked: &CommandMessage,
        known: Option<&Object>,
        answer: Result<Object, u16>,
    ) {
        let pod = match answer {
            Ok(pod) if uid_of(&pod) == asked.object.uid => pod,
            Ok(_) | Err(404) => return self.report(talk, asked.id, Err("the pod is gone".to_owned())),
            Err(_) => return,
        };
        let order = self.plugin.open_command(asked).cloned();
        let now = self.plugin.feed.objects.get(&asked.object.key());
        if now.zip(known).is_some_and(|(now, known)| Rc::ptr_eq(now, known)) {
            self.feed_upserted("Pod", &pod);
        }
        let done = order.is_some_and(|order| match order.action.as_str() {
            "evict" => is_being_deleted(&pod) || !order.delete,
            "nominate" => nominated(&pod) == order.node,
            _ => !node_of(&pod).is_empty(),
        });
        let outcome = if done { Ok(()) } else { Err("the cluster does not show it".to_owned()) };
        self.conclude(talk, asked, outcome);
    }

    /// Reports the outcome of a command. Where the command was not carried out, the host promises nothing for it any more (`fail`).
    fn conclude(&mut self, talk: u64, order: &CommandMessage, outcome: Result<(), String>) {
        let has_failed = outcome.is_err();
        self.report(talk, order.id, outcome);
        if has_failed {
            for woken in [self.plugin.hints.given_up(POD_UPSERTED), self.plugin.hints.victim_stayed(&order.object.uid)]
            {
                self.activate(woken);
            }
        }
    }

    /// Reports the outcome of a command, where its conversation is still open.
    pub(super) fn report(&mut self, talk: u64, id: CommandId, outcome: Result<(), String>) {
        self.add_line(|| format!("command {id} of host {talk}: {outcome:?}"));
        if talk != self.host.number || !self.host.is_available() {
            return;
        }
        let outcome = outcome.map_or_else(CommandOutcome::Failed, |()| CommandOutcome::Accepted);
        let outcomes: Outcomes = vec![(id, outcome)];
        self.host.inbox.push_back(say::encode_frame(kind::OUTCOMES, 0, &outcomes).unwrap());
    }
}
