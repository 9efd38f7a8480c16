//! What was compiled before, on the disk, so that a component is compiled once.
//!
//! The compiler keeps its work under a digest of the component, of its own version and of every setting, so that nothing
//! answers for something else. But what it finds there it runs, whatever became of it since: so every component has a
//! directory of its own here, and beside it the SHA-256 of each file that was written. What does not match is deleted before
//! the compiler looks. This is against disks and crashes, not against people: what stands here is run. So a directory is used
//! only where it belongs to the user of this process and no other may write to it. In one that others may write to, such as an
//! `emptyDir` of Kubernetes, a directory is made that is this user's alone.
//!
//! ```text
//! <SHA-256 of the component>/modules/<compiler>/<digest>      machine code, compressed
//! <SHA-256 of the component>.sums                             as `sha256sum` writes them; touched at each use
//! ```

mod owner;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

/// How many components are kept: those that were used last.
const COMPONENTS: usize = 16;
/// How many bytes they may take in all; the one used last may take more.
const BYTES: u64 = 256 << 20;

/// A directory of compiled components. Several hosts may share it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    root: PathBuf,
}

impl Cache {
    /// Opens a directory of the user of this process, and creates it where it is missing. Where others may write to it, the cache is
    /// a directory in it that is this user's alone. An error says why it cannot be used.
    pub fn open(root: &Path) -> io::Result<Cache> {
        let root = owner::private(&std::path::absolute(root)?)?;
        Ok(Cache { root })
    }

    /// Returns the place of one component, with nothing in it but what was put there; none where the cache is not this user's alone any more:
    /// in a directory that others may write to, they may put another one in its place.
    pub(super) fn shelf(&self, component: &[u8]) -> Option<Shelf> {
        owner::private(&self.root).ok().filter(|root| *root == self.root)?;
        let name = digest(component);
        let (directory, sums) = (self.root.join(&name), self.root.join(format!("{name}.sums")));
        let mut shelf = Shelf { cache: self.clone(), directory, sums, store: None, discarded: 0 };
        shelf.discarded = shelf.sweep();
        shelf.store = shelf.store();
        Some(shelf)
    }

    /// Removes what was not used for the longest time, beyond what is kept. What another host is writing at this moment may go,
    /// too: it then compiles once more.
    fn prune(&self) {
        let mut kept: Vec<(SystemTime, PathBuf)> = Vec::new();
        for path in list(&self.root).into_iter().filter(|path| is_ours(path)) {
            if path.extension().is_some_and(|extension| extension == "sums") {
                let used = path.metadata().and_then(|about| about.modified());
                kept.push((used.unwrap_or(SystemTime::UNIX_EPOCH), path));
            } else if !path.with_extension("sums").exists() {
                discard(&path);
            }
        }
        kept.sort();
        let mut bytes = 0_u64;
        for (rank, (_, sums)) in kept.iter().rev().enumerate() {
            let directory = sums.with_extension("");
            bytes = bytes.saturating_add(size(&directory));
            if rank >= COMPONENTS || (rank > 0 && bytes > BYTES) {
                discard(sums);
                discard(&directory);
            }
        }
    }
}

/// Where the compiled forms of one component are: one for each compiler and its settings.
pub(super) struct Shelf {
    cache: Cache,
    directory: PathBuf,
    sums: PathBuf,
    store: Option<wasmtime::Cache>,
    discarded: u64,
}

impl Shelf {
    /// How many files were deleted, because they were not as they were written.
    pub(super) fn discarded(&self) -> u64 {
        self.discarded
    }

    /// Whether the compiler found what it looked for.
    pub(super) fn was_hit(&self) -> bool {
        self.store.as_ref().is_some_and(|store| store.cache_hits() > 0)
    }

    /// Where the compiler looks and writes; none where the disk does not let it.
    pub(super) fn for_compiler(&self) -> Option<wasmtime::Cache> {
        self.store.clone()
    }

    /// Writes down what the compiler has written, or that the component was used.
    pub(super) fn close(self) {
        let Some(store) = &self.store else { return };
        if store.cache_misses() > 0 {
            // Without the digests the files are deleted before the next use, and that is all.
            let _ = self.write_sums();
            self.cache.prune();
        } else if store.cache_hits() > 0 {
            let touched = OpenOptions::new().append(true).open(&self.sums);
            let _ = touched.and_then(|sums| sums.set_modified(SystemTime::now()));
        } else {
            // Nothing was compiled, so that there is nothing in it.
            let _ = fs::remove_dir(&self.directory);
        }
    }

    /// Deletes every file that is not as it was written, and returns how many compiled forms were not. The compiler writes its notes in the
    /// background, so a file of theirs that is not in its place yet says nothing.
    fn sweep(&self) -> u64 {
        let mut discarded = 0_u64;
        let sums = fs::read_to_string(&self.sums).unwrap_or_default();
        let written: Vec<(&str, PathBuf)> = sums
            .lines()
            .filter_map(|line| line.split_once("  "))
            .map(|(sum, name)| (sum, self.cache.root.join(name)))
            .collect();
        for file in self.files() {
            let sum = fs::read(&file).map(|content| digest(&content)).unwrap_or_default();
            if !written.iter().any(|(known, name)| **known == *sum && *name == file) {
                discard(&file);
                discarded = discarded.saturating_add(u64::from(file.extension().is_none()));
            }
        }
        discarded
    }

    /// The compiled forms, and what was left of writing one. The compiler's notes on how often it read them are text.
    fn files(&self) -> Vec<PathBuf> {
        let compilers = list(&self.directory.join("modules"));
        let files = compilers.iter().flat_map(|compiler| list(compiler));
        files.filter(|file| file.extension().is_none_or(|extension| extension != "stats")).collect()
    }

    /// Moved into place when it is whole: another host may read it meanwhile.
    fn write_sums(&self) -> io::Result<()> {
        let part = self.sums.with_extension(format!("{}.part", std::process::id()));
        let mut sums = File::create(&part)?;
        for file in self.files().iter().filter(|file| file.extension().is_none()) {
            let name = file.strip_prefix(&self.cache.root).unwrap_or(file);
            writeln!(sums, "{}  {}", digest(&fs::read(file)?), name.display())?;
        }
        fs::rename(&part, &self.sums)
    }

    /// The compiler packs what it writes quickly, and never anew: that would not match any more. It need not tidy up: this does.
    fn store(&self) -> Option<wasmtime::Cache> {
        const SELDOM: Duration = Duration::from_secs(365 * 24 * 60 * 60);
        const PACKED: i32 = 1;
        let mut config = wasmtime::CacheConfig::new();
        config
            .with_directory(&self.directory)
            .with_baseline_compression_level(PACKED)
            .with_optimized_compression_level(PACKED)
            .with_cleanup_interval(SELDOM);
        wasmtime::Cache::new(config).ok()
    }
}

fn digest(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// What is in a directory; nothing where it cannot be read.
fn list(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory).map(|found| found.flatten().map(|entry| entry.path()).collect()).unwrap_or_default()
}

/// Whether it is named after a component: nothing else is touched here.
fn is_ours(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    stem.len() == 64 && stem.bytes().all(|letter| letter.is_ascii_hexdigit())
}

/// The bytes of all files below a path.
fn size(path: &Path) -> u64 {
    if path.is_dir() {
        return list(path).iter().map(|inner| size(inner)).fold(0, u64::saturating_add);
    }
    path.metadata().map(|about| about.len()).unwrap_or(0)
}

/// Removes a file or a directory; what cannot be removed stays.
fn discard(path: &Path) {
    let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}
