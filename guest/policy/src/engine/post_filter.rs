//! PostFilter: the pod was refused or found no node; what can be done?

use crate::contract::{
    Effects, Eviction, Outcome, Placement, Plan, PodId, PolicyError, PostFiltered, Reason, Subject, Victim,
};
use crate::laws::{Detail, Gate, Laws, Preemptor, Search};
use crate::model::{NodeIx, Pod, PodIx};

use super::Engine;
use super::reasons::{NO_NODE, PLAN, ROOM_IS_COMING};
use super::search::{self, Obstacle, PreemptionContext, Proposal};

impl Engine {
    /// See `decision.post-filter`.
    pub fn post_filter(&mut self, pod: PodId, refuted: &[Placement]) -> Result<PostFiltered, PolicyError> {
        let preemptor = self.preemptor(pod)?;
        if !preemptor.pods.contains(&PodIx(pod)) {
            return Err(PolicyError::WrongState("the pod does not wait for a node".to_owned()));
        }
        self.notes.plan(PodIx(pod));
        let laws = self.laws()?.clone();
        if let Some(reason) = self.broken(&preemptor, &laws.under_way) {
            return Ok(PostFiltered { plan: None, reason, effects: Effects::default() });
        }
        if let Some(reason) = self.broken(&preemptor, &laws.trigger) {
            return Ok(PostFiltered { plan: None, reason, effects: self.give_up(&preemptor) });
        }
        let preemptor = preemptor.limited_to_need(&self.cluster, &laws.search);
        let mut context = PreemptionContext {
            preemptor: &preemptor,
            laws: &laws,
            ledger: &self.ledger,
            refuted,
            notes: &mut self.notes,
        };
        let found = match &laws.search {
            Search::NodeByNode(sample) if preemptor.pods.len() <= 1 => {
                search::plan_pod(&self.cluster, &mut context, *sample)
            }
            Search::GroupOnOneNode(group) => search::plan_group(&mut self.cluster, &mut context, group),
            Search::Bundles => return self.preempt_for_gang(&preemptor, &laws, refuted),
            Search::RemoveAllPutBack | Search::NodeByNode(_) => search::plan_job(&mut self.cluster, &mut context),
        };
        match found {
            Err(obstacle) => {
                if matches!(obstacle, Obstacle::NoNode { .. }) && preemptor.required_node_reservation.is_some() {
                    self.cluster.reserve_required_node(preemptor.pod);
                }
                let reason = self.obstacle(&preemptor, obstacle)?;
                Ok(PostFiltered { plan: None, reason, effects: self.give_up(&preemptor) })
            }
            Ok(proposal) => self.propose(&preemptor, proposal),
        }
    }

    /// What the first broken law says.
    fn broken(&mut self, preemptor: &Preemptor, gates: &[Gate]) -> Option<Reason> {
        let case = preemptor.planning(&self.cluster, &self.ledger);
        let (rule, denial) = gates.iter().find_map(|gate| Some((gate.rule, (gate.holds)(&case).err()?)))?;
        self.notes.denial(&self.cluster, Subject::Preemptor, Outcome::Barred, &rule, &denial);
        Some(self.reason(&rule, &denial))
    }

    /// There is no way out: what was promised to the job is void, and its gang gives up what it holds where it fails together. Where
    /// pods are planned one by one only the asking pod loses its promise: the plan of others of its gang is under way.
    fn give_up(&self, preemptor: &Preemptor) -> Effects {
        let one_by_one = matches!(self.laws().map(|laws| &laws.search), Ok(Search::NodeByNode(_)));
        let is_void = |ix: PodIx| !one_by_one || ix == preemptor.pod;
        let is_promised = |ix: PodIx| self.cluster.pod(ix).is_some_and(|pod| pod.nominated.is_some());
        let withdrawn = preemptor.pods.iter().filter(|ix| is_void(**ix) && is_promised(**ix));
        let withdrawn = withdrawn.map(|ix| ix.0).collect();
        let gang = preemptor.job.and_then(|job| self.cluster.job(job)).and_then(|job| job.gang());
        let releases = match gang {
            Some(gang) if gang.fails_together => self.waiting_with(preemptor.pod),
            _ => Vec::new(),
        };
        Effects { releases, withdrawn, ..Effects::default() }
    }

    fn obstacle(&mut self, preemptor: &Preemptor, obstacle: Obstacle) -> Result<Reason, PolicyError> {
        match obstacle {
            Obstacle::Limit(rule, denial) => {
                self.notes.denial(&self.cluster, Subject::Preemptor, Outcome::Barred, &rule, &denial);
                Ok(self.reason(&rule, &denial))
            }
            Obstacle::Coming(node) => {
                let reason = ROOM_IS_COMING.reason(Detail::default().node("node", node));
                self.notes.add(Subject::Preemptor, Outcome::Barred, || reason.clone());
                Ok(reason)
            }
            Obstacle::NoNode { pod, planned } => {
                let detail = match preemptor.pods.len() {
                    1 => Detail::default(),
                    all => Detail::case("job").pod("pod", pod).count("planned", planned).count("pods", all),
                };
                let reason = NO_NODE.reason(detail);
                self.notes.add(Subject::Preemptor, Outcome::Barred, || reason.clone());
                Ok(reason)
            }
        }
    }

    fn propose(&mut self, preemptor: &Preemptor, proposal: Proposal) -> Result<PostFiltered, PolicyError> {
        self.ledger.forget_unanswered();
        let system = self.system.as_ref().ok_or(PolicyError::NotConfigured)?;
        let (eviction, marks) = (system.eviction(), system.marks(&self.cluster, preemptor.pod));
        let Proposal { nominations, victims: heads } = proposal;
        // Who is only marked takes those along that go with it when it is deleted; who deletes must delete them, too.
        let victims: Vec<PodIx> = match eviction {
            Eviction::Soft => heads,
            Eviction::Delete => heads.into_iter().flat_map(|head| self.cluster.eviction_set(head)).collect(),
        };
        if self.notes.are_on() {
            let at = |ix: &PodIx| Some((*ix, self.cluster.pod(*ix)?.place.node()?));
            let places: Vec<(PodIx, NodeIx)> = victims.iter().filter_map(at).collect();
            self.notes.planned(&self.cluster, &nominations, &places);
        }
        let detail = if victims.is_empty() { Detail::case("none") } else { Detail::default() };
        let reason = PLAN.reason(detail.count("victims", victims.len()).count("pods", nominations.len()));
        let effects = Effects { withdrawn: self.outranked(preemptor, &nominations), ..Effects::default() };
        let preemptors = nominations.iter().map(|(pod, _)| *pod).collect();
        let plan = Plan {
            id: self.ledger.propose(preemptors, victims.clone(), None),
            preemptor: preemptor.pod.0,
            nominations: nominations.iter().map(|(pod, node)| Placement { pod: pod.0, node: node.0 }).collect(),
            victims: victims.iter().map(|pod| Victim { pod: pod.0, eviction }).collect(),
            marks,
            expires: None,
            reason: reason.clone(),
        };
        Ok(PostFiltered { plan: Some(plan), reason, effects })
    }

    /// The pods that were to have the nodes of the plan and give way: of lower priority; or, where promises are firm, everybody
    /// where the node is kept for the asker alone.
    fn outranked(&self, preemptor: &Preemptor, nominations: &[(PodIx, NodeIx)]) -> Vec<PodId> {
        let nodes = |node: NodeIx| nominations.iter().any(|(_, other)| *other == node);
        let firm = self.laws().is_ok_and(Laws::promises_are_firm);
        let gives_way = |pod: &Pod| match firm {
            true => preemptor.required_node_reservation.is_some() && pod.required_node_reservation().is_none(),
            false => pod.priority() < preemptor.priority,
        };
        let lower = self
            .cluster
            .nominated()
            .filter(|(ix, pod)| gives_way(pod) && pod.nominated.is_some_and(nodes) && !preemptor.pods.contains(ix));
        lower.map(|(ix, _)| ix.0).collect()
    }
}
