//! What is bound is there, waits for a node, may run on it and has room on it, all bindings of one answer together.

use std::collections::BTreeMap;

use lictor_contract::{NodeId, Placement, PodId};

use super::{VerifyContext, Violation, distinct, eligible, fits, inter_pod, pending};

/// Checks whether pods may be bound, all bindings of one answer together.
///
/// Every pod that is still on the node counts, even if it is leaving: for free capacity, and for constraints between pods. Capacity that is promised
/// to nominated pods does not count, because the policy may give it to a pod of higher standing.
///
/// # Errors
/// The first invariant that the bindings break.
pub fn bindings(ground: &VerifyContext<'_>, bindings: &[Placement]) -> Result<(), Violation> {
    apart_from_other_pods(ground, bindings)?;
    inter_pod::placements(ground, |_| true, bindings)
}

/// Checks all but the constraints between pods.
fn apart_from_other_pods(ground: &VerifyContext<'_>, bindings: &[Placement]) -> Result<(), Violation> {
    let mut by_node: BTreeMap<NodeId, Vec<PodId>> = BTreeMap::new();
    for binding in bindings {
        ground.mirror.pod(binding.pod).ok_or(Violation::UnknownPod(binding.pod))?;
        ground.mirror.node(binding.node).ok_or(Violation::UnknownNode(binding.node))?;
        by_node.entry(binding.node).or_default().push(binding.pod);
    }
    distinct::placements(ground, bindings)?;
    pending::placements(ground, bindings)?;
    eligible::placements(ground, bindings)?;
    by_node.iter().try_for_each(|(node, comers)| fits::check_capacity(ground, *node, |_| true, &[], comers))
}

/// The binding of one pod, checked on one node after another as [`bindings`] checks it. The pods on nodes are collected once.
pub struct BindingToNodes<'a> {
    ground: VerifyContext<'a>,
    pod: PodId,
    inter_pod: inter_pod::PodOnNodes<'a>,
}

impl<'a> BindingToNodes<'a> {
    /// Collects what the checks need of the cluster.
    pub fn new(ground: VerifyContext<'a>, pod: PodId) -> BindingToNodes<'a> {
        BindingToNodes { ground, pod, inter_pod: inter_pod::PodOnNodes::of(&ground, pod) }
    }

    /// Checks whether the pod may be bound to a node.
    ///
    /// # Errors
    /// The first invariant that the binding breaks.
    pub fn check(&self, node: NodeId) -> Result<(), Violation> {
        apart_from_other_pods(&self.ground, &[Placement { pod: self.pod, node }])?;
        self.inter_pod.check(&self.ground, node)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{ClusterFixture, object, pod};
    use super::*;

    /// Returns the code of the violation of bindings by names.
    fn judge(world: &ClusterFixture, named: &[(&str, &str)]) -> Result<(), String> {
        let named: Vec<Placement> = named.iter().map(|on| world.placement(*on)).collect();
        bindings(&world.context(), &named).map_err(|violation| violation.reason().code)
    }

    #[test]
    fn each_invariant_refuses() {
        let world = ClusterFixture::small();
        assert_eq!(judge(&world, &[("default/q", "n3")]), Ok(()));
        for (named, code) in [
            (("default/x", "n3"), "host/known"),
            (("default/q", "nx"), "host/known"),
            (("default/w", "n3"), "host/pending"),
            (("default/h", "n3"), "host/pending"),
            (("default/q", "n2"), "host/eligible"),
            (("default/q", "n1"), "host/fits"),
        ] {
            assert_eq!(judge(&world, &[named]), Err(code.to_owned()), "{named:?}");
        }
        assert_eq!(judge(&world, &[("default/q", "n3"), ("default/q", "n3")]), Err("host/distinct".to_owned()));
    }

    #[test]
    fn bindings_of_one_answer_count_together() {
        let mut world = ClusterFixture::small();
        world.mirror.upsert(object(pod("r", 2, 0)));
        world.sync();
        assert_eq!(judge(&world, &[("default/r", "n3")]), Ok(()));
        assert_eq!(judge(&world, &[("default/q", "n3")]), Ok(()));
        assert_eq!(judge(&world, &[("default/q", "n3"), ("default/r", "n3")]), Err("host/fits".to_owned()));
    }

    #[test]
    fn who_is_being_deleted_still_takes_room() {
        let mut world = ClusterFixture::small();
        world.mirror.terminate(world.pod("default/v"));
        world.sync();
        assert_eq!(judge(&world, &[("default/q", "n1")]), Err("host/fits".to_owned()));
    }

    #[test]
    fn promised_room_is_the_policys_to_give() {
        let mut world = ClusterFixture::small();
        world.mirror.upsert(object(pod("r", 2, 0)));
        world.sync();
        let (r, n3) = (world.pod("default/r"), world.node("n3"));
        world.mirror.nominate(r, Some(n3));
        world.sync();
        assert_eq!(judge(&world, &[("default/q", "n3")]), Ok(()));
    }
}
