//! Claims: what a gang may reclaim, and from which queues. A plan is judged as a whole, by what its nodes are short of.

use std::collections::{BTreeMap, BTreeSet};

use super::plan::is_nominated;
use super::read::{VolcanoJob, VolcanoQueue, group_of};
use super::{VolcanoCycleCheck, used};
use crate::amounts::MilliAmounts;
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelPod};

/// The entitlement of a gang to a resource.
#[derive(PartialEq, Eq)]
enum Entitlement {
    /// It is due to this queue.
    Queue(String),
    /// No queue that counts has an amount of it.
    Unbounded,
    /// The gang requests more than is due.
    Exceeded,
}

impl VolcanoCycleCheck<'_> {
    /// Checks a plan that evicts pods of other queues. One requested resource is due; what is over is plentiful; on a node with victims
    /// what is short is due; and a queue gives for an excess of what is short.
    pub(super) fn claims(&self, verdict: &mut StepFindings) {
        for job in self.jobs.iter().filter(|job| !self.elastic_mode && !self.nominated(job).is_empty()) {
            let others: Vec<&ModelPod> = self.victims_of_others(job);
            if others.is_empty() {
                continue;
            }
            let nominated = self.nominated(job);
            let requested = MilliAmounts::sum(nominated.iter().map(|pod| &pod.request));
            let named = requested.0.iter().filter(|(name, amount)| *name != "pods" && **amount > 0);
            let due: BTreeMap<&str, Entitlement> =
                named.map(|(name, amount)| (name.as_str(), self.entitlement_of(job, name, *amount))).collect();
            if !due.values().any(|due| matches!(due, Entitlement::Queue(_))) {
                let text = format!("`{}` evicts pods of other queues, and nothing is due to `{}`", job.name, job.queue);
                verdict.breach("reclaimer-stays-within-deserved", text);
                continue;
            }
            for resource in due.iter().filter(|(_, due)| **due == Entitlement::Exceeded).map(|(resource, _)| *resource)
            {
                if !self.is_plentiful(job, resource, requested.get(resource)) {
                    let text = format!("`{}` takes {resource} over what is due, and others need it", job.name);
                    verdict.breach("reclaimer-stays-within-deserved", text);
                }
            }
            // Where pods keep each other off a node, all that is requested counts as short.
            if !self.world.is_constrained() {
                let broken = |room: &[MilliAmounts]| {
                    let short = self.short_is_entitled(job, &others, &due, room);
                    [short, self.each_frees_entitled(job, &others, &due, room)].concat()
                };
                let texts = broken(&self.capacity());
                if !texts.is_empty()
                    && !self.capacities_left_by_gangs().iter().any(|room| broken(&room.free).is_empty())
                {
                    texts.into_iter().for_each(|text| verdict.breach("victim-frees-what-is-owed", text));
                }
            }
            self.check_parent_loses_nothing(job, &due, verdict);
        }
    }

    /// Returns the victims of other queues than that of a job.
    fn victims_of_others(&self, job: &VolcanoJob) -> Vec<&ModelPod> {
        let victims = self.outcome.victims.iter().filter_map(|name| self.world.pods.get(name));
        let is_other = |pod: &&ModelPod| {
            let of = self.jobs.iter().find(|of| of.name == group_of(pod));
            of.is_some_and(|of| of.queue != job.queue)
        };
        victims.filter(is_other).collect()
    }

    /// Compares the requests of a job for a resource with its entitlement, in the reading that is best for the job: only pods that ran before the
    /// cycle and stay count as usage.
    fn entitlement_of(&self, job: &VolcanoJob, resource: &str, requested: i64) -> Entitlement {
        let amount = |name: &str| self.queues.get(name).filter(|queue| queue.entitlement.names(resource));
        let stays = |pod: &ModelPod| pod.node.is_some() && !pod.leaving && self.world.pods.contains_key(&pod.name);
        let fits = |name: &str, queue: &VolcanoQueue| {
            let holds = used(self.world, &self.jobs, name, |_, pod| stays(pod)).get(resource);
            holds + requested <= queue.entitlement.get(resource)
        };
        let names = self.claimants(job);
        match names.iter().find(|name| amount(name).is_some_and(|queue| fits(name, queue))) {
            Some(name) => Entitlement::Queue((*name).to_owned()),
            None if names.iter().any(|name| amount(name).is_some()) => Entitlement::Exceeded,
            None => Entitlement::Unbounded,
        }
    }

    /// Returns whether the cluster has `requested` of a resource free in addition to everything that other queues lack of their entitlement.
    fn is_plentiful(&self, job: &VolcanoJob, resource: &str, requested: i64) -> bool {
        let problem = self.problem(&self.nominated(job), |pod| self.outcome.victims.contains(&pod.name));
        let free: i64 = problem.free.iter().map(|free| free.get(resource).max(0)).sum();
        let leaves: BTreeSet<(&str, Option<&str>)> =
            self.jobs.iter().map(|job| (job.queue.as_str(), job.parent.as_deref())).collect();
        let lacked: i64 = leaves
            .iter()
            .map(|leaf| if leaf.0 == job.queue { 0 } else { self.missing_entitlement(*leaf, resource) })
            .sum();
        requested + lacked <= free
    }

    /// Computes how much of a resource a queue lacks of its entitlement, as far as the queue has pods that request it. Never less than 0.
    fn missing_entitlement(&self, (name, parent): (&str, Option<&str>), resource: &str) -> i64 {
        let names = [Some(name), parent.filter(|_| self.counts_ancestors)];
        let amounts = names.into_iter().flatten().filter_map(|name| self.queues.get(name));
        let most = amounts
            .filter(|queue| queue.entitlement.names(resource))
            .map(|queue| queue.entitlement.get(resource))
            .max();
        let was_leaving = |pod: &ModelPod| self.world.pods.get(&pod.name).is_some_and(|pod| pod.leaving);
        let wanted = used(&self.after, &self.jobs, name, |_, pod| !pod.finished && !was_leaving(pod)).get(resource);
        let holds = |pod: &ModelPod| pod.node.is_some() && !was_leaving(pod) || is_nominated(pod);
        let holds = used(&self.after, &self.jobs, name, |_, pod| holds(pod)).get(resource);
        (most.unwrap_or(0).min(wanted) - holds).max(0)
    }

    /// Checks, with this room of the nodes, that the resources that are short on a node with victims of other queues are due. Returns the breaches as
    /// messages. A gang that leaves whole leaves for what is short on any of its nodes, and what it frees on its other nodes may be used. With several
    /// pods of the plan on a node, one of them may use what an eviction for another pod has freed in addition.
    fn short_is_entitled(
        &self,
        job: &VolcanoJob,
        others: &[&ModelPod],
        due: &BTreeMap<&str, Entitlement>,
        room: &[MilliAmounts],
    ) -> Vec<String> {
        let (by_node, mut broken) = (self.short(room), Vec::new());
        let nodes: BTreeSet<&str> = others.iter().filter_map(|pod| pod.node.as_deref()).collect();
        for node in nodes {
            let Some(short) = by_node.get(node).filter(|short| !short.is_empty()) else { continue };
            let here = self
                .nominated(job)
                .iter()
                .filter(|pod| self.outcome.nominated.get(&pod.name).is_some_and(|on| on == node))
                .count();
            let over = short.iter().any(|resource| due.get(resource.as_str()) == Some(&Entitlement::Exceeded));
            let is_due = |resource: &String| matches!(due.get(resource.as_str()), Some(Entitlement::Queue(_)));
            let of_gangs = self.nodes_of_gangs(node, others).into_iter().filter_map(|node| by_node.get(node)).flatten();
            let any = short.iter().chain(of_gangs).any(is_due);
            if here == 1 && over || !any {
                broken.push(format!("`{}` evicts on `{node}`, which is short of {short:?}", job.name));
            }
        }
        broken
    }

    /// Checks that each victim of another queue, or what each elastic job gives, or the rest of each gang that leaves whole, frees something that is due:
    /// with it alone back, the nodes of the plan, with this room, are short of that. Returns what breaks that. A plan that is one of several is not judged.
    fn each_frees_entitled(
        &self,
        job: &VolcanoJob,
        others: &[&ModelPod],
        due: &BTreeMap<&str, Entitlement>,
        room: &[MilliAmounts],
    ) -> Vec<String> {
        let mut broken = Vec::new();
        if self.outcome.plans.len() != 1 {
            return broken;
        }
        let incoming = self.nominated(job);
        let mut units: BTreeMap<(&str, Option<bool>), Vec<&ModelPod>> = BTreeMap::new();
        for pod in others {
            let of = self.jobs.iter().find(|of| of.name == group_of(pod));
            let key = match of {
                Some(of) if of.is_elastic_pod(pod) => (of.name.as_str(), Some(true)),
                Some(of) if of.size(&self.after) == 0 => (of.name.as_str(), Some(false)),
                _ => (pod.name.as_str(), None),
            };
            units.entry(key).or_default().push(pod);
        }
        for unit in units.values() {
            let mut short: BTreeSet<String> = BTreeSet::new();
            for (name, free) in self.world.nodes.keys().zip(room) {
                let mut left = free.clone();
                let gone = self.outcome.victims.iter().filter_map(|victim| self.world.pods.get(victim));
                let gone = gone.filter(|pod| pod.node.as_deref() == Some(name));
                gone.filter(|pod| !unit.iter().any(|other| other.name == pod.name))
                    .for_each(|pod| left.add(&pod.request));
                let here = incoming.iter().filter(|pod| self.outcome.nominated.get(&pod.name) == Some(name));
                let asked = MilliAmounts::sum(here.map(|pod| &pod.request));
                let lacks =
                    asked.0.iter().filter(|(resource, amount)| **amount > left.get(resource) && *resource != "pods");
                short.extend(lacks.map(|(resource, _)| resource.clone()));
            }
            if !short.is_empty()
                && !short.iter().any(|resource| matches!(due.get(resource.as_str()), Some(Entitlement::Queue(_))))
            {
                let names: Vec<&str> = unit.iter().map(|pod| pod.name.as_str()).collect();
                broken.push(format!("`{}` evicts {names:?}, without which it is short of {short:?} alone", job.name));
            }
        }
        broken
    }

    /// Returns the nodes of the gangs that leave whole, each with a victim on this node.
    fn nodes_of_gangs<'a>(&self, node: &str, others: &[&'a ModelPod]) -> Vec<&'a str> {
        let here = others.iter().filter(|pod| pod.node.as_deref() == Some(node));
        let gangs: BTreeSet<&str> = here.map(|pod| group_of(pod)).collect();
        let is_gone = |name: &str| self.jobs.iter().any(|job| job.name == name && job.size(&self.after) == 0);
        let mates = others.iter().filter(|pod| gangs.contains(group_of(pod)) && is_gone(group_of(pod)));
        mates.filter_map(|pod| pod.node.as_deref()).collect()
    }

    /// Returns what each node is short of, with this room, for the pods that the plan places there.
    fn short(&self, room: &[MilliAmounts]) -> BTreeMap<&str, BTreeSet<String>> {
        let incoming: Vec<&ModelPod> = self.jobs.iter().flat_map(|job| self.nominated(job)).collect();
        let mut short: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for (name, free) in self.world.nodes.keys().zip(room) {
            let here = incoming.iter().filter(|pod| self.outcome.nominated.get(&pod.name) == Some(name));
            let requested = MilliAmounts::sum(here.map(|pod| &pod.request));
            let lacks = requested
                .0
                .iter()
                .filter(|(resource, amount)| *resource != "pods" && **amount > free.get(resource).max(0));
            short.insert(name, lacks.map(|(resource, _)| resource.clone()).collect());
        }
        short
    }

    /// Returns the resources for which queues give: what is short on some node with this room; all that is requested where nothing is.
    pub(super) fn reclaim_reasons(&self, room: &[MilliAmounts]) -> BTreeSet<String> {
        let short: BTreeSet<String> = self.short(room).into_values().flatten().collect();
        if !short.is_empty() && !self.world.is_constrained() {
            return short;
        }
        let incoming: Vec<&ModelPod> = self.jobs.iter().flat_map(|job| self.nominated(job)).collect();
        MilliAmounts::sum(incoming.iter().map(|pod| &pod.request)).0.into_keys().collect()
    }

    /// Checks that a gang to which something is due only through its parent takes no normal pod from below the parent.
    fn check_parent_loses_nothing(
        &self,
        job: &VolcanoJob,
        due: &BTreeMap<&str, Entitlement>,
        verdict: &mut StepFindings,
    ) {
        let own = |due: &Entitlement| *due == Entitlement::Queue(job.queue.clone());
        let Some(parent) = job.parent.as_deref().filter(|_| self.counts_ancestors && !due.values().any(own)) else {
            return;
        };
        if let Some((pod, _)) = self.normal_victims().iter().find(|(_, of)| of.parent.as_deref() == Some(parent)) {
            let text = format!("`{}` claims through `{parent}`, and `{}` is below it", job.name, pod.name);
            verdict.breach("normal-victim-is-outside-the-claim", text);
        }
    }

    /// Returns whether the queues of a level leave free what is guaranteed to each, after a change of one of them. `holds` selects the pods that
    /// count.
    pub(super) fn leaves_guarantees(
        &self,
        world: &ModelCluster,
        job: &VolcanoJob,
        requested: &MilliAmounts,
        holds: impl Fn(&ModelPod) -> bool,
    ) -> bool {
        if job.parent.is_some() {
            return true;
        }
        let total = MilliAmounts::sum(self.world.nodes.values().map(|node| &node.allocatable));
        let of = |name: &str| used(world, &self.jobs, name, |_, pod| holds(pod));
        requested.0.keys().filter(|resource| *resource != "pods").all(|resource| {
            let guarantee = |queue: &VolcanoQueue| queue.guarantee.get(resource);
            let own = of(&job.queue).get(resource) + requested.get(resource);
            let others = || self.queues.iter().filter(|(name, _)| **name != job.queue);
            let is_within = self.queues.get(&job.queue).is_some_and(|queue| own <= guarantee(queue));
            let taken: i64 = others().map(|(name, queue)| of(name).get(resource).max(guarantee(queue))).sum();
            is_within || others().all(|(_, queue)| guarantee(queue) == 0) || own + taken <= total.get(resource)
        })
    }
}
