//! `--record` and `lictor replay`.

use std::fs;
use std::path::PathBuf;

use crate::run::{FOUR_TEAMS, Ran, file, lictor};

const THREE_ZONES: &str = "fixtures/snapshots/three-zones.yaml";

/// Returns a path without a file.
fn fresh(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path.to_str().unwrap().to_owned()
}

/// Records the decisions about a snapshot; the path.
fn record(name: &str, snapshot: &str, more: &[&str]) -> String {
    let path = fresh(name);
    lictor(&[&["decide", snapshot, "--record", &path], more].concat()).exits(0);
    path
}

fn replay(path: &str, more: &[&str]) -> Ran {
    lictor(&[&["replay", path], more].concat())
}

#[test]
fn a_recording_of_the_component_replays_equal_in_it_and_natively_and_the_other_way_round() {
    for (name, snapshot, system) in [("four", FOUR_TEAMS, "koordinator"), ("three", THREE_ZONES, "kubernetes")] {
        let more = ["--system", system, "--cycles", "2"];
        let component = record(&format!("{name}-component.rec"), snapshot, &more);
        let native = record(&format!("{name}-native.rec"), snapshot, &[&more[..], &["--native"]].concat());
        for path in [&component, &native] {
            replay(path, &[]).exits(0).prints(&["the same: ", " steps, "]);
            replay(path, &["--native"]).exits(0).prints(&["the same: ", " steps, "]);
        }
    }
}

#[test]
fn what_is_recorded_twice_has_the_same_bytes_and_decides_as_without_a_recording() {
    let (one, other) = (fresh("twice-1.rec"), fresh("twice-2.rec"));
    let decide =
        |path: &str| lictor(&["decide", FOUR_TEAMS, "--native", "--output", "json", "--record", path]).exits(0);
    let (first, second) = (decide(&one), decide(&other));
    assert_eq!(fs::read(&one).unwrap(), fs::read(&other).unwrap());
    assert_eq!(first.out, second.out);
    assert_eq!(first.out, lictor(&["decide", FOUR_TEAMS, "--native", "--output", "json"]).exits(0).out);
}

#[test]
fn a_recording_is_appended_to_and_a_cut_tail_is_repaired_and_said() {
    let path = record("appended.rec", FOUR_TEAMS, &["--native"]);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 5]).unwrap();
    let cut = replay(&path, &["--native"]).exits(1);
    cut.tells(&["warning: the recording was cut at its end", "what stands before it is used"]).prints(&["the same: "]);
    let again = lictor(&["decide", FOUR_TEAMS, "--native", "--record", &path]).exits(0);
    again.tells(&["was cut at its end", "it was removed"]);
    let both = replay(&path, &["--native", "--output", "json"]).exits(0).json();
    assert_eq!(both["sessions"].as_array().unwrap().len(), 2);
    assert_eq!((&both["same"], both.get("lostTail")), (&true.into(), None));
}

#[test]
fn what_is_no_recording_is_said_and_left_alone() {
    let text = file("no.rec", "kind: List\n");
    replay(&text, &[]).exits(2).prints_nothing().tells(&["no recording of lictor", "no.rec", "hint: "]);
    lictor(&["decide", FOUR_TEAMS, "--native", "--record", &text]).exits(2).tells(&["no recording of lictor"]);
    assert_eq!(fs::read(&text).unwrap(), b"kind: List\n");
    replay("no/such.rec", &[]).exits(2).tells(&["cannot be read", "no/such.rec"]);
    lictor(&["decide", FOUR_TEAMS, "--native", "--record", "no/such/place.rec"]).exits(2).tells(&["cannot be written"]);
    let empty = file("empty.rec", "");
    replay(&empty, &[]).exits(2).tells(&["no recording"]);
    let path = record("other.rec", FOUR_TEAMS, &["--native"]);
    let mut bytes = fs::read(&path).unwrap();
    bytes[8] = 9;
    replay(&file("version.rec", &bytes), &[]).exits(2).tells(&["has version 9", "knows version 1", "newer"]);
    bytes[8] = 1;
    bytes[60] ^= 1;
    replay(&file("flipped.rec", &bytes), &[]).exits(2).prints_nothing().tells(&["damaged at byte 12", "head -c 12"]);
}

#[test]
fn a_snapshot_with_mistakes_leaves_no_recording() {
    let path = fresh("mistakes.rec");
    lictor(&["decide", "fixtures/snapshots/bad/not-a-mapping.yaml", "--native", "--record", &path]).exits(2);
    assert!(!PathBuf::from(&path).exists());
}

#[test]
fn every_scenario_of_a_system_can_be_recorded_and_repeated() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("recorded-scenarios");
    let _ = fs::remove_dir_all(&directory);
    let path = directory.to_str().unwrap();
    for system in ["volcano", "yunikorn", "coscheduling"] {
        lictor(&["test", "--native", "--record", path, &format!("fixtures/scenarios/{system}")]).exits(0);
    }
    let mut files: Vec<PathBuf> = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 100, "{}", files.len());
    // Some of each system: every one of them is repeated by the test `scenarios`.
    for file in files.iter().step_by(40) {
        replay(file.to_str().unwrap(), &["--native"]).exits(0).prints(&["the same: "]);
        replay(file.to_str().unwrap(), &[]).exits(0).prints(&["the same: "]);
    }
}
