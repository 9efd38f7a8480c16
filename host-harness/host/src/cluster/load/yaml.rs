//! Reads YAML.

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

use super::builder::{Container, DocumentBuilder};
use super::scalar;
use crate::cluster::InputError;

/// Reads all documents of a text.
pub(super) fn read(text: &str, builder: &mut DocumentBuilder<'_>) -> Result<(), InputError> {
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| {
            let message = format!("the text is not valid YAML: {}", error.info());
            builder.mistake(small(error.marker().line()), message, "correct this line or the line before")
        })?;
        handle_event(event, small(span.start.line()), builder)?;
    }
    Ok(())
}

fn small(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

fn handle_event(event: Event<'_>, line: u32, builder: &mut DocumentBuilder<'_>) -> Result<(), InputError> {
    let key = builder.awaits_key();
    match event {
        Event::Scalar(text, style, anchor, _) if key => {
            if matches!(style, ScalarStyle::Plain) && text == "<<" {
                return Err(builder.mistake(
                    line,
                    "merge keys (`<<`) are not YAML 1.2",
                    "write the keys instead of the merge key",
                ));
            }
            if anchor > 0 {
                return Err(builder.mistake(line, "an anchor on a key is not supported", "remove the anchor"));
            }
            builder.key(text.into_owned(), line)
        }
        Event::Alias(_) | Event::SequenceStart(..) | Event::MappingStart(..) if key => {
            Err(builder.mistake(line, "a key is not a plain text", "write the key as text"))
        }
        Event::Scalar(text, style, anchor, tag) => match scalar::read(text, style, tag.as_deref()) {
            Ok(value) => builder.scalar(value, line, anchor),
            Err((message, remedy)) => Err(builder.mistake(line, message, remedy)),
        },
        Event::Alias(anchor) => builder.alias(anchor, line),
        Event::SequenceStart(anchor, tag) => {
            check_tag(tag.as_deref(), "seq", line, builder)?;
            builder.begin(Container::Seq(Vec::new()), line, anchor)
        }
        Event::MappingStart(anchor, tag) => {
            check_tag(tag.as_deref(), "map", line, builder)?;
            builder.begin(Container::map(), line, anchor)
        }
        Event::SequenceEnd | Event::MappingEnd => builder.end(),
        Event::DocumentEnd => {
            builder.end_document();
            Ok(())
        }
        Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => Ok(()),
    }
}

fn check_tag(tag: Option<&Tag>, own: &str, line: u32, builder: &DocumentBuilder<'_>) -> Result<(), InputError> {
    match tag {
        Some(tag) if !(tag.is_yaml_core_schema() && tag.suffix == own) => {
            let (message, remedy) = scalar::unknown_tag(tag);
            Err(builder.mistake(line, message, remedy))
        }
        _ => Ok(()),
    }
}
