//! The figures as a table, and the changes since an earlier run.

use super::super::page::{TextPage, table};
use super::super::screen::Screen;
use super::figures::{BenchmarkResults, ClusterResults, Operation, Timing, seconds};

/// The comparison of a figure with that of an earlier run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpeedChange {
    Faster,
    Same,
    Slower,
}

/// The change of one figure.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MedianChange {
    pub(super) shape: String,
    pub(super) operation: String,
    pub(super) side: &'static str,
    pub(super) before: u64,
    pub(super) now: u64,
    pub(super) verdict: SpeedChange,
}

/// Compares medians with those of an earlier run. A figure that differs by more than `tolerance` percent has changed.
pub(super) fn compare(before: &BenchmarkResults, now: &BenchmarkResults, tolerance: u8) -> Vec<MedianChange> {
    let mut changes = Vec::new();
    for shape in &now.shapes {
        let alike = |old: &&ClusterResults| {
            (&old.shape, old.pods, old.queues, old.gang, old.seed)
                == (&shape.shape, shape.pods, shape.queues, shape.gang, shape.seed)
        };
        let Some(old) = before.shapes.iter().find(alike) else { continue };
        for operation in &shape.operations {
            let Some(other) = old.operation(&operation.name) else { continue };
            let sides =
                [("native", other.native, operation.native), ("component", other.component, operation.component)];
            for (side, before, now) in sides {
                let (Some(before), Some(now)) = (before, now) else { continue };
                let (before, now) = (before.p50, now.p50);
                let verdict = verdict(before, now, tolerance);
                let (shape, operation) = (shape.shape.clone(), operation.name.clone());
                changes.push(MedianChange { shape, operation, side, before, now, verdict });
            }
        }
    }
    changes
}

fn verdict(before: u64, now: u64, tolerance: u8) -> SpeedChange {
    let beyond = |less: u64, more: u64| {
        u128::from(less).saturating_mul(100_u128.saturating_add(tolerance.into()))
            < u128::from(more).saturating_mul(100)
    };
    match (beyond(before, now), beyond(now, before)) {
        (true, _) => SpeedChange::Slower,
        (_, true) => SpeedChange::Faster,
        _ => SpeedChange::Same,
    }
}

/// Makes the page for people.
pub(super) fn page(figures: &BenchmarkResults, changes: Option<&[MedianChange]>) -> TextPage {
    let mut page = TextPage::new(Screen::stdout());
    if !figures.optimised {
        page.line("This build is not optimised: its figures say little. Measure with `cargo run --release -- bench`.");
    }
    for shape in &figures.shapes {
        one(&mut page, shape);
    }
    if let Some(changes) = changes {
        page.heading("Against the baseline");
        compared(&mut page, changes);
    }
    page
}

fn one(page: &mut TextPage, shape: &ClusterResults) {
    let ClusterResults { nodes, pods, queues, gang, .. } = shape;
    let job = if *gang == 0 { String::new() } else { format!(", {queues} queues, a job of {gang}") };
    page.heading(&format!("{}: {nodes} nodes, {pods} pods{job}", shape.shape));
    let both = shape.operations.iter().any(|operation| operation.component.is_some());
    let mut rows = match both {
        true => table(["OPERATION", "NATIVE", "P99", "COMPONENT", "P99", "RATIO", "ANSWER"]),
        false => table(["OPERATION", "NATIVE", "P99", "ANSWER"]),
    };
    for operation in &shape.operations {
        let mut cells = vec![operation.name.clone()];
        cells.extend(shown(operation.native));
        if both {
            cells.extend(shown(operation.component));
            cells.push(operation.ratio().map(|ratio| format!("{ratio:.2}")).unwrap_or_default());
        }
        cells.push(operation.answer.clone());
        rows.add_row(cells);
    }
    page.table(2, rows);
    if let Some(bytes) = shape.component_bytes {
        page.line(format!("  The component holds {} MiB.", bytes.div_ceil(1 << 20)));
    }
}

fn shown(figure: Option<Timing>) -> [String; 2] {
    figure.map_or_else(Default::default, |figure| [time(figure.p50), time(figure.p99)])
}

fn compared(page: &mut TextPage, changes: &[MedianChange]) {
    if changes.is_empty() {
        page.line("  Nothing that was measured stands in it.");
        return;
    }
    let mut rows = table(["SHAPE", "OPERATION", "SIDE", "BEFORE", "NOW", "VERDICT"]);
    for change in changes.iter().filter(|change| change.verdict != SpeedChange::Same) {
        let verdict = if change.verdict == SpeedChange::Slower { "slower" } else { "faster" };
        rows.add_row([
            change.shape.clone(),
            change.operation.clone(),
            change.side.to_owned(),
            time(change.before),
            time(change.now),
            verdict.to_owned(),
        ]);
    }
    let count = |verdict| changes.iter().filter(|change| change.verdict == verdict).count();
    if !rows.is_empty() {
        page.table(2, rows);
    }
    let (faster, same, slower) = (count(SpeedChange::Faster), count(SpeedChange::Same), count(SpeedChange::Slower));
    page.line(format!("  {faster} faster, {same} the same, {slower} slower"));
}

/// Returns a time in the unit that leaves few digits.
pub(super) fn time(nanoseconds: u64) -> String {
    let seconds = seconds(nanoseconds);
    let (amount, unit) = match nanoseconds {
        0..1_000 => return format!("{nanoseconds} ns"),
        1_000..1_000_000 => (seconds * 1e6, "us"),
        1_000_000..1_000_000_000 => (seconds * 1e3, "ms"),
        _ => (seconds, "s"),
    };
    let digits = if amount < 10.0 { 2 } else { usize::from(amount < 100.0) };
    format!("{amount:.digits$} {unit}")
}

/// Returns the median of an operation on the side that counts for people, in nanoseconds: the component where it was measured, else the native
/// policy.
pub(super) fn cost(operation: &Operation) -> Option<u64> {
    operation.component.or(operation.native).map(|figure| figure.p50)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(name: &str, native: u64, component: u64) -> BenchmarkResults {
        let figure = |p50| Some(Timing { p50, p99: p50, calls: 3 });
        let operation = Operation {
            name: name.to_owned(),
            native: figure(native),
            component: figure(component),
            answer: String::new(),
        };
        let shape = ClusterResults {
            shape: "koordinator-10".to_owned(),
            nodes: 10,
            pods: 100,
            queues: 4,
            gang: 2,
            seed: 1,
            component_bytes: None,
            operations: vec![operation],
        };
        BenchmarkResults { version: "1".to_owned(), optimised: true, component: None, shapes: vec![shape] }
    }

    #[test]
    fn what_differs_by_more_than_the_tolerance_has_changed() {
        let before = figures("filter", 1000, 1000);
        let verdicts = |now: &BenchmarkResults| -> Vec<SpeedChange> {
            compare(&before, now, 10).iter().map(|change| change.verdict).collect()
        };
        assert_eq!(verdicts(&figures("filter", 1100, 1101)), [SpeedChange::Same, SpeedChange::Slower]);
        assert_eq!(verdicts(&figures("filter", 910, 909)), [SpeedChange::Same, SpeedChange::Faster]);
        assert_eq!(verdicts(&figures("load", 1, 1)), []);
    }

    #[test]
    fn another_cluster_is_not_compared() {
        let mut before = figures("filter", 1000, 1000);
        before.shapes[0].pods = 99;
        assert_eq!(compare(&before, &figures("filter", 9000, 9000), 10), []);
    }

    #[test]
    fn times_have_the_unit_that_leaves_few_digits() {
        let shown = [999, 1_000, 12_340, 123_400, 1_500_000, 2_000_000_000].map(time);
        assert_eq!(shown, ["999 ns", "1.00 us", "12.3 us", "123 us", "1.50 ms", "2.00 s"]);
    }
}
