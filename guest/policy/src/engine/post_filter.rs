//! PostFilter: the pod was refused or found no node; what can be done?

use crate::contract::{
    Effects, Eviction, Outcome, Placement, Plan, PodId, PolicyError, PostFiltered, Reason, Subject, Victim,
};
use crate::laws::{Gate, Laws, Preemptor, Search};
use crate::model::{NodeIx, Pod, PodIx};

use super::Engine;
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
                let rule = self.laws()?.node_choice.rule;
                let name = self.cluster.node(node).map_or("?", |node| node.name.as_str());
                let message =
                    format!("`{name}` has room once the pods that are leaving are gone: nobody else is evicted");
                self.notes.note(Subject::Preemptor, Outcome::Barred, &rule, || message.clone());
                Ok(rule.reason(message))
            }
            Obstacle::NoNode { pod, planned } => {
                let rule = self.laws()?.node_choice.rule;
                let name = self.cluster.pod(pod).map(|pod| pod.name.to_string()).unwrap_or_default();
                let message = match preemptor.pods.len() {
                    1 => "no node would have room, whoever may make way".to_owned(),
                    all => format!(
                        "no node would have room for `{name}`, whoever may make way: {planned} of the {all} waiting pods of \
                         the job find one, so nobody is evicted"
                    ),
                };
                self.notes.note(Subject::Preemptor, Outcome::Barred, &rule, || message.clone());
                Ok(rule.reason(message))
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
            let rule = system.laws().node_choice.rule;
            self.notes.planned(&self.cluster, &rule, &nominations, &places);
        }
        let counted = |n: usize, one: &str, more: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {more}") };
        let message = match victims.len() {
            0 => "nobody has to make way: enough room is being left already".to_owned(),
            n => format!(
                "{} for {}",
                counted(n, "pod makes way", "pods make way"),
                counted(nominations.len(), "pod", "pods")
            ),
        };
        let reason = system.laws().put_back.rule.reason(message);
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
