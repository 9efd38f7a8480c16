//! Finds scenarios in files and directories.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::files::each_in;
use super::format::Scenario;
use super::read::read;
use lictor_host::cluster::InputError;
use lictor_host::cluster::load::SourceDocument;

/// The extensions of files in a directory that may be a scenario.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// Reads the scenarios of [`load_each`].
///
/// # Errors
/// All mistakes of all files.
pub fn load<P: AsRef<Path>>(paths: &[P]) -> Result<Vec<Scenario>, Vec<InputError>> {
    let mut mistakes = Vec::new();
    let read = load_each(paths).into_iter().filter_map(|read| read.map_err(|mistake| mistakes.push(mistake)).ok());
    let scenarios = read.collect();
    if mistakes.is_empty() { Ok(scenarios) } else { Err(mistakes) }
}

/// Reads the scenarios in files and, recursively, in directories, in the order of their paths. A file with a mistake does not hide the others.
/// Mistakes are: a file that cannot be read, is not a scenario, or is not named after its scenario; a directory without any scenario.
pub fn load_each<P: AsRef<Path>>(paths: &[P]) -> Vec<Result<Scenario, InputError>> {
    let mut all = Vec::new();
    for path in paths {
        let mut files = Vec::new();
        match find(path.as_ref(), &mut files) {
            Ok(()) if files.is_empty() => {
                let remedy = "name a directory with .yaml files in it";
                all.push(Err(mistake(path.as_ref(), "holds no scenario", remedy)));
            }
            Ok(()) => {}
            Err(error) => all.push(Err(error)),
        }
        all.extend(files.iter().map(|file| load_file(file)));
    }
    all
}

/// Collects the files that a path names, recursively.
fn find(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), InputError> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let unreadable =
        |error: std::io::Error| mistake(path, &format!("cannot be read: {error}"), "name a directory that may be read");
    let entries = std::fs::read_dir(path).map_err(unreadable)?;
    let mut below = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    below.sort();
    for path in below {
        let ending = path.extension().and_then(|ending| ending.to_str());
        if path.is_dir() || ending.is_some_and(|ending| ENDINGS.contains(&ending)) {
            find(&path, files)?;
        }
    }
    Ok(())
}

/// Reads the scenario of a file.
fn load_file(path: &Path) -> Result<Scenario, InputError> {
    let mut documents: Vec<SourceDocument> = Vec::new();
    each_in(path, &mut |document| {
        documents.push(document);
        Ok(())
    })?;
    let scenario = match (documents.pop(), documents.first()) {
        (Some(document), None) => read(document)?,
        (None, _) => return Err(mistake(path, "is empty", "write a scenario into it")),
        (Some(second), Some(_)) => {
            return Err(second.origin.mistake("", "a second document in the file", "give every scenario its own file"));
        }
    };
    match path.file_stem().and_then(|stem| stem.to_str()) {
        Some(stem) if stem != scenario.name => {
            let message = format!("the scenario `{}` stands in a file named `{stem}`", scenario.name);
            Err(scenario.origin.mistake("/metadata/name", message, "name the file after the scenario"))
        }
        _ => Ok(scenario),
    }
}

/// Returns a mistake of a whole file.
fn mistake(path: &Path, message: &str, remedy: &str) -> InputError {
    InputError {
        file: Arc::from(path.display().to_string()),
        line: 0,
        message: message.to_owned(),
        remedy: remedy.to_owned(),
    }
}

#[cfg(test)]
mod tests {

    use std::fs;

    use super::*;

    /// A directory that is removed when the test is over.
    struct Directory(PathBuf);

    impl Directory {
        fn new(name: &str) -> Directory {
            let path = std::env::temp_dir().join(format!("lictor-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Directory(path)
        }

        /// Writes a file; a scenario of the given name.
        fn scenario(&self, file: &str, name: &str) {
            let text = format!(
                "{{apiVersion: lictor.dev/v1alpha1, kind: Scenario,\nmetadata: {{name: {name}}},\n\
                 spec: {{policy: {{laws: x}}, cluster: [], steps: []}}}}"
            );
            self.text(file, &text);
        }

        fn text(&self, file: &str, text: &str) {
            let path = self.0.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        /// Returns the mistakes of the directory, without its name.
        fn mistakes(&self) -> Vec<String> {
            let mistakes = load(&[&self.0]).unwrap_err();
            let here = self.0.display().to_string();
            mistakes.iter().map(|mistake| mistake.to_string().replace(&here, "")).collect()
        }
    }

    impl Drop for Directory {
        fn drop(&mut self) {
            // A leftover in the temporary directory is harmless.
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn directories_are_read_through_and_in_order() {
        let directory = Directory::new("order");
        directory.scenario("b/two.yml", "two");
        directory.scenario("b/one.yaml", "one");
        directory.scenario("a/three.json.yaml", "three.json");
        directory.text("README.md", "no scenario");
        let names: Vec<String> = load(&[&directory.0]).unwrap().into_iter().map(|scenario| scenario.name).collect();
        assert_eq!(names, ["three.json", "one", "two"]);
    }

    #[test]
    fn every_mistake_of_every_file_is_told() {
        let directory = Directory::new("mistakes");
        directory.scenario("good.yaml", "good");
        directory.scenario("other.yaml", "name");
        directory.text("empty.yaml", "# nothing\n");
        directory.text("pod.yaml", "apiVersion: v1\nkind: Pod\n");
        assert_eq!(
            directory.mistakes(),
            [
                "/empty.yaml: is empty; write a scenario into it",
                "/other.yaml:2: the scenario `name` stands in a file named `other`; name the file after the scenario",
                "/pod.yaml:1: missing field `metadata`; see fixtures/scenarios/README.md for the format",
            ]
        );
    }

    #[test]
    fn a_mistake_in_one_file_hides_no_other() {
        let directory = Directory::new("each");
        directory.scenario("a.yaml", "a");
        directory.text("bad.yaml", "apiVersion: v1\nkind: Pod\n");
        directory.scenario("c.yaml", "c");
        let names = load_each(&[&directory.0]).into_iter().map(|read| read.map(|scenario| scenario.name).ok());
        assert_eq!(names.collect::<Vec<_>>(), [Some("a".to_owned()), None, Some("c".to_owned())]);
    }

    #[test]
    fn a_file_holds_one_scenario() {
        let directory = Directory::new("two");
        directory.text("a.yaml", "kind: A\n---\nkind: B\n");
        assert_eq!(
            directory.mistakes(),
            ["/a.yaml:3: a second document in the file; give every scenario its own file"]
        );
    }

    #[test]
    fn a_directory_without_scenarios_and_a_file_that_is_not_are_mistakes() {
        let directory = Directory::new("none");
        assert_eq!(directory.mistakes(), [": holds no scenario; name a directory with .yaml files in it"]);
        let absent = load(&[directory.0.join("absent.yaml")]).unwrap_err();
        assert!(absent.first().unwrap().to_string().contains("cannot be read"), "{absent:?}");
    }
}
