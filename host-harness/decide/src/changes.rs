//! Objects that are added to a snapshot, or replace those of the same kind and name.

use std::borrow::Cow;
use std::collections::BTreeSet;

use lictor_host::cluster::KubernetesObject;
use serde_json::Value;

use super::failure::DecideError;
use super::origins::Origins;
use super::snapshot::ClusterSnapshot;

/// The name of the changes in messages.
const NAME: &str = "the changes";

/// The separator of two documents.
const BETWEEN: &str = "\n---\n";

/// Changes of a snapshot. The snapshot stays as it was opened: each text of changes is applied to it anew.
#[derive(Debug, Clone, Default)]
pub struct SnapshotChanges {
    /// The objects in the order of the text; of several with the same key, the last one.
    objects: Vec<KubernetesObject>,
    origins: Origins,
    /// The keys of the objects, with the groups of their kinds.
    keys: BTreeSet<String>,
}

impl SnapshotChanges {
    /// Reads a text in YAML or JSON. An empty text changes nothing.
    ///
    /// # Errors
    /// The mistakes of the text, with their lines.
    pub fn read(text: &str) -> Result<SnapshotChanges, DecideError> {
        if text.trim().is_empty() {
            return Ok(SnapshotChanges::default());
        }
        let ClusterSnapshot { objects, origins, .. } = ClusterSnapshot::from_text(NAME, text.to_owned())?;
        let mut keys = BTreeSet::new();
        let last = objects.into_iter().rev().filter(|object| keys.insert(object.full_key()));
        let mut objects: Vec<KubernetesObject> = last.collect();
        objects.reverse();
        Ok(SnapshotChanges { objects, origins, keys })
    }

    /// Returns the objects of a snapshot with the changes.
    pub fn of<'a>(&'a self, snapshot: &'a ClusterSnapshot) -> Vec<&'a KubernetesObject> {
        let unchanged = snapshot.objects.iter().filter(|object| self.leave(object));
        unchanged.chain(&self.objects).collect()
    }

    /// Returns a snapshot with the changes. Without changes the snapshot is borrowed.
    pub fn applied<'a>(&self, snapshot: &'a ClusterSnapshot) -> Cow<'a, ClusterSnapshot> {
        if self.objects.is_empty() {
            return Cow::Borrowed(snapshot);
        }
        let objects = self.of(snapshot).into_iter().cloned().collect();
        let (mut origins, mut files) = (snapshot.origins.clone(), snapshot.files.clone());
        origins.extend(self.origins.clone());
        files.push(NAME.to_owned());
        Cow::Owned(ClusterSnapshot { objects, origins, files })
    }

    /// Returns a text of changes with more objects appended. The text itself stays as it is.
    pub fn appended(text: &str, objects: &[Value]) -> String {
        if objects.is_empty() {
            return text.to_owned();
        }
        let before =
            Some(text.strip_suffix('\n').unwrap_or(text).to_owned()).filter(|before| !before.trim().is_empty());
        let more = objects.iter().map(|object| format!("{object:#}"));
        before.into_iter().chain(more).collect::<Vec<_>>().join(BETWEEN)
    }

    /// Returns whether the changes leave an object as it is.
    fn leave(&self, object: &KubernetesObject) -> bool {
        self.keys.is_empty() || !self.keys.contains(&object.full_key())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn keys(objects: &[&KubernetesObject]) -> Vec<String> {
        objects.iter().map(|object| object.key()).collect()
    }

    /// Changes the class `a` twice, and adds `c`: of `a`, the second change counts.
    #[test]
    fn the_last_object_of_a_key_stands_instead_of_the_one_of_the_snapshot() {
        let class = |name: &str, value: i32| {
            format!(
                "{{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {{name: {name}}}, value: {value}}}"
            )
        };
        let snapshot = ClusterSnapshot::from_text("it.yaml", [class("a", 1), class("b", 2)].join(BETWEEN)).unwrap();
        let changes = SnapshotChanges::read(&[class("a", 3), class("c", 4), class("a", 5)].join(BETWEEN)).unwrap();
        let objects = changes.of(&snapshot);
        assert_eq!(keys(&objects), ["PriorityClass/b", "PriorityClass/c", "PriorityClass/a"]);
        let applied = changes.applied(&snapshot);
        assert!(applied.objects[2].json().contains("\"value\":5"), "{}", applied.objects[2].json());
        assert_eq!(applied.files, ["it.yaml", "the changes"]);
        assert_eq!(keys(&SnapshotChanges::default().of(&snapshot)), ["PriorityClass/a", "PriorityClass/b"]);
    }

    #[test]
    fn objects_are_appended_to_a_text_that_stays_as_it_is() {
        let object = json!({"a": 1});
        let text = "{\n  \"a\": 1\n}";
        let (appended, one) = (SnapshotChanges::appended, [object.clone()]);
        assert_eq!(appended("", &[object.clone(), object]), format!("{text}\n---\n{text}"));
        assert_eq!(appended(" \n", &one), text);
        assert_eq!(appended("# why\nb: 2\n", &one), format!("# why\nb: 2\n---\n{text}"));
        assert_eq!(appended("b: 2\n", &[]), "b: 2\n");
    }

    /// Appends to JSON, to YAML, and to a text that ends with a separator already.
    #[test]
    fn a_text_with_more_behind_it_is_read_again() {
        let class = |name: &str| json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": 1});
        let yaml = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata:\n  name: a\nvalue: 1";
        for text in [
            class("a").to_string(),
            yaml.to_owned(),
            format!("{yaml}\n"),
            format!("{yaml}\n---\n"),
            format!("---\n{yaml}\r\n"),
        ] {
            let changes = SnapshotChanges::read(&SnapshotChanges::appended(&text, &[class("b")])).unwrap();
            assert_eq!(
                keys(&changes.of(&ClusterSnapshot::default())),
                ["PriorityClass/a", "PriorityClass/b"],
                "{text}"
            );
        }
    }
}
