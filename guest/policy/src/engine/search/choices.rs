//! Which node costs least: prices kept per kind of pod, so that a gang of many alike pods is priced once.

use std::collections::{BTreeMap, BTreeSet};

use super::PreemptionContext;
use super::node_dry_run::NodeDryRun;
use crate::laws::{NodeChoice, NodeCost};
use crate::model::{Cluster, NodeIx, PodIx, Request, ShapeIx};

/// What it costs to plan a pod onto each node, kept for pods that ask for the same.
#[derive(Default)]
pub struct Choices {
    alike: Vec<EquivalenceClass>,
}

/// Pods that ask for the same and may run on the same nodes.
struct EquivalenceClass {
    request: Request,
    shape: ShapeIx,
    losses: BTreeSet<(NodeCost, u64, NodeIx)>,
    loss_at: BTreeMap<NodeIx, (NodeCost, u64)>,
}

impl Choices {
    /// The node where the least is lost by a pod.
    pub fn cheapest(
        &mut self,
        cluster: &Cluster,
        context: &PreemptionContext<'_>,
        dry_runs: &BTreeMap<NodeIx, NodeDryRun>,
        ix: PodIx,
    ) -> Option<NodeIx> {
        let pod = cluster.pod(ix)?;
        let choice = &context.laws.node_choice;
        if !self.alike.iter().any(|alike| alike.request == pod.request && alike.shape == pod.shape) {
            let mut alike = EquivalenceClass {
                request: pod.request.clone(),
                shape: pod.shape,
                losses: BTreeSet::new(),
                loss_at: BTreeMap::new(),
            };
            for dry_run in dry_runs.values().filter(|dry_run| cluster.eligible(pod.shape, dry_run.node)) {
                alike.price(cluster, choice, dry_run);
            }
            self.alike.push(alike);
        }
        let alike = self.alike.iter().find(|alike| alike.request == pod.request && alike.shape == pod.shape);
        let nodes = alike.into_iter().flat_map(|alike| alike.losses.iter().map(|(_, _, node)| *node));
        nodes.into_iter().find(|node| context.may_run(cluster, ix, *node))
    }

    /// A pod was planned onto a node: what it costs there is different now.
    pub fn changed(&mut self, cluster: &Cluster, choice: &NodeChoice, dry_run: &NodeDryRun) {
        self.alike.iter_mut().for_each(|alike| {
            match alike.loss_at.remove(&dry_run.node) {
                Some((loss, rank)) => alike.losses.remove(&(loss, rank, dry_run.node)),
                None => return,
            };
            alike.price(cluster, choice, dry_run)
        })
    }
}

impl EquivalenceClass {
    fn price(&mut self, cluster: &Cluster, choice: &NodeChoice, dry_run: &NodeDryRun) {
        if let Some(loss) = dry_run.loss(cluster, choice, &self.request) {
            self.losses.insert((loss, dry_run.rank, dry_run.node));
            self.loss_at.insert(dry_run.node, (loss, dry_run.rank));
        }
    }
}
