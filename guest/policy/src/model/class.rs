//! Classes: pods that ask for the same, may run on the same nodes and have the same between them and other pods, so that what is worked
//! out for one of them holds for all.

use std::collections::{BTreeMap, BTreeSet};

use super::index::Index;
use super::{ClassIx, InterPodIx, Request, ShapeIx};

/// With fewer numbers than this, those of classes without pods are not looked for.
const FEW: usize = 1024;

/// The classes of pods, numbered densely. The number of a class without pods is given to another class after a sweep.
#[derive(Debug, Clone, Default)]
pub struct Classes {
    known: BTreeMap<(ShapeIx, Option<InterPodIx>), BTreeMap<Request, ClassIx>>,
    /// What pods of each class request; nothing, where the number is free.
    requests: Vec<Request>,
    /// The part of the cluster that a pod of each class requests, of the first classes; of none after the nodes have changed.
    shares: Vec<i64>,
    /// The numbers that are free.
    free: BTreeSet<ClassIx>,
    /// How many classes the last sweep has left.
    swept: usize,
}

impl Classes {
    /// The class of pods of this shape, with this between them and others, that ask for this; a new one if there is none.
    pub fn of(&mut self, shape: ShapeIx, inter_pod: Option<InterPodIx>, request: &Request) -> ClassIx {
        let of_shape = self.known.entry((shape, inter_pod)).or_default();
        if let Some(class) = of_shape.get(request) {
            return *class;
        }
        let free = self.free.pop_first();
        let class = free.or_else(|| ClassIx::of(self.requests.len())).unwrap_or(ClassIx(u32::MAX));
        match self.requests.get_mut(class.at()) {
            Some(free) => *free = request.clone(),
            None => self.requests.push(request.clone()),
        }
        // The share of the class that had the number is none of this one.
        self.shares.truncate(class.at());
        of_shape.insert(request.clone(), class);
        class
    }

    /// Returns how many classes there are.
    pub fn count(&self) -> usize {
        self.requests.len().saturating_sub(self.free.len())
    }

    /// Returns whether there may be as many classes without pods as others, so that a sweep is worth its time.
    pub fn is_sweep_due(&self) -> bool {
        self.count() > self.swept.saturating_mul(2).max(FEW)
    }

    /// Forgets the classes that no pod is of, and frees their numbers.
    pub fn sweep(&mut self, used: &BTreeSet<ClassIx>) {
        for of_shape in self.known.values_mut() {
            of_shape.retain(|_, class| used.contains(class));
        }
        self.known.retain(|_, of_shape| !of_shape.is_empty());
        for (at, request) in self.requests.iter_mut().enumerate() {
            if let Some(class) = ClassIx::of(at).filter(|class| !used.contains(class)) {
                self.free.insert(class);
                *request = Request::default();
            }
        }
        self.swept = self.count();
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

    #[test]
    fn the_number_of_a_class_without_pods_is_given_to_another_class_with_a_share_of_its_own() {
        let mut classes = Classes::default();
        let request = |amount: i64| Request::new(vec![(ResourceIx(0), amount)]);
        let [one, two] = [1, 2].map(|amount| classes.of(ShapeIx(0), None, &request(amount)));
        let share = |request: &Request| request.get(ResourceIx(0)) * 10;
        classes.refresh_shares(share);
        classes.sweep(&[two].into());
        assert_eq!((classes.count(), classes.of(ShapeIx(0), None, &request(2))), (1, two), "it has a pod");
        assert_eq!(classes.of(ShapeIx(0), None, &request(3)), one);
        classes.refresh_shares(share);
        assert_eq!([one, two].map(|class| classes.share(class)), [Some(30), Some(20)]);
        assert_ne!(classes.of(ShapeIx(0), None, &request(1)), one, "it is a new class now");
    }
}
