//! Which node costs least: prices kept per kind of pod, so that a gang of many alike pods is priced once.

use std::collections::{BTreeMap, BTreeSet};

use super::Quest;
use super::site::Site;
use crate::laws::{Loss, NodeChoice};
use crate::model::{Cluster, NodeIx, Overflow, PodIx, Request, ShapeIx};

/// What it costs to plan a pod onto each node, kept for pods that ask for the same.
#[derive(Default)]
pub struct Choices {
    alike: Vec<Alike>,
}

/// Pods that ask for the same and may run on the same nodes.
struct Alike {
    request: Request,
    shape: ShapeIx,
    losses: BTreeSet<(Loss, u64, NodeIx)>,
    loss_at: BTreeMap<NodeIx, (Loss, u64)>,
}

impl Choices {
    /// The node where the least is lost by a pod.
    pub fn cheapest(
        &mut self,
        cluster: &Cluster,
        quest: &Quest<'_>,
        sites: &BTreeMap<NodeIx, Site>,
        ix: PodIx,
    ) -> Result<Option<NodeIx>, Overflow> {
        let Some(pod) = cluster.pod(ix) else { return Ok(None) };
        let choice = &quest.laws.node_choice;
        if !self.alike.iter().any(|alike| alike.request == pod.request && alike.shape == pod.shape) {
            let mut alike = Alike {
                request: pod.request.clone(),
                shape: pod.shape,
                losses: BTreeSet::new(),
                loss_at: BTreeMap::new(),
            };
            for site in sites.values().filter(|site| cluster.eligible(pod.shape, site.node)) {
                alike.price(cluster, choice, site)?;
            }
            self.alike.push(alike);
        }
        let alike = self.alike.iter().find(|alike| alike.request == pod.request && alike.shape == pod.shape);
        let nodes = alike.into_iter().flat_map(|alike| alike.losses.iter().map(|(_, _, node)| *node));
        Ok(nodes.into_iter().find(|node| quest.may_run(cluster, ix, *node)))
    }

    /// A pod was planned onto a node: what it costs there is different now.
    pub fn changed(&mut self, cluster: &Cluster, choice: &NodeChoice, site: &Site) -> Result<(), Overflow> {
        self.alike.iter_mut().try_for_each(|alike| {
            match alike.loss_at.remove(&site.node) {
                Some((loss, rank)) => alike.losses.remove(&(loss, rank, site.node)),
                None => return Ok(()),
            };
            alike.price(cluster, choice, site)
        })
    }
}

impl Alike {
    fn price(&mut self, cluster: &Cluster, choice: &NodeChoice, site: &Site) -> Result<(), Overflow> {
        if let Some(loss) = site.loss(cluster, choice, &self.request)? {
            self.losses.insert((loss, site.rank, site.node));
            self.loss_at.insert(site.node, (loss, site.rank));
        }
        Ok(())
    }
}
