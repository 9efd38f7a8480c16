//! Snapshots of a cluster, with the file and line of every object.

use lictor_host::cluster::load::{SourceDocument, SourceItem, each_item};
use lictor_host::cluster::{InputError, KubernetesObject};

use super::failure::DecideError;
use super::origins::Origins;

/// A function that receives each item.
type Sink<'s> = &'s mut dyn FnMut(SourceItem) -> Result<(), InputError>;

/// Objects and their places.
#[derive(Debug, Clone, Default)]
pub struct ClusterSnapshot {
    /// The objects, in the order of the files.
    pub objects: Vec<KubernetesObject>,
    /// The place of each object, by `Kind/namespace/name`; the last place of a duplicate object.
    pub origins: Origins,
    /// The names of the files, for messages.
    pub files: Vec<String>,
}

impl ClusterSnapshot {
    /// Reads the parts of a snapshot; `files` are their names in messages. Reports all mistakes of all parts, but a syntax error ends its part.
    ///
    /// # Errors
    /// The mistakes.
    pub fn read<R>(files: Vec<String>, parts: impl IntoIterator<Item = R>) -> Result<ClusterSnapshot, DecideError>
    where
        R: FnOnce(Sink<'_>) -> Result<(), InputError>,
    {
        let mut snapshot = ClusterSnapshot { files, ..ClusterSnapshot::default() };
        let mistakes: Vec<InputError> = parts.into_iter().flat_map(|part| snapshot.take_all(part)).collect();
        if mistakes.is_empty() { Ok(snapshot) } else { Err(DecideError::Input(mistakes)) }
    }

    /// Reads a text; `name` is its name in messages.
    ///
    /// # Errors
    /// The mistakes of the text.
    pub fn from_text(name: &str, text: String) -> Result<ClusterSnapshot, DecideError> {
        ClusterSnapshot::read(vec![name.to_owned()], [|sink: Sink<'_>| each_item(name, text, sink)])
    }

    /// Takes every item that is read. Returns the mistakes.
    fn take_all(&mut self, read: impl FnOnce(Sink<'_>) -> Result<(), InputError>) -> Vec<InputError> {
        let mut mistakes = Vec::new();
        let read = read(&mut |item| {
            mistakes.extend(self.take(item).err());
            Ok(())
        });
        mistakes.extend(read.err());
        mistakes
    }

    fn take(&mut self, item: SourceItem) -> Result<(), InputError> {
        let (object, origin) = match item {
            SourceItem::Object(object, origin) => (*object, origin),
            SourceItem::Document(document) => {
                let origin = document.origin.clone();
                if is_scenario(&document) {
                    let message = "this is a scenario, not a Kubernetes object";
                    return Err(origin.mistake("/kind", message, "run it with `lictor test`"));
                }
                (KubernetesObject::from_document(document)?, origin)
            }
        };
        self.origins.add(object.key(), origin);
        self.objects.push(object);
        Ok(())
    }
}

fn is_scenario(document: &SourceDocument) -> bool {
    let version = document.value.get("apiVersion").and_then(|version| version.as_str());
    version.is_some_and(|version| version.starts_with("lictor.dev/"))
}
