//! No pod is evicted that was said to be safe: before each answer that may evict pods, a policy is asked about all pods that run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use lictor::Native;
use lictor_conformance::fuzz::attempt;
use lictor_contract::*;
use lictor_host::policy::{CallError, Policy};
use lictor_oracle::{SystemKind, generate};

/// The counts of all cases.
#[derive(Debug, Default)]
struct Seen {
    /// Victims, and pods that were said to be safe.
    victims: usize,
    safe: usize,
    /// Evictions that no threat announced.
    surprises: Vec<String>,
}

/// A policy of whose victims it is checked that a threat announced their eviction.
struct Foretold {
    native: Native,
    pods: BTreeMap<PodId, Pod>,
    threats: BTreeMap<PodId, Vec<Threat>>,
    seen: Arc<Mutex<Seen>>,
}

impl Foretold {
    fn new(seen: &Arc<Mutex<Seen>>) -> Foretold {
        Foretold { native: Native::default(), pods: BTreeMap::new(), threats: BTreeMap::new(), seen: seen.clone() }
    }

    /// Asks about all pods.
    fn ask(&mut self) -> Result<(), CallError> {
        let pods: Vec<PodId> = self.pods.keys().copied().collect();
        let answer = self.native.standings(&pods)?;
        self.threats = pods.into_iter().zip(answer).collect();
        let is_safe =
            |threats: &&Vec<Threat>| !threats.is_empty() && threats.iter().all(|threat| threat.spared.is_some());
        let (safe, mut seen) = (self.threats.values().filter(is_safe).count(), self.seen.lock().unwrap());
        seen.safe = seen.safe.saturating_add(safe);
        Ok(())
    }

    /// Checks the victims of a plan; `preemptor`: none where a queue gives back.
    fn check(&mut self, preemptor: Option<PodId>, victims: &[Victim]) -> Result<(), CallError> {
        for victim in victims {
            let announced = self.announced(preemptor, victim.pod)?;
            let mut seen = self.seen.lock().unwrap();
            seen.victims = seen.victims.saturating_add(1);
            if !announced {
                let name = |pod: &PodId| self.pods.get(pod).map_or("?", |pod| pod.name.as_str());
                let threats = self.threats.get(&victim.pod);
                let line = format!("{} for {:?}: {threats:?}", name(&victim.pod), preemptor.as_ref().map(name));
                seen.surprises.push(line);
            }
        }
        Ok(())
    }

    /// Returns whether a threat of the kind of the preemptor was answered that may evict the pod.
    fn announced(&mut self, preemptor: Option<PodId>, victim: PodId) -> Result<bool, CallError> {
        let kinds: BTreeSet<&str> = match preemptor.map(|pod| (pod, &self.pods[&pod])) {
            None => BTreeSet::from([by::OVER_MAX]),
            Some((_, pod)) if pod.kind.is_some() => BTreeSet::from([by::RESERVATION]),
            Some((id, pod)) => {
                let queues = self.native.memberships(&[id, victim])?;
                let own = queues[0].queue == queues[1].queue;
                let of_queue = if own { by::SAME_QUEUE } else { by::OTHER_QUEUE };
                let daemon = pod.template.owner.as_ref().is_some_and(|owner| owner.kind == "DaemonSet");
                [by::POD, of_queue].into_iter().chain(daemon.then_some(by::DAEMON_SET)).collect()
            }
        };
        let threats = self.threats.get(&victim).into_iter().flatten();
        Ok(threats.filter(|threat| kinds.contains(threat.by.as_str())).any(|threat| threat.spared.is_none()))
    }
}

impl Policy for Foretold {
    forward_to_native!();

    fn restart(&mut self) -> Result<(), CallError> {
        self.pods.clear();
        self.native.restart()
    }
    fn configure(&mut self, laws: &str, arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        self.native.configure(laws, arguments)
    }
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        for event in &events {
            match event {
                Event::PodUpserted(pod) => drop(self.pods.insert(pod.id, pod.clone())),
                Event::PodRemoved(gone) => drop(self.pods.remove(gone)),
                _ => {}
            }
        }
        self.native.apply(events)
    }
    fn queue_keys(&mut self, pods: &[PodId]) -> Result<SortKeys, CallError> {
        self.native.queue_keys(pods)
    }
    fn post_filter(&mut self, pods: &[PodId], refuted: &Refuted) -> Result<PostFiltered, CallError> {
        self.ask()?;
        let answer = self.native.post_filter(pods, refuted)?;
        if let Some(plan) = &answer.plan {
            self.check(Some(plan.preemptor), &plan.victims)?;
        }
        Ok(answer)
    }
    fn permit(&mut self, pod: PodId) -> Result<Permitted, CallError> {
        self.native.permit(pod)
    }
    fn act(&mut self) -> Result<Actions, CallError> {
        self.ask()?;
        let actions = self.native.act()?;
        let mut begin = 0;
        for slice in &actions.plans.slices {
            let end = usize::try_from(slice.victims_end).unwrap();
            self.check(Some(slice.preemptor), &actions.plans.victims[begin..end])?;
            begin = end;
        }
        Ok(actions)
    }
    fn enforce(&mut self) -> Result<Enforced, CallError> {
        self.ask()?;
        let enforced = self.native.enforce()?;
        for enforcement in &enforced.enforcements {
            self.check(None, &enforcement.victims)?;
        }
        Ok(enforced)
    }
    fn queues(&mut self) -> Result<Vec<QueueAccount>, CallError> {
        self.native.queues()
    }
}

/// Plays as many cases of each system as `LICTOR_STANDING_CASES` says.
#[test]
fn no_pod_is_evicted_that_was_said_to_be_safe() {
    let given = std::env::var("LICTOR_STANDING_CASES").ok().and_then(|text| text.parse().ok());
    let (mut surprises, mut safe) = (Vec::new(), 0);
    for system in SystemKind::ALL {
        let seen = Arc::new(Mutex::new(Seen::default()));
        for index in 0..given.unwrap_or(super::CASES) {
            let case = generate(system, 1, index);
            let (_, failure) = attempt(&case, Box::new(Foretold::new(&seen)), None);
            assert!(failure.is_none(), "{system}, case {index}: asking changes a decision");
            let found = std::mem::take(&mut seen.lock().unwrap().surprises);
            surprises.extend(found.into_iter().map(|found| format!("{system}, case {index}: {found}")));
        }
        let seen = seen.lock().unwrap();
        assert!(seen.victims > 0, "{system}: {seen:?}");
        safe += seen.safe;
    }
    assert!(safe > 0);
    assert!(surprises.is_empty(), "{}\n{surprises:#?}", surprises.len());
}
