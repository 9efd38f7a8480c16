//! Which pods of one node may be evicted together.

use super::laws::Preemption;
use super::{YuniKornAttemptCheck, free_for, is_daemon, is_reserved};
use crate::amounts::MilliAmounts;
use crate::case::SystemKind;
use crate::demands::is_refused;
use crate::world::{ModelNode, ModelPod};

/// The maximum number of pods on a node for which every set is tried.
const MOST: usize = 11;

impl<'w> YuniKornAttemptCheck<'w> {
    /// Returns every set of victims on one node that the laws allow. A node with too many candidates is left out.
    pub(super) fn legal_groups(&self) -> Vec<(&'w ModelNode, Vec<&'w ModelPod>)> {
        let Preemption { world, pod, .. } = self.preemption;
        let mut groups = Vec::new();
        for node in world.nodes.values().filter(|node| world.may_run(pod, node)) {
            let able: Vec<&ModelPod> =
                world.on(&node.name).filter(|other| self.illegal_victim(node, other, false).is_none()).collect();
            if able.len() > MOST {
                continue;
            }
            for set in 1u32..1 << able.len() {
                let group: Vec<&ModelPod> =
                    (0..).zip(&able).filter(|(bit, _)| set & (1 << bit) != 0).map(|(_, pod)| *pod).collect();
                if self.illegal(node, &group, false).is_none() {
                    groups.push((node, group));
                }
            }
        }
        groups
    }

    /// Returns why a pod may not be a victim on a node: the broken law and a message. `None`: it may.
    pub(super) fn illegal_victim(
        &self,
        node: &ModelNode,
        victim: &ModelPod,
        lenient: bool,
    ) -> Option<(&'static str, String)> {
        let pod = self.preemption.pod;
        if victim.node.as_deref() != Some(&node.name) {
            return Some(("victims-are-on-one-node", format!("`{}` runs on another node", victim.name)));
        }
        if victim.leaving || is_daemon(victim) || victim.restrictions.foreign {
            return Some((
                "victim-is-eligible",
                format!("`{}` is already leaving, or belongs to a DaemonSet or another scheduler", victim.name),
            ));
        }
        if is_daemon(pod) {
            // Without the label of an application, two pods do not count as pods of one application.
            let application = pod.label("applicationId");
            if application.is_some() && victim.label("applicationId") == application {
                return Some(("yunikorn/3", format!("`{}` belongs to the same application", victim.name)));
            }
            let higher = victim.priority > pod.priority;
            return higher.then(|| ("yunikorn/6", format!("`{}` has a higher rank", victim.name)));
        }
        self.preemption.illegal_victim(victim, lenient)
    }

    /// Returns why these pods may not be evicted together on this node: the broken law and a message. `None`: they may.
    pub(super) fn illegal(
        &self,
        node: &ModelNode,
        victims: &[&ModelPod],
        lenient: bool,
    ) -> Option<(&'static str, String)> {
        let Preemption { world, pod, .. } = self.preemption;
        if let Some(violation) = victims.iter().find_map(|victim| self.illegal_victim(node, victim, lenient)) {
            return Some(violation);
        }
        let mut free = free_for(world, pod, node);
        victims.iter().for_each(|victim| free.add(&victim.request));
        if lenient {
            world.on(&node.name).filter(|other| other.leaving).for_each(|other| free.add(&other.request));
        }
        if !pod.request.fits(&free) || is_reserved(world, pod, node, lenient) {
            return Some(("evictions-make-room", "the preemptor does not fit afterwards".to_owned()));
        }
        if let Some(agent) = self.daemon_pod_for(node) {
            let text =
                format!("`{}` will hold `{}`: it finds no room there beside the preemptor", agent.name, node.name);
            return Some(("evictions-are-not-in-vain", text));
        }
        // A node is guaranteed to the pod of a DaemonSet, room beyond a maximum is not.
        match is_daemon(pod) {
            true => self.preemption.over_max(victims, lenient),
            false => self.preemption.illegal_group(victims, lenient),
        }
    }

    /// Returns the pending DaemonSet pod that will hold a node, because the pods that outrank it and the preemptor leave too little there. Four
    /// kinds of such pods are no obstacle: those always too large for the node, those that may not preempt, those that their queues do not admit,
    /// and those with demands that the model does not judge.
    fn daemon_pod_for(&self, node: &ModelNode) -> Option<&'w ModelPod> {
        let Preemption { world, queues, pod } = self.preemption;
        if is_daemon(pod) || pod.nominated.as_deref() == Some(&node.name) {
            return None;
        }
        let on_node = || world.on(&node.name).filter(|other| !other.leaving);
        let agents =
            world.pods.values().filter(|agent| agent.pending() && is_daemon(agent) && world.may_run(agent, node));
        let mut claims = pod.request.clone();
        let mut holders = Vec::new();
        for agent in agents {
            let judge = YuniKornAttemptCheck {
                preemption: Preemption { world, queues, pod: agent },
                awaits_victims: false,
                originators: self.originators.clone(),
            };
            let stays = MilliAmounts::sum(on_node().filter(|other| is_daemon(other)).map(|other| &other.request));
            let mut most = node.allocatable.clone();
            most.take(&stays);
            let may_go: Vec<&ModelPod> =
                on_node().filter(|other| judge.illegal_victim(node, other, false).is_none()).collect();
            let admitted = judge.preemption.over_max(&may_go, false).is_none();
            let is_refused = is_refused(SystemKind::Yunikorn, world, &agent.name);
            if agent.restrictions.never_preempts || !agent.request.fits(&most) || !admitted || is_refused {
                continue;
            }
            let mut room = world.free(node);
            world.on(&node.name).filter(|other| other.leaving).for_each(|other| room.add(&other.request));
            may_go.iter().for_each(|other| room.add(&other.request));
            let promised = world.pods.values().filter(|other| other.pending() && other.name != pod.name);
            promised
                .filter(|other| other.nominated.as_deref() == Some(&node.name))
                .for_each(|other| room.take(&other.request));
            claims.add(&agent.request);
            holders.push((agent, room));
        }
        holders.into_iter().find(|(_, room)| !claims.fits(room)).map(|(agent, _)| agent)
    }
}
