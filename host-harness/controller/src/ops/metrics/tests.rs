//! Every metric is in the table of the manual, and the table has no other.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Metrics, PendingCounts, SessionState, labels};
use lictor_host::session::{
    Attempt, AttemptResult, BreakerState, CommandOutcome, Counters, EvictionMethod, FaultKind, RetryHint, StepOutput,
};

/// A row of the table: the type and the labels of one metric.
type Row = (String, Vec<String>);

/// Returns the type and the labels of each metric in a scraped text, by the name of its samples.
fn scraped(text: &str) -> BTreeMap<String, Row> {
    let mut found = BTreeMap::new();
    let samples: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    for line in text.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
        let (name, kind) = line.split_once(' ').unwrap();
        let shown = if kind == "counter" { format!("{name}_total") } else { name.to_owned() };
        let sample = samples.iter().find(|sample| {
            let rest = sample.strip_prefix(name).unwrap_or_default();
            ["_total", "_bucket", ""]
                .iter()
                .any(|end| rest.strip_prefix(end).is_some_and(|rest| rest.starts_with(['{', ' '])))
        });
        let labels =
            sample.and_then(|sample| sample.split_once('{')?.1.split_once('}')).map_or("", |(labels, _)| labels);
        let labels = labels.split(',').filter_map(|label| Some(label.split_once('=')?.0.to_owned()));
        found.insert(shown, (kind.to_owned(), labels.filter(|label| label != "le").collect()));
    }
    found
}

/// Returns the type and the labels of each metric in the manual.
fn documented() -> BTreeMap<String, Row> {
    let manual = include_str!("../../../README.md");
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().replace('`', "")).collect::<Vec<_>>();
    let rows = manual.lines().filter(|line| line.starts_with("| `lictor_") || line.starts_with("| `leader_"));
    let row = |line: &str| {
        let cells = cells(line);
        let labels = cells[3].split(", ").filter(|label| !label.is_empty()).map(str::to_owned).collect();
        (cells[1].clone(), (cells[2].clone(), labels))
    };
    rows.map(row).collect()
}

/// Returns metrics with a value in each.
fn all() -> Metrics {
    let metrics = Metrics::default();
    let system = || labels::System { system: "koordinator".to_owned() };
    let build = ["1", "lictor", "abc"].map(str::to_owned);
    let [version, policy, component] = build;
    metrics.build_info.get_or_create(&labels::Build { version, policy, component }).set(1);
    metrics.failed("koordinator", 1);
    metrics
        .plans
        .get_or_create(&labels::SystemResult { system: "koordinator".to_owned(), result: "made".to_owned() })
        .inc();
    metrics.nominations.get_or_create(&system()).inc();
    metrics.preemption_victims.get_or_create(&system()).observe(3.0);
    metrics.evictions.get_or_create(&labels::How { system: "koordinator".to_owned(), how: "delete".to_owned() }).inc();
    metrics.replacements.get_or_create(&labels::Ended { result: "done".to_owned() }).inc();
    metrics.decided("koordinator", Duration::from_millis(3));
    let faults = BTreeMap::from([(FaultKind::Trap, 2)]);
    metrics.session(&Counters::default(), &Counters { faults, restarts: 2, ..Counters::default() });
    metrics.command("bind", &CommandOutcome::Done);
    metrics.request("patch", None, Duration::from_millis(3));
    metrics.given_up("not-admitted");
    metrics.rail_refusals.get_or_create(&labels::Reason { reason: "namespace".to_owned() }).inc();
    metrics.set_overdue_counts(1, 1);
    metrics.record_external_eviction("preemption");
    metrics.report_lost("Event");
    metrics.admitted("koordinator", Duration::from_secs(1));
    metrics.preempted("koordinator", Duration::from_secs(1));
    let pending = PendingCounts { active: 1, ..PendingCounts::default() };
    metrics.set_session_state(SessionState { pending, plans: 1, ..SessionState::default() });
    metrics.leader.get_or_create(&labels::Election { name: "lictor".to_owned() }).set(1);
    metrics
}

#[test]
fn the_manual_and_the_code_name_the_same_metrics() {
    assert_eq!(scraped(&all().text().unwrap()), documented());
}

#[test]
fn names_end_in_their_unit() {
    for (name, (kind, _)) in scraped(&all().text().unwrap()) {
        let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
        assert!(kind != "counter" || ends(&["_total"]), "{name}");
        assert!(!name.contains("duration") || ends(&["_seconds"]), "{name}");
        assert!(!name.contains("memory") || ends(&["_bytes"]), "{name}");
    }
}

#[test]
fn what_the_session_counts_is_added_once() {
    let metrics = Metrics::default();
    let counted = |faults, opened| {
        let mut counters = Counters { faults: BTreeMap::from([(FaultKind::Trap, faults)]), ..Counters::default() };
        counters.breaker.opened = opened;
        counters
    };
    metrics.set_session_state(SessionState { breaker: BreakerState::Open { until: 7 }, ..SessionState::default() });
    metrics.session(&Counters::default(), &counted(2, 1));
    metrics.session(&counted(2, 1), &counted(5, 1));
    let text = metrics.text().unwrap();
    for line in [
        "lictor_policy_faults_total{kind=\"trap\"} 5",
        "lictor_breaker_opened_total 1",
        "lictor_breaker_state{state=\"open\"} 1",
        "lictor_breaker_state{state=\"closed\"} 0",
    ] {
        assert!(text.lines().any(|have| have == line), "{line}\n{text}");
    }
}

#[test]
fn attempts_plans_and_victims_are_counted_by_what_became_of_them() {
    let mut step = StepOutput::default();
    let plan = |victims: &[&str]| lictor_host::session::AppliedPlan {
        plan: 1,
        for_whom: lictor_host::session::EvictionBeneficiary::Preemptor("default/a".to_owned()),
        nominated: BTreeMap::new(),
        victims: victims.iter().map(|name| (*name).to_owned()).collect(),
    };
    step.happened.plans = vec![plan(&["default/v", "default/w"]), plan(&[])];
    let refused = |code: &str| lictor_host::session::RefusedPlan {
        plan: 2,
        for_whom: lictor_host::session::EvictionBeneficiary::Preemptor("default/a".to_owned()),
        reason: lictor_host::reason::render(code, "", Vec::new()),
    };
    step.happened.refused = vec![refused("host/rail-namespace"), refused("host/fits")];
    let metrics = Metrics::default();
    metrics.step("volcano", &step);
    let text = metrics.text().unwrap();
    for line in [
        "lictor_plans_total{system=\"volcano\",result=\"made\"} 1",
        "lictor_plans_total{system=\"volcano\",result=\"refused\"} 2",
        "lictor_rail_refusals_total{reason=\"namespace\"} 1",
        "lictor_nominations_total{system=\"volcano\"} 1",
        "lictor_preemption_victims_sum{system=\"volcano\"} 2.0",
    ] {
        assert!(text.lines().any(|have| have == line), "{line}\n{text}");
    }
}

/// Returns an attempt for a pod that ended so.
fn attempt(pod: &str, result: AttemptResult) -> Attempt {
    Attempt {
        pod: pod.to_owned(),
        result,
        node: None,
        reason: None,
        nodes: None,
        preemption: None,
        retry: RetryHint::default(),
        explanation: None,
    }
}

#[test]
fn each_attempt_is_counted_once_by_its_result() {
    let metrics = Metrics::default();
    let mut step = StepOutput::default();
    use AttemptResult::{Nominated, Rejected, Scheduled, Unschedulable, Waiting};
    let results = [Scheduled, Waiting, Nominated, Unschedulable, Unschedulable, Rejected];
    step.happened.attempts = results.map(|result| attempt("default/a", result)).into();
    // A pod that is let go later, when the others of its gang are complete, was tried before.
    step.happened.bound.insert("default/b".to_owned(), "n1".to_owned());
    metrics.step("volcano", &step);
    metrics.step("volcano", &StepOutput::default());
    metrics.failed("volcano", 0);
    metrics.failed("volcano", 2);
    let text = metrics.text().unwrap();
    let mut lines: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("lictor_schedule_attempts_total{system=\"volcano\","))
        .collect();
    lines.sort_unstable();
    let counts =
        [("error", 2), ("nominated", 1), ("rejected", 1), ("scheduled", 1), ("unschedulable", 2), ("waiting", 1)];
    assert_eq!(lines, counts.map(|(result, count)| format!("result=\"{result}\"}} {count}")));
}

#[test]
fn the_manual_says_what_each_way_to_leave_is() {
    let manual = include_str!("../../../README.md");
    let row = manual.lines().find(|line| line.starts_with("| `lictor_evictions_total` |")).unwrap();
    // Dashboards count by these words: none of them may change.
    for (how, word) in
        [(EvictionMethod::Delete, "delete"), (EvictionMethod::Soft, "soft"), (EvictionMethod::Unreserved, "unreserved")]
    {
        assert_eq!(how.metric_label(), word);
        assert!(row.contains(&format!("`{word}`: ")), "{row}");
    }
}
