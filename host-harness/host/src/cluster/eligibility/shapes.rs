//! Shapes: pods with equal constraints share a shape, and each shape has an up-to-date set of eligible nodes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lictor_contract::{Eligibility, NodeId, ShapeId};

use super::bits::Bits;
use super::{Constraints, Terrain};

/// All shapes. A shape is never removed: there are few, and another pod may need it again.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    ids: BTreeMap<Arc<Constraints>, ShapeId>,
    shapes: Vec<Shape>,
    /// Shapes for which any node may be eligible.
    general: Vec<ShapeId>,
    /// Shapes for which only nodes of these names may be eligible, such as the pods of a DaemonSet.
    named: BTreeMap<String, Vec<ShapeId>>,
    changed: BTreeSet<ShapeId>,
}

#[derive(Debug)]
struct Shape {
    constraints: Arc<Constraints>,
    nodes: Bits,
}

impl Shape {
    fn judge(&mut self, id: NodeId, node: Option<&Terrain>) -> bool {
        let eligible = node.is_some_and(|node| self.constraints.judge(node).is_ok());
        self.nodes.set(id, eligible)
    }
}

impl Shapes {
    /// The shape of these constraints. A new shape is checked against the nodes of `all`, or name by name against those of `named`.
    pub(crate) fn intern<'n>(
        &mut self,
        constraints: Constraints,
        all: impl Iterator<Item = (NodeId, &'n Terrain)>,
        named: impl Fn(&str) -> Option<(NodeId, &'n Terrain)>,
    ) -> ShapeId {
        if let Some(id) = self.ids.get(&constraints) {
            return *id;
        }
        let id = ShapeId::try_from(self.shapes.len()).unwrap_or(ShapeId::MAX);
        let constraints = Arc::new(constraints);
        let mut shape = Shape { constraints: constraints.clone(), nodes: Bits::default() };
        match constraints.only_names() {
            None => {
                self.general.push(id);
                all.for_each(|(node, terrain)| {
                    shape.judge(node, Some(terrain));
                });
            }
            Some(names) => {
                for name in names {
                    self.named.entry(name.to_owned()).or_default().push(id);
                    if let Some((node, terrain)) = named(name) {
                        shape.judge(node, Some(terrain));
                    }
                }
            }
        }
        self.shapes.push(shape);
        self.ids.insert(constraints, id);
        self.changed.insert(id);
        id
    }

    /// The constraints of a shape.
    pub(crate) fn constraints(&self, shape: ShapeId) -> Option<&Constraints> {
        self.shapes.get(shape as usize).map(|shape| &*shape.constraints)
    }

    /// Whether a node takes the pods of a shape: what [`Constraints::judge`] said when the node was checked last.
    pub(crate) fn takes(&self, shape: ShapeId, node: NodeId) -> bool {
        self.shapes.get(shape as usize).is_some_and(|shape| shape.nodes.contains(node))
    }

    /// Checks a node that is new or has changed, or removes one (`None`).
    pub(crate) fn judge(&mut self, id: NodeId, name: &str, node: Option<&Terrain>) {
        let named = self.named.get(name).map(Vec::as_slice).unwrap_or_default();
        for shape in self.general.iter().chain(named) {
            if self.shapes.get_mut(*shape as usize).is_some_and(|shape| shape.judge(id, node)) {
                self.changed.insert(*shape);
            }
        }
    }

    /// The shapes that are new or have changed since the last call.
    pub(crate) fn drain(&mut self) -> Vec<Eligibility> {
        std::mem::take(&mut self.changed).into_iter().filter_map(|shape| self.eligibility(shape)).collect()
    }

    /// The shapes from this number on.
    pub(crate) fn from(&self, first: ShapeId) -> impl Iterator<Item = Eligibility> {
        (first..u32::MAX).map_while(|shape| self.eligibility(shape))
    }

    fn eligibility(&self, shape: ShapeId) -> Option<Eligibility> {
        self.shapes.get(shape as usize).map(|found| Eligibility { shape, nodes: found.nodes.words() })
    }
}
