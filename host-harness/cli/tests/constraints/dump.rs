//! A dump as it is written.

use std::collections::BTreeMap;

use serde_json::Value;

/// The objects of a dump, by kind and by `namespace/name`, or by the name where they have no namespace.
pub struct Dump(BTreeMap<String, BTreeMap<String, Value>>);

/// Pods by `namespace/name`, each with the name of its node.
pub type Places = BTreeMap<String, String>;

impl Dump {
    /// Reads a file in the root of the project.
    pub fn read(file: &str) -> Dump {
        let path = format!("{}/../../{file}", env!("CARGO_MANIFEST_DIR"));
        let documents = lictor_host::cluster::load::read(file, &std::fs::read_to_string(path).unwrap()).unwrap();
        let mut all: BTreeMap<String, BTreeMap<String, Value>> = BTreeMap::new();
        for document in documents {
            let object = document.value;
            let kind = object["kind"].as_str().unwrap().to_owned();
            all.entry(kind).or_default().insert(key(&object), object);
        }
        Dump(all)
    }

    /// An object; none where it is not in the dump.
    pub fn find(&self, kind: &str, key: &str) -> Option<&Value> {
        self.0.get(kind)?.get(key)
    }

    /// An object that must be there.
    #[track_caller]
    pub fn the(&self, kind: &str, key: &str) -> &Value {
        self.find(kind, key).unwrap_or_else(|| panic!("there is no {kind} {key}"))
    }

    /// All objects of a kind.
    pub fn all(&self, kind: &str) -> impl Iterator<Item = (&String, &Value)> {
        self.0.get(kind).into_iter().flatten()
    }

    /// The pods that hold a node.
    pub fn places(&self) -> Places {
        let holds = |pod: &Value| !matches!(pod["status"]["phase"].as_str(), Some("Succeeded" | "Failed"));
        let on = |(key, pod): (&String, &Value)| Some((key.clone(), pod["spec"]["nodeName"].as_str()?.to_owned()));
        self.all("Pod").filter(|(_, pod)| holds(pod)).filter_map(on).collect()
    }
}

/// The key of an object.
pub fn key(object: &Value) -> String {
    let name = object["metadata"]["name"].as_str().unwrap();
    object["metadata"]["namespace"].as_str().map_or_else(|| name.to_owned(), |namespace| format!("{namespace}/{name}"))
}

/// The items of a list; none where there is no list.
pub fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// The namespace of a pod.
pub fn namespace(pod: &Value) -> &str {
    pod["metadata"]["namespace"].as_str().unwrap()
}
