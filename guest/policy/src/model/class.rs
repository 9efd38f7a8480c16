//! Classes: pods that ask for the same, may run on the same nodes and have the same between them and other pods, so that what is worked
//! out for one of them holds for all.

use std::collections::BTreeMap;

use super::index::Index;
use super::{ClassIx, InterPodIx, Request, ShapeIx};

/// The classes of pods so far, numbered densely in the order in which they were met.
#[derive(Debug, Clone, Default)]
pub struct Classes {
    known: BTreeMap<(ShapeIx, Option<InterPodIx>), BTreeMap<Request, ClassIx>>,
    /// What pods of each class request.
    requests: Vec<Request>,
    /// The part of the cluster that a pod of each class requests, of the first classes; of none after the nodes have changed.
    shares: Vec<i64>,
}

impl Classes {
    /// The class of pods of this shape, with this between them and others, that ask for this; a new one if there is none.
    pub fn of(&mut self, shape: ShapeIx, inter_pod: Option<InterPodIx>, request: &Request) -> ClassIx {
        let of_shape = self.known.entry((shape, inter_pod)).or_default();
        if let Some(class) = of_shape.get(request) {
            return *class;
        }
        let class = ClassIx::of(self.requests.len()).unwrap_or(ClassIx(u32::MAX));
        self.requests.push(request.clone());
        of_shape.insert(request.clone(), class);
        class
    }

    /// Forgets the shares: the nodes have changed.
    pub fn forget_shares(&mut self) {
        self.shares.clear();
    }

    /// Sets the share of each class that has none.
    pub fn refresh_shares(&mut self, share: impl Fn(&Request) -> i64) {
        let new = self.requests.iter().skip(self.shares.len()).map(share);
        self.shares.extend(new);
    }

    /// Returns the share of a class, if it has been worked out.
    pub fn share(&self, class: ClassIx) -> Option<i64> {
        self.shares.get(class.at()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ResourceIx;

    #[test]
    fn pods_are_of_a_class_where_request_and_shape_and_what_stands_between_them_and_others_are_the_same() {
        let mut classes = Classes::default();
        let request = |amount: i64| Request::new(vec![(ResourceIx(0), amount)]);
        let of = |classes: &mut Classes, shape: u32, inter_pod: Option<u32>, amount: i64| {
            classes.of(ShapeIx(shape), inter_pod.map(InterPodIx), &request(amount))
        };
        let first = of(&mut classes, 0, None, 1);
        assert_ne!(of(&mut classes, 0, None, 2), first);
        assert_ne!(of(&mut classes, 1, None, 1), first);
        assert_ne!(of(&mut classes, 0, Some(0), 1), first);
        assert_ne!(of(&mut classes, 0, Some(0), 1), of(&mut classes, 0, Some(1), 1));
        assert_eq!(of(&mut classes, 0, None, 1), first);
    }
}
