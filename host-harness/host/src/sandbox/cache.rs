//! A cache of compiled components on the disk, so that a component is compiled once.
//!
//! The compiler stores its work under a digest of the component, of its own version and of every setting, so that no stored form is used for anything
//! else. But the compiler runs a stored form even if the file has changed since. So every component has its own directory here, and next to it the
//! SHA-256 of each file that was written. A file that does not match is deleted before the compiler looks. This protects against faulty disks and
//! crashes, not against people, because a stored form is run. So a directory is used only where it belongs to the user of this process and no other
//! user may write to it. Where others may write, such as in an `emptyDir` of Kubernetes, a directory of this user alone is created inside.
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

/// The number of components that are kept: those that were used last.
const COMPONENTS: usize = 16;
/// The maximum bytes of all components. The one used last may take more.
const BYTES: u64 = 256 << 20;

/// A directory of compiled components. Several hosts may share it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    root: PathBuf,
}

impl Cache {
    /// Opens a directory of the user of this process, and creates it where it is missing. Where other users may write to it, the cache is a directory
    /// in it that belongs to this user alone.
    ///
    /// # Errors
    /// The directory cannot be used.
    pub fn open(root: &Path) -> io::Result<Cache> {
        let root = owner::private(&std::path::absolute(root)?)?;
        Ok(Cache { root })
    }

    /// Returns the directory of one component, with only verified files in it. `None`: the cache no longer belongs to this user alone. A user with write
    /// access to the parent directory can replace it.
    pub(super) fn entry(&self, component: &[u8]) -> Option<CacheEntry> {
        owner::private(&self.root).ok().filter(|root| *root == self.root)?;
        let name = digest(component);
        let (directory, sums) = (self.root.join(&name), self.root.join(format!("{name}.sums")));
        let mut shelf = CacheEntry { cache: self.clone(), directory, sums, store: None, discarded: 0 };
        shelf.discarded = shelf.delete_mismatched();
        shelf.store = shelf.store();
        Some(shelf)
    }

    /// Removes the components that were used longest ago, beyond the limits. A file that another host is writing at this moment may be removed as
    /// well; that host then compiles once more.
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

/// The directory with the compiled forms of one component: one for each compiler and its settings.
pub(super) struct CacheEntry {
    cache: Cache,
    directory: PathBuf,
    sums: PathBuf,
    store: Option<wasmtime::Cache>,
    discarded: u64,
}

impl CacheEntry {
    /// Returns the number of files that were deleted because they did not match their digest.
    pub(super) fn discarded(&self) -> u64 {
        self.discarded
    }

    /// Returns whether the compiler found a compiled form.
    pub(super) fn was_hit(&self) -> bool {
        self.store.as_ref().is_some_and(|store| store.cache_hits() > 0)
    }

    /// Returns the cache of the compiler. `None`: the disk does not allow one.
    pub(super) fn for_compiler(&self) -> Option<wasmtime::Cache> {
        self.store.clone()
    }

    /// Writes the digests of new files, or marks the component as used.
    pub(super) fn close(self) {
        let Some(store) = &self.store else { return };
        if store.cache_misses() > 0 {
            // Without the digests, the files are deleted before the next use. Nothing else is lost.
            let _ = self.write_sums();
            self.cache.prune();
        } else if store.cache_hits() > 0 {
            let touched = OpenOptions::new().append(true).open(&self.sums);
            let _ = touched.and_then(|sums| sums.set_modified(SystemTime::now()));
        } else {
            // Nothing was compiled, so the directory is empty.
            let _ = fs::remove_dir(&self.directory);
        }
    }

    /// Deletes every file that does not match its digest. Returns how many compiled forms did not match. The compiler writes its statistics in the
    /// background, so a missing file of statistics is no mismatch.
    fn delete_mismatched(&self) -> u64 {
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

    /// Returns the compiled forms, and the leftovers of interrupted writes. The statistics of the compiler (`stats`) are left out.
    fn files(&self) -> Vec<PathBuf> {
        let compilers = list(&self.directory.join("modules"));
        let files = compilers.iter().flat_map(|compiler| list(compiler));
        files.filter(|file| file.extension().is_none_or(|extension| extension != "stats")).collect()
    }

    /// Writes the digests of all compiled forms. The file is moved into place when it is complete, because another host may read it meanwhile.
    fn write_sums(&self) -> io::Result<()> {
        let part = self.sums.with_extension(format!("{}.part", std::process::id()));
        let mut sums = File::create(&part)?;
        for file in self.files().iter().filter(|file| file.extension().is_none()) {
            let name = file.strip_prefix(&self.cache.root).unwrap_or(file);
            writeln!(sums, "{}  {}", digest(&fs::read(file)?), name.display())?;
        }
        fs::rename(&part, &self.sums)
    }

    /// Opens the cache of the compiler. Compressing a form again would change its digest, so forms are compressed once, quickly. The compiler's own
    /// cleanup is off, because `prune` does that.
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

/// Returns the entries of a directory. Empty: the directory has none, or cannot be read.
fn list(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory).map(|found| found.flatten().map(|entry| entry.path()).collect()).unwrap_or_default()
}

/// Returns whether a path is named after a component. Other files are not touched.
fn is_ours(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    stem.len() == 64 && stem.bytes().all(|letter| letter.is_ascii_hexdigit())
}

/// Returns the bytes of all files below a path.
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
