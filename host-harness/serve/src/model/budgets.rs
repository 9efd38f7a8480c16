//! PodDisruptionBudgets: their controller, and evictions of pods that were only marked.
//!
//! kube-scheduler deletes its victims, as upstream (`orders.go`): the API server refuses no such deletion for a budget. So the host alone keeps to
//! the budgets. Pods that were only marked are evicted by a descheduler, which the API server refuses with 429 where a budget allows no disruption.

use std::collections::BTreeMap;

use lictor_host::living::only_marks;
use serde_json::{Value, json};

use super::play::SchedulerSimulation;
use super::world::{Object, is_being_deleted, moment, name_of, text};
use crate::message::CommandMessage;

const KIND: &str = "PodDisruptionBudget.policy";
const BUDGETS: usize = 2;

/// Returns the label `budget` of a pod of this name. About half of the pods have a label that no budget selects.
pub(super) fn budget_label(name: &str) -> String {
    format!("b{}", name.bytes().map(usize::from).sum::<usize>() % (2 * BUDGETS))
}

/// Returns the name of the budget that would cover a pod.
fn budget_of(pod: &Value) -> String {
    format!("default/{}", text(pod, "/metadata/labels/budget"))
}

/// Returns whether a pod is ready. A budget covers its disruption then, and counts the pod as healthy while it is not being deleted.
fn is_ready(pod: &Value) -> bool {
    let all = pod.pointer("/status/conditions").and_then(Value::as_array);
    all.into_iter().flatten().any(|it| it["type"] == "Ready" && it["status"] == "True")
}

/// Returns how many disruptions a budget allows now. None before its controller has seen its newest version.
fn allowed(budget: &Value) -> u64 {
    let is_observed = budget["metadata"]["generation"] == budget["status"]["observedGeneration"];
    budget["status"]["disruptionsAllowed"].as_u64().filter(|_| is_observed).unwrap_or_default()
}

impl SchedulerSimulation<'_> {
    /// Creates, changes or deletes a budget, as users do. Its controller sees that later.
    pub(super) fn change_budget(&mut self) {
        let (number, least, deletes) = (self.random.below(BUDGETS), self.random.below(4), self.random.percent(30));
        let name = format!("default/b{number}");
        if self.api_server.get(KIND, &name).is_none() {
            let label = format!("b{number}");
            self.api_server.create(json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                "metadata": {"name": label, "namespace": "default", "generation": 1},
                "spec": {"minAvailable": least, "selector": {"matchLabels": {"budget": label}}}, "status": {}}));
        } else if deletes {
            self.api_server.remove(KIND, &name);
        } else {
            self.api_server.change(KIND, &name, |budget| {
                if budget["spec"]["minAvailable"] != least {
                    budget["spec"]["minAvailable"] = least.into();
                    budget["metadata"]["generation"] = (budget["metadata"]["generation"].as_u64().unwrap() + 1).into();
                }
            });
        }
    }

    /// Acts as the controller of budgets: counts the healthy pods of each budget.
    pub(super) fn update_budgets(&mut self) {
        let mut healthy: BTreeMap<String, u64> = BTreeMap::new();
        for pod in self.api_server.all("Pod").filter(|pod| is_ready(pod) && !is_being_deleted(pod)) {
            *healthy.entry(budget_of(pod)).or_default() += 1;
        }
        let names: Vec<String> = self.api_server.all(KIND).map(|budget| name_of(budget)).collect();
        for name in names {
            let healthy = healthy.get(&name).copied().unwrap_or_default();
            self.api_server.change(KIND, &name, |budget| {
                let least = budget["spec"]["minAvailable"].as_u64().unwrap();
                budget["status"] = json!({
                    "observedGeneration": budget["metadata"]["generation"], "currentHealthy": healthy,
                    "desiredHealthy": least, "disruptionsAllowed": healthy.saturating_sub(least),
                });
            });
        }
    }

    /// Evicts a marked pod, as a descheduler does by the Eviction API. The API server counts the eviction against the budget, or refuses it with 429.
    pub(super) fn evict_marked(&mut self, pod: &Object) {
        let (name, budget) = (name_of(pod), budget_of(pod));
        let covering = self.api_server.get(KIND, &budget).filter(|_| is_ready(pod)).cloned();
        let is_refused = covering.as_ref().is_some_and(|budget| allowed(budget) == 0);
        *self.observer.calls.entry(if is_refused { "evict 429" } else { "evict" }).or_default() += 1;
        if is_refused {
            return self.add_line(|| format!("429 evict {name}: {budget} allows 0 disruptions"));
        }
        let now = moment(self.now());
        self.api_server.change(KIND, &budget, |budget| {
            if covering.is_some() {
                budget["status"]["disruptionsAllowed"] = (allowed(budget) - 1).into();
                budget["status"]["disruptedPods"][text(pod, "/metadata/name")] = now.into();
            }
        });
        self.api_server.stop(&name);
    }

    /// Deletes the budgets in half of the plays, and where another controller evicts what is marked: a budget may forbid that for good.
    pub(super) fn end_budgets(&mut self) {
        if self.random.percent(50) || only_marks(self.system.name, self.arguments) {
            let names: Vec<String> = self.api_server.all(KIND).map(|budget| name_of(budget)).collect();
            names.iter().for_each(|name| self.api_server.remove(KIND, name));
        }
    }

    /// Finds a plan with more victims of a budget than the budget allows, as the host has received it.
    pub(super) fn judge_budgets(&mut self, plan: &[CommandMessage]) {
        let objects = &self.plugin.feed.objects;
        let mut victims: BTreeMap<String, u64> = BTreeMap::new();
        for order in plan.iter().filter(|order| order.action == "evict") {
            if let Some(victim) = objects.get(&order.object.key()).filter(|pod| is_ready(pod)) {
                *victims.entry(budget_of(victim)).or_default() += 1;
            }
        }
        let budgets =
            victims.iter().filter_map(|(name, count)| Some((objects.get(&format!("{KIND}/{name}"))?, *count)));
        let broken: Vec<String> = budgets
            .filter(|(budget, count)| *count > allowed(budget))
            .map(|(budget, count)| {
                format!("a plan evicts {count} pods of {}, which allows {}", name_of(budget), allowed(budget))
            })
            .collect();
        broken.into_iter().for_each(|violation| self.observer.violate_in_calm(violation));
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use lictor_host::verify::testing::pod;

    use super::super::system;
    use super::*;

    #[test]
    fn a_plan_with_more_victims_than_their_budget_allows_is_found() {
        let system = system::named("kubernetes");
        let mut play = SchedulerSimulation::begin(&system, 0);
        play.observer.calm(true);
        let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"name": "b0", "namespace": "default", "generation": 2},
            "status": {"observedGeneration": 2, "disruptionsAllowed": 1}});
        play.plugin.feed.objects.insert(format!("{KIND}/default/b0"), Rc::new(budget));
        let plan: Vec<CommandMessage> = ["v", "w"]
            .map(|name| {
                let mut victim = pod(name, 1, 0);
                victim["metadata"]["labels"] = json!({"budget": "b0"});
                victim["status"]["conditions"] = json!([{"type": "Ready", "status": "True"}]);
                play.plugin.feed.objects.insert(format!("Pod/default/{name}"), Rc::new(victim));
                let [kind, namespace, name, uid] = ["Pod", "default", name, "1"].map(str::to_owned);
                let object = lictor_host::session::ObjectRef { kind, namespace, name, uid };
                let (action, node) = ("evict".to_owned(), String::new());
                CommandMessage { id: 1, action, object, node, delete: true, plan: 1, marks: Vec::new() }
            })
            .into();
        play.judge_budgets(&plan[..1]);
        assert_eq!(play.observer.violations, [""; 0]);
        play.judge_budgets(&plan);
        assert_eq!(play.observer.violations, ["a plan evicts 2 pods of default/b0, which allows 1"]);
    }
}
