//! Decisions that change, as data.

use std::collections::BTreeMap;

use lictor_host::compare::Differences;
use serde::Serialize;

use super::side::Named;

/// What of a law has changed where a policy names none.
pub(super) const NO_LAW: &str = "no law named";

/// Two policies, and what they do not decide alike.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    api_version: &'static str,
    kind: &'static str,
    pub(super) old: Named,
    pub(super) new: Named,
    pub(super) counts: Counts,
    /// How many pods are decided about otherwise, by the law that makes the difference, and how many victims, by the reason of their plan.
    pub(super) laws: BTreeMap<String, ByLaw>,
    /// The inputs about which something is decided otherwise.
    pub(super) inputs: Vec<Compared>,
}

/// How many of what.
#[derive(Debug, Default, Serialize)]
pub(super) struct Counts {
    pub(super) inputs: usize,
    pub(super) differing: usize,
    pub(super) steps: usize,
    pub(super) pods: usize,
    pub(super) victims: usize,
    pub(super) errors: usize,
}

/// How many decisions change because of a law.
#[derive(Debug, Default, Clone, Serialize)]
pub(super) struct ByLaw {
    pub(super) pods: usize,
    pub(super) victims: usize,
}

/// An input about which something is decided otherwise.
#[derive(Debug, Serialize)]
pub(super) struct Compared {
    pub(super) input: String,
    /// How many steps it has.
    pub(super) steps: usize,
    pub(super) differences: Vec<Step>,
}

/// A step in which something is decided otherwise.
#[derive(Debug, Serialize)]
pub(super) struct Step {
    pub(super) step: usize,
    pub(super) told: String,
    #[serde(flatten)]
    pub(super) differences: Differences,
}

impl Report {
    pub(super) fn new(old: Named, new: Named, compared: Vec<Compared>) -> Report {
        let (mut counts, mut laws) = (Counts { inputs: compared.len(), ..Counts::default() }, BTreeMap::new());
        for input in &compared {
            counts.steps = counts.steps.saturating_add(input.steps);
            for step in &input.differences {
                counts.pods = counts.pods.saturating_add(step.differences.pods.len());
                counts.victims = counts.victims.saturating_add(step.differences.victims.len());
                counts.errors = counts.errors.saturating_add(usize::from(step.differences.error.is_some()));
                by_law(&step.differences, &mut laws);
            }
        }
        let inputs: Vec<Compared> = compared.into_iter().filter(|input| !input.differences.is_empty()).collect();
        counts.differing = inputs.len();
        Report { api_version: "lictor.dev/v1alpha1", kind: "Differences", old, new, counts, laws, inputs }
    }

    /// Whether all is decided alike.
    pub(super) fn is_same(&self) -> bool {
        self.inputs.is_empty()
    }

    /// One line: how many decisions change.
    pub(super) fn tally(&self) -> String {
        let Counts { inputs, differing, pods, victims, errors, .. } = self.counts;
        if self.is_same() {
            return format!("no decision changes in {}", counted(inputs, "input"));
        }
        let mut parts = vec![counted(pods, "pod"), counted(victims, "victim")];
        parts.extend((errors > 0).then(|| format!("{} that one of them does not serve", counted(errors, "step"))));
        format!("decisions change in {differing} of {}: {}", counted(inputs, "input"), parts.join(", "))
    }
}

pub(super) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn by_law(differences: &Differences, laws: &mut BTreeMap<String, ByLaw>) {
    for changed in &differences.pods {
        let named = changed.laws();
        let none = named.is_empty().then_some(NO_LAW);
        for law in named.into_iter().chain(none) {
            let count = laws.entry(law.to_owned()).or_default();
            count.pods = count.pods.saturating_add(1);
        }
    }
    for changed in &differences.victims {
        let Some(eviction) = changed.now.as_ref().or(changed.then.as_ref()) else { continue };
        let law = if eviction.law.is_empty() { NO_LAW } else { &eviction.law };
        let count = laws.entry(law.to_owned()).or_default();
        count.victims = count.victims.saturating_add(1);
    }
}
