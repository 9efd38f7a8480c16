//! Classes: pods that ask for the same, may run on the same nodes and have the same between them and other pods, so that what is worked
//! out for one of them holds for all.

use std::collections::BTreeMap;

use super::index::Index;
use super::{ClassIx, InterPodIx, Request, ShapeIx};

/// The classes of pods so far, numbered densely in the order in which they were met.
#[derive(Debug, Clone, Default)]
pub struct Classes(BTreeMap<(ShapeIx, Option<InterPodIx>), BTreeMap<Request, ClassIx>>, usize);

impl Classes {
    /// The class of pods of this shape, with this between them and others, that ask for this; a new one if there is none.
    pub fn of(&mut self, shape: ShapeIx, inter_pod: Option<InterPodIx>, request: &Request) -> ClassIx {
        let of_shape = self.0.entry((shape, inter_pod)).or_default();
        if let Some(class) = of_shape.get(request) {
            return *class;
        }
        let class = ClassIx::of(self.1).unwrap_or(ClassIx(u32::MAX));
        self.1 = self.1.saturating_add(1);
        of_shape.insert(request.clone(), class);
        class
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
