//! What the good policy decides.

use lictor_contract::*;

use super::good::{Answer, Good, LIMIT, name, reason};

/// The time that a pod waits for another pod: a minute, in nanoseconds.
const WAIT: i64 = 60_000_000_000;

fn count(name: &str, count: i64) -> Fact {
    Fact { name: name.to_owned(), value: FactValue::Count(count) }
}

fn retry() -> Retry {
    Retry { at: None, after: vec![ChangeKind::PodRemoved.into()] }
}

impl Good {
    pub(super) fn queue_keys(&mut self, pods: &[PodId]) -> Answer<SortKeys> {
        let keys = pods.iter().map(|pod| Ok(self.key(self.known(*pod)?))).collect::<Answer<_>>()?;
        Ok(SortKeys { epoch: self.epoch, keys })
    }

    pub(super) fn pre_filter(&mut self, pod: PodId) -> Answer<PreFiltered> {
        // An attempt begins, so the notes of the attempt before are dropped.
        self.notes.remove(&pod);
        let pod = self.known(pod)?;
        let requested = self.cpu(&pod.template.requests);
        let held: i64 =
            self.pods.values().filter(|it| it.template.priority == Some(5) && self.place(it).is_some()).count() as i64;
        let admission = match pod.template.priority {
            Some(5) if held > 4 => Admission::Final(reason("few-of-the-middle", vec![count("held", held)])),
            Some(0) if requested > 2 * LIMIT => {
                Admission::Refused(reason("small-at-first", vec![count("requested", requested)]))
            }
            _ => Admission::Pass,
        };
        Ok(PreFiltered { admission, retry: retry(), effects: Effects::default() })
    }

    pub(super) fn filter(&mut self, pod: PodId) -> Answer<NodeVerdicts> {
        let pod = self.known(pod)?;
        let length = self.nodes.keys().last().map_or(0, |highest| *highest as usize + 1);
        let mut codes = vec![1; length];
        for (id, node) in &self.nodes {
            codes[*id as usize] =
                if !self.eligible(pod, *id) { 1 } else { 2 * u8::from(self.short(pod, node, &[]) > 0) };
        }
        let requested = count("requested", self.cpu(&pod.template.requests));
        let obstacles = vec![
            Obstacle { reason: reason("not-eligible", Vec::new()), resolvable: false },
            Obstacle { reason: reason("no-room", vec![requested]), resolvable: true },
        ];
        Ok(NodeVerdicts { codes, obstacles })
    }

    /// Returns the node and the victims of a plan for the pod. `None`: no evictions free enough.
    pub(super) fn way(&self, pod: &Pod, refuted: &Refuted) -> Option<(NodeId, Vec<PodId>)> {
        let tried = |node: &&Node| !refuted.placements.contains(&Placement { pod: pod.id, node: node.id });
        let nodes = self.nodes.values().filter(tried).filter(|node| self.eligible(pod, node.id));
        let victims = |node: &Node| {
            let lower = |other: &&Pod| {
                other.template.priority.unwrap_or(0) < pod.template.priority.unwrap_or(0)
                    && other.node.is_some()
                    && !other.terminating
                    && !other.template.protected
            };
            let mut candidates: Vec<&Pod> =
                self.on(node.id).filter(lower).filter(|other| !refuted.victims.contains(&other.id)).collect();
            candidates.sort_by_key(|other| (other.template.priority, name(other)));
            let mut gone = Vec::new();
            for victim in candidates {
                if self.short(pod, node, &gone) > 0 {
                    gone.push(victim.id);
                }
            }
            (self.short(pod, node, &gone) <= 0 && !gone.is_empty()).then_some((
                gone.len(),
                node.name.clone(),
                node.id,
                gone,
            ))
        };
        nodes.filter_map(victims).min().map(|(_, _, node, gone)| (node, gone))
    }

    pub(super) fn post_filter(&mut self, pods: &[PodId], refuted: &Refuted) -> Answer<PostFiltered> {
        let known = pods.iter().map(|pod| self.known(*pod)).collect::<Answer<Vec<&Pod>>>()?;
        let pod = match known.as_slice() {
            [pod] if pod.node.is_none() => Pod::clone(pod),
            _ => return Err(PolicyError::WrongState("one pod that waits".to_owned())),
        };
        let leaving =
            self.pods.values().any(|other| other.terminating && other.node.is_some() && other.node == pod.nominated);
        let way = if leaving { None } else { self.way(&pod, refuted) };
        if self.noting {
            let notes = self.nodes.keys().map(|node| Note {
                subject: Subject::Node(*node),
                outcome: if way.as_ref().is_some_and(|(on, _)| on == node) { Outcome::Chosen } else { Outcome::Barred },
                reason: reason("not-eligible", Vec::new()),
            });
            self.notes.insert(pod.id, notes.collect());
        }
        let Some((node, victims)) = way else {
            *self.tries.entry(name(&pod)).or_default() += 1;
            self.epoch += 1;
            let effects = Effects { withdrawn: Vec::from_iter((!leaving).then_some(pod.id)), ..Effects::default() };
            return Ok(PostFiltered { plan: None, reason: reason("no-way", Vec::new()), retry: retry(), effects });
        };
        let plan = self.plan(pod.id, node, victims);
        let (reason, effects) = (plan.reason.clone(), Effects::default());
        Ok(PostFiltered { plan: Some(plan), reason, retry: Retry::default(), effects })
    }

    /// Returns a pod that no policy evicts, as a victim.
    pub(super) fn protected_victim(&self) -> Option<Victim> {
        let kept = self.pods.values().find(|pod| pod.template.protected && pod.node.is_some())?;
        Some(Victim { pod: kept.id, eviction: Eviction::Delete })
    }

    /// Returns a running pod of a higher priority than the preemptor, as a victim.
    pub(super) fn outranking_victim(&self, preemptor: PodId) -> Option<Victim> {
        let of = |pod: &Pod| pod.template.priority.unwrap_or(0);
        let above = |pod: &&Pod| pod.node.is_some() && !pod.terminating && pod.phase == Phase::Running;
        let mut above = self.pods.values().filter(above).filter(|pod| !pod.template.protected);
        let pod = above.find(|pod| self.pods.get(&preemptor).is_some_and(|preemptor| of(pod) > of(preemptor)))?;
        Some(Victim { pod: pod.id, eviction: Eviction::Delete })
    }

    /// Adds a pod that no policy evicts to the victims of the only plan of a step.
    pub(super) fn evict_protected(&self, plans: &mut Plans) {
        if let [plan] = plans.slices.as_mut_slice() {
            plans.victims.extend(self.protected_victim());
            plan.victims_end = plans.victims.len() as u32;
        }
    }

    fn plan(&mut self, preemptor: PodId, node: NodeId, victims: Vec<PodId>) -> Plan {
        self.plans += 1;
        Plan {
            id: self.plans,
            preemptor,
            nominations: vec![Placement { pod: preemptor, node }],
            victims: victims.into_iter().map(|pod| Victim { pod, eviction: Eviction::Delete }).collect(),
            marks: Vec::new(),
            reason: reason(
                "lower-are-evicted",
                vec![Fact { name: "pod".to_owned(), value: FactValue::Pod(preemptor) }],
            ),
        }
    }

    pub(super) fn score(&mut self, pod: PodId, nodes: &[NodeId]) -> Answer<Vec<i64>> {
        self.known(pod)?;
        let score = |node: &NodeId| {
            let has = self.nodes.get(node).map_or(0, |node| self.cpu(&node.allocatable)).max(1);
            let used: i64 = self.on(*node).map(|pod| self.cpu(&pod.template.requests)).sum();
            (100 - used * 100 / has).clamp(0, 100)
        };
        Ok(nodes.iter().map(score).collect())
    }

    pub(super) fn reserve(&mut self, pod: PodId, node: NodeId) -> Answer<Effects> {
        self.known(pod)?;
        match self.reserved.insert(pod, node) {
            Some(_) => Err(PolicyError::WrongState("it is reserved already".to_owned())),
            None => Ok(Effects::default()),
        }
    }

    pub(super) fn unreserve(&mut self, pod: PodId) -> Answer<Effects> {
        self.known(pod)?;
        self.reserved.remove(&pod);
        Ok(Effects::default())
    }

    pub(super) fn permit(&mut self, pod: PodId) -> Answer<Permitted> {
        let of_pairs = |pod: &PodId| self.priority(*pod) == 5;
        self.known(pod)?;
        let others: Vec<PodId> =
            self.reserved.keys().copied().filter(|other| *other != pod && of_pairs(other)).collect();
        let alone = of_pairs(&pod) && others.is_empty();
        let permission = if alone { Permission::Wait(WAIT) } else { Permission::Allow };
        let effects = Effects { admits: if of_pairs(&pod) { others } else { Vec::new() }, ..Effects::default() };
        Ok(Permitted { permission, reason: reason("its-pair", Vec::new()), retry: retry(), effects })
    }

    pub(super) fn enforce(&mut self) -> Answer<Enforced> {
        let bounded = |pod: &&Pod| {
            pod.template.priority == Some(10) && pod.node.is_some() && !pod.terminating && pod.phase == Phase::Running
        };
        let mut held: Vec<&Pod> = self.pods.values().filter(bounded).filter(|pod| !pod.template.foreign).collect();
        held.sort_by_key(|pod| name(pod));
        let mut over = held.iter().map(|pod| self.cpu(&pod.template.requests)).sum::<i64>() - LIMIT;
        let mut victims = Vec::new();
        for pod in held {
            if over > 0 {
                over -= self.cpu(&pod.template.requests);
                victims.push(Victim { pod: pod.id, eviction: Eviction::Delete });
            }
        }
        if victims.is_empty() {
            return Ok(Enforced::default());
        }
        self.plans += 1;
        let (id, queue, marks, reason) =
            (self.plans, "ten".to_owned(), Vec::new(), reason("over-its-limit", Vec::new()));
        Ok(Enforced { enforcements: vec![Enforcement { id, queue, victims, marks, reason }], retry: retry() })
    }

    /// Runs a step of the policy's own cycle: first binds all pods that fit, then plans for the rest.
    pub(super) fn act(&mut self) -> Answer<Actions> {
        self.stepped = !self.stepped;
        let (mut bindings, mut plans) = (Vec::new(), Plans::default());
        let pending: Vec<Pod> = self.pending().into_iter().cloned().collect();
        if self.stepped {
            let mut trial = self.clone();
            for pod in &pending {
                let codes = trial.filter(pod.id)?.codes;
                let free = trial.nodes.values().filter(|node| codes.get(node.id as usize) == Some(&0));
                if let Some(node) = free.min_by_key(|node| &node.name).map(|node| node.id) {
                    trial.reserved.insert(pod.id, node);
                    bindings.push(Placement { pod: pod.id, node });
                }
            }
        } else {
            let way =
                |pod: &Pod| Some((pod.id, self.way(pod, &Refuted::default()).filter(|_| pod.nominated.is_none())?));
            if let Some((pod, (node, victims))) = pending.iter().find_map(way) {
                let Plan { id, preemptor, nominations, victims, reason, .. } = self.plan(pod, node, victims);
                let (nominations_end, victims_end) = (nominations.len() as u32, victims.len() as u32);
                let slices = vec![PlanSlice { id, preemptor, nominations_end, victims_end, reason: 0 }];
                plans = Plans { slices, nominations, victims, reasons: vec![reason] };
            }
        }
        let name = if self.stepped { "place" } else { "evict" }.to_owned();
        Ok(Actions { name, bindings, plans, retry: retry(), refusals: Vec::new(), more: self.stepped })
    }

    pub(super) fn queues(&mut self) -> Answer<Vec<QueueAccount>> {
        let resource = self.resources.iter().position(|name| name == "cpu").unwrap_or_default() as u32;
        let sum = |of: &dyn Fn(&&Pod) -> bool| {
            let value = self.pods.values().filter(|pod| of(pod)).map(|pod| self.cpu(&pod.template.requests)).sum();
            vec![Amount { resource, value }]
        };
        let account = |name: &str, parent: Option<&str>, priority: Option<i32>| QueueAccount {
            kind: "queue".to_owned(),
            name: name.to_owned(),
            parent: parent.map(str::to_owned),
            bounds: Vec::new(),
            used: sum(&|pod| priority.is_none_or(|of| pod.template.priority == Some(of)) && self.place(pod).is_some()),
            promised: Vec::new(),
            pending: sum(&|pod| {
                priority.is_none_or(|of| pod.template.priority == Some(of)) && self.place(pod).is_none()
            }),
        };
        if self.resources.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![
            account("all", None, None),
            account("hundred", Some("all"), Some(100)),
            account("ten", Some("all"), Some(10)),
        ])
    }

    /// Returns the memberships: a pod counts against the queue of its priority. Pods of priority 5 start in pairs.
    pub(super) fn memberships(&self, pods: &[PodId]) -> Answer<Vec<Membership>> {
        let membership = |pod: &PodId| {
            let pod = self.known(*pod)?;
            let queue = match pod.template.priority {
                _ if self.resources.is_empty() => None,
                Some(100) => Some("hundred"),
                Some(10) => Some("ten"),
                _ => Some("all"),
            };
            let pair = (pod.template.priority == Some(5)).then(|| format!("{}/pair", pod.template.namespace));
            Ok(Membership { queue: queue.map(str::to_owned), job: pair })
        };
        pods.iter().map(membership).collect()
    }
}
