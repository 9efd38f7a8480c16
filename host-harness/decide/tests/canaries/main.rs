//! Tests that no text of an object is shared as it is: the text in every field, even in an unknown one, is left out or masked.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod objects;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lictor_conformance::{each_in, read_scenario};
use lictor_decide::mask::Masked;
use lictor_decide::{ClusterSnapshot, Native};
use lictor_host::cluster::KubernetesObject;
use lictor_host::policy::Policy;
use objects::objects;
use serde_json::{Value, json};

const CANARY: &str = "zqcanary";

fn read(value: &Value) -> Option<KubernetesObject> {
    KubernetesObject::from_json(value.clone(), &Arc::from("it.yaml")).ok()
}

/// Returns an object as it is shared. Empty: the object is left out.
fn shared(value: &Value) -> String {
    let snapshot = ClusterSnapshot { objects: vec![read(value).unwrap()], ..ClusterSnapshot::default() };
    Masked::of(&snapshot, &[]).unwrap().snapshot.objects.iter().map(KubernetesObject::json).collect()
}

/// Collects the pointers to all texts in a value, and to all its maps.
fn places(value: &Value, at: &str, texts: &mut Vec<String>, maps: &mut Vec<String>) {
    match value {
        Value::String(_) => texts.push(at.to_owned()),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| places(item, &format!("{at}/{index}"), texts, maps));
        }
        Value::Object(fields) => {
            maps.push(at.to_owned());
            for (key, field) in fields {
                let key = key.replace('~', "~0").replace('/', "~1");
                places(field, &format!("{at}/{key}"), texts, maps);
            }
        }
        _ => {}
    }
}

/// Returns the object with the canary in every text that can be replaced, and in unknown fields.
fn filled(object: &Value) -> Value {
    let (mut texts, mut maps) = (Vec::new(), Vec::new());
    places(object, "", &mut texts, &mut maps);
    let mut filled = object.clone();
    let mut try_with = |change: &dyn Fn(&mut Value)| {
        let mut changed = filled.clone();
        change(&mut changed);
        if read(&changed).is_some() {
            filled = changed;
        }
    };
    for at in texts.iter().filter(|at| !["/apiVersion", "/kind"].contains(&at.as_str())) {
        // The ConfigMap is read under its name alone; a document has the canary inside.
        if !object.pointer(at).unwrap().as_str().unwrap().contains([' ', '{', '[']) && at != "/metadata/name" {
            try_with(&|object| *object.pointer_mut(at).unwrap() = json!(CANARY));
        }
    }
    for at in maps {
        try_with(&|object| object.pointer_mut(&at).unwrap()["unknown"] = json!(CANARY));
        try_with(&|object| object.pointer_mut(&at).unwrap()["unknowns"] = json!([CANARY, {"unknown": {"a": CANARY}}]));
        try_with(&|object| object.pointer_mut(&at).unwrap()[CANARY] = json!({}));
    }
    filled
}

#[test]
fn no_text_of_any_object_is_shared_as_it_is() {
    for object in objects() {
        let filled = filled(&object);
        let (all, shared) = (filled.to_string(), shared(&filled));
        assert!(all.matches(CANARY).count() > 40, "{all}");
        assert!(!shared.contains(CANARY), "{} {}: {shared}", object["apiVersion"], object["kind"]);
        assert_eq!(shared.is_empty(), object["kind"] == "Lease");
    }
}

/// Checks that the canary is in these fields, because the test above proves nothing otherwise.
#[test]
fn the_objects_of_these_tests_have_the_canary_everywhere() {
    let all: String = objects().iter().map(|object| filled(object).to_string()).collect();
    for field in [
        "server",
        "path",
        "volumeHandle",
        "nodeID",
        "hostname",
        "subdomain",
        "serviceAccountName",
        "topologyKey",
        "schedulerName",
        "uid",
        "extendedResourceName",
        "storageClassName",
        "priorityClassName",
        "claimName",
        "volumeName",
        "unknown",
        "image",
        "value",
        "key",
        "podGroupName",
        "provisioner",
        "description",
        "a",
        "example.com/zqcanary",
        "nominatedNodeName",
        "nodeName",
        "namespace",
    ] {
        assert!(all.contains(&format!("\"{field}\":\"{CANARY}\"")), "{field}");
    }
    assert!(
        all.contains(&format!("\"searches\":[\"{CANARY}\"]"))
            && all.contains(&format!("\"namespaces\":[\"{CANARY}\"]"))
    );
}

#[test]
fn there_is_an_object_of_each_kind_that_is_read() {
    let split = |object: &Value| {
        let version = object["apiVersion"].as_str().unwrap();
        let group = version.split_once('/').map_or("", |(group, _)| group);
        (group.to_owned(), object["kind"].as_str().unwrap().to_owned())
    };
    let known: BTreeSet<(String, String)> = objects().iter().map(split).collect();
    for system in Native::default().describe().unwrap().systems {
        let placed = system.interests.placed_kinds.into_iter().map(|kind| (kind.group, kind.kind));
        for kind in system.interests.kinds.into_iter().map(|kind| (kind.group, kind.kind)).chain(placed) {
            assert!(known.contains(&kind), "{kind:?} of {}", system.name);
        }
    }
}

/// Returns all objects of the fixtures, as they are written.
fn written() -> Vec<Value> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let in_folder = |folder: PathBuf| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let folders = in_folder(fixtures.join("scenarios")).filter(|path| path.is_dir());
    let mut objects: Vec<KubernetesObject> = Vec::new();
    for file in folders.flat_map(in_folder) {
        each_in(&file, &mut |document| {
            objects.extend(read_scenario(document)?.cluster);
            Ok(())
        })
        .unwrap();
    }
    for file in ["four-teams.yaml", "three-zones.yaml"] {
        let text = fs::read_to_string(fixtures.join("snapshots").join(file)).unwrap();
        objects.extend(ClusterSnapshot::from_text(file, text).unwrap().objects);
    }
    objects.iter().map(|object| serde_json::from_str(&object.json()).unwrap()).collect()
}

/// Checks each field that objects of the fixtures have, one after another.
#[test]
fn no_text_of_the_fixtures_is_shared_as_it_is() {
    let mut seen = BTreeSet::new();
    for object in written() {
        let (mut texts, mut maps) = (Vec::new(), Vec::new());
        places(&object, "", &mut texts, &mut maps);
        for at in texts {
            let path = at.split('/').filter(|part| part.parse::<usize>().is_err()).collect::<Vec<_>>().join("/");
            let kind = [&object["apiVersion"], &object["kind"]].map(Value::to_string).concat();
            if ["/apiVersion", "/kind"].contains(&path.as_str()) || !seen.insert((kind, path)) {
                continue;
            }
            let mut changed = object.clone();
            *changed.pointer_mut(&at).unwrap() = json!(CANARY);
            if read(&changed).is_some() {
                assert!(!shared(&changed).contains(CANARY), "{at}: {}", shared(&changed));
            }
        }
    }
    assert!(seen.len() > 300, "{}", seen.len());
}
