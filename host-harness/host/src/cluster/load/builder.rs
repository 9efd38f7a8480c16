//! Builds documents from parser events, within limits.

use std::mem;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::anchors::Anchors;
use super::lines::{PathStep, ValueLines};
use super::{Sink, SourceDocument, list};
use crate::cluster::InputError;

/// The limit on nested mappings and sequences.
pub(super) const MAX_DEPTH: usize = 128;
/// The limit on the length of a scalar, in bytes.
pub(super) const MAX_SCALAR: usize = 10_000_000;

/// A mapping or a sequence.
#[derive(Debug)]
pub(super) enum Container {
    /// A mapping, and the key whose value comes next.
    Map(Map<String, Value>, Option<(String, u32)>),
    /// A sequence.
    Seq(Vec<Value>),
}

impl Container {
    /// Returns an empty mapping.
    pub(super) fn map() -> Container {
        Container::Map(Map::new(), None)
    }

    fn pending(&self) -> Option<&str> {
        match self {
            Container::Map(_, Some((key, _))) => Some(key),
            _ => None,
        }
    }
}

/// A container that is not complete yet.
#[derive(Debug)]
struct OpenContainer {
    container: Container,
    index: u32,
    anchor: usize,
}

/// Builds documents. Calls must nest like the text.
pub(super) struct DocumentBuilder<'s> {
    pub(super) file: Arc<str>,
    sink: Sink<'s>,
    stack: Vec<OpenContainer>,
    lines: ValueLines,
    /// The lines of the list, while `lines` holds those of one item.
    list: Option<ValueLines>,
    /// Items of this document have been passed to the sink.
    expanded: bool,
    anchors: Anchors,
}

impl<'s> DocumentBuilder<'s> {
    pub(super) fn new(file: Arc<str>, sink: Sink<'s>) -> DocumentBuilder<'s> {
        let (stack, lines, list, expanded, anchors) = Default::default();
        DocumentBuilder { file, sink, stack, lines, list, expanded, anchors }
    }

    /// Returns a mistake on a line of the file.
    pub(super) fn mistake(&self, line: u32, message: impl Into<String>, remedy: impl Into<String>) -> InputError {
        InputError { file: self.file.clone(), line, message: message.into(), remedy: remedy.into() }
    }

    /// Returns whether the innermost container is a mapping that expects its next key.
    pub(super) fn awaits_key(&self) -> bool {
        matches!(self.stack.last(), Some(OpenContainer { container: Container::Map(_, None), .. }))
    }

    /// Starts the next entry of the mapping with its key.
    ///
    /// # Errors
    /// The key is too long or occurs for the second time, or no mapping is open.
    pub(super) fn key(&mut self, key: String, line: u32) -> Result<(), InputError> {
        self.check_length(&key, line)?;
        let Some(OpenContainer { container: Container::Map(entries, pending), index: spot, .. }) =
            self.stack.last_mut()
        else {
            return Err(self.mistake(line, "a key outside of a mapping", "correct this line"));
        };
        if entries.contains_key(&key) {
            let first = self.lines.child(*spot, &key).map_or(0, |spot| self.lines.line(spot));
            let message = format!("key `{key}` occurs for the second time, first on line {first}");
            return Err(self.mistake(line, message, "remove one of the two"));
        }
        *pending = Some((key, line));
        Ok(())
    }

    /// Adds a scalar value. `anchor`: the number of its anchor; 0 for no anchor.
    ///
    /// # Errors
    /// The text is longer than [`MAX_SCALAR`] bytes, or the aliases of its anchor expand beyond the limit.
    pub(super) fn scalar(&mut self, value: Value, line: u32, anchor: usize) -> Result<(), InputError> {
        if let Value::String(text) = &value {
            self.check_length(text, line)?;
        }
        let spot = self.open(line);
        self.lines.close(spot);
        self.complete(value, spot, anchor)
    }

    /// Adds an alias: a copy of the anchored value.
    ///
    /// # Errors
    /// The anchor is incomplete, or the copies of the document exceed the limit.
    pub(super) fn alias(&mut self, anchor: usize, line: u32) -> Result<(), InputError> {
        match self.anchors.expand(anchor) {
            Ok((value, part)) => {
                let step = step_of(self.stack.last());
                self.lines.append(&part, step);
                self.attach(value)
            }
            Err((message, remedy)) => Err(self.mistake(line, message, remedy)),
        }
    }

    /// Begins a mapping or sequence. `anchor`: the number of its anchor; 0 for no anchor.
    ///
    /// # Errors
    /// The text is nested more than [`MAX_DEPTH`] levels deep.
    pub(super) fn begin(&mut self, container: Container, line: u32, anchor: usize) -> Result<(), InputError> {
        if self.stack.len() >= MAX_DEPTH {
            let message = format!("the text is nested more than {MAX_DEPTH} levels deep");
            return Err(self.mistake(line, message, "reduce the nesting; Kubernetes objects are not this deep"));
        }
        if self.at_items() {
            self.list = Some(mem::take(&mut self.lines));
        }
        let spot = self.open(line);
        self.stack.push(OpenContainer { container, index: spot, anchor });
        Ok(())
    }

    /// Ends the innermost mapping or sequence, and adds it to the container around it or passes it to the sink.
    ///
    /// # Errors
    /// Those of the sink and of the limits.
    pub(super) fn end(&mut self) -> Result<(), InputError> {
        let Some(OpenContainer { container, index: spot, anchor }) = self.stack.pop() else {
            return Ok(());
        };
        self.lines.close(spot);
        let value = match container {
            Container::Map(entries, _) => Value::Object(entries),
            Container::Seq(items) => Value::Array(items),
        };
        self.complete(value, spot, anchor)
    }

    /// Ends the document and drops its anchors and lines.
    pub(super) fn end_document(&mut self) {
        self.anchors = Anchors::default();
        self.lines = ValueLines::default();
        self.expanded = false;
    }

    fn check_length(&self, text: &str, line: u32) -> Result<(), InputError> {
        if text.len() <= MAX_SCALAR {
            return Ok(());
        }
        let message = format!("a text has {} bytes, more than the limit of {MAX_SCALAR}", text.len());
        Err(self.mistake(line, message, "remove the object; the API server would refuse it as well"))
    }

    /// Returns whether the next value is an item of the root's `items`.
    fn at_items(&self) -> bool {
        matches!(
            self.stack.as_slice(),
            [OpenContainer { container: root, .. }, OpenContainer { container: Container::Seq(_), .. }] if root.pending() == Some("items")
        )
    }

    /// Opens a spot for the next value. A value with a key has the line of the key.
    fn open(&mut self, line: u32) -> u32 {
        match (&self.list, self.stack.len()) {
            (Some(_), 2) => self.lines.open(PathStep::Root, line),
            _ => match self.stack.last() {
                Some(OpenContainer { container: Container::Map(_, Some((key, at))), .. }) => {
                    self.lines.open(PathStep::Key(key), *at)
                }
                top => {
                    let step = step_of(top);
                    self.lines.open(step, line)
                }
            },
        }
    }

    fn complete(&mut self, value: Value, spot: u32, anchor: usize) -> Result<(), InputError> {
        if anchor > 0
            && let Err((message, remedy)) = self.anchors.set(anchor, &value, self.lines.part(spot))
        {
            return Err(self.mistake(self.lines.line(spot), message, remedy));
        }
        if self.is_managed_fields() {
            self.lines.forget(spot);
            if let Some(OpenContainer { container: Container::Map(_, pending), .. }) = self.stack.last_mut() {
                *pending = None;
            }
            return Ok(());
        }
        match self.list.take() {
            Some(list) if self.stack.len() == 2 => {
                let lines = mem::replace(&mut self.lines, list);
                self.item(value, lines)
            }
            list => {
                self.list = list;
                self.attach(value)
            }
        }
    }

    /// Returns whether the next value is `metadata.managedFields`. That field is half of kubectl's output, and the host does not read it.
    fn is_managed_fields(&self) -> bool {
        matches!(
            self.stack.as_slice(),
            [.., outer, inner]
                if outer.container.pending() == Some("metadata") && inner.container.pending() == Some("managedFields")
        )
    }

    /// Passes a list item to the sink at once if the item has its own kind. Other items wait for the end of the list.
    fn item(&mut self, mut value: Value, lines: ValueLines) -> Result<(), InputError> {
        if let Some(OpenContainer { container: Container::Map(root, _), .. }) = self.stack.first() {
            list::name_item(&mut value, root);
        }
        if list::has_own_kind(&value) {
            self.expanded = true;
            return (self.sink)(SourceDocument { value, origin: super::DocumentOrigin::new(self.file.clone(), lines) });
        }
        let step = step_of(self.stack.last());
        self.lines.append(&lines, step);
        self.attach(value)
    }

    fn attach(&mut self, value: Value) -> Result<(), InputError> {
        match self.stack.last_mut().map(|open| &mut open.container) {
            None => {
                let origin = super::DocumentOrigin::new(self.file.clone(), mem::take(&mut self.lines));
                list::deliver(SourceDocument { value, origin }, self.expanded, self.sink)?;
            }
            Some(Container::Seq(items)) => items.push(value),
            Some(Container::Map(entries, pending)) => {
                if let Some((key, _)) = pending.take() {
                    entries.insert(key, value);
                }
            }
        }
        Ok(())
    }
}

/// Returns the step from an open container to its next part.
fn step_of(open: Option<&OpenContainer>) -> PathStep<'_> {
    match open.map(|open| &open.container) {
        None | Some(Container::Map(_, None)) => PathStep::Root,
        Some(Container::Map(_, Some((key, _)))) => PathStep::Key(key),
        Some(Container::Seq(items)) => PathStep::Index(u32::try_from(items.len()).unwrap_or(u32::MAX)),
    }
}
