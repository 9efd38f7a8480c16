//! Scenes in the words of the contract.

use serde_json::json;

use crate::contract::{Event, Object};
use crate::scene::{JOB, Laws, Leaving, Pair, Place, Pod, Scene};
use crate::testing::{self, INSIDE, NameNumbering, OPT_OUT, PodBuilder, PolicyHarness, QUOTA, SOFT_EVICTION};

impl Scene {
    /// Builds a policy with the laws of the scene that has received no events yet.
    pub fn empty_world(&self) -> PolicyHarness {
        PolicyHarness::of(self.laws.name, &self.laws.arguments())
    }

    /// Builds a policy that received the scene, one event after the other.
    pub fn world(&self) -> PolicyHarness {
        let mut world = self.empty_world();
        let events = self.events(&mut world.numbers);
        world.apply(events);
        world
    }

    /// Returns the whole scene as events, one for each object, node and pod.
    pub fn events(&self, numbers: &mut NameNumbering) -> Vec<Event> {
        let mut events: Vec<Event> = self.objects().into_iter().map(Event::ObjectUpserted).collect();
        for (at, has) in self.nodes.iter().enumerate() {
            events.push(numbers.node(&format!("n{at}"), &amounts(*has)));
        }
        for pod in &self.pods {
            events.extend(numbers.pod(&pod.draft(self.laws.name)));
        }
        events
    }

    pub fn objects(&self) -> Vec<Object> {
        if self.laws.name != "koordinator" {
            let budget = |(at, allowed)| budget(&format!("q{at}"), allowed);
            let allowed = self.quotas.iter().enumerate().filter_map(|(at, quota)| Some((at, quota.disruptions?)));
            return allowed.map(budget).collect();
        }
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
}

/// Builds a budget for the pods that are labelled with a quota.
fn budget(quota: &str, allowed: i64) -> Object {
    let selector = json!({"matchLabels": {QUOTA: quota}});
    let body = json!({"spec": {"selector": selector}, "status": {"disruptionsAllowed": allowed}});
    testing::object("PodDisruptionBudget", &format!("default/{quota}"), [&[], &[]], body)
}

impl Laws {
    fn arguments(&self) -> String {
        match self.name {
            "koordinator" => json!({
                "disableDefaultPreemptiable": self.unlabelled_is_non_preemptible,
                "disableDefaultTriggerPreemption": self.only_labels_trigger,
                "disableDefaultQuotaPreemption": self.default_quota_is_spared,
                "enableCheckParentQuota": self.parents_bind,
                "enableRuntimeQuota": self.shares_out,
            })
            .to_string(),
            _ => String::new(),
        }
    }
}

fn amounts([cpu, gpu]: Pair) -> String {
    format!("cpu={cpu} gpu={gpu}")
}

impl Pod {
    /// Returns the name of the pod in the world: `group/name`.
    pub fn full_name(&self) -> String {
        let reservation_group = if self.is_reservation { "Reservation" } else { "default" };
        format!("{reservation_group}/{}", self.name)
    }

    fn draft(&self, laws: &str) -> PodBuilder {
        let new = if self.is_reservation { testing::reservation } else { testing::pod };
        let mut draft = new(&self.name).priority(self.priority).requests(&amounts(self.asks));
        draft = match self.place {
            Place::Pending => draft,
            Place::Nominated(node) => draft.nominated(&format!("n{node}")),
            Place::Running(node) => draft.on(&format!("n{node}")),
        };
        for (key, value) in self.labels(laws) {
            draft = draft.label(key, &value);
        }
        if let Some(inside) = self.inside.filter(|_| laws == "koordinator") {
            draft = draft.annotation(INSIDE, &json!({"name": inside}).to_string());
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

    fn labels(&self, laws: &str) -> Vec<(&'static str, String)> {
        let can_preempt =
            if self.is_reservation { "scheduling.koordinator.sh/can-preempt" } else { testing::CAN_PREEMPT };
        let mut labels: Vec<(&str, String)> = Vec::new();
        labels.extend(self.preemptible.map(|flag| (testing::PREEMPTIBLE, flag.to_string())));
        labels.extend(self.can_preempt.map(|flag| (can_preempt, flag.to_string())));
        labels.extend(self.quota.map(|quota| (QUOTA, format!("q{quota}"))));
        labels.extend(self.job.filter(|_| laws == "koordinator").map(|job| (testing::JOB, job.to_owned())));
        labels.extend(self.opted_out.then(|| (OPT_OUT, "true".to_owned())));
        labels.extend((self.leaving == Some(Leaving::Marked)).then(|| (SOFT_EVICTION, "true".to_owned())));
        if let Some(job) = self.job.filter(|_| laws == "coscheduling") {
            labels.extend([("pod-group/name", job.to_owned()), ("pod-group/min-available", "2".to_owned())]);
        }
        labels
    }
}
