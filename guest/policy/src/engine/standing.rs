//! Standing: which running pods may be evicted, and which law protects the others (seed 003, Story 3).
//!
//! No rule is written here a second time. The laws in force are asked about preemptors that are not in the cluster: the most important pod
//! that there may be, of the queue of the running pod, of another queue, or of a DaemonSet. A law that is about the preemptor is not asked
//! ([`Imagined`]): a safe pod stays safe whatever preemptor comes.

use std::collections::BTreeSet;

use super::Engine;
use crate::contract::{PodId, PolicyError, Threat, by};
use crate::laws::{Action, Case, Denial, Enforcement, Gate, Guard, Held, Imagined, Laws, Preemptor, Rule, Surplus};
use crate::model::{Amounts, Cluster, Ledger, Place, Pod, PodIx, QueueIx};

/// The highest priority that Kubernetes admits: that of `system-node-critical`.
const HIGHEST: i32 = 2_000_001_000;

/// The law that spares a pod, and what it found. `None`: the pod may be evicted.
type Spared = Option<(Rule, Denial)>;

impl Engine {
    /// See `standing.standings`.
    pub fn standings(&mut self, pods: &[PodId]) -> Result<Vec<Vec<Threat>>, PolicyError> {
        self.recompute();
        let (cluster, ledger) = (&self.cluster, &self.ledger);
        let asking = Asking::new(cluster, ledger, self.laws()?);
        let standing = |id: &PodId| {
            let pod = cluster.pod(PodIx(*id)).ok_or(PolicyError::UnknownPod(*id))?;
            let runs = matches!(pod.place, Place::Bound(_)) && !pod.is_leaving() && !ledger.is_victim(PodIx(*id));
            Ok(if runs { asking.threats(PodIx(*id), pod) } else { Vec::new() })
        };
        pods.iter().map(standing).collect()
    }
}

/// The laws as they are asked of preemptors that are not in the cluster.
struct Asking<'a> {
    cluster: &'a Cluster,
    ledger: &'a Ledger,
    laws: &'a Laws,
    /// The guards of each way to preempt: one, or those across queues and those within a queue.
    ways: Vec<&'a [Guard]>,
    /// The queues that have no queue below.
    leaves: Vec<QueueIx>,
}

impl<'a> Asking<'a> {
    fn new(cluster: &'a Cluster, ledger: &'a Ledger, laws: &'a Laws) -> Asking<'a> {
        let parents: BTreeSet<QueueIx> = cluster.queues().filter_map(|(_, queue)| queue.parent).collect();
        let leaves = cluster.queues().map(|(ix, _)| ix).filter(|ix| !parents.contains(ix)).collect();
        let ways = match &laws.cycle {
            None => vec![laws.guards.as_slice()],
            Some(cycle) => {
                let ways = [(Action::Reclaim, &cycle.reclaim), (Action::Preempt, &cycle.preempt)];
                let used = ways.into_iter().filter(|(action, _)| cycle.actions.contains(action));
                used.map(|(_, rules)| rules.guards.as_slice()).collect()
            }
        };
        Asking { cluster, ledger, laws, ways, leaves }
    }

    /// Returns the threats to a running pod; none where the system is configured without a way to evict pods.
    fn threats(&self, ix: PodIx, pod: &Pod) -> Vec<Threat> {
        if self.ways.is_empty() {
            return Vec::new();
        }
        let has_queues = !self.leaves.is_empty();
        let own = self.preemptor(pod, pod.queue);
        let mut threats = vec![self.threat(if has_queues { by::SAME_QUEUE } else { by::POD }, ix, pod, &own)];
        let others = self.leaves.iter().filter(|queue| Some(**queue) != pod.queue);
        let of_queue = |queue: &QueueIx| self.threat(by::OTHER_QUEUE, ix, pod, &self.preemptor(pod, Some(*queue)));
        let mut others = others.map(of_queue);
        if let Some(first) = others.next() {
            let taking = if first.spared.is_none() { None } else { others.find(|threat| threat.spared.is_none()) };
            threats.push(taking.unwrap_or(first));
        }
        let mut daemon = own;
        (daemon.required_node_reservation, daemon.queue) = (pod.place.node(), None);
        if self.exempts(&daemon) {
            threats.push(self.threat(by::DAEMON_SET, ix, pod, &daemon));
        }
        threats.extend(self.laws.enforcement.as_ref().and_then(|laws| self.gives_back(laws, ix, pod)));
        threats
    }

    /// Returns the most important pod of a queue.
    fn preemptor(&self, running: &Pod, queue: Option<QueueIx>) -> Preemptor {
        Preemptor::imagined(self.laws, running, queue, HIGHEST)
    }

    /// Checks that some law does not apply to a preemptor that would apply to others.
    fn exempts(&self, preemptor: &Preemptor) -> bool {
        let case = preemptor.waiting(self.cluster, self.ledger);
        let mut guards = self.ways.iter().flat_map(|guards| guards.iter());
        guards.any(|guard| guard.rule.exemption.is_some_and(|exemption| (exemption.applies)(&case)))
    }

    /// Returns what a preemptor of this kind may do to a pod, and from which priority on.
    fn threat(&self, by: &str, ix: PodIx, pod: &Pod, preemptor: &Preemptor) -> Threat {
        let mut preemptor = preemptor.clone();
        let mut spared = |priority| {
            preemptor.priority = priority;
            self.spared(ix, pod, &preemptor)
        };
        let threat = Threat { by: by.to_owned(), priority: None, spared: None };
        if let Some((rule, denial)) = spared(HIGHEST) {
            return Threat { spared: Some(rule.reason(denial.detail(self.cluster))), ..threat };
        }
        if spared(i32::MIN).is_none() {
            return threat;
        }
        // The laws compare priorities: who may evict at some priority may do so at every higher one.
        let (mut too_low, mut enough) = (i32::MIN, HIGHEST);
        while enough.wrapping_sub(too_low) != 1 {
            let middle = i32::midpoint(too_low, enough);
            match spared(middle) {
                Some(_) => too_low = middle,
                None => enough = middle,
            }
        }
        Threat { priority: Some(enough), ..threat }
    }

    /// Returns the law that spares a pod from a preemptor: in every way to preempt some law does. Of a preemptor of the same queue the last way is
    /// told, which is that within a queue.
    fn spared(&self, ix: PodIx, pod: &Pod, preemptor: &Preemptor) -> Spared {
        let is_own = preemptor.queue == pod.queue;
        let asked = |asked_of| match asked_of {
            Imagined::None => false,
            Imagined::OfTheSameQueue => is_own,
            Imagined::All => true,
        };
        let group = [ix];
        let case = Case { group: &group, ..preemptor.waiting(self.cluster, self.ledger) };
        let gates = |laws: &[Gate]| {
            let asked: Vec<Gate> = laws.iter().filter(|law| asked(law.rule.about.asked_of)).copied().collect();
            case.first_broken(&asked)
        };
        if let Some(spared) = gates(&self.laws.trigger).or_else(|| gates(&self.laws.limits)) {
            return Some(spared);
        }
        let alone = Case { group: &[], ..case };
        let mut spared = None;
        for guards in &self.ways {
            let asked: Vec<Guard> = guards.iter().filter(|law| asked(law.rule.about.asked_of)).copied().collect();
            // A way without a denial is enough.
            let denied = alone.first_denial(&asked, ix)?;
            if is_own || spared.is_none() {
                spared = Some(denied);
            }
        }
        spared
    }

    /// Returns whether a queue of the pod holds more than its maximum and may evict the pod for it.
    fn gives_back(&self, laws: &Enforcement, ix: PodIx, pod: &Pod) -> Option<Threat> {
        let leaf = pod.queue?;
        let nobody = Held::default();
        let mut threat = None;
        for (queue, known) in self.cluster.path(Some(leaf)) {
            let mut over = Amounts::default();
            known.over_max().for_each(|(resource, amount)| over.set(resource, amount));
            if over.iter().next().is_none() {
                continue;
            }
            let case = Surplus { cluster: self.cluster, queue, over: &over, gone: &nobody, victims: &nobody, leaf };
            let guarded = || laws.guards.iter().find_map(|law| Some((law.rule, (law.admits)(&case, ix, pod).err()?)));
            let spared = case.first_broken(&laws.gates).or_else(guarded);
            let spared = spared.map(|(rule, denial)| rule.reason(denial.detail(self.cluster)));
            let is_taken = spared.is_none();
            threat = Some(Threat { by: by::OVER_MAX.to_owned(), priority: None, spared });
            if is_taken {
                break;
            }
        }
        threat
    }
}
