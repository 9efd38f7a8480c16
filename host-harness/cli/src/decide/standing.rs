//! The running pods that are safe, and those that may be evicted.

use super::super::page::Page;
use lictor_decide::jobs::Jobs;
use lictor_decide::record::Record;

/// Shows the standing of each running pod. Pods of a job with the same standing form a group.
pub(super) fn tell(page: &mut Page, record: &Record, jobs: &Jobs) {
    for (safe, heading) in [(true, "Running pods that are safe"), (false, "Running pods that may be evicted")] {
        let these = record.standings.iter().filter(|(_, standing)| standing.safe == safe);
        let sentences = these.map(|(pod, standing)| (pod.as_str(), standing.sentence.clone()));
        let groups = jobs.group(sentences.collect::<Vec<_>>());
        if !groups.is_empty() {
            page.heading(heading);
        }
        for group in groups {
            let label = page.strong(&group.label());
            page.line(format!("  {label}"));
            page.paragraph("    ", 6, &group.value);
        }
    }
}
