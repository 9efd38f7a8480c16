//! Shapes: pods with equal constraints share a shape, and each shape has an up-to-date set of eligible nodes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lictor_contract::{Eligibility, NodeId, ShapeId};

use super::bits::NodeBitSet;
use super::{Constraints, NodeProperties};
use crate::sweep::SweepThreshold;

/// All shapes. A shape that no pod has is kept for the next pod, as long as there are few of them; then its number is given to another shape.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    ids: BTreeMap<Arc<Constraints>, ShapeId>,
    /// The shapes by number. `None`: the number is free.
    shapes: Vec<Option<EligibilityShape>>,
    free: BTreeSet<ShapeId>,
    sweep: SweepThreshold,
    /// Shapes for which any node may be eligible.
    general: Vec<ShapeId>,
    /// Shapes for which only nodes of these names may be eligible, such as the pods of a DaemonSet.
    named: BTreeMap<String, Vec<ShapeId>>,
    changed: BTreeSet<ShapeId>,
}

#[derive(Debug)]
struct EligibilityShape {
    constraints: Arc<Constraints>,
    nodes: NodeBitSet,
}

impl EligibilityShape {
    fn update_node(&mut self, id: NodeId, node: Option<&NodeProperties>) -> bool {
        let eligible = node.is_some_and(|node| self.constraints.check(node).is_ok());
        self.nodes.set(id, eligible)
    }
}

impl Shapes {
    /// Returns the number of the shape with these constraints. A new shape is checked against the nodes of `all`. Where the constraints allow only
    /// some names, a new shape is checked against the nodes that `named` finds by name.
    pub(crate) fn intern<'n>(
        &mut self,
        constraints: Constraints,
        all: impl Iterator<Item = (NodeId, &'n NodeProperties)>,
        named: impl Fn(&str) -> Option<(NodeId, &'n NodeProperties)>,
    ) -> ShapeId {
        if let Some(id) = self.ids.get(&constraints) {
            return *id;
        }
        let next = ShapeId::try_from(self.shapes.len()).unwrap_or(ShapeId::MAX);
        let id = self.free.pop_first().unwrap_or(next);
        let constraints = Arc::new(constraints);
        let mut shape = EligibilityShape { constraints: constraints.clone(), nodes: NodeBitSet::default() };
        match constraints.only_names() {
            None => {
                self.general.push(id);
                all.for_each(|(node, terrain)| {
                    shape.update_node(node, Some(terrain));
                });
            }
            Some(names) => {
                for name in names {
                    self.named.entry(name.to_owned()).or_default().push(id);
                    if let Some((node, terrain)) = named(name) {
                        shape.update_node(node, Some(terrain));
                    }
                }
            }
        }
        match self.shapes.get_mut(id as usize) {
            Some(free) => *free = Some(shape),
            None => self.shapes.push(Some(shape)),
        }
        self.ids.insert(constraints, id);
        self.changed.insert(id);
        id
    }

    /// Forgets the shapes that no pod has and frees their numbers, once there may be as many unused shapes as used ones. `used` returns the shapes of
    /// all pods. Call `sweep` after all changes were drained: only then does the policy know that no pod has the shape.
    pub(crate) fn sweep(&mut self, used: impl FnOnce() -> BTreeSet<ShapeId>) {
        if !self.sweep.is_due(self.ids.len()) {
            return;
        }
        let used = used();
        self.ids.retain(|_, id| used.contains(id));
        self.general.retain(|id| used.contains(id));
        self.named.values_mut().for_each(|ids| ids.retain(|id| used.contains(id)));
        self.named.retain(|_, ids| !ids.is_empty());
        for (id, shape) in (0..).zip(&mut self.shapes).filter(|(id, _)| !used.contains(id)) {
            *shape = None;
            self.free.insert(id);
        }
        self.sweep.done(self.ids.len());
    }

    fn get(&self, shape: ShapeId) -> Option<&EligibilityShape> {
        self.shapes.get(shape as usize)?.as_ref()
    }

    /// Returns the constraints of a shape. `None`: the number is free.
    pub(crate) fn constraints(&self, shape: ShapeId) -> Option<&Constraints> {
        self.get(shape).map(|shape| &*shape.constraints)
    }

    /// Returns whether a node takes the pods of a shape: the result of [`Constraints::check`] when the node was last checked. O(1).
    pub(crate) fn is_eligible(&self, shape: ShapeId, node: NodeId) -> bool {
        self.get(shape).is_some_and(|shape| shape.nodes.contains(node))
    }

    /// Checks a node that is new or has changed, or removes one (`None`).
    pub(crate) fn update_node(&mut self, id: NodeId, name: &str, node: Option<&NodeProperties>) {
        let named = self.named.get(name).map(Vec::as_slice).unwrap_or_default();
        for shape in self.general.iter().chain(named) {
            let known = self.shapes.get_mut(*shape as usize).and_then(Option::as_mut);
            if known.is_some_and(|shape| shape.update_node(id, node)) {
                self.changed.insert(*shape);
            }
        }
    }

    /// Returns the nodes of the shapes that are new or have changed since the last call.
    pub(crate) fn drain(&mut self) -> Vec<Eligibility> {
        std::mem::take(&mut self.changed).into_iter().filter_map(|shape| self.eligibility(shape)).collect()
    }

    /// Returns the nodes of each shape from this number on. A free number has no nodes, so that the numbers that a policy receives have no gaps.
    pub(crate) fn from(&self, first: ShapeId) -> impl Iterator<Item = Eligibility> {
        (first..u32::MAX).map_while(|shape| self.eligibility(shape))
    }

    fn eligibility(&self, shape: ShapeId) -> Option<Eligibility> {
        let nodes = self.shapes.get(shape as usize)?.as_ref().map(|found| found.nodes.words());
        Some(Eligibility { shape, nodes: nodes.unwrap_or_default() })
    }
}
