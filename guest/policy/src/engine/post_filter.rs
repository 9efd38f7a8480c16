//! PostFilter: the pod was refused or found no node; what can be done?

use crate::contract::{
    Effects, Eviction, Outcome, Placement, Plan, PodId, PolicyError, PostFiltered, Reason, Subject, Victim,
};
use crate::laws::{Asker, Gate, Laws, Search};
use crate::model::{NodeIx, Pod, PodIx};

use super::Engine;
use super::search::{self, Obstacle, Proposal, Quest};

impl Engine {
    /// See `decision.post-filter`.
    pub fn post_filter(&mut self, pod: PodId, refuted: &[Placement]) -> Result<PostFiltered, PolicyError> {
        let asker = self.asker(pod)?;
        if !asker.pods.contains(&PodIx(pod)) {
            return Err(PolicyError::WrongState("the pod does not wait for a node".to_owned()));
        }
        self.notes.plan(PodIx(pod));
        let laws = self.laws()?.clone();
        if let Some(reason) = self.broken(&asker, &laws.under_way) {
            return Ok(PostFiltered { plan: None, reason, effects: Effects::default() });
        }
        if let Some(reason) = self.broken(&asker, &laws.trigger) {
            return Ok(PostFiltered { plan: None, reason, effects: self.give_up(&asker) });
        }
        let asker = asker.limited_to_need(&self.cluster, &laws.search);
        let mut quest = Quest { asker: &asker, laws: &laws, ledger: &self.ledger, refuted, notes: &mut self.notes };
        let found = match &laws.search {
            Search::NodeByNode(sample) if asker.pods.len() <= 1 => search::plan_pod(&self.cluster, &mut quest, *sample),
            Search::GroupOnOneNode(group) => search::plan_group(&mut self.cluster, &mut quest, group),
            Search::Bundles => return self.pursue_for(&asker, &laws, refuted),
            Search::RemoveAllPutBack | Search::NodeByNode(_) => search::plan_job(&mut self.cluster, &mut quest),
        };
        let found = found.map_err(|over| self.overflow(over))?;
        match found {
            Err(obstacle) => {
                if matches!(obstacle, Obstacle::NoNode { .. }) && asker.own_node.is_some() {
                    self.cluster.owe(asker.pod);
                }
                let reason = self.obstacle(&asker, obstacle)?;
                Ok(PostFiltered { plan: None, reason, effects: self.give_up(&asker) })
            }
            Ok(proposal) => self.propose(&asker, proposal),
        }
    }

    /// What the first broken law says.
    fn broken(&mut self, asker: &Asker, gates: &[Gate]) -> Option<Reason> {
        let case = asker.planning(&self.cluster, &self.ledger);
        let (rule, breach) = gates.iter().find_map(|gate| Some((gate.rule, (gate.holds)(&case).err()?)))?;
        self.notes.breach(&self.cluster, Subject::Asker, Outcome::Barred, &rule, &breach);
        Some(self.reason(&rule, &breach))
    }

    /// There is no way out: what was promised to the job is void, and its gang gives up what it holds where it fails together. Where
    /// pods are planned one by one only the asking pod loses its promise: the plan of others of its gang is under way.
    fn give_up(&self, asker: &Asker) -> Effects {
        let one_by_one = matches!(self.laws().map(|laws| &laws.search), Ok(Search::NodeByNode(_)));
        let is_void = |ix: PodIx| !one_by_one || ix == asker.pod;
        let is_promised = |ix: PodIx| self.cluster.pod(ix).is_some_and(|pod| pod.nominated.is_some());
        let withdrawn = asker.pods.iter().filter(|ix| is_void(**ix) && is_promised(**ix));
        let withdrawn = withdrawn.map(|ix| ix.0).collect();
        let gang = asker.job.and_then(|job| self.cluster.job(job)).and_then(|job| job.gang());
        let releases = match gang {
            Some(gang) if gang.fails_together => self.waiting_with(asker.pod),
            _ => Vec::new(),
        };
        Effects { releases, withdrawn, ..Effects::default() }
    }

    fn obstacle(&mut self, asker: &Asker, obstacle: Obstacle) -> Result<Reason, PolicyError> {
        match obstacle {
            Obstacle::Limit(rule, breach) => {
                self.notes.breach(&self.cluster, Subject::Asker, Outcome::Barred, &rule, &breach);
                Ok(self.reason(&rule, &breach))
            }
            Obstacle::Coming(node) => {
                let rule = self.laws()?.node_choice.rule;
                let name = self.cluster.node(node).map_or("?", |node| node.name.as_str());
                let message =
                    format!("`{name}` has room once the pods that are leaving are gone: nobody else is evicted");
                self.notes.note(Subject::Asker, Outcome::Barred, &rule, || message.clone());
                Ok(Reason { law: rule.code.to_owned(), message })
            }
            Obstacle::NoNode { pod, planned } => {
                let rule = self.laws()?.node_choice.rule;
                let name = self.cluster.pod(pod).map(|pod| pod.name.to_string()).unwrap_or_default();
                let message = match asker.pods.len() {
                    1 => "no node would have room, whoever may make way".to_owned(),
                    all => format!(
                        "no node would have room for `{name}`, whoever may make way: {planned} of the {all} waiting pods of \
                         the job find one, so nobody is evicted"
                    ),
                };
                self.notes.note(Subject::Asker, Outcome::Barred, &rule, || message.clone());
                Ok(Reason { law: rule.code.to_owned(), message })
            }
        }
    }

    fn propose(&mut self, asker: &Asker, proposal: Proposal) -> Result<PostFiltered, PolicyError> {
        self.ledger.forget_unanswered();
        let dialect = self.dialect.as_ref().ok_or(PolicyError::NotConfigured)?;
        let (eviction, marks) = (dialect.eviction(), dialect.marks(&self.cluster, asker.pod));
        let Proposal { nominations, victims: heads } = proposal;
        // Who is only marked takes those along that go with it when it is deleted; who deletes must delete them, too.
        let victims: Vec<PodIx> = match eviction {
            Eviction::Soft => heads,
            Eviction::Delete => heads.into_iter().flat_map(|head| self.cluster.party(head)).collect(),
        };
        if self.notes.are_on() {
            let at = |ix: &PodIx| Some((*ix, self.cluster.pod(*ix)?.place.node()?));
            let places: Vec<(PodIx, NodeIx)> = victims.iter().filter_map(at).collect();
            let rule = dialect.laws().node_choice.rule;
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
        let reason = Reason { law: dialect.laws().put_back.rule.code.to_owned(), message };
        let effects = Effects { withdrawn: self.outranked(asker, &nominations), ..Effects::default() };
        let preemptors = nominations.iter().map(|(pod, _)| *pod).collect();
        let plan = Plan {
            id: self.ledger.propose(preemptors, victims.clone(), None),
            preemptor: asker.pod.0,
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
    fn outranked(&self, asker: &Asker, nominations: &[(PodIx, NodeIx)]) -> Vec<PodId> {
        let nodes = |node: NodeIx| nominations.iter().any(|(_, other)| *other == node);
        let firm = self.laws().is_ok_and(Laws::promises_are_firm);
        let gives_way = |pod: &Pod| match firm {
            true => asker.own_node.is_some() && pod.own_node().is_none(),
            false => pod.priority() < asker.priority,
        };
        let lower = self
            .cluster
            .nominated()
            .filter(|(ix, pod)| gives_way(pod) && pod.nominated.is_some_and(nodes) && !asker.pods.contains(ix));
        lower.map(|(ix, _)| ix.0).collect()
    }
}
