//! What was compiled before, and what became of it on the disk.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use lictor_host::policy::Policy;
use lictor_host::sandbox::{Cache, Sandbox, SandboxLimits};

use crate::assemble::policy;

/// Returns an empty directory of its own for each test.
fn empty(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kept").join(name);
    let _ = fs::remove_dir_all(&directory);
    directory
}

fn sandbox(directory: &Path) -> Sandbox {
    Sandbox::new(SandboxLimits::default()).unwrap().with_cache(Cache::open(directory).unwrap())
}

/// Builds a policy that breaks in this function, and in no other of these.
fn breaking(function: &str) -> Vec<u8> {
    let interface = if function == "permit" { "permit" } else { "placement" };
    let export = format!("(export \"lictor:policy/{interface}@0.1.0#{function}\")");
    policy(&format!("(module (func {export} (param i32) (result i32) unreachable))"))
}

/// Returns whether the policy of these bytes breaks in its filter; otherwise it does in its permit.
fn filter_breaks(sandbox: &Sandbox, bytes: &[u8]) -> bool {
    let loaded = sandbox.load(bytes).unwrap();
    let breaks = |ask: fn(&mut dyn Policy) -> bool| ask(&mut loaded.start().unwrap());
    let filter = breaks(|policy| policy.filter(1).is_err());
    assert_eq!(breaks(|policy| policy.permit(1).is_err()), !filter);
    filter
}

/// Returns the compiled forms of all components below a directory.
fn compiled(directory: &Path) -> Vec<PathBuf> {
    let below = |path: PathBuf| fs::read_dir(path).into_iter().flatten().map(|found| found.unwrap().path());
    let components = below(directory.to_owned()).filter(|path| path.is_dir());
    let files = components.flat_map(|component| below(component.join("modules"))).flat_map(below);
    files.filter(|file| file.extension().is_none()).collect()
}

fn only(found: Vec<PathBuf>) -> PathBuf {
    let [file] = found.as_slice() else { panic!("{found:?}") };
    file.clone()
}

#[test]
fn it_is_compiled_once() {
    let (directory, bytes) = (empty("once"), breaking("filter"));
    assert!(filter_breaks(&sandbox(&directory), &bytes));
    let file = only(compiled(&directory));
    let written = file.metadata().unwrap().modified().unwrap();
    let again = sandbox(&directory);
    assert!(filter_breaks(&again, &bytes));
    assert_eq!((again.counters().cache_discarded, again.counters().cache_hits), (0, 1));
    assert_eq!(only(compiled(&directory)).metadata().unwrap().modified().unwrap(), written);
}

#[test]
fn what_is_not_as_it_was_written_is_compiled_anew() {
    let (directory, bytes) = (empty("damaged"), breaking("filter"));
    assert!(filter_breaks(&sandbox(&directory), &bytes));
    let file = only(compiled(&directory));
    let whole = fs::read(&file).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    // Sound code of another component is the worst of them: nothing but the digest tells that it does not belong here.
    let (elsewhere, other) = (empty("damaged-by"), breaking("permit"));
    assert!(!filter_breaks(&sandbox(&elsewhere), &other));
    let foreign = fs::read(only(compiled(&elsewhere))).unwrap();
    for damaged in [&b""[..], &whole[..whole.len() / 2], &flipped, &foreign] {
        fs::write(&file, damaged).unwrap();
        let sandbox = sandbox(&directory);
        assert!(filter_breaks(&sandbox, &bytes));
        assert_eq!((sandbox.counters().cache_discarded, sandbox.counters().cache_hits), (1, 0));
        assert!(fs::read(&file).unwrap() == whole, "it is written anew");
    }
}

#[test]
fn what_is_left_of_the_notes_of_the_compiler_is_deleted_and_not_counted() {
    let (directory, bytes) = (empty("notes"), breaking("filter"));
    assert!(filter_breaks(&sandbox(&directory), &bytes));
    let left = only(compiled(&directory)).with_extension("wip");
    fs::write(&left, "half a note").unwrap();
    let sandbox = sandbox(&directory);
    assert!(filter_breaks(&sandbox, &bytes));
    assert_eq!((sandbox.counters().cache_discarded, sandbox.counters().cache_hits), (0, 1));
    assert!(!left.exists());
}

#[test]
fn what_nobody_wrote_down_is_compiled_anew() {
    let (directory, bytes) = (empty("unwritten"), breaking("filter"));
    assert!(filter_breaks(&sandbox(&directory), &bytes));
    let file = only(compiled(&directory));
    let sums = file.ancestors().nth(3).unwrap().with_extension("sums");
    let (elsewhere, other) = (empty("unwritten-by"), breaking("permit"));
    assert!(!filter_breaks(&sandbox(&elsewhere), &other));
    for text in ["", "no digest at all", "\u{fffd}\n\n  \n"] {
        fs::copy(only(compiled(&elsewhere)), &file).unwrap();
        fs::write(&sums, text).unwrap();
        assert!(filter_breaks(&sandbox(&directory), &bytes));
    }
    fs::copy(only(compiled(&elsewhere)), &file).unwrap();
    fs::remove_file(&sums).unwrap();
    assert!(filter_breaks(&sandbox(&directory), &bytes));
    assert!(sums.exists());
}

#[test]
fn sixteen_are_kept_and_what_is_not_of_the_cache_stays() {
    let directory = empty("bounded");
    let sandbox = sandbox(&directory);
    fs::write(directory.join("letter.txt"), "mine").unwrap();
    fs::create_dir(directory.join("letters")).unwrap();
    for number in 0..18 {
        let module = format!("(module (func (export \"of-no-use\") (result i32) (i32.const {number})))");
        sandbox.load(&policy(&module)).unwrap();
    }
    assert_eq!(compiled(&directory).len(), 16);
    assert!(directory.join("letter.txt").exists() && directory.join("letters").exists());
}

#[test]
fn where_nothing_can_be_written_it_is_compiled() {
    let (directory, bytes) = (empty("unwritable"), breaking("filter"));
    assert!(filter_breaks(&sandbox(&directory), &bytes));
    let place = only(compiled(&directory)).ancestors().nth(3).unwrap().to_owned();
    fs::rename(&place, place.with_extension("away")).unwrap();
    fs::write(&place, "a file where a directory should be").unwrap();
    assert!(filter_breaks(&sandbox(&directory), &bytes));
}

#[test]
fn in_a_directory_that_others_may_write_to_is_one_of_its_user_alone() {
    let (directory, bytes) = (empty("shared"), breaking("filter"));
    fs::create_dir_all(&directory).unwrap();
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(filter_breaks(&sandbox(&directory), &bytes));
    let mut inner = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path());
    let inner = (inner.next().unwrap(), inner.next());
    assert!(inner.1.is_none() && compiled(&inner.0).len() == 1, "{inner:?}");
    assert_eq!(inner.0.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    // Another directory in its place is not used, nor is one that others may change from now on.
    let open = sandbox(&directory);
    fs::set_permissions(&inner.0, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(!filter_breaks(&open, &breaking("permit")));
    assert_eq!(compiled(&inner.0).len(), 1);
    assert!(Cache::open(&directory).unwrap_err().to_string().contains("not this user's alone"));
    assert!(Cache::open(Path::new("/dev/null/lictor")).is_err());
}

#[test]
fn what_is_no_component_leaves_nothing() {
    let directory = empty("refused");
    assert!(sandbox(&directory).load(b"\0asm\x0d\0\x01\0 and no more").is_err());
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
}
