//! Snapshots of a cluster, with the file and line of every object.

use lictor_host::cluster::load::{Document, Item, each_item};
use lictor_host::cluster::{InputError, Object};

use super::failure::Failure;
use super::origins::Origins;

/// A function that receives each item.
type Sink<'s> = &'s mut dyn FnMut(Item) -> Result<(), InputError>;

/// Objects and their places.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// The objects, in the order of the files.
    pub objects: Vec<Object>,
    /// The place of each object, by `Kind/namespace/name`; the last place of a duplicate object.
    pub origins: Origins,
    /// The names of the files, for messages.
    pub files: Vec<String>,
}

impl Snapshot {
    /// Reads the parts of a snapshot; `files` are their names in messages. Reports all mistakes of all parts, but a syntax error ends its part.
    ///
    /// # Errors
    /// The mistakes.
    pub fn read<R>(files: Vec<String>, parts: impl IntoIterator<Item = R>) -> Result<Snapshot, Failure>
    where
        R: FnOnce(Sink<'_>) -> Result<(), InputError>,
    {
        let mut snapshot = Snapshot { files, ..Snapshot::default() };
        let mistakes: Vec<InputError> = parts.into_iter().flat_map(|part| snapshot.take_all(part)).collect();
        if mistakes.is_empty() { Ok(snapshot) } else { Err(Failure::Input(mistakes)) }
    }

    /// Reads a text; `name` is its name in messages.
    ///
    /// # Errors
    /// The mistakes of the text.
    pub fn told(name: &str, text: String) -> Result<Snapshot, Failure> {
        Snapshot::read(vec![name.to_owned()], [|sink: Sink<'_>| each_item(name, text, sink)])
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

    fn take(&mut self, item: Item) -> Result<(), InputError> {
        let (object, origin) = match item {
            Item::Object(object, origin) => (*object, origin),
            Item::Document(document) => {
                let origin = document.origin.clone();
                if is_scenario(&document) {
                    let message = "this is a scenario, not a Kubernetes object";
                    return Err(origin.mistake("/kind", message, "run it with `lictor test`"));
                }
                (Object::from_document(document)?, origin)
            }
        };
        self.origins.add(object.key(), origin);
        self.objects.push(object);
        Ok(())
    }
}

fn is_scenario(document: &Document) -> bool {
    let version = document.value.get("apiVersion").and_then(|version| version.as_str());
    version.is_some_and(|version| version.starts_with("lictor.dev/"))
}
