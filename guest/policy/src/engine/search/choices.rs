//! The cheapest node: prices are kept by equivalence class, so a gang of equal pods is priced once.

use std::collections::{BTreeMap, BTreeSet};

use super::PreemptionContext;
use super::node_dry_run::{Ask, NodeDryRun};
use crate::laws::{NodeChoice, NodeCost};
use crate::model::{ClassIx, Cluster, NodeIx, PodIx, Request, Table, WhatIf};

/// The prices of nodes, by equivalence class.
#[derive(Default)]
pub struct Choices(Table<ClassIx, Prices>);

/// The prices of nodes for the pods of a class, the cheapest first.
struct Prices {
    losses: BTreeSet<(NodeCost, u64, NodeIx)>,
    loss_at: BTreeMap<NodeIx, (NodeCost, u64)>,
    /// A pod of the class.
    pod: PodIx,
    request: Request,
}

impl Choices {
    /// The cheapest node for a pod, where other pods are as `what_if` says.
    pub fn cheapest(
        &mut self,
        cluster: &Cluster,
        context: &PreemptionContext<'_>,
        (dry_runs, what_if): (&BTreeMap<NodeIx, NodeDryRun>, &WhatIf),
        ix: PodIx,
    ) -> Option<NodeIx> {
        let pod = cluster.pod(ix)?;
        let choice = &context.laws.node_choice;
        if self.0.get(pod.class).is_none() {
            let ask = Ask { pod: ix, request: &pod.request, what_if, limits: None };
            let eligible = dry_runs.values().filter(|dry_run| cluster.eligible(pod.shape, dry_run.node));
            let price =
                |dry_run: &NodeDryRun| Some((dry_run.node, (dry_run.price(cluster, choice, &ask)?.cost, dry_run.rank)));
            let loss_at: BTreeMap<NodeIx, (NodeCost, u64)> = eligible.filter_map(price).collect();
            let losses = loss_at.iter().map(|(node, (loss, rank))| (*loss, *rank, *node)).collect();
            self.0.insert(pod.class, Prices { losses, loss_at, pod: ix, request: pod.request.clone() });
        }
        let mut nodes = self.0.get(pod.class)?.losses.iter().map(|(_, _, node)| *node);
        nodes.find(|node| context.may_run(cluster, ix, *node))
    }

    /// Updates the price of a node after a pod was planned onto it. Where something stands between pods and others, the prices of all
    /// nodes may have changed.
    pub fn changed(&mut self, cluster: &Cluster, choice: &NodeChoice, dry_run: &NodeDryRun, what_if: &WhatIf) {
        let mut outdated = Vec::new();
        for (class, prices) in self.0.iter_mut() {
            if cluster.is_between(prices.pod) {
                outdated.push(class);
            } else if let Some((loss, rank)) = prices.loss_at.remove(&dry_run.node) {
                prices.losses.remove(&(loss, rank, dry_run.node));
                prices.price(cluster, choice, dry_run, what_if);
            }
        }
        outdated.into_iter().for_each(|class| drop(self.0.remove(class)));
    }
}

impl Prices {
    fn price(&mut self, cluster: &Cluster, choice: &NodeChoice, dry_run: &NodeDryRun, what_if: &WhatIf) {
        let ask = Ask { pod: self.pod, request: &self.request, what_if, limits: None };
        if let Some(loss) = dry_run.price(cluster, choice, &ask).map(|price| price.cost) {
            self.losses.insert((loss, dry_run.rank, dry_run.node));
            self.loss_at.insert(dry_run.node, (loss, dry_run.rank));
        }
    }
}
