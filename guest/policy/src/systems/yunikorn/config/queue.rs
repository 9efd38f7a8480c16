//! A queue: which keys it has and what they hold.

use std::collections::BTreeMap;

use super::super::properties;
use super::fields::{Fields, map, scalar, text};
use super::unbuilt::{access, applications, limits};
use super::yaml::{Entry, Node, Value};
use super::{Mistake, Queue, Resources, Template, quantity};

/// Reads a queue below a parent of this path, and those below it.
pub fn queue(node: &Node, parent: &str, warnings: &mut Vec<Mistake>) -> Result<Queue, Mistake> {
    const KEYS: [&str; 10] = [
        "name",
        "parent",
        "resources",
        "maxapplications",
        "properties",
        "adminacl",
        "submitacl",
        "childtemplate",
        "queues",
        "limits",
    ];
    let entries = map(node, if parent.is_empty() { "queues" } else { parent })?;
    let name =
        entries.iter().find(|entry| entry.key == "name").filter(|entry| !matches!(entry.node.value, Value::Null));
    let nameless = || Mistake::new(node.line, "a queue has no name", "name it").at(parent);
    let name = name.ok_or_else(nameless)?;
    let (line, name) = (name.line, text(&name.node, &format!("{parent} name"))?.to_lowercase());
    let path = if parent.is_empty() { name.clone() } else { format!("{parent}.{name}") };
    if !is_name(&name) {
        let message = format!("`{name}` of key `name` is no name of a queue");
        let remedy = "write 1 to 64 letters, digits or `_:#/@-`; levels are nested, not written with dots";
        return Err(Mistake::new(line, message, remedy).at(&path));
    }
    let fields = Fields::of(node, &path, &KEYS)?;
    access(&fields, warnings)?;
    limits(&fields, warnings)?;
    let queues: Vec<Queue> =
        fields.list("queues")?.iter().map(|node| queue(node, &path, warnings)).collect::<Result<_, _>>()?;
    let is_parent = fields.flag("parent")?.unwrap_or(false) || !queues.is_empty();
    let template = fields.get("childtemplate").map(|node| template(node, &path, warnings)).transpose()?;
    if !is_parent && template.is_some() {
        let message = "the child template of a leaf is not used";
        warnings.push(Mistake::new(line, message, "add `parent: true`, or remove it").at(&path));
    }
    let properties = read_properties(&fields, !is_parent, warnings)?;
    Ok(Queue { resources: resources(&fields, warnings)?, path, line, is_parent, properties, template, queues })
}

/// Whether a part of a path may be the name of a queue.
pub fn is_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_:#/@-".contains(c);
    !name.is_empty() && name.len() <= 64 && name.chars().all(allowed)
}

fn template(node: &Node, path: &str, warnings: &mut Vec<Mistake>) -> Result<Template, Mistake> {
    let place = format!("{path} childtemplate");
    let fields = Fields::of(node, &place, &["maxapplications", "properties", "resources"])?;
    applications(&fields, warnings)?;
    Ok(Template { resources: resources(&fields, warnings)?, properties: read_properties(&fields, true, warnings)? })
}

fn resources(fields: &Fields<'_>, warnings: &mut Vec<Mistake>) -> Result<Resources, Mistake> {
    let Some(node) = fields.get("resources") else { return Ok(Resources::default()) };
    let inner = Fields::of(node, &format!("{} resources", fields.place), &["guaranteed", "max"])?;
    let mut amounts = |key: &str| {
        let place = format!("{} resources.{key}", fields.place);
        let mut amounts = Vec::new();
        let entries = inner.get(key).map(|node| map(node, &place)).transpose()?.unwrap_or_default();
        for Entry { key: resource, line, node } in entries {
            let text = scalar(node, &place, resource)?;
            let place = format!("{place}.{resource}");
            let amount = quantity::read(resource, &text, *line).map_err(|mistake| mistake.at(&place))?;
            if resource == "cpu" {
                let message = "no pod asks for `cpu`: YuniKorn calls it `vcore`";
                warnings.push(Mistake::new(*line, message, "write `vcore`").at(&place));
            } else {
                amounts.push(amount);
            }
        }
        Ok(amounts)
    };
    Ok(Resources { guaranteed: amounts("guaranteed")?, max: amounts("max")? })
}

/// The properties; those that mean something here and do not say what they mean are told. Of the delay of a queue that takes no
/// pods nothing is said: it has no effect (design, Queue Configuration).
fn read_properties(
    fields: &Fields<'_>,
    takes_pods: bool,
    warnings: &mut Vec<Mistake>,
) -> Result<BTreeMap<String, String>, Mistake> {
    let texts = fields.texts("properties")?;
    for entry in fields.get("properties").map(|node| map(node, &fields.place)).transpose()?.unwrap_or_default() {
        let value = texts.get(&entry.key).map(String::as_str).unwrap_or_default();
        let complaint = properties::complaint(&entry.key, value);
        if let Some(complaint) = complaint.filter(|complaint| takes_pods || complaint.instead.is_none()) {
            let place = format!("{} properties.{}", fields.place, entry.key);
            let mistake = Mistake::new(entry.line, complaint.message, complaint.remedy).at(&place);
            warnings.push(Mistake { instead: complaint.instead, ..mistake });
        }
    }
    Ok(texts)
}
