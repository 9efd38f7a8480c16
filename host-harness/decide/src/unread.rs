//! Objects that a known system reads, and that no law in force reads.

use std::collections::BTreeMap;

use lictor_contract::{Description, Severity, SystemInfo};

use super::problem::Problem;

/// Returns a warning for each kind of objects, `group/version Kind`, that were ignored although a system of the policy reads its API group. The core
/// group is left out: every cluster has its kinds. `ignored` is the number of objects by kind.
pub(super) fn findings(
    ignored: &BTreeMap<String, usize>,
    described: &Description,
    laws: Option<&SystemInfo>,
) -> BTreeMap<String, Problem> {
    let chosen = laws.map(|laws| laws.name.as_str()).unwrap_or_default();
    let warning = |(full_kind, count): (&String, &usize)| {
        let (version, kind) = full_kind.split_once(' ')?;
        let (group, _) = version.split_once('/')?;
        let reads = |system: &&SystemInfo, kind: Option<&str>| {
            let mut kinds = system.interests.kinds.iter();
            kinds.any(|known| known.group == group && kind.is_none_or(|kind| known.kind == kind))
        };
        described.systems.iter().find(|system| reads(system, None))?;
        let readers = described.systems.iter().filter(|system| reads(system, Some(kind)));
        let readers: Vec<String> = readers.map(|system| format!("`{}`", system.name)).collect();
        let remedy = match readers.as_slice() {
            [] => "no system reads this kind: leave it out, or look for its effect elsewhere".to_owned(),
            [reader] => format!("decide with the laws of {reader}, which reads this kind (`--system`)"),
            readers => {
                format!("decide with the laws of a system that reads this kind (`--system`): {}", readers.join(", "))
            }
        };
        let objects = if *count == 1 { "object" } else { "objects" };
        let have = if *count == 1 { "has" } else { "have" };
        let message =
            format!("{count} {objects} of `{full_kind}` {have} no effect: no law of `{chosen}` reads this kind");
        Some((full_kind.clone(), Problem::error(message).remedy(remedy).of(Severity::Warning)))
    };
    ignored.iter().filter_map(warning).collect()
}

#[cfg(test)]
mod tests {
    use lictor_policy::Engine;

    use super::*;

    fn warned(laws: &str, kinds: &[&str]) -> Vec<(String, Option<String>)> {
        let described = Engine::describe();
        let laws = described.systems.iter().find(|system| system.name == laws);
        let ignored = kinds.iter().map(|kind| ((*kind).to_owned(), 2)).collect();
        findings(&ignored, &described, laws).into_values().map(|problem| (problem.message, problem.remedy)).collect()
    }

    #[test]
    fn a_kind_that_another_system_reads_is_a_warning_that_names_the_system() {
        let said = warned("koordinator", &["scheduling.volcano.sh/v1beta1 Queue"]);
        let expected = "2 objects of `scheduling.volcano.sh/v1beta1 Queue` have no effect: no law of `koordinator` reads this kind";
        let remedy = "decide with the laws of `volcano`, which reads this kind (`--system`)";
        assert_eq!(said, [(expected.to_owned(), Some(remedy.to_owned()))]);
    }

    #[test]
    fn a_kind_of_a_known_group_that_no_system_reads_is_a_warning() {
        let said = warned("volcano", &["scheduling.volcano.sh/v1beta1 Numatopology"]);
        let remedies: Vec<&str> = said.iter().filter_map(|(_, remedy)| remedy.as_deref()).collect();
        assert_eq!(remedies, ["no system reads this kind: leave it out, or look for its effect elsewhere"]);
    }

    #[test]
    fn kinds_of_other_groups_and_of_the_core_are_no_warning() {
        assert_eq!(warned("koordinator", &["apps/v1 Deployment", "v1 ConfigMap"]), []);
    }
}
