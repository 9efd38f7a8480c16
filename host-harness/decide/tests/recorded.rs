//! A recording is repeated moment by moment, and what is asked on the way changes nothing: that of every scenario.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;

use lictor_conformance::{Scenario, each_in, read_scenario, run_with};
use lictor_decide::Native;
use lictor_decide::recorded::{RecordingReplay, TailedRecording};
use lictor_host::policy::Policy;
use lictor_host::recording::{Header, MemoryRecording, Recorder};
use lictor_host::session::FaultRules;

fn start() -> Box<dyn Policy> {
    Box::<Native>::default()
}

/// Plays a scenario. Returns its recording, and the numbers of pods that are bound, nominated and evicted in it.
fn recorded(scenario: &Scenario) -> (Vec<u8>, [usize; 3]) {
    let header = Header {
        arguments: serde_json::to_string(&scenario.args).unwrap(),
        schedulers: scenario.schedulers.clone(),
        fault_rules: FaultRules::ONCE,
        ..Header::native(&start().describe().unwrap(), &scenario.system)
    };
    let (recorder, memory) = Recorder::in_memory();
    let policy = recorder.observe(start(), &header);
    let report = run_with(scenario, policy, |session| {
        session.record(recorder.clone());
        Ok(())
    });
    recorder.finish().unwrap();
    let mut sums = [0; 3];
    for step in &report.steps {
        let effects = &step.actual.effects;
        sums = sum(sums, [effects.bound.len(), effects.nominated.len(), effects.victims.len()]);
    }
    (memory.take(), sums)
}

fn sum(one: [usize; 3], other: [usize; 3]) -> [usize; 3] {
    let [a, b, c] = one;
    let [d, e, f] = other;
    [a.saturating_add(d), b.saturating_add(e), c.saturating_add(f)]
}

/// Repeats a recording. Returns the number of its moments, and the numbers of pods that are bound, nominated and evicted in them.
fn repeated(name: &str, bytes: &[u8]) -> (usize, [usize; 3]) {
    let described = start().describe().unwrap();
    let memory = MemoryRecording::from(bytes.to_vec());
    let mut recording = RecordingReplay::open(name, &memory, described).unwrap();
    let (mut moments, mut sums) = (0usize, [0; 3]);
    while let Some((pods, record)) = recording.next(false, &mut start, |before| before.mirror.pods().count()).unwrap() {
        assert!(pods > 0 || record.cluster.nodes > 0, "{name}: nothing is in the cluster");
        moments = moments.saturating_add(1);
        for cycle in &record.cycles {
            let happened = &cycle.happened;
            sums = sum(sums, [happened.bound.len(), happened.nominated.len(), happened.victims.len()]);
        }
    }
    assert_eq!(
        (recording.end(), TailedRecording::open(name, memory).unwrap().position().moments),
        (None, moments),
        "{name}"
    );
    (moments, sums)
}

#[test]
fn every_scenario_is_repeated_as_it_was_recorded() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenarios");
    let folders = fs::read_dir(fixtures).unwrap().map(|entry| entry.unwrap().path());
    let files = folders.filter(|path| path.is_dir()).flat_map(|path| fs::read_dir(path).unwrap());
    let (mut played, mut all) = (0usize, 0usize);
    for file in files.map(|entry| entry.unwrap().path()) {
        each_in(&file, &mut |document| {
            let scenario = read_scenario(document)?;
            let (bytes, then) = recorded(&scenario);
            let (moments, now) = repeated(&scenario.name, &bytes);
            assert_eq!(now, then, "{}", scenario.name);
            (played, all) = (played.saturating_add(1), all.saturating_add(moments));
            Ok(())
        })
        .unwrap();
    }
    assert!(played > 700 && all > played, "{played} scenarios, {all} moments");
}
