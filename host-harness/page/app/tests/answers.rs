//! The real answers of the engine, read by the types of the page: a field or a word with another name in the engine would leave a part of the page
//! empty, and no error would show it.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lictor_decide::CycleInterval;
use lictor_page_app::data::{CycleView, DecisionReportView, ExplanationView, InputSummaryView};
use lictor_page_app::model::results::is_known_result;
use lictor_page_app::model::why::is_known_state;
use lictor_web::{OpenInput, PageEngine};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads an answer as the page does: through JSON.
fn read<T: DeserializeOwned>(answer: impl Serialize) -> T {
    serde_json::from_value(serde_json::to_value(answer).unwrap()).unwrap()
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|it| it == "yaml")).collect();
    files.sort();
    files
}

/// Returns the snapshots, and one of so many scenarios of each system.
fn fixtures(one_of: usize) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures");
    let folders = fs::read_dir(root.join("scenarios")).unwrap().map(|entry| entry.unwrap().path());
    let scenarios =
        folders.filter(|path| path.is_dir()).flat_map(|folder| files_in(&folder).into_iter().step_by(one_of));
    scenarios.chain(files_in(&root.join("snapshots"))).collect()
}

/// The words that were seen of those that the page reads.
#[derive(Default)]
struct Seen(BTreeSet<&'static str>);

impl Seen {
    fn see(&mut self, name: &'static str, is_there: bool) {
        if is_there {
            self.0.insert(name);
        }
    }

    fn cycle(&mut self, cycle: &CycleView) {
        for attempt in &cycle.attempts {
            assert!(is_known_result(&attempt.result), "{attempt:?}");
            self.see("attempt.node", attempt.node.is_some());
            self.see("attempt.reason", attempt.reason.as_ref().is_some_and(|reason| !reason.message.is_empty()));
            self.see("attempt.nodes", attempt.nodes.as_ref().is_some_and(|nodes| !nodes.obstacles.is_empty()));
            self.see("attempt.preemption", attempt.preemption.as_ref().is_some_and(|it| !it.code.is_empty()));
            self.see("attempt.retryAfter", !attempt.retry_after.is_empty());
        }
        for victim in cycle.victims.values() {
            assert!(["Soft", "Delete", "Unreserved"].contains(&victim.how.as_str()), "{victim:?}");
            self.see("victim", victim.node.is_some() && victim.plan > 0 && victim.preemptor.is_some());
        }
        for plan in &cycle.plans {
            self.see("plan", plan.plan > 0 && !plan.nominated.is_empty() && !plan.victims.is_empty());
        }
        self.see("cycle", cycle.cycle > 0);
        self.see("bound", !cycle.bound.is_empty());
        self.see("nominated", !cycle.nominated.is_empty());
        self.see("waiting", !cycle.waiting.is_empty());
        self.see("stillNominated", !cycle.pending.still_nominated.is_empty());
        self.see("withdrawn", !cycle.withdrawn.is_empty());
        self.see("stillPending", !cycle.pending.still_pending.is_empty());
        self.see("heldBack", !cycle.pending.held_back.is_empty());
        self.see("reasons", !cycle.pending.reasons.is_empty());
    }

    fn record(&mut self, record: &DecisionReportView) {
        record.cycles.iter().for_each(|cycle| self.cycle(cycle));
        self.see("cluster", record.cluster.nodes > 0 && record.cluster.placed > 0 && record.cluster.pending > 0);
        self.see("now", record.cluster.now.is_some());
        self.see("findings", record.findings.iter().any(|it| it.line.is_some() && it.remedy.is_some()));
        for account in &record.accounts {
            let is_whole =
                |it: &lictor_page_app::data::AccountResourceView| !it.resource.is_empty() && !it.bounds.is_empty();
            self.see("account", !account.name.is_empty() && account.resources.iter().any(is_whole));
            self.see("account.parent", account.parent.is_some());
        }
    }

    fn answer(&mut self, answer: &ExplanationView) {
        for why in &answer.pods {
            assert!(is_known_state(&why.state), "{}: {}", why.pod, why.state);
            self.see("why.attempts", !why.attempts.is_empty());
            self.see("why.heldBack", why.held_back.is_some());
            self.see("why.standing", why.standing.as_ref().is_some_and(|it| !it.sentence.is_empty()));
            self.see("why.evicted", why.evicted.is_some());
            self.see("why.lookedAt", why.looked_at.iter().any(|it| !it.by.is_empty() && !it.reason.code.is_empty()));
            self.see("why.explanation", why.explanation.is_some());
            let explained = why.attempts.iter().filter_map(|attempt| attempt.explanation.as_ref());
            for explanation in explained.chain(&why.explanation) {
                self.see("counted", explanation.counted.iter().any(|it| it.count > 1 && !it.reason.code.is_empty()));
                for note in &explanation.notes {
                    let outcomes = ["barred", "spared", "unneeded", "reprieved", "needed", "enough", "chosen"];
                    assert!(outcomes.contains(&note.outcome.as_str()), "{note:?}");
                    assert!(["preemptor", "pod", "node", "queue"].contains(&note.about.as_str()), "{note:?}");
                    self.see("note.facts", !note.reason.facts.is_empty());
                }
            }
        }
    }
}

#[test]
fn the_page_understands_the_answers_of_a_sample() {
    understands(&fixtures(4));
}

#[test]
#[ignore = "minutes: by hand"]
fn the_page_understands_every_answer() {
    understands(&fixtures(1));
}

fn understands(files: &[PathBuf]) {
    let mut seen = Seen::default();
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        let told = OpenInput { name, text: fs::read_to_string(file).unwrap(), ..OpenInput::default() };
        let mut engine = PageEngine::default();
        let opened = engine.open(told).unwrap_or_else(|problems| panic!("{}: {problems:?}", file.display()));
        let summary: InputSummaryView = read(opened);
        assert!(summary.systems.contains(&summary.system), "{}", file.display());
        for _ in 0..2 {
            let moment: lictor_page_app::data::MomentView = read(engine.cycle(CycleInterval::default()).unwrap());
            assert!(moment.number > 0 && !moment.picture.jobs.is_empty() | moment.record.cycles[0].attempts.is_empty());
            seen.record(&moment.record);
            for job in moment.picture.jobs.iter().take(4) {
                let answer: ExplanationView = engine.explain(&job.name, None, |answer| read(answer)).unwrap();
                seen.answer(&answer);
            }
        }
    }
    let expected = [
        "account",
        "account.parent",
        "attempt.node",
        "attempt.nodes",
        "attempt.preemption",
        "attempt.reason",
        "attempt.retryAfter",
        "bound",
        "cluster",
        "counted",
        "cycle",
        "findings",
        "heldBack",
        "nominated",
        "note.facts",
        "now",
        "plan",
        "reasons",
        "stillNominated",
        "stillPending",
        "victim",
        "waiting",
        "why.attempts",
        "why.evicted",
        "why.explanation",
        "why.heldBack",
        "why.lookedAt",
        "why.standing",
    ];
    let missing: Vec<&str> = expected.into_iter().filter(|name| !seen.0.contains(name)).collect();
    assert!(missing.is_empty(), "no fixture has {missing:?}");
}
