//! `lictor view --live` in a real browser, end to end: a recorder writes, the command serves, the page follows.
//!
//! It needs Chromium and its driver, as the tests of the page do (`host-harness/page/tests/browser`). With the feature `live`, a controller in
//! a real cluster is followed, too.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

#[expect(dead_code, reason = "the tests of the page need more of it")]
#[path = "../../../page/tests/browser/browser.rs"]
mod browser;
#[cfg(feature = "live")]
mod cluster;
#[path = "../../../../guest/web/src/engine/tests/two.rs"]
mod two;

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{env, process};

use browser::{Browser, DESK};
use lictor_decide::record::PolicySource;
use lictor_decide::recorded::TailedRecording;
use lictor_decide::{ClusterSession, ClusterSnapshot, CycleInterval, DecisionSettings, Native};
use lictor_host::policy::Policy;
use lictor_host::recording::{Header, MemoryRecording, Recorder};

const LEFT: &str = "\u{e012}";
const RIGHT: &str = "\u{e014}";

/// A recording that is not there yet. It is removed with this value.
struct Recording(PathBuf);

impl Recording {
    fn of(test: &str) -> Recording {
        Recording(env::temp_dir().join(format!("lictor-live-{test}-{}.rec", process::id())))
    }

    /// Records into it from its beginning on: a cluster of a node that `low` fills, for which `high` waits.
    fn begin(&self) -> ClusterSession {
        let mut native = Native::default();
        let described = native.describe().unwrap();
        let recorder = Recorder::begin(Box::new(File::create(&self.0).unwrap()));
        let policy = recorder.observe(Box::new(native), &Header::native(&described, "kubernetes"));
        let with = DecisionSettings { system: "kubernetes", recorder: Some(&recorder), ..DecisionSettings::default() };
        ClusterSession::open(policy, described, with, || ClusterSnapshot::from_text("two.yaml", two::TWO.to_owned()))
            .unwrap()
    }

    fn append(&self, bytes: &[u8]) {
        OpenOptions::new().append(true).open(&self.0).unwrap().write_all(bytes).unwrap();
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let _removed = fs::remove_file(&self.0);
    }
}

/// A command that runs. It ends with this value.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _reaped = self.0.wait();
    }
}

/// Starts the command that follows a recording.
fn view(recording: &Path) -> Running {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lictor"));
    command.args(["view", "--live", "--no-open"]).arg(recording);
    Running(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

impl Running {
    /// Reads the first line on the standard error.
    fn said(&mut self) -> String {
        line(self.0.stderr.take().unwrap())
    }

    /// Reads the address of the page, once it is served.
    fn url(&mut self) -> String {
        line(self.0.stdout.take().unwrap()).trim().to_owned()
    }
}

fn line(from: impl std::io::Read) -> String {
    let mut line = String::new();
    BufReader::new(from).read_line(&mut line).unwrap();
    line
}

/// Returns the offset at which the step with the second moment ends.
fn end_of_second_moment(bytes: &[u8]) -> usize {
    let ends: Vec<usize> = (12..=bytes.len()).collect();
    let moments = |end: usize| {
        TailedRecording::open("", MemoryRecording::from(bytes[..end].to_vec())).unwrap().position().moments
    };
    ends[ends.partition_point(|end| moments(*end) < 2)]
}

fn picture(name: &str, bytes: &[u8]) {
    if let Some(folder) = env::var_os("LICTOR_SCREENSHOTS") {
        fs::create_dir_all(&folder).unwrap();
        fs::write(Path::new(&folder).join(name), bytes).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_controller_is_followed_moment_by_moment() {
    let Some(browser) = Browser::start("live", DESK).await else { return };
    let recording = Recording::of("follow");
    let mut command = view(&recording.0);
    let said = command.said();
    assert!(said.starts_with("waiting for ") && said.contains("lictor run --record"), "{said}");
    let mut cluster = recording.begin();
    browser.visit(&command.url()).await;
    browser.reads("#live", "Live: nothing was decided yet").await;
    // The cluster is drawn before anything is decided in it.
    browser.click("#tab-jobs").await;
    browser.reads(".lanes", "d/low").await;
    browser.click("#tab-nodes").await;
    browser.write(".nodes-frame", RIGHT).await;
    browser.reads(".node-detail", "d/low").await;
    // A recording is looked at, not changed.
    browser.gone("#drain").await;
    picture("desk-live-undecided.png", &browser.picture().await);
    // Nothing of what follows comes by loading the page anew.
    browser.script("window.isTheSame = true").await;
    cluster.decide(1, PolicySource::default()).unwrap();
    browser.reads("#cycle-said", "Moment 1 of 1: 1 nominated, 1 evicted").await;
    cluster.apply_interval(CycleInterval { victims_leave: true, seconds: 5 }).unwrap();
    cluster.decide(1, PolicySource::default()).unwrap();
    browser.reads("#cycle-said", "Moment 2 of 2, 1970-01-01T00:00:05Z: 1 bound").await;
    browser.reads("#live", "Live: this is the newest moment").await;
    // Back, and what comes then is counted and not shown.
    browser.write("#moment", LEFT).await;
    browser.reads("#cycle-said", "Moment 1 of 2").await;
    cluster.decide(1, PolicySource::default()).unwrap();
    browser.reads("#live", "Live: 2 newer moments").await;
    browser.press("d/low").await;
    browser.reads("#why", "is evicted from n1").await;
    browser.reads("#cycle-said", "Moment 1 of 2").await;
    picture("desk-live-behind.png", &browser.picture().await);
    browser.click("#follow").await;
    browser.reads("#cycle-said", "Moment 3 of 3, 1970-01-01T00:00:05Z: nothing changed").await;
    browser.gone("#follow").await;
    picture("desk-live.png", &browser.picture().await);
    // What is dropped by mistake and cannot be read holds up nothing.
    browser.drop_file("broken.yaml", "kind: [").await;
    browser.reads("[role=alert]", "broken.yaml:2").await;
    // The controller starts anew; of the step with its second moment the last byte is not written for a while.
    let second = two::recorded();
    let cut = end_of_second_moment(&second) - 1;
    recording.append(&second[12..cut]);
    browser.reads("#cycle-said", "Moment 4 of 4: 1 nominated, 1 evicted").await;
    recording.append(&second[cut..]);
    browser.reads("#cycle-said", "Moment 5 of 5, 1970-01-01T00:00:05Z: 1 bound").await;
    assert_eq!(browser.script("return window.isTheSame").await, true);
    // What is no recording any more is said, and what was shown stays.
    OpenOptions::new().write(true).open(&recording.0).unwrap().set_len(20).unwrap();
    browser.reads(".errors", "the recording has become shorter").await;
    browser.reads("#live", "No longer followed: this is the newest moment").await;
    browser.reads("#cycle-said", "Moment 5 of 5").await;
}

/// Checks that of 240 moments, the last 200 are drawn; those before are explained none the less.
#[tokio::test(flavor = "multi_thread")]
async fn only_the_last_moments_of_a_long_recording_are_drawn() {
    let Some(browser) = Browser::start("long", DESK).await else { return };
    let recording = Recording::of("long");
    let mut cluster = recording.begin();
    cluster.decide(1, PolicySource::default()).unwrap();
    cluster.apply_interval(CycleInterval { victims_leave: true, seconds: 5 }).unwrap();
    (1..240).for_each(|_| drop(cluster.decide(1, PolicySource::default()).unwrap()));
    let mut command = view(&recording.0);
    browser.visit(&command.url()).await;
    browser.reads("#cycle-said", "Moment 240 of 240").await;
    browser.reads("#moments-gone", "Moments 1 to 40 are not kept any more").await;
    assert_eq!(browser.script("return document.querySelectorAll('.mark').length").await, 200);
    let why = browser.ask(vec![serde_json::json!(["explain", "d/low", 1])]).await;
    assert_eq!(why[0]["value"]["pods"][0]["state"], "makesWay", "{why:?}");
    // The server goes away.
    drop(command);
    browser.reads(".errors", "does not answer any more").await;
    browser.reads("#live", "No longer followed: this is the newest moment").await;
}
