//! YAML as a tree with the line of every node. Scalars stay text; the reader of a field decides their type.

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::ConfigProblem;

/// The limit on nodes, with aliases expanded. A larger file is not a configuration but an attack.
const NODES: usize = 100_000;

/// The merge key. Its value is a map, or a list of maps, whose entries are added to the map that contains the key.
const MERGE: &str = "<<";

/// A value and its line.
#[derive(Debug, Clone)]
pub struct YamlNode {
    /// The line on which the node begins, from 1.
    pub line: usize,
    /// The value.
    pub value: YamlValue,
}

/// A value.
#[derive(Debug, Clone)]
pub enum YamlValue {
    /// `null`, or no value.
    Null,
    /// A scalar, exactly as written.
    Scalar(String),
    /// A list.
    List(Vec<YamlNode>),
    /// Keys and values.
    Map(Vec<YamlEntry>),
}

/// A key and its value.
#[derive(Debug, Clone)]
pub struct YamlEntry {
    /// The key.
    pub key: String,
    /// The line of the key.
    pub line: usize,
    /// The value.
    pub node: YamlNode,
}

/// Reads the first document of a text. `None`: the text is empty.
pub fn read(text: &str) -> Result<Option<YamlNode>, ConfigProblem> {
    let mut builder = YamlBuilder::default();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| {
            let message = format!("the text is not valid YAML: {}", error.info());
            ConfigProblem::new(error.marker().line(), message, "correct this line or the line before")
        })?;
        if matches!(event, Event::DocumentEnd) {
            break;
        }
        builder.take(event, span.start.line())?;
    }
    Ok(builder.root)
}

/// A list or a map that is not complete yet.
#[derive(Debug)]
struct OpenCollection {
    line: usize,
    anchor: usize,
    value: YamlValue,
    /// The key whose value comes next.
    key: Option<(String, usize)>,
}

#[derive(Debug, Default)]
struct YamlBuilder {
    root: Option<YamlNode>,
    open: Vec<OpenCollection>,
    anchors: Vec<(usize, YamlNode)>,
    nodes: usize,
}

impl YamlBuilder {
    fn take(&mut self, event: Event<'_>, line: usize) -> Result<(), ConfigProblem> {
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let plain = matches!(style, ScalarStyle::Plain);
                let null = plain && matches!(&*text, "" | "~" | "null" | "Null" | "NULL");
                let value =
                    if null && !self.awaits_key() { YamlValue::Null } else { YamlValue::Scalar(text.into_owned()) };
                self.add(YamlNode { line, value }, anchor)
            }
            Event::Alias(anchor) => {
                let known = self.anchors.iter().find(|(known, _)| *known == anchor).map(|(_, node)| node.clone());
                let unknown = || {
                    ConfigProblem::new(
                        line,
                        "an alias refers to an anchor that contains it",
                        "write the value instead of the alias",
                    )
                };
                let node = known.ok_or_else(unknown)?;
                self.nodes = self.nodes.saturating_add(size(&node));
                self.add(node, 0)
            }
            Event::SequenceStart(anchor, _) => self.begin(line, anchor, YamlValue::List(Vec::new())),
            Event::MappingStart(anchor, _) => self.begin(line, anchor, YamlValue::Map(Vec::new())),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(OpenCollection { line, anchor, value, .. }) => {
                    let value =
                        if let YamlValue::Map(entries) = value { YamlValue::Map(merged(entries)?) } else { value };
                    self.add(YamlNode { line, value }, anchor)
                }
                None => Ok(()),
            },
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => {
                Ok(())
            }
        }
    }

    fn awaits_key(&self) -> bool {
        self.open.last().is_some_and(|open| matches!(open.value, YamlValue::Map(_)) && open.key.is_none())
    }

    fn begin(&mut self, line: usize, anchor: usize, value: YamlValue) -> Result<(), ConfigProblem> {
        if self.awaits_key() {
            return Err(ConfigProblem::new(line, "a key is not a scalar", "write the key as text"));
        }
        self.open.push(OpenCollection { line, anchor, value, key: None });
        Ok(())
    }

    fn add(&mut self, node: YamlNode, anchor: usize) -> Result<(), ConfigProblem> {
        self.nodes = self.nodes.saturating_add(1);
        if self.nodes > NODES {
            let message = format!("the text has more than {NODES} values, with aliases expanded");
            return Err(ConfigProblem::new(node.line, message, "write a smaller configuration"));
        }
        if anchor > 0 {
            self.anchors.push((anchor, node.clone()));
        }
        let awaits_key = self.awaits_key();
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match (&mut open.value, node.value) {
            (YamlValue::List(list), value) => list.push(YamlNode { line: node.line, value }),
            (YamlValue::Map(_), YamlValue::Scalar(text)) if awaits_key => open.key = Some((text, node.line)),
            (YamlValue::Map(_), _) if awaits_key => {
                return Err(ConfigProblem::new(node.line, "a key is not a scalar", "write the key as text"));
            }
            (YamlValue::Map(entries), value) => {
                let (key, line) = open.key.take().unwrap_or_default();
                entries.push(YamlEntry { key, line, node: YamlNode { line: node.line, value } });
            }
            (YamlValue::Null | YamlValue::Scalar(_), _) => {}
        }
        Ok(())
    }
}

/// Returns the entries, with those of the maps under key `<<` added. Own entries take precedence, then the first map with a key. YAML 1.2 has no
/// merge key, but the library that upstream uses for its configuration does.
fn merged(entries: Vec<YamlEntry>) -> Result<Vec<YamlEntry>, ConfigProblem> {
    let (merges, mut entries): (Vec<YamlEntry>, Vec<YamlEntry>) =
        entries.into_iter().partition(|entry| entry.key == MERGE);
    for YamlEntry { line, node, .. } in merges {
        let not_a_map = || {
            ConfigProblem::new(
                line,
                "the value of key `<<` is not a map",
                "write `<<: *anchor` with the anchor of a map, or a list of such aliases",
            )
        };
        let maps = if let YamlValue::List(list) = node.value { list } else { vec![node] };
        for map in maps {
            let YamlValue::Map(more) = map.value else { return Err(not_a_map()) };
            for entry in more {
                if entries.iter().all(|known| known.key != entry.key) {
                    entries.push(entry);
                }
            }
        }
    }
    Ok(entries)
}

fn size(node: &YamlNode) -> usize {
    let inner = match &node.value {
        YamlValue::Null | YamlValue::Scalar(_) => 0,
        YamlValue::List(list) => list.iter().map(size).fold(0, usize::saturating_add),
        YamlValue::Map(entries) => entries.iter().map(|entry| size(&entry.node)).fold(0, usize::saturating_add),
    };
    inner.saturating_add(1)
}
