//! The books: what each queue may hold and what it holds.

use crate::contract::*;
use crate::model::{self, Preemptibility, QueueIx, ResourceIx};
use crate::systems::Terms;

use super::Engine;

impl Engine {
    /// See `account.queues`.
    pub fn queues(&self) -> Result<Vec<QueueAccount>, PolicyError> {
        let terms = self.system.as_ref().ok_or(PolicyError::NotConfigured)?.terms();
        Ok(self.cluster.queues().map(|(ix, queue)| self.account(terms, ix, queue)).collect())
    }

    fn account(&self, terms: Terms, ix: QueueIx, queue: &model::Queue) -> QueueAccount {
        let model::Bounds { guaranteed, deserved, max } = &queue.bounds;
        let bounds = [(terms.guaranteed, guaranteed), (terms.deserved, deserved), (terms.max, max)];
        let runtime = queue.runtime.as_ref().map(|bound| ("runtime", bound));
        let bounds = bounds.into_iter().chain(runtime).map(|(name, bound)| Bound {
            name: name.to_owned(),
            amounts: bound.iter().map(|(resource, value)| Amount { resource: resource.0, value }).collect(),
        });
        let both = |books: &model::Usage, resource| {
            let [preemptible, rest] = books.parts(resource);
            preemptible.saturating_add(rest)
        };
        QueueAccount {
            kind: terms.queue.to_owned(),
            name: queue.name.clone(),
            parent: queue.parent.and_then(|parent| self.cluster.queue(parent)).map(|parent| parent.name.clone()),
            bounds: bounds.filter(|bound| !bound.amounts.is_empty()).collect(),
            used: self.amounts(|resource| both(&queue.used, resource)),
            promised: self.amounts(|resource| {
                let of = |kind| self.cluster.promised_below(ix, kind, resource, |_| true);
                of(Preemptibility::Preemptible).saturating_add(of(Preemptibility::NonPreemptible))
            }),
            pending: self
                .amounts(|resource| both(&queue.requested, resource).saturating_sub(both(&queue.used, resource))),
        }
    }

    /// The resources of which there is not nothing.
    fn amounts(&self, of: impl Fn(ResourceIx) -> i64) -> Vec<Amount> {
        let all = (0u32..).take(self.cluster.resource_count());
        let amounts = all.map(|resource| Amount { resource, value: of(ResourceIx(resource)) });
        amounts.filter(|amount| amount.value != 0).collect()
    }
}
