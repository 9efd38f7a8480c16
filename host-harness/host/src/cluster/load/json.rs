//! Reads JSON: one document, or several documents in sequence.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Deserializer, Number, Value};

use super::builder::{Container, DocumentBuilder};
use super::lines::ValueLines;
use super::{Sink, SourceDocument};
use crate::cluster::InputError;

/// Returns whether the whole text is valid JSON.
pub(super) fn is_valid(text: &str) -> bool {
    Deserializer::from_str(text).into_iter::<IgnoredAny>().all(|document| document.is_ok())
}

/// Reads all documents of a text.
pub(super) fn read(text: &str, builder: &mut DocumentBuilder<'_>) -> Result<(), InputError> {
    read_lines(text, 1, builder)
}

/// Reads a part of a file, which begins on this line.
pub(super) fn read_from(file: &Arc<str>, text: &str, line: u32, sink: Sink<'_>) -> Result<(), InputError> {
    read_lines(text, line, &mut DocumentBuilder::new(file.clone(), sink))
}

/// Returns the lines of an object that begins on this line. `None`: the text cannot be read, although it was read before.
pub(super) fn lines(file: &Arc<str>, text: &str, line: u32) -> Option<ValueLines> {
    let mut found = None;
    let take = &mut |document: SourceDocument| {
        found = document.origin.into_lines();
        Ok(())
    };
    read_from(file, text, line, take).ok()?;
    found
}

fn read_lines(text: &str, line: u32, builder: &mut DocumentBuilder<'_>) -> Result<(), InputError> {
    let line = Cell::new(line);
    let mut input = Deserializer::from_reader(LineCountingReader { rest: text.as_bytes(), line: &line, at_end: false });
    while input.end().is_err() {
        let mut failure = None;
        Seed { builder, line: &line, failure: &mut failure }.deserialize(&mut input).map_err(|error| {
            failure.unwrap_or_else(|| {
                let message = error.to_string();
                let message = message.rsplit_once(" at line ").map_or(&*message, |(message, _)| message);
                builder.mistake(
                    line.get(),
                    format!("the text is not valid JSON: {message}"),
                    "correct this line or the line before",
                )
            })
        })?;
        builder.end_document();
    }
    Ok(())
}

/// A reader of bytes, one by one, that counts lines. `line` is the line of the last byte.
struct LineCountingReader<'a> {
    rest: &'a [u8],
    line: &'a Cell<u32>,
    /// The last byte ended its line.
    at_end: bool,
}

impl Read for LineCountingReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (Some((byte, rest)), Some(slot)) = (self.rest.split_first(), buffer.first_mut()) else {
            return Ok(0);
        };
        if self.at_end {
            self.line.set(self.line.get().saturating_add(1));
        }
        self.at_end = *byte == b'\n';
        self.rest = rest;
        *slot = *byte;
        Ok(1)
    }
}

/// Reads a value into the builder.
struct Seed<'b, 's> {
    builder: &'b mut DocumentBuilder<'s>,
    line: &'b Cell<u32>,
    failure: &'b mut Option<InputError>,
}

impl<'b, 's> Seed<'b, 's> {
    fn reborrow(&mut self) -> Seed<'_, 's> {
        Seed { builder: self.builder, line: self.line, failure: self.failure }
    }

    /// Calls the builder and stores its mistake, because serde errors can only hold text.
    fn with<E: serde::de::Error>(
        &mut self,
        act: impl FnOnce(&mut DocumentBuilder<'s>, u32) -> Result<(), InputError>,
    ) -> Result<(), E> {
        act(self.builder, self.line.get()).map_err(|mistake| {
            let error = E::custom(&mistake.message);
            *self.failure = Some(mistake);
            error
        })
    }

    fn scalar<E: serde::de::Error>(mut self, value: Value) -> Result<(), E> {
        self.with(|builder, line| builder.scalar(value, line, 0))
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_, '_> {
    type Value = ();
    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_, '_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.scalar(Value::Null)
    }
    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        self.scalar(Value::Bool(value))
    }
    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.scalar(Value::Number(value.into()))
    }
    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        self.scalar(Value::Number(value.into()))
    }
    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        match Number::from_f64(value) {
            Some(number) => self.scalar(Value::Number(number)),
            None => Err(E::custom("number out of range")),
        }
    }
    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<(), E> {
        self.scalar(Value::String(value.to_owned()))
    }
    fn visit_string<E: serde::de::Error>(self, value: String) -> Result<(), E> {
        self.scalar(Value::String(value))
    }
    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        self.with(|builder, line| builder.begin(Container::Seq(Vec::new()), line, 0))?;
        while items.next_element_seed(self.reborrow())?.is_some() {}
        self.with(|builder, _| builder.end())
    }
    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<(), A::Error> {
        self.with(|builder, line| builder.begin(Container::map(), line, 0))?;
        while let Some(key) = entries.next_key::<String>()? {
            self.with(|builder, line| builder.key(key, line))?;
            entries.next_value_seed(self.reborrow())?;
        }
        self.with(|builder, _| builder.end())
    }
}
