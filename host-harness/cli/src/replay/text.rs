//! A replay as text.

use serde_json::Value;

use super::super::changes;
use super::super::page::TextPage;
use super::super::screen::Screen;
use super::report::{FirstDifference, ReplayReport, ReplayedSession};
use lictor_host::recording::Header;

/// The most characters of a value that are shown.
const SHOWN: usize = 400;

/// Makes the page.
pub(super) fn page(report: &ReplayReport) -> TextPage {
    let mut page = TextPage::new(Screen::stdout());
    let many = report.sessions.len() > 1;
    for (number, session) in (1usize..).zip(&report.sessions) {
        if many {
            page.heading(&format!("Session {number}"));
        }
        let Header { policy, system, .. } = &session.header;
        let digest: String = policy.component.chars().take(12).collect();
        let how = if policy.native { "native, of component" } else { "component" };
        let recorded = format!("recorded: system {system}, policy {} {}, {how} {digest}", policy.name, policy.version);
        page.paragraph("", 2, &recorded);
        page.paragraph("", 2, &format!("replayed: {}", report.replayed_with.short()));
        match (&session.other, &session.first) {
            (Some(steps), _) => other(&mut page, session, steps.len()),
            (None, Some(first)) => differs(&mut page, first),
            (None, None) => page.paragraph("", 2, &format!("the same: {}", counted(session))),
        }
        if session.discarded > 0 {
            let faults = session.discarded;
            page.paragraph(
                "",
                2,
                &format!("{faults} recorded faults did not come again and were taken from the recording"),
            );
        }
    }
    page
}

fn counted(session: &ReplayedSession) -> String {
    let count = &session.count;
    format!("{} steps, {} answers, {} commands", count.steps, count.answers, count.commands)
}

/// Shows the changed decisions of another policy.
fn other(page: &mut TextPage, session: &ReplayedSession, differing: usize) {
    page.line("another policy: its decisions are compared, while the cluster goes on as recorded");
    for step in session.other.iter().flatten() {
        page.heading(&format!("Step {}, {}", step.step, step.told));
        changes::render_differences(page, &step.differences);
    }
    page.line("");
    let total = session.other.iter().flatten().map(|step| step.differences.len()).sum::<usize>();
    match differing {
        0 => page.paragraph("", 2, &format!("decides the same: {}", counted(session))),
        _ => {
            page.paragraph("", 2, &format!("{total} decisions differ in {differing} of {} steps", session.count.steps))
        }
    }
}

/// Shows the first difference.
fn differs(page: &mut TextPage, first: &FirstDifference) {
    page.heading(&format!("Differs at step {}, {}", first.step, first.told));
    let about = if first.about.is_empty() { String::new() } else { format!(" for {}", first.about.join(", ")) };
    let path = if first.path.is_empty() { String::new() } else { format!(", at {}", first.path) };
    match &first.call {
        Some(call) => page.paragraph("  ", 4, &format!("the answer to `{call}`{about}{path}")),
        None => page.paragraph("  ", 4, &format!("the answers are the same; what came of them differs{path}")),
    }
    page.paragraph("  recorded: ", 4, &short(&first.then));
    page.paragraph("  now:      ", 4, &short(&first.now));
    changes::render_differences(page, &first.differences);
    page.line("  what follows is not compared");
}

fn short(value: &Value) -> String {
    let text = if value.is_null() { "nothing".to_owned() } else { value.to_string() };
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}... ({} bytes)", text.get(..end).unwrap_or_default(), text.len()),
        None => text,
    }
}
