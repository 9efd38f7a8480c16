//! The changed decisions, as data.

use std::collections::BTreeMap;

use lictor_host::compare::Differences;
use serde::Serialize;

use super::side::SideSummary;

/// The law of a change for which the policies name none.
pub(super) const NO_LAW: &str = "no law named";

/// Two policies, and their different decisions.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DiffReport {
    api_version: &'static str,
    kind: &'static str,
    pub(super) old: SideSummary,
    pub(super) new: SideSummary,
    pub(super) counts: DiffCounts,
    /// The number of pods whose decision changes, by the law that makes the difference, and of victims, by the reason of their plan.
    pub(super) laws: BTreeMap<String, ByLaw>,
    /// The inputs with changed decisions.
    pub(super) inputs: Vec<Compared>,
}

/// The totals of a report.
#[derive(Debug, Default, Serialize)]
pub(super) struct DiffCounts {
    pub(super) inputs: usize,
    pub(super) differing: usize,
    pub(super) steps: usize,
    pub(super) pods: usize,
    pub(super) victims: usize,
    pub(super) errors: usize,
}

/// The number of decisions that change because of a law.
#[derive(Debug, Default, Clone, Serialize)]
pub(super) struct ByLaw {
    pub(super) pods: usize,
    pub(super) victims: usize,
}

/// An input with changed decisions.
#[derive(Debug, Serialize)]
pub(super) struct Compared {
    pub(super) input: String,
    /// The number of its steps.
    pub(super) steps: usize,
    pub(super) differences: Vec<ChangedStep>,
}

/// A step with changed decisions.
#[derive(Debug, Serialize)]
pub(super) struct ChangedStep {
    pub(super) step: usize,
    pub(super) told: String,
    #[serde(flatten)]
    pub(super) differences: Differences,
}

impl DiffReport {
    pub(super) fn new(old: SideSummary, new: SideSummary, compared: Vec<Compared>) -> DiffReport {
        let (mut counts, mut laws) = (DiffCounts { inputs: compared.len(), ..DiffCounts::default() }, BTreeMap::new());
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
        DiffReport { api_version: "lictor.dev/v1alpha1", kind: "Differences", old, new, counts, laws, inputs }
    }

    /// Returns whether no decision changes.
    pub(super) fn is_same(&self) -> bool {
        self.inputs.is_empty()
    }

    /// Returns one line with the number of decisions that change.
    pub(super) fn tally(&self) -> String {
        let DiffCounts { inputs, differing, pods, victims, errors, .. } = self.counts;
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
