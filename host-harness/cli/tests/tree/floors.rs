//! Which package of ours stands on which, by the lock file: the host runs any policy, so it builds and passes its tests without
//! the engine; so do the kit of other authors and, without the host, the engine.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Returns the dependencies of every package, those of its tests included.
fn dependencies(lock: &str) -> BTreeMap<&str, Vec<&str>> {
    lock.split("[[package]]").skip(1).map(package).collect()
}

fn package(text: &str) -> (&str, Vec<&str>) {
    let name = text.split('"').nth(1).unwrap();
    let listed = text.split("dependencies = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap_or_default();
    // Where there are two versions of a package, its version stands after its name.
    (name, listed.split('"').skip(1).step_by(2).filter_map(|entry| entry.split(' ').next()).collect())
}

/// Returns our packages that a package needs, directly or not.
fn ours<'a>(all: &BTreeMap<&'a str, Vec<&'a str>>, package: &str) -> BTreeSet<&'a str> {
    let (mut found, mut open) = (BTreeSet::new(), vec![package]);
    while let Some(name) = open.pop() {
        for dependency in all.get(name).into_iter().flatten() {
            if found.insert(*dependency) {
                open.push(dependency);
            }
        }
    }
    found.retain(|name| name.starts_with("lictor"));
    found
}

#[test]
fn the_floors_are_kept() {
    let lock = fs::read_to_string(format!("{}/Cargo.lock", crate::ROOT)).unwrap();
    let all = dependencies(&lock);
    for (package, below) in [
        ("lictor-contract", vec![]),
        ("lictor-oracle", vec![]),
        ("lictor-artifact", vec![]),
        ("lictor-policy", vec!["lictor-contract"]),
        ("lictor-sdk", vec!["lictor-contract"]),
        ("lictor-host", vec!["lictor-contract"]),
        ("lictor-conformance", vec!["lictor-contract", "lictor-host", "lictor-oracle"]),
    ] {
        assert!(all.contains_key(package), "there is no package {package}");
        assert_eq!(ours(&all, package), below.into_iter().collect(), "{package}");
    }
}

#[test]
fn packages_are_found_through_others() {
    let lock = "version = 4\n\n[[package]]\nname = \"lictor-a\"\ndependencies = [\n \"b 1.0.0\",\n]\n\n\
                [[package]]\nname = \"b\"\nversion = \"1.0.0\"\ndependencies = [\n \"lictor-c\",\n]\n\n[[package]]\nname = \"lictor-c\"\n";
    let all = dependencies(lock);
    assert_eq!(all.get("lictor-a"), Some(&vec!["b"]));
    assert_eq!(ours(&all, "lictor-a"), BTreeSet::from(["lictor-c"]));
    assert_eq!(ours(&all, "lictor-c"), BTreeSet::new());
}
