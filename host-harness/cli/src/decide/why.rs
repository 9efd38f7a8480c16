//! Explanations of the pods that were not bound.

use super::super::explain::text::{self, Style};
use super::super::page::TextPage;
use super::super::screen::Screen;
use lictor_decide::jobs::Jobs;
use lictor_decide::record::CycleReport;
use lictor_host::session::AttemptExplanation;

/// A compact style for many pods; `lictor explain` shows more for one pod.
const STYLE: Style = Style { indent: 4, names: 4 };

/// Shows the explanation of each pod that was not bound. Pods of a job with the same explanation form a group.
pub(super) fn render_explanations(page: &mut TextPage, cycle: &CycleReport, jobs: &Jobs) {
    let bound = &cycle.happened.bound;
    let explained =
        cycle.happened.explanations().filter(|(pod, why)| !bound.contains_key(*pod) && !why.notes.is_empty());
    let bodies = explained.map(|(pod, why)| (pod, body(why)));
    let groups = jobs.group(bodies.collect::<Vec<_>>());
    if !groups.is_empty() {
        page.heading("Why");
    }
    for group in groups {
        let label = page.strong(&group.label());
        page.line(format!("  {label}"));
        page.text(&group.value);
    }
}

fn body(why: &AttemptExplanation) -> String {
    let mut page = TextPage::new(Screen::stdout());
    text::render_explanation(&mut page, STYLE, why);
    page.into_text()
}
