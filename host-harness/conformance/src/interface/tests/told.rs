//! The descriptions of the mutants, and the faults with which they take arguments and events.

use lictor_contract::*;
use lictor_host::policy::CallError;

use super::describe::description;
use super::mutant::{Mutant, said};

impl Mutant {
    pub(super) fn described(&mut self) -> Result<Description, CallError> {
        let mut told = description();
        let word = |word: &str| word.to_owned();
        if self.is("core/describe-is-constant") && self.good.configured {
            told.version = word("2");
        }
        for system in &mut told.systems {
            match self.breaks {
                "core/names-are-unique" => system.interests.labels.push(word("example.com/tier")),
                "core/placed-kinds-are-sound" => system.interests.placed_kinds.push(nowhere()),
                "core/templates-are-sound" => {
                    let (code, case, text) = (word("good/open"), String::new(), word("{requested"));
                    system.templates.push(Template { code, case, text });
                }
                "core/configure-takes-what-is-described" => {
                    system.arguments.iter_mut().for_each(|argument| argument.default = word("\"one\""));
                }
                "core/reasons-have-their-facts" => {
                    system.templates.iter_mut().for_each(|template| template.text.push_str(" {lost}"));
                }
                _ => {}
            }
        }
        Ok(told)
    }

    pub(super) fn configured(&mut self, system: &str, arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        if self.is("core/refused-configure-changes-nothing") {
            self.good.pods.clear();
        }
        let arguments = if self.is("core/configure-refuses-the-rest") { "" } else { arguments };
        let pods = self.good.pods.clone();
        let configured = self.good.configure(system, arguments);
        if self.is("core/configure-forgets") {
            self.good.pods = pods;
        }
        self.good.noting = self.is("explain/off-at-first");
        Ok(configured)
    }

    pub(super) fn members(&mut self, pods: &[PodId]) -> Result<Vec<Membership>, CallError> {
        let known: Vec<PodId> = pods.iter().copied().filter(|pod| self.good.known(*pod).is_ok()).collect();
        let asked = if self.is("account/unknown-pod") { known } else { pods.to_vec() };
        let mut told = said("memberships", self.good.memberships(&asked))?;
        told.resize(pods.len(), Membership { queue: None, job: Some("a/stranger".to_owned()) });
        match (self.breaks, told.first_mut()) {
            ("account/one-membership-a-pod", _) => drop(told.pop()),
            ("account/members-of-its-queues", Some(first)) => first.queue = Some("hundreds".to_owned()),
            ("account/jobs-by-namespace-and-name", Some(first)) => first.job = Some("pair".to_owned()),
            _ => {}
        }
        Ok(told)
    }

    pub(super) fn applied(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        self.good.configured |= self.is("core/before-configure");
        if self.is("core/told-in-parts") {
            self.count += 1;
        }
        for event in &events {
            let wrong = |why: &str| said("apply", Err::<Applied, _>(PolicyError::WrongState(why.to_owned())));
            match event {
                Event::PodUpserted(pod) => {
                    let place = i64::try_from(self.arrived.len()).unwrap();
                    self.arrived.entry(pod.id).or_insert(place);
                }
                Event::PodStatus(status) if self.is("core/unknown-status-is-passed-over") => {
                    self.good
                        .known(status.id)
                        .map(drop)
                        .map_err(|error| CallError::Refused { call: "apply", error })?;
                }
                Event::ObjectUpserted(object) if self.is("core/nonsense-is-a-finding") && object.json.is_empty() => {
                    return wrong("no JSON");
                }
                _ => {}
            }
        }
        let mut applied = self.good.apply(events);
        if let (Err(PolicyError::Overflow(over)), true) = (&mut applied, self.is("core/overflow-names-the-event")) {
            over.event += 7;
        }
        if let (Ok(applied), true) = (&mut applied, self.is("core/findings-name-objects")) {
            applied.findings.iter_mut().for_each(|finding| finding.object.clear());
        }
        said("apply", applied)
    }
}

/// Returns a placed kind whose pointer to the node is invalid.
fn nowhere() -> PlacedKind {
    let word = |word: &str| word.to_owned();
    PlacedKind {
        group: word("example.com"),
        kind: word("Slot"),
        namespaced: true,
        template: word("/spec"),
        node: word("status.node"),
        nominated: word("/status/next"),
        phase: word("/status/phase"),
        phases: vec![PlacedPhase { word: word("Open"), phase: Phase::Running }],
        amounts: None,
        conditions: word("/status/conditions"),
        scheduled: word("Placed"),
        room_use: None,
    }
}
