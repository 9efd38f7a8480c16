//! A record of the pods of some namespaces.

use std::collections::{BTreeMap, BTreeSet};

use lictor_host::session::{EvictionBeneficiary, SessionReport};

use super::{CycleReport, DecisionReport};

/// The namespaces whose pods are kept.
struct NamespaceFilter<'a>(&'a BTreeSet<String>);

impl NamespaceFilter<'_> {
    /// Returns whether a pod, named `namespace/name`, is kept.
    fn keeps(&self, pod: &str) -> bool {
        pod.split_once('/').is_some_and(|(namespace, _)| self.0.contains(namespace))
    }

    fn keep_in_map<T>(&self, by_pod: &mut BTreeMap<String, T>) {
        by_pod.retain(|pod, _| self.keeps(pod));
    }

    /// Keeps what is about a kept pod. A victim is kept with its preemptor, too, because it says what the preemptor costs.
    fn keep_in_report(&self, report: &mut SessionReport) {
        let SessionReport { attempts, bound, nominated, withdrawn, victims, released, plans, refused, .. } = report;
        let keeps_any = |whom: &EvictionBeneficiary| whom.preemptor().is_some_and(|pod| self.keeps(pod));
        attempts.retain(|attempt| self.keeps(&attempt.pod));
        self.keep_in_map(bound);
        self.keep_in_map(nominated);
        withdrawn.retain(|pod| self.keeps(pod));
        victims.retain(|pod, evicted| self.keeps(pod) || keeps_any(&evicted.for_whom));
        released.retain(|released| self.keeps(&released.pod));
        plans.retain(|plan| keeps_any(&plan.for_whom));
        refused.retain(|plan| keeps_any(&plan.for_whom));
        self.keep_in_map(&mut report.refusals);
        self.keep_in_map(&mut report.explanations);
    }

    fn keep_in_cycle(&self, cycle: &mut CycleReport) {
        self.keep_in_report(&mut cycle.happened);
        self.keep_in_map(&mut cycle.waiting);
        self.keep_in_map(&mut cycle.still_nominated);
        cycle.still_pending.retain(|pod| self.keeps(pod));
        self.keep_in_map(&mut cycle.held_back);
        self.keep_in_map(&mut cycle.reasons);
    }
}

impl DecisionReport {
    /// Keeps the pods of these namespaces, and the victims that leave for them. Counts of the cluster, queues and findings stay.
    pub fn keep_namespaces(&mut self, namespaces: &BTreeSet<String>) {
        let filter = NamespaceFilter(namespaces);
        self.cycles.iter_mut().for_each(|cycle| filter.keep_in_cycle(cycle));
        filter.keep_in_map(&mut self.standings);
    }
}
