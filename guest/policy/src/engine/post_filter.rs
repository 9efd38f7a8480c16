//! PostFilter: the pod was refused or found no node. Is there a plan for it?

use crate::contract::{Effects, Outcome, Placement, PodId, PolicyError, PostFiltered, Reason, Subject};
use crate::laws::{Detail, Gate, Preemptor};
use crate::model::{NodeIx, PodIx};

use super::Engine;
use super::reasons::{NO_NODE, OTHER_GANG, ROOM_IS_COMING};
use super::search::{self, Obstacle, PreemptionContext, Search};

impl Engine {
    /// See `placement.post-filter`.
    pub fn post_filter(&mut self, pod: PodId, refuted: &[Placement]) -> Result<PostFiltered, PolicyError> {
        let preemptor = self.preemptor(pod)?;
        if !preemptor.pods.contains(&PodIx(pod)) {
            return Err(PolicyError::WrongState("the pod does not wait for a node".to_owned()));
        }
        self.notes.plan(PodIx(pod));
        let laws = self.laws()?.clone();
        let search = search::of(&laws);
        let gangs = search.planned_together(&self.cluster, &laws, preemptor);
        if let Some(reason) = self.broken(&gangs, &laws.under_way) {
            return Ok(PostFiltered { plan: None, reason, effects: Effects::default() });
        }
        let broken = self.broken(&gangs, &laws.trigger);
        let gangs: Vec<Preemptor> = gangs.into_iter().map(|gang| search.needed(&self.cluster, gang)).collect();
        let preemptor = gangs.first().ok_or(PolicyError::UnknownPod(pod))?;
        if let Some(reason) = broken {
            let effects = self.give_up(preemptor, search.gives_up(preemptor, false));
            return Ok(PostFiltered { plan: None, reason, effects });
        }
        self.ledger.forget_unanswered();
        let mut context = PreemptionContext {
            preemptor,
            gangs: &gangs,
            laws: &laws,
            ledger: &self.ledger,
            refuted,
            notes: &mut self.notes,
        };
        match search.find(&mut self.cluster, &mut context) {
            Err(obstacle) => {
                if matches!(obstacle, Obstacle::NoNode { .. }) && preemptor.required_node_reservation.is_some() {
                    self.cluster.reserve_required_node(preemptor.pod);
                }
                let reason = self.obstacle(&gangs, obstacle);
                let effects = self.give_up(preemptor, search.gives_up(preemptor, true));
                Ok(PostFiltered { plan: None, reason, effects })
            }
            Ok(plan) => {
                let withdrawn = self.outranked(search.as_ref(), &gangs, &plan.nominations);
                let plan = self.draw_up(&plan)?;
                let effects = Effects { withdrawn, ..Effects::default() };
                Ok(PostFiltered { reason: plan.reason.clone(), plan: Some(plan), effects })
            }
        }
    }

    /// What the first gate says that does not hold for one of these gangs.
    fn broken(&mut self, gangs: &[Preemptor], gates: &[Gate]) -> Option<Reason> {
        let (at, rule, denial) = gangs.iter().enumerate().find_map(|(at, gang)| {
            let (rule, denial) = gang.planning(&self.cluster, &self.ledger).first_broken(gates)?;
            Some((at, rule, denial))
        })?;
        if at == 0 {
            self.notes.denial(&self.cluster, Subject::Preemptor, Outcome::Barred, &rule, &denial);
            return Some(self.reason(&rule, &denial));
        }
        let other = gangs.get(at).and_then(|gang| gang.job).and_then(|job| self.cluster.job(job));
        let gang = other.map(|job| job.key.clone()).unwrap_or_default();
        let reason = rule.reason(denial.detail(&self.cluster).within(&OTHER_GANG).job("other-gang", &gang));
        self.notes.add(Subject::Preemptor, Outcome::Barred, || reason.clone());
        Some(reason)
    }

    /// There is no plan: these pods lose their nominations, and a strict gang releases its pods at Permit.
    fn give_up(&self, preemptor: &Preemptor, void: Vec<PodIx>) -> Effects {
        let is_nominated = |ix: &PodIx| self.cluster.pod(*ix).is_some_and(|pod| pod.nominated.is_some());
        let withdrawn = void.into_iter().filter(is_nominated).map(|ix| ix.0).collect();
        let gang = preemptor.job.and_then(|job| self.cluster.job(job)).and_then(|job| job.gang());
        let releases = match gang {
            Some(gang) if gang.fails_together => self.waiting_with(preemptor.pod),
            _ => Vec::new(),
        };
        Effects { releases, withdrawn, ..Effects::default() }
    }

    /// The obstacle as a reason; it is also noted.
    fn obstacle(&mut self, gangs: &[Preemptor], obstacle: Obstacle) -> Reason {
        let (rule, detail) = match obstacle {
            Obstacle::Law(rule, denial) => {
                self.notes.denial(&self.cluster, Subject::Preemptor, Outcome::Barred, &rule, &denial);
                return self.reason(&rule, &denial);
            }
            // The search has noted it.
            Obstacle::Room => {
                return ROOM_IS_COMING.reason(Detail::case("gang"));
            }
            Obstacle::Coming(node) => (ROOM_IS_COMING, Detail::default().node("node", node)),
            Obstacle::NoNode { pod, planned } => {
                let pods = gangs.first().map_or(0, |gang| gang.pods.len());
                let case = if gangs.len() > 1 { "gang-group" } else { "job" };
                let detail = match pods {
                    1 => Detail::default(),
                    pods => Detail::case(case).pod("pod", pod).count("planned", planned).count("pods", pods),
                };
                (NO_NODE, detail)
            }
        };
        let reason = rule.reason(detail);
        self.notes.add(Subject::Preemptor, Outcome::Barred, || reason.clone());
        reason
    }

    /// The pods that lose their nominations to the nodes of a plan: those that every gang of the plan outranks.
    fn outranked(&self, search: &dyn Search, gangs: &[Preemptor], nominations: &[(PodIx, NodeIx)]) -> Vec<PodId> {
        let is_taken = |node: NodeIx| nominations.iter().any(|(_, other)| *other == node);
        let outranked = self.cluster.nominated().filter(|(ix, pod)| {
            let loses = |gang: &Preemptor| search.outranks(gang, pod) && !gang.pods.contains(ix);
            pod.nominated.is_some_and(is_taken) && gangs.iter().all(loses)
        });
        outranked.map(|(ix, _)| ix.0).collect()
    }
}
