//! Objects that are written shorter: templates, and replicas of one object.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use lictor_host::cluster::load::DocumentOrigin;
use lictor_host::cluster::{InputError, KubernetesObject, step};

/// The placeholder for the number of a replica in every text of an object.
const INDEX: &str = "{index}";
/// The maximum number of objects of one entry.
const MAX_REPLICAS: u32 = 100_000;

/// The named templates of a scenario.
#[derive(Debug, Default)]
pub(super) struct ObjectTemplates(Map<String, Value>);

impl ObjectTemplates {
    /// Checks the templates of a scenario.
    pub(super) fn read(named: Map<String, Value>, origin: &DocumentOrigin) -> Result<ObjectTemplates, InputError> {
        let wrong = named.iter().find(|(_, template)| !template.is_object() || template.get("template").is_some());
        match wrong {
            Some((name, _)) => {
                let message = format!("the template `{name}` is no object");
                let remedy = "write an object with apiVersion and kind, without `template`";
                Err(origin.mistake(&format!("/spec/templates{}", step(name)), message, remedy))
            }
            None => Ok(ObjectTemplates(named)),
        }
    }

    /// Returns the objects of a list at a JSON pointer.
    pub(super) fn objects(
        &self,
        values: Vec<Value>,
        origin: &DocumentOrigin,
        pointer: &str,
    ) -> Result<Vec<KubernetesObject>, InputError> {
        let mut objects = Vec::with_capacity(values.len());
        for (place, value) in (0usize..).zip(values) {
            let entry = ListEntry { origin, pointer: format!("{pointer}/{place}") };
            match value {
                Value::Object(keys) if keys.contains_key("template") || keys.contains_key("replicas") => {
                    entry.expand(keys, self, &mut objects)?;
                }
                value => objects.push(KubernetesObject::from_value(value, origin, &entry.pointer)?),
            }
        }
        Ok(objects)
    }

    /// Returns the template that an entry names, or the one that the entry contains, with its JSON pointer.
    fn find(&self, written: Value, entry: &ListEntry<'_>) -> Result<(Value, String), InputError> {
        match written {
            Value::Object(_) => Ok((written, format!("{}/template", entry.pointer))),
            Value::String(name) => match self.0.get(&name) {
                Some(template) => Ok((template.clone(), format!("/spec/templates{}", step(&name)))),
                None => {
                    let known: Vec<String> = self.0.keys().map(|name| format!("`{name}`")).collect();
                    let remedy = match known.as_slice() {
                        [] => "define it under spec.templates".to_owned(),
                        _ => format!("define it under spec.templates, or name one of {}", known.join(", ")),
                    };
                    Err(entry.mistake("template", format!("there is no template `{name}`"), &remedy))
                }
            },
            _ => Err(entry.mistake("template", "this is no template".to_owned(), "write a name or an object")),
        }
    }
}

/// An entry of a list of objects.
struct ListEntry<'o> {
    origin: &'o DocumentOrigin,
    pointer: String,
}

impl ListEntry<'_> {
    /// Adds the objects of the entry.
    fn expand(
        &self,
        mut keys: Map<String, Value>,
        templates: &ObjectTemplates,
        objects: &mut Vec<KubernetesObject>,
    ) -> Result<(), InputError> {
        let Some(template) = keys.remove("template") else {
            let remedy = "move the rest of the object below `template`";
            return Err(self.mistake("replicas", "`replicas` needs a template".to_owned(), remedy));
        };
        let (mut object, template) = templates.find(template, self)?;
        let name: Option<String> = self.take(&mut keys, "name", "write a text")?;
        let replicas: Option<u32> = self.take(&mut keys, "replicas", "write a number of objects")?;
        let from: Option<u32> = self.take(&mut keys, "from", "write the first number")?;
        if name.is_some() && keys.get("metadata").and_then(|metadata| metadata.get("name")).is_some() {
            let message = "the name is written twice".to_owned();
            return Err(self.mistake("metadata/name", message, "keep `name`, remove `metadata.name`"));
        }
        merge(&mut object, Value::Object(keys));
        if let Some(name) = name {
            merge(&mut object, serde_json::json!({ "metadata": { "name": name } }));
        }
        let mut read = |object: Value| {
            let object = KubernetesObject::from_value(object, self.origin, &self.pointer).map_err(|mistake| {
                let line = self.origin.line(&template);
                InputError { message: format!("{} (template: line {line})", mistake.message), ..mistake }
            })?;
            objects.push(object);
            Ok(())
        };
        let Some(replicas) = replicas else {
            return match from {
                Some(_) => Err(self.mistake("from", "`from` needs `replicas`".to_owned(), "remove it")),
                None => read(object),
            };
        };
        if replicas == 0 || replicas > MAX_REPLICAS {
            let remedy = format!("write 1 to {MAX_REPLICAS}");
            return Err(self.mistake("replicas", format!("{replicas} replicas"), &remedy));
        }
        if let Some(Value::String(name)) = object.pointer_mut("/metadata/name")
            && !name.contains(INDEX)
        {
            name.push('-');
            name.push_str(INDEX);
        }
        let first = u64::from(from.unwrap_or(0));
        (first..first.saturating_add(u64::from(replicas))).try_for_each(|index| read(numbered(&object, index)))
    }

    /// Takes the value of a key out of the entry.
    fn take<T: DeserializeOwned>(
        &self,
        keys: &mut Map<String, Value>,
        key: &str,
        remedy: &str,
    ) -> Result<Option<T>, InputError> {
        let value = keys.remove(key).map(serde_json::from_value).transpose();
        value.map_err(|error| self.mistake(key, format!("`{key}`: {error}"), remedy))
    }

    /// Returns a mistake at a key of the entry.
    fn mistake(&self, key: &str, message: String, remedy: &str) -> InputError {
        self.origin.mistake(&format!("{}/{key}", self.pointer), message, remedy)
    }
}

/// Writes a value over another: mappings key by key, everything else as a whole.
fn merge(base: &mut Value, over: Value) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            for (key, value) in over {
                match base.get_mut(&key) {
                    Some(slot) => merge(slot, value),
                    None => {
                        base.insert(key, value);
                    }
                }
            }
        }
        (slot, value) => *slot = value,
    }
}

/// Returns the value with this number in place of `{index}` in every text.
fn numbered(value: &Value, index: u64) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace(INDEX, &index.to_string())),
        Value::Array(items) => items.iter().map(|item| numbered(item, index)).collect(),
        Value::Object(entries) => {
            entries.iter().map(|(key, value)| (key.clone(), numbered(value, index))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {

    use lictor_host::cluster::load;

    use super::*;

    const TEMPLATES: &str = "\
spec:
  templates:
    small:
      apiVersion: v1
      kind: Pod
      metadata: {namespace: team, labels: {app: a}}
      spec: {priority: 5, containers: [{name: c, resources: {requests: {cpu: 1}}}]}
  cluster:
";

    /// Reads entries of a cluster, which begin at line 9.
    fn objects(entries: &str) -> Result<Vec<KubernetesObject>, InputError> {
        let document = load::read("it.yaml", &format!("{TEMPLATES}{entries}")).unwrap().pop().unwrap();
        let spec = &document.value["spec"];
        let templates = ObjectTemplates::read(spec["templates"].as_object().unwrap().clone(), &document.origin)?;
        templates.objects(spec["cluster"].as_array().unwrap().clone(), &document.origin, "/spec/cluster")
    }

    fn keys(entries: &str) -> Vec<String> {
        objects(entries).unwrap().iter().map(KubernetesObject::key).collect()
    }

    /// Returns an object as text, without its location in the file.
    fn content(object: &KubernetesObject) -> String {
        let text = format!("{object:?}");
        let (before, rest) = text.split_once("location: ").unwrap();
        format!("{before}{}", rest.split_once('}').unwrap().1)
    }

    #[test]
    fn an_entry_is_the_template_with_what_the_entry_says() {
        let short = "  - {template: small, name: p, metadata: {labels: {b: c}}, spec: {nodeName: n1, priority: 7}}\n";
        let long = "  - {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: team, labels: {app: a, b: c}}, \
                    spec: {nodeName: n1, priority: 7, containers: [{name: c, resources: {requests: {cpu: 1}}}]}}\n";
        assert_eq!(content(&objects(short).unwrap()[0]), content(&objects(long).unwrap()[0]));
    }

    #[test]
    fn replicas_are_numbered_in_the_name_and_wherever_the_index_stands() {
        assert_eq!(keys("  - {template: small, name: w, replicas: 2}\n"), ["Pod/team/w-0", "Pod/team/w-1"]);
        assert_eq!(
            keys("  - {template: small, name: 'w{index}', replicas: 2, from: 9, metadata: {namespace: 't{index}'}}\n"),
            ["Pod/t9/w9", "Pod/t10/w10"]
        );
        let inline = "  - {template: {apiVersion: v1, kind: Node, metadata: {name: n}}, replicas: 2}\n";
        assert_eq!(keys(inline), ["Node/n-0", "Node/n-1"]);
        assert_eq!(keys("  - {template: small, name: 'w{index}'}\n"), ["Pod/team/w{index}"]);
    }

    #[test]
    fn every_mistake_names_its_line_and_what_to_do() {
        for (entry, said) in [
            ("template: big", "there is no template `big`; define it under spec.templates, or name one of `small`"),
            ("template: 7", "this is no template; write a name or an object"),
            ("kind: Pod, replicas: 2", "`replicas` needs a template; move the rest of the object below `template`"),
            ("template: small, replicas: 0", "0 replicas; write 1 to 100000"),
            ("template: small, replicas: 100001", "100001 replicas; write 1 to 100000"),
            ("template: small, from: 1", "`from` needs `replicas`; remove it"),
            (
                "template: small, name: p, metadata: {name: q}",
                "the name is written twice; keep `name`, remove `metadata.name`",
            ),
        ] {
            let mistake = objects(&format!("  - {{{entry}}}\n")).unwrap_err().to_string();
            assert_eq!(mistake, format!("it.yaml:9: {said}"));
        }
        let replicas = objects("  - template: small\n    replicas: x\n").unwrap_err().to_string();
        assert!(replicas.starts_with("it.yaml:10: `replicas`: invalid type"), "{replicas}");
        assert!(replicas.ends_with("; write a number of objects"), "{replicas}");
    }

    #[test]
    fn a_mistake_in_the_object_names_the_entry_and_the_template() {
        let mistake =
            objects("  - template: small\n    name: p\n    spec: {priority: high}\n").unwrap_err().to_string();
        assert!(mistake.starts_with("it.yaml:11: spec.priority of Pod team/p: "), "{mistake}");
        assert!(mistake.contains("(template: line 3); "), "{mistake}");
        let nameless = objects("  - template: small\n").unwrap_err().to_string();
        assert!(nameless.starts_with("it.yaml:9: metadata.name of Pod: is missing (template: line 3); "), "{nameless}");
    }

    #[test]
    fn a_template_is_an_object() {
        for template in ["[a]", "{template: b}", "text"] {
            let text = format!("spec:\n  templates:\n    a: {template}\n");
            let document = load::read("it.yaml", &text).unwrap().pop().unwrap();
            let named = document.value["spec"]["templates"].as_object().unwrap().clone();
            let mistake = ObjectTemplates::read(named, &document.origin).unwrap_err().to_string();
            assert!(mistake.starts_with("it.yaml:3: the template `a` is no object; "), "{mistake}");
        }
    }
}
