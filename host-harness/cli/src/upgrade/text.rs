//! The result of a replacement, as text.

use super::super::page::TextPage;
use super::super::screen::Screen;
use super::report::UpgradeReport;
use lictor_host::replace::ReplacementState;

/// How many differences are shown.
const SHOWN: usize = 20;

/// Makes the page.
pub(super) fn page(report: &UpgradeReport<'_>) -> TextPage {
    let mut page = TextPage::new(Screen::stdout());
    page.paragraph("", 2, &format!("old: {}, system {}", report.old.short(), report.system));
    page.paragraph("", 2, &format!("new: {}", report.new.short()));
    page.heading("States");
    for transition in report.transitions {
        page.paragraph("  ", 6, &transition.to_string());
    }
    page.heading("Compared");
    for (call, totals) in &report.compared.calls {
        page.paragraph("  ", 6, &format!("{call}: {totals}"));
    }
    if !report.compared.not_compared.is_empty() {
        let left_out = report.compared.not_compared.join(", ");
        page.paragraph("  ", 6, &format!("not compared, because only one of them decides there: {left_out}"));
    }
    differences(&mut page, report);
    if !report.failed.is_empty() {
        page.heading("Inputs that were not served");
        report.failed.iter().for_each(|failed| page.paragraph("  ", 6, failed));
    }
    let end = match report.state {
        ReplacementState::Done => "the new policy decides",
        ReplacementState::RolledBack => "the old policy decides",
        _ => "the replacement has not come to its end",
    };
    page.heading(end);
    page
}

fn differences(page: &mut TextPage, report: &UpgradeReport<'_>) {
    if report.totals.different == 0 {
        return;
    }
    page.heading("Decided otherwise, by law");
    for (laws, count) in &report.compared.laws {
        page.paragraph("  ", 6, &format!("{count}: {laws}"));
    }
    page.heading("Decided otherwise, old => new");
    for difference in report.compared.differences.iter().take(SHOWN) {
        page.paragraph("  ", 6, &difference.to_string());
    }
    let shown = u64::try_from(SHOWN).unwrap_or(u64::MAX);
    let more = report.totals.different.saturating_sub(shown);
    if more > 0 {
        page.dimmed("  ", 6, &format!("and {more} more; `--output json` has the first hundred"));
    }
}
