//! What each leaf gives of what a parent gives back.

use std::collections::BTreeMap;

use crate::laws::ExcessContext;
use crate::model::{Amounts, QueueIx, ResourceIx};

/// The amounts that each leaf queue gives of what its parent gives back.
#[derive(Debug, Default)]
pub struct Shares(BTreeMap<QueueIx, Amounts>);

impl Shares {
    /// Divides what a queue gives back among its leaves. A queue that is a leaf itself gives all of it.
    pub fn of(case: &ExcessContext<'_>) -> Shares {
        let mut children: BTreeMap<QueueIx, Vec<QueueIx>> = BTreeMap::new();
        for (ix, queue) in case.cluster.queues() {
            if let Some(parent) = queue.parent {
                children.entry(parent).or_default().push(ix);
            }
        }
        let mut shares = Shares::default();
        let mut next = vec![(case.queue, case.excess.clone())];
        while let Some((queue, amounts)) = next.pop() {
            match children.get(&queue) {
                Some(children) => next.extend(divide(case, children, &amounts)),
                None => drop(shares.0.insert(queue, amounts)),
            }
        }
        shares
    }

    /// Checks whether the leaf queue of the candidate gives at most its share of every resource.
    pub fn allow(&self, case: &ExcessContext<'_>) -> bool {
        let share = |resource| self.0.get(&case.victim_queue).map_or(0, |share| share.get(resource));
        case.excess.iter().all(|(resource, _)| case.freed(case.victim_queue, resource).0 <= share(resource))
    }
}

/// Divides amounts among children, in proportion to what each uses above its guarantee, rounded down.
fn divide(case: &ExcessContext<'_>, children: &[QueueIx], amounts: &Amounts) -> Vec<(QueueIx, Amounts)> {
    let releasable = |child: QueueIx, resource: ResourceIx| {
        let guaranteed = case.cluster.queue(child).and_then(|queue| queue.bounds.guaranteed.get(resource));
        let beyond = case.used(child, resource).0.saturating_sub(guaranteed.map_or(0, |guaranteed| guaranteed.0));
        i128::from(beyond.max(0))
    };
    let share = |child: &QueueIx| {
        let mut share = Amounts::default();
        for (resource, amount) in amounts.iter() {
            let total = children.iter().fold(0, |sum: i128, child| sum.saturating_add(releasable(*child, resource)));
            let part = i128::from(amount).saturating_mul(releasable(*child, resource));
            share.set(resource, part.checked_div(total).and_then(|part| i64::try_from(part).ok()).unwrap_or(0));
        }
        (*child, share)
    };
    children.iter().map(share).collect()
}
