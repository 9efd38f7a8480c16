//! What holds of the project as a whole: the words and the sizes of its files, and which package stands on which.
#![expect(clippy::unwrap_used, clippy::string_slice, clippy::arithmetic_side_effects, reason = "tests")]

mod comments;
mod definitions;
mod fields;
mod floors;
mod names;
mod sizes;
mod types;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A file of the project.
struct File {
    /// Its path below the root.
    name: String,
    text: String,
}

/// Reads the files with these endings, by name. Built and hidden files are not among them.
fn files(endings: &[&str]) -> Vec<File> {
    let (root, mut paths) = (Path::new(ROOT), Vec::new());
    find(root, endings, &mut paths);
    paths.sort();
    let read = |path: PathBuf| File {
        name: path.strip_prefix(root).unwrap().to_string_lossy().into_owned(),
        text: fs::read_to_string(&path).unwrap(),
    };
    paths.into_iter().map(read).collect()
}

fn find(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            find(&path, endings, found);
        }
        if path.is_file() && endings.iter().any(|end| path.extension().is_some_and(|have| have == *end)) {
            found.push(path);
        }
    }
}
