//! PostFilter: the pod was refused or found no node; what can be done?

use crate::contract::{Effects, Outcome, Placement, PodId, PolicyError, PostFiltered, Reason, Subject};
use crate::laws::{Detail, Gate, Preemptor};
use crate::model::{NodeIx, PodIx};

use super::Engine;
use super::reasons::{NO_NODE, ROOM_IS_COMING};
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
        if let Some(reason) = self.broken(&preemptor, &laws.under_way) {
            return Ok(PostFiltered { plan: None, reason, effects: Effects::default() });
        }
        if let Some(reason) = self.broken(&preemptor, &laws.trigger) {
            let effects = self.give_up(&preemptor, search.gives_up(&preemptor, false));
            return Ok(PostFiltered { plan: None, reason, effects });
        }
        self.ledger.forget_unanswered();
        let needed = search.needed(&self.cluster, &preemptor);
        let preemptor = preemptor.with(&self.cluster, needed);
        let mut context = PreemptionContext {
            preemptor: &preemptor,
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
                let reason = self.obstacle(&preemptor, obstacle);
                let effects = self.give_up(&preemptor, search.gives_up(&preemptor, true));
                Ok(PostFiltered { plan: None, reason, effects })
            }
            Ok(plan) => {
                let withdrawn = self.outranked(search.as_ref(), &preemptor, &plan.nominations);
                let plan = self.draw_up(&plan)?;
                let effects = Effects { withdrawn, ..Effects::default() };
                Ok(PostFiltered { reason: plan.reason.clone(), plan: Some(plan), effects })
            }
        }
    }

    /// What the first broken law says.
    fn broken(&mut self, preemptor: &Preemptor, gates: &[Gate]) -> Option<Reason> {
        let case = preemptor.planning(&self.cluster, &self.ledger);
        let (rule, denial) = gates.iter().find_map(|gate| Some((gate.rule, (gate.holds)(&case).err()?)))?;
        self.notes.denial(&self.cluster, Subject::Preemptor, Outcome::Barred, &rule, &denial);
        Some(self.reason(&rule, &denial))
    }

    /// There is no plan: these nominations are void, and a gang that fails together gives up the nodes it holds.
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

    /// What stands in the way, noted and as a reason.
    fn obstacle(&mut self, preemptor: &Preemptor, obstacle: Obstacle) -> Reason {
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
                let detail = match preemptor.pods.len() {
                    1 => Detail::default(),
                    all => Detail::case("job").pod("pod", pod).count("planned", planned).count("pods", all),
                };
                (NO_NODE, detail)
            }
        };
        let reason = rule.reason(detail);
        self.notes.add(Subject::Preemptor, Outcome::Barred, || reason.clone());
        reason
    }

    /// The pods that lose their nominations to the nodes of a plan.
    fn outranked(&self, search: &dyn Search, preemptor: &Preemptor, nominations: &[(PodIx, NodeIx)]) -> Vec<PodId> {
        let is_taken = |node: NodeIx| nominations.iter().any(|(_, other)| *other == node);
        let outranked = self.cluster.nominated().filter(|(ix, pod)| {
            search.outranks(preemptor, pod) && pod.nominated.is_some_and(is_taken) && !preemptor.pods.contains(ix)
        });
        outranked.map(|(ix, _)| ix.0).collect()
    }
}
