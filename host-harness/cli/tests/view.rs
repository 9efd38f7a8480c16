//! `lictor view` with the page built in: what is served, what is written, and what is refused.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Output, Stdio};
use std::{env, fs, process};

const SNAPSHOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/snapshots/three-zones.yaml");

/// A recording, of a policy of tests.
const RECORDING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../host/src/recording/fixture.rec");

fn lictor(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lictor"));
    command.arg("view").args(arguments);
    command
}

fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stderr, .. } = lictor(arguments).output().unwrap();
    (status.code(), String::from_utf8(stderr).unwrap())
}

#[test]
fn the_page_is_written_with_the_cluster_inside() {
    let file = env::temp_dir().join(format!("lictor-view-{}.html", process::id()));
    let (code, said) = run(&["--export", file.to_str().unwrap(), "--system", "kubernetes", SNAPSHOT]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    let page = fs::read_to_string(&file).unwrap();
    fs::remove_file(&file).unwrap();
    assert!(page.contains("three-zones.yaml") && page.contains("\"system\":\"kubernetes\""));
    assert!(page.starts_with("<!doctype html>") && !page.contains("{{"));
}

#[test]
fn a_recording_is_written_into_the_page_with_its_bytes() {
    let file = env::temp_dir().join(format!("lictor-view-recording-{}.html", process::id()));
    let (code, said) = run(&["--export", file.to_str().unwrap(), RECORDING]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    let page = fs::read_to_string(&file).unwrap();
    fs::remove_file(&file).unwrap();
    assert!(page.contains("fixture.rec") && page.contains("\"system\":\"\""));
}

/// The status of what is answered to this name, and all of it.
fn get(address: &str, host: &str, path: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    (answer.split(' ').nth(1).unwrap().to_owned(), answer)
}

#[test]
fn the_page_is_served_to_this_machine_only() {
    let mut served = lictor(&["--no-open", SNAPSHOT]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut url = String::new();
    BufReader::new(served.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let address = url.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
    assert!(address.starts_with("127.0.0.1:"), "{url}");
    let answers = [(&*address, "/"), ("elsewhere.example", "/"), (&*address, "/other")]
        .map(|(host, path)| get(&address, host, path));
    served.kill().unwrap();
    served.wait().unwrap();
    let codes = answers.each_ref().map(|(code, _)| code.as_str());
    assert_eq!(codes, ["200", "403", "404"]);
    assert!(answers[0].1.contains("three-zones.yaml") && answers[0].1.contains("Cache-Control: no-store"));
    assert!(!answers[1].1.contains("three-zones.yaml"));
}

#[test]
fn what_the_page_cannot_show_is_refused_with_a_remedy() {
    let bytes = env::temp_dir().join(format!("lictor-view-{}.rec", process::id()));
    fs::write(&bytes, [0xff, 0xfe]).unwrap();
    for (arguments, what, remedy) in [
        (vec!["nowhere.yaml"], "cannot be read", "name a readable file"),
        (vec![SNAPSHOT, SNAPSHOT], "shows one file", "--text"),
        (vec!["--component", "mine.wasm", SNAPSHOT], "built-in policy", "--text"),
        (vec![bytes.to_str().unwrap()], "is not text", "that `--record` has written"),
        (vec!["--system", "volcano", RECORDING], "a recording has its system", "leave out `--system`"),
    ] {
        let (code, said) = run(&arguments);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(what) && said.contains(remedy), "{said}");
    }
    fs::remove_file(&bytes).unwrap();
}
