//! A small scheduler that decides as scheduler-plugins does, in clusters in which pods request whole cpus. GPUs are counted by quotas alone.

#![expect(clippy::arithmetic_side_effects, reason = "the amounts of a case are small")]

use std::collections::BTreeMap;

use serde_json::Value;

use crate::JudgeRequest;
use crate::coscheduling::answer::{
    Amounts, CoschedulingPermit, CoschedulingPostFilter, CoschedulingResponse, NamespaceQuota, UpstreamPlan,
    UpstreamRefusal,
};
use crate::coscheduling::groups::{group, minimum, namespace};
use crate::coscheduling::view::priority;
use crate::object::{is_nominated, name, pods, text};

/// Returns what upstream decides.
pub(super) fn decides(question: &JudgeRequest) -> CoschedulingResponse {
    Upstream { question, pod: question.tried().unwrap() }.answer()
}

/// Reads an amount of cpu, in thousandths of one.
fn thousandths(cpu: &str) -> i64 {
    cpu.strip_suffix('m').map_or_else(|| cpu.parse::<i64>().unwrap() * 1000, |amount| amount.parse().unwrap())
}

/// Returns the request of a pod, in thousandths of a cpu.
fn cpu(pod: &Value) -> i64 {
    thousandths(text(pod, "/spec/containers/0/resources/requests/cpu"))
}

/// Returns the GPUs that a pod requests.
fn gpus(pod: &Value) -> i64 {
    text(pod, "/spec/containers/0/resources/requests/nvidia.com~1gpu").parse().unwrap_or(0)
}

/// Returns the requests of pods together, in thousandths of a cpu.
fn sum<'p>(pods: impl Iterator<Item = &'p Value>) -> i64 {
    pods.map(cpu).sum()
}

struct Upstream<'q> {
    question: &'q JudgeRequest,
    pod: &'q Value,
}

impl Upstream<'_> {
    fn answer(&self) -> CoschedulingResponse {
        let mut answer = CoschedulingResponse {
            quotas: self.quotas(&[]),
            pre_filter: self.pre_filter(),
            ..CoschedulingResponse::default()
        };
        let is_final = answer.pre_filter.as_ref().is_some_and(|refusal| refusal.code != "Unschedulable");
        if answer.pre_filter.is_none() {
            answer.feasible = self.nodes().into_iter().filter(|node| self.fits(node, &[])).collect();
            answer.nominated = answer.feasible.contains(&text(self.pod, "/status/nominatedNodeName").to_owned());
        }
        if !answer.feasible.is_empty() {
            answer.permit = Some(self.permit());
        } else if !is_final {
            let (fails, nodes): (Vec<String>, Vec<String>) =
                self.nodes().into_iter().partition(|node| self.fails(node));
            answer.preemption.plans = nodes.into_iter().filter_map(|node| self.plan(node)).collect();
            if answer.preemption.plans.is_empty() && !fails.is_empty() {
                answer.failed = Some(format!("no corresponding pod in pods of node {fails:?}"));
                answer.preemption.keeps_nomination = is_nominated(self.pod);
                return answer;
            }
            let highest = |plan: &UpstreamPlan| {
                let victims = pods(&self.question.objects).filter(|pod| plan.victims.contains(&name(pod)));
                victims.map(priority).max()
            };
            let least = answer.preemption.plans.iter().map(highest).min().flatten();
            answer.preemption.plans.iter_mut().for_each(|plan| plan.possible = highest(plan) == least);
        }
        if answer.preemption.plans.is_empty() && answer.feasible.is_empty() {
            let lacks = self.group().is_some_and(|named| self.placed(&named) < self.needed(&named));
            answer.post_filter =
                Some(CoschedulingPostFilter { rejected: if lacks { self.waiting() } else { Vec::new() } });
        }
        answer.preemption.keeps_nomination = is_final && is_nominated(self.pod);
        answer
    }

    fn group(&self) -> Option<String> {
        group(self.pod).filter(|named| minimum(&self.question.objects, named).is_some())
    }

    fn needed(&self, named: &str) -> usize {
        minimum(&self.question.objects, named).unwrap()
    }

    fn members(&self, named: &str) -> impl Iterator<Item = &Value> {
        pods(&self.question.objects).filter(move |pod| group(pod).as_deref() == Some(named))
    }

    fn placed(&self, named: &str) -> usize {
        self.members(named).filter(|pod| self.place(pod).is_some()).count()
    }

    fn waiting(&self) -> Vec<String> {
        let own = group(self.pod);
        let members = pods(&self.question.objects).filter(|pod| group(pod) == own).map(name);
        members.filter(|pod| self.question.waiting.contains_key(pod)).collect()
    }

    fn place(&self, pod: &Value) -> Option<String> {
        let node = text(pod, "/spec/nodeName");
        if node.is_empty() { self.question.waiting.get(&name(pod)).cloned() } else { Some(node.to_owned()) }
    }

    fn nodes(&self) -> Vec<String> {
        let nodes = self.question.objects.iter().filter(|object| text(object, "/kind") == "Node");
        nodes.map(|node| text(node, "/metadata/name").to_owned()).collect()
    }

    /// Returns the other pods that are nominated.
    fn nominated(&self) -> impl Iterator<Item = &Value> {
        let others = pods(&self.question.objects).filter(|pod| is_nominated(pod) && name(pod) != self.question.pod);
        others.filter(|pod| self.place(pod).is_none())
    }

    /// Checks a node. A constrained pod bears no other one in the cluster; one that is nominated counts on its node only.
    fn fits(&self, node: &str, gone: &[String]) -> bool {
        let object = self.question.objects.iter().find(|object| text(object, "/metadata/name") == node).unwrap();
        let size = text(object, "/status/allocatable/cpu").parse::<i64>().unwrap_or(0) * 1000;
        let running = |pod: &&Value| self.place(pod).is_some() && !gone.contains(&name(pod));
        let there = pods(&self.question.objects).filter(running).filter(|pod| self.place(pod).as_deref() == Some(node));
        let promised =
            |pod: &&Value| text(pod, "/status/nominatedNodeName") == node && priority(pod) >= priority(self.pod);
        let is_constrained = |pod: &Value| pod.pointer("/spec/affinity/podAntiAffinity").is_some();
        let mut others = pods(&self.question.objects).filter(running).chain(self.nominated().filter(promised));
        let is_kept_out = is_constrained(self.pod) && others.any(is_constrained);
        let has_room = sum(there) + sum(self.nominated().filter(promised)) + cpu(self.pod) <= size;
        !is_kept_out && has_room && self.is_even(node, gone)
    }

    /// Returns whether spread pods stay even over all nodes, with the nominated pods of this node and without them.
    fn is_even(&self, node: &str, gone: &[String]) -> bool {
        let is_spread = |pod: &&Value| pod.pointer("/spec/topologySpreadConstraints").is_some();
        let runs = |pod: &&Value| !gone.contains(&name(pod));
        let spread: Vec<&Value> = pods(&self.question.objects).filter(is_spread).filter(runs).collect();
        let count = |at: &str| spread.iter().filter(|pod| self.place(pod).as_deref() == Some(at)).count();
        let nominated = self.nominated().filter(is_spread);
        let promised = nominated.filter(|pod| text(pod, "/status/nominatedNodeName") == node).count();
        let least = self.nodes().iter().map(|at| count(at)).min().unwrap_or(0);
        !is_spread(&self.pod) || count(node) + promised <= least
    }

    fn permit(&self) -> CoschedulingPermit {
        let (result, allowed) = match self.group() {
            None if group(self.pod).is_some() => ("refuse", Vec::new()),
            Some(named) if self.placed(&named) + 1 < self.needed(&named) => ("wait", Vec::new()),
            _ => ("bind", if group(self.pod).is_some() { self.waiting() } else { Vec::new() }),
        };
        CoschedulingPermit { result: result.to_owned(), allowed }
    }

    fn pre_filter(&self) -> Option<UpstreamRefusal> {
        let refusal = |code: &str, plugin: &str| {
            Some(UpstreamRefusal { code: code.to_owned(), plugin: plugin.to_owned(), reason: String::new() })
        };
        if self.group().is_some_and(|named| self.members(&named).count() < self.needed(&named)) {
            return refusal("UnschedulableAndUnresolvable", "Coscheduling");
        }
        if self.group().is_some_and(|named| self.free_for(&named) < self.least(&named)) {
            return refusal("UnschedulableAndUnresolvable", "Coscheduling");
        }
        if self.exceeds(&[], true) { refusal("Unschedulable", "CapacityScheduling") } else { None }
    }

    /// Returns the cpu that all nodes together must have free for a group.
    fn least(&self, named: &str) -> i64 {
        let group =
            self.question.objects.iter().find(|object| text(object, "/kind") == "PodGroup" && name(object) == named);
        group.and_then(|group| group.pointer("/spec/minResources/cpu")?.as_i64()).unwrap_or(0) * 1000
    }

    /// Returns the cpu that all nodes together have free, with what the pods of a group hold.
    fn free_for(&self, named: &str) -> i64 {
        let nodes = self.question.objects.iter().filter(|object| text(object, "/kind") == "Node");
        let others = pods(&self.question.objects).filter(|pod| group(pod).as_deref() != Some(named));
        let size = |node: &Value| thousandths(text(node, "/status/allocatable/cpu"));
        nodes.map(size).sum::<i64>() - sum(others.filter(|pod| self.place(pod).is_some()))
    }

    /// Returns the quotas when some pods are gone.
    fn quotas(&self, gone: &[String]) -> BTreeMap<String, NamespaceQuota> {
        let quotas = self.question.objects.iter().filter(|object| text(object, "/kind") == "ElasticQuota");
        let running =
            pods(&self.question.objects).filter(|pod| self.place(pod).is_some() && !gone.contains(&name(pod)));
        let running: Vec<&Value> = running.collect();
        let read = |quota: &Value, key: &str, absent: i64| match quota.pointer(key).and_then(Value::as_str) {
            Some(cpu) => thousandths(cpu),
            None => absent,
        };
        let of_cpu = |amount: i64| Amounts::from([("cpu".to_owned(), amount)]);
        quotas
            .map(|quota| {
                let of_quota = || running.iter().copied().filter(|pod| namespace(pod) == namespace(quota));
                let (min, max) = (read(quota, "/spec/min/cpu", 0), read(quota, "/spec/max/cpu", i64::from(i32::MAX)));
                let (mut used, mut min) = (of_cpu(sum(of_quota())), of_cpu(min));
                let least = text(quota, "/spec/min/nvidia.com~1gpu").parse().unwrap_or(0);
                for (of, amount) in [(&mut used, of_quota().map(gpus).sum()), (&mut min, least)] {
                    of.insert("nvidia.com/gpu".to_owned(), amount);
                }
                (namespace(quota).to_owned(), NamespaceQuota { used, min, max: of_cpu(max) })
            })
            .collect()
    }

    /// Returns what is nominated before the pod in its quota, and what counts of it in all quotas.
    fn promised(&self) -> (i64, i64) {
        let (own, quotas) = (namespace(self.pod), self.quotas(&[]));
        let before = |pod: &&Value| namespace(pod) == own && priority(pod) >= priority(self.pod);
        let within = |pod: &&Value| {
            namespace(pod) != own
                && quotas.get(namespace(pod)).is_some_and(|quota| quota.used["cpu"] <= quota.min["cpu"])
        };
        let own = sum(self.nominated().filter(before));
        (own, own + sum(self.nominated().filter(within)))
    }

    fn exceeds(&self, gone: &[String], with_promised: bool) -> bool {
        let quotas = self.quotas(gone);
        let Some(own) = quotas.get(namespace(self.pod)) else { return false };
        let (before, all) = if with_promised { self.promised() } else { (0, 0) };
        let of_all = |of: fn(&NamespaceQuota) -> i64| quotas.values().map(of).sum::<i64>();
        let (used, asked) = (of_all(|quota| quota.used["cpu"]), cpu(self.pod));
        own.used["cpu"] + before + asked > own.max["cpu"] || used + all + asked > of_all(|quota| quota.min["cpu"])
    }

    /// Returns whether the dry run takes a pod off a node twice: the node needs it, and the quotas do not hold with the nominated pods without it either.
    fn fails(&self, node: &str) -> bool {
        let names = self.candidates(node);
        !self.fits(node, &[]) && self.fits(node, &names) && !self.exceeds(&names, false) && self.exceeds(&names, true)
    }

    /// Returns the pods on a node that upstream may evict for the pod, the least important first.
    fn candidates(&self, node: &str) -> Vec<String> {
        let quotas = self.quotas(&[]);
        let own = quotas.get(namespace(self.pod));
        let borrows = own.is_some_and(|own| own.used["cpu"] + self.promised().0 + cpu(self.pod) > own.min["cpu"]);
        let exceeds = |quota: &NamespaceQuota| quota.used.iter().any(|(resource, used)| *used > quota.min[resource]);
        let is_over = |pod: &Value| quotas.get(namespace(pod)).is_some_and(exceeds);
        let is_own = |pod: &Value| namespace(pod) == namespace(self.pod);
        let may_go = |pod: &&Value| match (own.is_some(), quotas.contains_key(namespace(pod))) {
            (true, true) if !borrows => !is_own(pod) && is_over(pod),
            (true, true) => is_own(pod) && priority(pod) < priority(self.pod),
            (false, false) => priority(pod) < priority(self.pod),
            _ => false,
        };
        let there = pods(&self.question.objects).filter(|pod| self.place(pod).as_deref() == Some(node));
        let mut possible: Vec<&Value> = there.filter(may_go).collect();
        possible.sort_by_key(|pod| priority(pod));
        possible.into_iter().map(name).collect()
    }

    fn plan(&self, node: String) -> Option<UpstreamPlan> {
        let names = self.candidates(&node);
        let fits = |gone: &[String]| self.fits(&node, gone) && !self.exceeds(gone, false);
        let fewest = (1..=names.len()).find(|count| fits(&names[..*count]))?;
        let count = (fewest..=names.len()).find(|count| !self.exceeds(&names[..*count], true)).unwrap_or(names.len());
        let mut victims = names[..count].to_vec();
        victims.sort();
        Some(UpstreamPlan { node, victims, ..UpstreamPlan::default() })
    }
}
