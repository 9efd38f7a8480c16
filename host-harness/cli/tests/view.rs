//! `lictor view` with the page built in: what is served, what is written, and what is refused.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
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

/// Requests a path under this host name. Returns the status and the whole answer.
fn get(address: &str, host: &str, path: &str) -> (String, String) {
    let (head, body) = get_bytes(address, host, path);
    (head.split(' ').nth(1).unwrap().to_owned(), head + &String::from_utf8(body).unwrap())
}

/// Requests a path under this host name. Returns the head and the body of the answer.
fn get_bytes(address: &str, host: &str, path: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let body = answer.split_off(end.checked_add(4).unwrap());
    (String::from_utf8(answer).unwrap(), body)
}

/// A command that serves the page. It ends with this value.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _reaped = self.0.wait();
    }
}

fn serve(arguments: &[&str]) -> Served {
    Served(lictor(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

/// Returns the address at which the page is served, once it is.
fn address_of(served: &mut Served) -> String {
    let mut url = String::new();
    BufReader::new(served.0.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let address = url.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
    assert!(address.starts_with("127.0.0.1:"), "{url}");
    address
}

#[test]
fn the_page_is_served_to_this_machine_only() {
    let mut served = serve(&["--no-open", SNAPSHOT]);
    let address = address_of(&mut served);
    let answers =
        [(&*address, "/"), ("elsewhere.example", "/"), (&*address, "/other"), (&*address, "/recording?from=0")]
            .map(|(host, path)| get(&address, host, path));
    let codes = answers.each_ref().map(|(code, _)| code.as_str());
    assert_eq!(codes, ["200", "403", "404", "404"]);
    assert!(answers[0].1.contains("default-src 'none';") && !answers[0].1.contains("connect-src"));
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

/// A copy of the recording, which can be written to. It is removed with this value.
struct Copy(PathBuf);

impl Copy {
    fn of(name: &str) -> Copy {
        Copy(env::temp_dir().join(format!("lictor-view-{name}-{}.rec", process::id())))
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _removed = fs::remove_file(&self.0);
    }
}

#[test]
fn what_is_written_to_a_recording_is_served_from_any_byte_on() {
    let (copy, bytes) = (Copy::of("served"), fs::read(RECORDING).unwrap());
    fs::write(&copy.0, &bytes).unwrap();
    let mut served = serve(&["--live", "--no-open", copy.0.to_str().unwrap()]);
    let address = address_of(&mut served);
    let from = |at: usize| {
        let (head, body) = get_bytes(&address, &address, &format!("/recording?from={at}"));
        (head.split(' ').nth(1).unwrap().to_owned(), body)
    };
    let is = |body: &[u8]| ("200".to_owned(), body.to_vec());
    let length = bytes.len();
    assert_eq!((from(0), from(12), from(length)), (is(&bytes), is(&bytes[12..]), is(b"")));
    fs::OpenOptions::new().append(true).open(&copy.0).unwrap().write_all(b"more").unwrap();
    assert_eq!(from(length), is(b"more"));
    // The page may connect to where it came from, and has only the beginning of the recording inside.
    let (code, page) = get(&address, &address, "/");
    assert!(
        code == "200" && page.contains("default-src 'none'; connect-src 'self';") && page.contains("\"live\":true")
    );
    // Another site gets nothing.
    let (code, refused) = get(&address, "elsewhere.example", "/recording?from=0");
    assert!(code == "403" && refused.ends_with("not served under this name\n"));
    let problem = |path: &str| get(&address, &address, path);
    let said = |(code, said): (String, String), expected: (&str, &str)| {
        assert!(code == expected.0 && said.contains(expected.1) && said.contains("remedy"), "{said}");
    };
    said(problem("/recording?from=x"), ("400", "`x` is no number of a byte"));
    let after = format!("/recording?from={}", length.checked_add(5).unwrap());
    said(problem(&after), ("410", "the recording has become shorter"));
    // The same bytes in another file are not the recording.
    let other = Copy::of("other");
    fs::write(&other.0, &bytes).unwrap();
    fs::rename(&other.0, &copy.0).unwrap();
    said(problem("/recording?from=0"), ("410", "another file stands where the recording was"));
    fs::remove_file(&copy.0).unwrap();
    said(problem("/recording?from=0"), ("410", "the recording cannot be read any more"));
}

#[test]
fn a_recording_that_has_not_begun_is_waited_for() {
    let copy = Copy::of("awaited");
    let mut served = serve(&["--live", "--no-open", copy.0.to_str().unwrap()]);
    let mut said = String::new();
    BufReader::new(served.0.stderr.take().unwrap()).read_line(&mut said).unwrap();
    assert!(said.starts_with("waiting for ") && said.contains("`lictor run --record "), "{said}");
    // Nothing, then the half of its version: it has not begun yet.
    let bytes = fs::read(RECORDING).unwrap();
    for part in [&bytes[..0], &bytes[..10], &bytes] {
        fs::write(&copy.0, part).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert_eq!(served.0.try_wait().unwrap(), None);
    }
    address_of(&mut served);
}

#[test]
fn what_cannot_be_followed_is_refused_with_a_remedy() {
    for (arguments, what, remedy) in [
        (vec![SNAPSHOT], "this is no recording of lictor", "that `--record` has written"),
        (vec!["-"], "`--live` follows a file", "lictor run --record FILE"),
        (vec!["--text", RECORDING], "'--text'", "cannot be used with"),
        (vec!["--export", "page.html", RECORDING], "'--export", "cannot be used with"),
        (vec!["--system", "volcano", RECORDING], "a recording has its system", "leave out `--system`"),
    ] {
        let (code, said) = run(&[&["--live"], arguments.as_slice()].concat());
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(what) && said.contains(remedy), "{said}");
    }
}
