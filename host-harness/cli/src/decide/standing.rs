//! The running pods that are safe, and those that may be evicted.

use std::collections::BTreeMap;

use super::super::page::TextPage;
use lictor_decide::jobs::Jobs;
use lictor_host::session::PodStanding;

/// Shows the standing of each running pod. Pods of a job with the same standing form a group. At most `most` groups are shown of the safe pods, and
/// as many of the others.
pub(crate) fn render_standings(
    page: &mut TextPage,
    standings: &BTreeMap<String, PodStanding>,
    jobs: &Jobs,
    most: usize,
) {
    for (safe, heading) in [(true, "Running pods that are safe"), (false, "Running pods that may be evicted")] {
        let these = standings.iter().filter(|(_, standing)| standing.safe == safe);
        let sentences = these.map(|(pod, standing)| (pod.as_str(), standing.sentence.clone()));
        let groups = jobs.group(sentences.collect::<Vec<_>>());
        if !groups.is_empty() {
            page.heading(heading);
        }
        let more = groups.len().saturating_sub(most);
        for group in groups.into_iter().take(most) {
            let label = page.strong(&group.label());
            page.line(format!("  {label}"));
            page.paragraph("    ", 6, &group.value);
        }
        if more > 0 {
            page.line(format!("  and {more} more: `lictor decide --explain` shows all"));
        }
    }
}
