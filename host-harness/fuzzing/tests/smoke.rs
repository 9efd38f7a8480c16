//! Every target, with its corpus and with random changes of it: the same ones each time. `LICTOR_FUZZ_RUNS` says how many a target has.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "tests")]

use std::fs;
use std::time::{Duration, Instant};

use lictor_fuzzing::{TARGETS, run};

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus");
/// How many changed inputs a target is given, and how long it may take for all of them.
const RUNS: usize = 400;
const TIME: Duration = Duration::from_secs(2);

/// Pieces that inputs are made of.
const PIECES: [&[u8]; 16] = [
    b"{",
    b"}",
    b"[",
    b"- ",
    b": ",
    b"\n",
    b"  ",
    b"&a ",
    b"*a",
    b"9223372036854775807",
    b"-1",
    b"null",
    b"\"",
    b"e9",
    b"\xff",
    b"\0",
];

/// Numbers that are the same each time (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap()
    }

    /// Returns a number up to this one.
    fn upto(&mut self, bound: usize) -> usize {
        self.next() % (bound + 1)
    }

    fn change(&mut self, mut input: Vec<u8>, other: &[u8]) -> Vec<u8> {
        for _ in 0..=self.upto(3) {
            let at = self.upto(input.len());
            let end = (at + self.upto(16)).min(input.len());
            match self.upto(5) {
                0 => drop(input.drain(at..end)),
                1 => drop(input.splice(at..at, PIECES[self.upto(PIECES.len() - 1)].iter().copied())),
                2 => {
                    let repeated = input[at..end].to_vec();
                    drop(input.splice(at..at, repeated));
                }
                3 if at < input.len() => input[at] = input[at].wrapping_add(u8::try_from(self.upto(255)).unwrap()),
                4 => {
                    let (from, cut) = (self.upto(other.len()), self.upto(64));
                    drop(input.splice(at..end, other[from..(from + cut).min(other.len())].iter().copied()));
                }
                _ => input.push(u8::try_from(self.upto(255)).unwrap()),
            }
        }
        input
    }
}

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let mut files: Vec<_> =
        fs::read_dir(format!("{CORPUS}/{name}")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

fn smoke(name: &str) {
    let (corpus, since) = (corpus(name), Instant::now());
    assert!(corpus.len() > 1, "a corpus has inputs of several kinds");
    corpus.iter().for_each(|input| run(name, input));
    let stated = std::env::var("LICTOR_FUZZ_RUNS").ok().and_then(|runs| runs.parse().ok());
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..stated.unwrap_or(RUNS) {
        let (one, other) = (random.upto(corpus.len() - 1), random.upto(corpus.len() - 1));
        let input = random.change(corpus[one].clone(), &corpus[other]);
        // Where a target panics, this is the input: put it into the corpus.
        let shown = String::from_utf8_lossy(&input).into_owned();
        let _told = Told(&shown);
        run(name, &input);
        if stated.is_none() && since.elapsed() > TIME {
            return;
        }
    }
}

/// Shows the input while a target panics.
struct Told<'a>(&'a str);

impl Drop for Told<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the input:\n{}\n{:?}", self.0, self.0.as_bytes());
        }
    }
}

macro_rules! targets {
    ($($test:ident $name:literal)*) => {
        $(#[test] fn $test() { smoke($name); })*

        #[test]
        fn every_target_has_a_test_a_corpus_and_a_program() {
            let programs = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/Cargo.toml")).unwrap();
            let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, [$($name),*]);
            for name in names {
                assert!(programs.contains(&format!("name = \"{name}\"")), "{name} is no program of host-harness/fuzz");
            }
        }
    };
}

targets! {
    arguments "arguments"
    durations "durations"
    engine_events "engine-events"
    objects "objects"
    policy_checkpoints "policy-checkpoints"
    quantities "quantities"
    queues "queues"
    recordings "recordings"
    references "references"
    scenarios "scenarios"
    session_checkpoints "session-checkpoints"
    session_inputs "session-inputs"
}
