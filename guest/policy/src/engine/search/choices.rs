//! The cheapest node: nodes are listed by equivalence class, so a gang of equal pods has its nodes priced once.

use std::collections::{BTreeMap, BTreeSet};

use super::PreemptionContext;
use super::dry_runs::NodeDryRuns;
use super::node_dry_run::PodToPlace;
use super::refused::is_placement_rejected;
use super::shortlist::{NodeGenerations, NodeHeap};
use crate::model::{ClassIx, Cluster, DomainCountOverlay, NodeIx, PodIx, Table};

/// The nodes for pods, by equivalence class.
#[derive(Default)]
pub struct NodeHeaps {
    classes: Table<ClassIx, (PodIx, NodeHeap)>,
    changes: NodeGenerations,
    /// The victims on each node that was priced, including those for the pods planned there already.
    victims: BTreeMap<(ClassIx, NodeIx), Vec<PodIx>>,
}

impl NodeHeaps {
    /// Returns the cheapest node for a pod and the victims there for all pods that are planned on it, where other pods are as `what_if` says and
    /// the plan evicts the earlier victims anyway.
    pub fn cheapest(
        &mut self,
        cluster: &Cluster,
        context: &mut PreemptionContext<'_>,
        (dry_runs, what_if, earlier): (&mut NodeDryRuns, &DomainCountOverlay, &BTreeSet<PodIx>),
        ix: PodIx,
    ) -> Option<(NodeIx, Vec<PodIx>)> {
        let pod = cluster.pod(ix)?;
        if self.classes.get(pod.requirements.class).is_none() {
            let offers = dry_runs.lower_bounds(cluster, context, pod);
            let mut shortlist = NodeHeap::new(offers);
            for (node, changes) in &self.changes {
                shortlist.push_changed((rank(cluster, *node), *node), *changes);
            }
            self.classes.insert(pod.requirements.class, (ix, shortlist));
        }
        let (_, shortlist) = self.classes.get_mut(pod.requirements.class)?;
        let ask = PodToPlace { pod: ix, request: pod.request(), what_if, earlier, plan_invariants: None };
        let (choice, refuted) = (&context.laws.plan_orders.nodes, context.refuted);
        let may_take = |node| !is_placement_rejected(refuted, ix, node);
        let victims = &mut self.victims;
        let node = shortlist.cheapest(&self.changes, may_take, |node| {
            let dry_run =
                dry_runs.on(cluster, context, node).filter(|_| cluster.eligible(pod.requirements.shape, node))?;
            let price = dry_run.eviction_cost(cluster, choice, &ask)?;
            victims.insert((pod.requirements.class, node), price.victims);
            Some(price.cost)
        })?;
        // Once a pod is planned onto the node, it is priced anew.
        Some((node, self.victims.remove(&(pod.requirements.class, node)).unwrap_or_default()))
    }

    /// Marks a node as changed, because a pod was planned onto it: the prices there are outdated. If constraints between pods concern a class, its
    /// prices on all nodes are outdated.
    pub fn mark_changed(&mut self, cluster: &Cluster, node: NodeIx) {
        let changes = self.changes.entry(node).or_default();
        *changes = changes.saturating_add(1);
        let mut outdated = Vec::new();
        for (class, (pod, shortlist)) in self.classes.iter_mut() {
            match cluster.has_inter_pod_terms(*pod) {
                true => outdated.push(class),
                false => shortlist.push_changed((rank(cluster, node), node), *changes),
            }
        }
        outdated.into_iter().for_each(|class| drop(self.classes.remove(class)));
    }
}

fn rank(cluster: &Cluster, node: NodeIx) -> u64 {
    cluster.node(node).map_or(u64::MAX, |node| node.rank)
}
