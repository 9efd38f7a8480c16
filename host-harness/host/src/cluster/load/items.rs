//! The objects of a large list in JSON, read by several threads.
//!
//! What kubectl and the API server write is one list of objects, most of them pods. First it is found where each object begins and ends;
//! then pods are read into what the mirror needs, without a tree of JSON and without the lines of their fields. Everything else, and
//! whatever is unusual or wrong, is read as a document, which finds the line of a mistake.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use super::origin::{DeferredLines, DocumentOrigin};
use super::scan::{JsonScanner, compact};
use super::{SourceDocument, json};
use crate::cluster::InputError;
use crate::cluster::object::{KubernetesObject, RawJson};

/// Lists with at most this many objects are read by one thread.
const MAX_SERIAL_OBJECTS: usize = 500;

/// The maximum number of threads that read.
const MAX_THREADS: usize = 8;

/// A result of reading a text: an object, or a document that may be anything.
#[derive(Debug)]
pub enum SourceItem {
    /// An object, and where it was read.
    Object(Box<KubernetesObject>, DocumentOrigin),
    /// A document that may be anything.
    Document(SourceDocument),
}

impl SourceItem {
    /// Returns the object. A document is read as an object first.
    ///
    /// # Errors
    /// Those of [`KubernetesObject::from_value`].
    pub fn object(self) -> Result<KubernetesObject, InputError> {
        match self {
            SourceItem::Object(object, _) => Ok(*object),
            SourceItem::Document(document) => KubernetesObject::from_document(document),
        }
    }
}

/// Receives each item.
type Sink<'s> = &'s mut dyn FnMut(SourceItem) -> Result<(), InputError>;

/// The place of an object in a text: the JSON of the object, where it starts, and its line.
#[derive(Debug, Clone, Copy)]
struct ItemSpan<'t> {
    text: &'t str,
    start: usize,
    line: u32,
}

impl ItemSpan<'_> {
    fn range(&self) -> Range<usize> {
        self.start..self.start.saturating_add(self.text.len())
    }
}

/// The result of reading one object.
enum ParsedItem {
    Pod(Box<KubernetesObject>),
    /// The object must be read as a document.
    Document,
    /// The object cannot be read apart from its list.
    Unusual,
}

/// Reads a text that is one list of objects, each with a kind of its own. `None`: the text has another form, and the sink has received nothing.
///
/// # Errors
/// Those of [`super::each`], at the same places.
pub(super) fn read(file: &Arc<str>, text: &Arc<str>, sink: Sink<'_>) -> Option<Result<(), InputError>> {
    let places = places(text)?;
    let read = read_all(file, text, &places)?;
    let emit = |(place, read): (ItemSpan<'_>, ParsedItem)| match read {
        ParsedItem::Pod(object) => {
            let unread = DeferredLines { text: text.clone(), range: place.range(), line: place.line };
            sink(SourceItem::Object(object, DocumentOrigin::unread(file.clone(), unread)))
        }
        ParsedItem::Document | ParsedItem::Unusual => {
            json::read_from(file, place.text, place.line, &mut |document| sink(SourceItem::Document(document)))
        }
    };
    Some(places.iter().copied().zip(read).try_for_each(emit))
}

/// Reads each object that can be read without a document. `None`: one of the objects cannot be read apart from its list.
fn read_all(file: &Arc<str>, text: &Arc<str>, places: &[ItemSpan<'_>]) -> Option<Vec<ParsedItem>> {
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MAX_THREADS);
    let part = places.len().div_ceil(threads).max(MAX_SERIAL_OBJECTS);
    if places.len() <= part {
        return read_part(file, text, places);
    }
    std::thread::scope(|scope| {
        let read = |part| std::thread::Builder::new().spawn_scoped(scope, move || read_part(file, text, part));
        let parts: Vec<_> = places.chunks(part).map(read).collect();
        let mut all = Vec::with_capacity(places.len());
        for part in parts {
            all.extend(part.ok()?.join().ok()??);
        }
        Some(all)
    })
}

fn read_part(file: &Arc<str>, text: &Arc<str>, places: &[ItemSpan<'_>]) -> Option<Vec<ParsedItem>> {
    let nowhere = DocumentOrigin::without_lines(file.clone());
    let mut json = String::new();
    let read = |place: &ItemSpan<'_>| match read_one(place, text, &nowhere, &mut json) {
        ParsedItem::Unusual => None,
        read => Some(read),
    };
    places.iter().map(read).collect()
}

fn read_one(place: &ItemSpan<'_>, text: &Arc<str>, nowhere: &DocumentOrigin, json: &mut String) -> ParsedItem {
    json.clear();
    match compact(place.text, json) {
        None => ParsedItem::Unusual,
        Some(sketch) if sketch.has_items || sketch.kind.ends_with("List") => ParsedItem::Unusual,
        Some(sketch) => {
            let is_pod = (sketch.api_version, sketch.kind) == ("v1", "Pod");
            match is_pod
                .then(|| {
                    KubernetesObject::pod_from_text(
                        json,
                        RawJson::Part(text.clone(), place.range()),
                        nowhere,
                        place.line,
                    )
                })
                .flatten()
            {
                Some(pod) => ParsedItem::Pod(Box::new(pod)),
                // A text that is not JSON may be YAML.
                None if serde_json::from_str::<serde::de::IgnoredAny>(json).is_err() => ParsedItem::Unusual,
                None => ParsedItem::Document,
            }
        }
    }
}

/// Returns the places of the items of a list. `None`: the text is not a list, or something outside of the items is unusual.
fn places(text: &str) -> Option<Vec<ItemSpan<'_>>> {
    let mut scan = JsonScanner::new(text);
    let mut places = None;
    let mut rest = String::from("{");
    scan.pass(b'{')?;
    loop {
        let key = scan.key()?;
        if rest.len() > 1 {
            rest.push(',');
        }
        rest.push('"');
        rest.push_str(key);
        rest.push_str("\":");
        match key {
            "items" if places.is_none() => {
                places = Some(in_sequence(text, &mut scan)?);
                rest.push_str("[]");
            }
            _ => rest.push_str(scan.value()?),
        }
        if !scan.more(b'}')? {
            break;
        }
    }
    rest.push('}');
    // The fields outside of `items` must be as usual as the items are.
    let list = compact(&rest, &mut String::new())?;
    let is_valid = serde_json::from_str::<serde::de::IgnoredAny>(&rest).is_ok();
    (scan.peek().is_none() && is_valid && list.kind.ends_with("List")).then_some(places?)
}

fn in_sequence<'t>(text: &'t str, scan: &mut JsonScanner<'t>) -> Option<Vec<ItemSpan<'t>>> {
    let mut places = Vec::new();
    scan.pass(b'[')?;
    let (mut counted, mut line) = (0_usize, 1_u32);
    let mut more = scan.peek()? != b']';
    if !more {
        scan.pass(b']')?;
    }
    while more {
        scan.peek()?;
        let start = scan.position();
        let before = text.as_bytes().get(counted..start)?;
        line = line.saturating_add(u32::try_from(memchr::memchr_iter(b'\n', before).count()).ok()?);
        counted = start;
        places.push(ItemSpan { text: scan.value()?, start, line });
        more = scan.more(b']')?;
    }
    Some(places)
}

#[cfg(test)]
mod tests;
