//! Classes: pods that ask for the same, may run on the same nodes and have the same between them and other pods, so that what is worked
//! out for one of them holds for all.

use std::collections::{BTreeMap, BTreeSet};

use super::index::TableIndex;
use super::sweep::SweepSchedule;
use super::{ClassIx, InterPodIx, ResourceRequest, ShapeIx};

/// The classes of pods, numbered densely. The number of a class without pods is given to another class after a sweep.
#[derive(Debug, Clone, Default)]
pub struct EquivalenceClasses {
    known: BTreeMap<(ShapeIx, Option<InterPodIx>), BTreeMap<ResourceRequest, ClassIx>>,
    /// The request of the pods of each class; empty where the number is free.
    requests: Vec<ResourceRequest>,
    /// The largest share of the cluster that a pod of each class requests, for the first classes. Empty after the nodes have changed.
    shares: Vec<i64>,
    /// The number of pods in each class.
    pods: Vec<u32>,
    /// The class numbers that are free.
    free: BTreeSet<ClassIx>,
    sweep: SweepSchedule,
}

impl EquivalenceClasses {
    /// Returns the class of pods with this shape, these constraints between pods and this request; a new class if there is none.
    fn of(&mut self, shape: ShapeIx, inter_pod: Option<InterPodIx>, request: &ResourceRequest) -> ClassIx {
        let of_shape = self.known.entry((shape, inter_pod)).or_default();
        if let Some(class) = of_shape.get(request) {
            return *class;
        }
        let free = self.free.pop_first();
        let class = free.or_else(|| ClassIx::from_position(self.requests.len())).unwrap_or(ClassIx(u32::MAX));
        match self.requests.get_mut(class.position()) {
            Some(free) => *free = request.clone(),
            None => {
                self.requests.push(request.clone());
                self.pods.push(0);
            }
        }
        // The old share belongs to the class that had the number before.
        self.shares.truncate(class.position());
        of_shape.insert(request.clone(), class);
        class
    }

    /// Returns the class of a pod, a new one if there is none, and adds the pod to its count.
    pub fn add_pod(&mut self, shape: ShapeIx, inter_pod: Option<InterPodIx>, request: &ResourceRequest) -> ClassIx {
        let class = self.of(shape, inter_pod, request);
        if let Some(pods) = self.pods.get_mut(class.position()) {
            *pods = pods.saturating_add(1);
        }
        class
    }

    /// Subtracts a pod from the count of its class.
    pub fn remove_pod(&mut self, class: ClassIx) {
        if let Some(pods) = self.pods.get_mut(class.position()) {
            *pods = pods.saturating_sub(1);
        }
    }

    fn has_pods(&self, class: ClassIx) -> bool {
        self.pods.get(class.position()).is_some_and(|pods| *pods > 0)
    }

    /// Returns whether some pod has this shape. Takes time in proportion to the classes of the shape.
    pub fn has_pods_of(&self, shape: ShapeIx) -> bool {
        let of_shape = self.known.range((shape, None)..).take_while(|((other, _), _)| *other == shape);
        of_shape.flat_map(|(_, classes)| classes.values()).any(|class| self.has_pods(*class))
    }

    /// Returns how many classes there are.
    pub fn count(&self) -> usize {
        self.requests.len().saturating_sub(self.free.len())
    }

    /// Frees the numbers of classes without pods, once there may be as many of them as of other classes.
    pub fn sweep(&mut self) {
        if !self.sweep.is_due(self.count()) {
            return;
        }
        let mut known = std::mem::take(&mut self.known);
        for of_shape in known.values_mut() {
            of_shape.retain(|_, class| self.has_pods(*class));
        }
        known.retain(|_, of_shape| !of_shape.is_empty());
        self.known = known;
        for (at, (request, pods)) in self.requests.iter_mut().zip(&self.pods).enumerate() {
            if let Some(class) = ClassIx::from_position(at).filter(|_| *pods == 0) {
                self.free.insert(class);
                *request = ResourceRequest::default();
            }
        }
        self.sweep.done(self.count());
    }

    /// Forgets the shares: the nodes have changed.
    pub fn forget_shares(&mut self) {
        self.shares.clear();
    }

    /// Sets the share of each class that has none.
    pub fn refresh_shares(&mut self, share: impl Fn(&ResourceRequest) -> i64) {
        let new = self.requests.iter().skip(self.shares.len()).map(share);
        self.shares.extend(new);
    }

    /// Returns the share of a class. `None`: it was not computed yet.
    pub fn share(&self, class: ClassIx) -> Option<i64> {
        self.shares.get(class.position()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ResourceIx;

    #[test]
    fn pods_are_of_a_class_where_request_and_shape_and_what_stands_between_them_and_others_are_the_same() {
        let mut classes = EquivalenceClasses::default();
        let request = |amount: i64| ResourceRequest::new(vec![(ResourceIx(0), amount)]);
        let of = |classes: &mut EquivalenceClasses, shape: u32, inter_pod: Option<u32>, amount: i64| {
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
        let mut classes = EquivalenceClasses::default();
        let request = |amount: i64| ResourceRequest::new(vec![(ResourceIx(0), amount)]);
        let many = i64::try_from(crate::model::sweep::FEW).unwrap() + 1;
        let all: Vec<_> = (0..many).map(|amount| classes.of(ShapeIx(0), None, &request(amount))).collect();
        let (first, second) = (all[0], all[1]);
        for amount in [0, 0, 1] {
            classes.add_pod(ShapeIx(0), None, &request(amount));
        }
        classes.remove_pod(first);
        let share = |request: &ResourceRequest| request.get(ResourceIx(0)) * 10;
        classes.refresh_shares(share);
        classes.sweep();
        assert_eq!(classes.count(), 2, "those of pods");
        assert_eq!(classes.of(ShapeIx(0), None, &request(1)), second);
        let third = classes.of(ShapeIx(0), None, &request(7));
        assert_eq!(third, all[2], "the first number that is free");
        classes.refresh_shares(share);
        assert_eq!([second, third].map(|class| classes.share(class)), [Some(10), Some(70)]);
        assert_ne!(classes.of(ShapeIx(0), None, &request(2)), third, "it is a new class now");
    }

    #[test]
    fn a_shape_has_pods_while_a_class_of_it_has() {
        let mut classes = EquivalenceClasses::default();
        let request = ResourceRequest::new(vec![(ResourceIx(0), 1)]);
        let class = classes.add_pod(ShapeIx(1), Some(InterPodIx(3)), &request);
        classes.of(ShapeIx(2), None, &request);
        assert_eq!([0, 1, 2].map(|shape| classes.has_pods_of(ShapeIx(shape))), [false, true, false]);
        classes.remove_pod(class);
        assert!(!classes.has_pods_of(ShapeIx(1)));
    }
}
