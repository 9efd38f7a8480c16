//! The contract stays compatible with what was released: a check by the rules of `wit/README.md`.
//!
//! `wit/released/<version>/` has the files of each released version. None is released yet: the check is tried on versions that are
//! made up here.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use wit_parser::{InterfaceId, Resolve, WorldId, WorldItem, WorldKey};

/// The files of a version by their names.
type Files = BTreeMap<String, String>;

fn contract() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit")
}

/// Reads the files of a folder that end in `.wit`, by name.
fn files(folder: &Path) -> Files {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let texts = entries.filter(|path| path.extension().is_some_and(|extension| extension == "wit"));
    let named = |path: PathBuf| {
        (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read_to_string(path).unwrap())
    };
    texts.map(named).collect()
}

/// Reads a version into the resolve; its number, and its world of this name.
fn read(resolve: &mut Resolve, files: &Files, world: &str) -> Result<(String, WorldId), String> {
    let mut sources = wit_parser::SourceMap::default();
    for (name, text) in files {
        sources.push_str(name, text);
    }
    let group = sources.parse().map_err(|(_, error)| format!("{error:#}"))?;
    let package = resolve.push_group(group).map_err(|error| format!("{error:#}"))?;
    let version = resolve.packages[package].name.version.as_ref().unwrap().to_string();
    let world = resolve.select_world(&[package], Some(world)).map_err(|error| format!("{error:#}"))?;
    Ok((version, world))
}

/// Returns the interfaces that a world exports, by name.
fn exports(resolve: &Resolve, world: WorldId) -> BTreeMap<String, InterfaceId> {
    let named = |(_, item): (&WorldKey, &WorldItem)| match item {
        WorldItem::Interface { id, .. } => Some((resolve.interfaces[*id].name.clone()?, *id)),
        _ => None,
    };
    resolve.worlds[world].exports.iter().filter_map(named).collect()
}

/// Leaves only what of a world is named.
fn keep(resolve: &mut Resolve, world: WorldId, wanted: &[&str]) {
    let unwanted: Vec<WorldKey> = resolve.worlds[world]
        .exports
        .iter()
        .filter(|(_, item)| match item {
            WorldItem::Interface { id, .. } => {
                !resolve.interfaces[*id].name.as_deref().is_some_and(|name| wanted.contains(&name))
            }
            _ => true,
        })
        .map(|(key, _)| key.clone())
        .collect();
    unwanted.iter().for_each(|key| drop(resolve.worlds[world].exports.shift_remove(key)));
}

/// Returns why a version is not compatible with a released one. `None`: it is compatible, or need not be.
fn incompatible(released: &Files, next: &Files) -> Option<String> {
    let worlds = |world: &str| {
        let mut resolve = Resolve::default();
        let (old, before) = read(&mut resolve, released, world)?;
        let (new, after) = read(&mut Resolve::default(), next, world)?;
        if old == new {
            return Ok::<_, String>(Err((old, before, after)));
        }
        let (_, after) = read(&mut resolve, next, world)?;
        Ok(Ok((resolve, old, new, before, after)))
    };
    let (resolve, old, new, before, after) = match worlds("complete-policy") {
        Err(error) => return Some(error),
        Ok(Err((version, ..))) => {
            let changed = next.iter().find(|(name, text)| released.get(*name) != Some(text)).map(|(name, _)| name);
            let changed = changed.or_else(|| released.keys().find(|name| !next.contains_key(*name)));
            return changed.map(|name| format!("{version} is released: `{name}` may not change any more"));
        }
        Ok(Ok(read)) => read,
    };
    if track(&old) != track(&new) {
        return None;
    }
    let known = exports(&resolve, after);
    if let Some(gone) = exports(&resolve, before).keys().find(|name| !known.contains_key(*name)) {
        return Some(format!("`{gone}` of {old} is gone in {new}"));
    }
    if let Some(added) = required(&resolve, after).find(|name| required(&resolve, before).all(|known| known != *name)) {
        return Some(format!("policies built for {old} do not export `{added}`, which {new} requires"));
    }
    // An interface that takes types from others comes after them: the change is named where it was made.
    let interfaces = exports(&resolve, before);
    let mut interfaces: Vec<_> = interfaces.iter().map(|(name, id)| (uses(&resolve, *id), name)).collect();
    interfaces.sort_by_key(|(used, name)| (used.len(), *name));
    interfaces.iter().find_map(|(used, interface)| {
        let mut alone = resolve.clone();
        let wanted: Vec<&str> = used.iter().chain([*interface]).map(String::as_str).collect();
        for world in [before, after] {
            keep(&mut alone, world, &wanted);
        }
        let differs = wit_component::semver_check(alone, before, after).err()?;
        Some(format!("`{interface}` is not in {new} what it is in {old}: {:#}", differs.root_cause()))
    })
}

/// Returns the interfaces that an interface takes types from, by way of others, too.
fn uses(resolve: &Resolve, interface: InterfaceId) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for other in resolve.interface_direct_deps(interface).filter(|other| *other != interface) {
        used.extend(resolve.interfaces[other].name.clone());
        used.extend(uses(resolve, other));
    }
    used
}

/// Returns the interfaces that every policy must export, by the world `policy` of the same package.
fn required<'a>(resolve: &'a Resolve, complete: WorldId) -> impl Iterator<Item = String> + 'a {
    let package = resolve.worlds[complete].package.unwrap();
    let world = resolve.packages[package].worlds["policy"];
    exports(resolve, world).into_keys()
}

/// Returns the part of a version within which versions are compatible: `0.1` of 0.1.7, `1` of 1.2.0.
fn track(version: &str) -> Vec<&str> {
    let parts: Vec<&str> = version.split('.').collect();
    let length = if parts.first() == Some(&"0") { 2 } else { 1 };
    parts.into_iter().take(length).collect()
}

/// Returns the contract under another version, with a text in one of its files replaced by another.
fn changed(version: &str, file: &str, from: &str, to: &str) -> Files {
    let mut files = files(&contract());
    let world = files.get_mut("world.wit").unwrap();
    *world = world.replace("package lictor:policy@0.1.0;", &format!("package lictor:policy@{version};"));
    if !file.is_empty() {
        let text = files.get_mut(file).unwrap();
        assert!(text.contains(from), "{file} has no `{from}`");
        *text = text.replacen(from, to, 1);
    }
    files
}

#[test]
fn the_contract_is_compatible_with_what_was_released() {
    let now = files(&contract());
    let Ok(released) = std::fs::read_dir(contract().join("released")) else { return };
    for version in released {
        let version = version.unwrap().path();
        if let Some(why) = incompatible(&files(&version), &now) {
            panic!("{}: {why}", version.display());
        }
    }
}

#[test]
fn an_optional_interface_more_is_compatible() {
    let mut next = changed("0.1.1", "world.wit", "  export marks;\n", "  export marks;\n  export hints;\n");
    next.insert("hints.wit".to_owned(), "interface hints {\n  hint: func() -> u32;\n}\n".to_owned());
    assert_eq!(incompatible(&files(&contract()), &next), None);
}

#[test]
fn comments_are_no_difference() {
    let next = changed("0.1.1", "cluster.wit", "/// The time is now this.", "/// Now it is this time.");
    assert_eq!(incompatible(&files(&contract()), &next), None);
}

#[test]
fn a_field_more_in_a_record_is_not_compatible() {
    let next = changed("0.1.1", "answers.wit", "    path: string,\n", "    path: string,\n    line: u32,\n");
    let why = incompatible(&files(&contract()), &next).unwrap();
    // Every other interface answers with errors of the changed one.
    assert!(why.starts_with("`answers` is not in 0.1.1 what it is in 0.1.0: "), "{why}");
    assert!(why.contains("`finding`"), "{why}");
}

#[test]
fn a_function_more_in_an_interface_is_not_compatible() {
    let next = changed("0.1.1", "account.wit", "  queues: func", "  all: func() -> u32;\n  queues: func");
    let why = incompatible(&files(&contract()), &next).unwrap();
    assert!(why.starts_with("`account` is not in 0.1.1 what it is in 0.1.0: "), "{why}");
    assert!(why.contains("all"), "{why}");
}

#[test]
fn another_type_of_an_argument_is_not_compatible() {
    let next = changed("0.1.1", "permit.wit", "permit: func(pod: pod-id)", "permit: func(pod: u64)");
    let why = incompatible(&files(&contract()), &next).unwrap();
    assert!(why.starts_with("`permit` is not in 0.1.1"), "{why}");
}

#[test]
fn an_optional_interface_may_not_become_required_and_none_may_go() {
    let next = changed("0.1.1", "world.wit", "  export core;\n", "  export core;\n  export queue;\n");
    let why = incompatible(&files(&contract()), &next).unwrap();
    assert_eq!(why, "policies built for 0.1.0 do not export `queue`, which 0.1.1 requires");
    let next = changed("0.1.1", "world.wit", "  export marks;\n", "");
    assert_eq!(incompatible(&files(&contract()), &next).unwrap(), "`marks` of 0.1.0 is gone in 0.1.1");
}

#[test]
fn another_track_need_not_be_compatible() {
    assert_eq!(incompatible(&files(&contract()), &changed("0.2.0", "answers.wit", "    path: string,\n", "")), None);
}

#[test]
fn a_released_version_is_frozen() {
    let next = changed("0.1.0", "cluster.wit", "/// The time is now this.", "/// Now it is this time.");
    let why = incompatible(&files(&contract()), &next).unwrap();
    assert_eq!(why, "0.1.0 is released: `cluster.wit` may not change any more");
    assert_eq!(incompatible(&files(&contract()), &files(&contract())), None);
}
