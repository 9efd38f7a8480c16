//! Decodes a queue: its keys and their values.

use std::collections::BTreeMap;

use super::super::properties;
use super::fields::{YamlFields, map, scalar, text};
use super::unsupported::{access, applications, limits};
use super::yaml::{YamlEntry, YamlNode, YamlValue};
use super::{ChildTemplate, ConfigProblem, ConfiguredQueue, QueueResources, quantity};

/// Reads a queue and its children. `parent` is the path of its parent, empty for the root.
pub fn queue(
    node: &YamlNode,
    parent: &str,
    warnings: &mut Vec<ConfigProblem>,
) -> Result<ConfiguredQueue, ConfigProblem> {
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
        entries.iter().find(|entry| entry.key == "name").filter(|entry| !matches!(entry.node.value, YamlValue::Null));
    let unnamed = || ConfigProblem::new(node.line, "a queue has no name", "add a name").at(parent);
    let name = name.ok_or_else(unnamed)?;
    let (line, name) = (name.line, text(&name.node, &format!("{parent} name"))?.to_lowercase());
    let path = if parent.is_empty() { name.clone() } else { format!("{parent}.{name}") };
    if !is_name(&name) {
        let message = format!("`{name}` of key `name` is not a valid queue name");
        let remedy = "write 1 to 64 letters, digits or `_:#/@-`; nest queues, one level for each part of the path";
        return Err(ConfigProblem::new(line, message, remedy).at(&path));
    }
    let fields = YamlFields::of(node, &path, &KEYS)?;
    access(&fields, warnings)?;
    limits(&fields, warnings)?;
    let queues: Vec<ConfiguredQueue> =
        fields.list("queues")?.iter().map(|node| queue(node, &path, warnings)).collect::<Result<_, _>>()?;
    let is_parent = fields.flag("parent")?.unwrap_or(false) || !queues.is_empty();
    let template = fields.get("childtemplate").map(|node| template(node, &path, warnings)).transpose()?;
    if !is_parent && template.is_some() {
        let message = "a leaf does not use its child template";
        warnings.push(ConfigProblem::new(line, message, "add `parent: true`, or remove it").at(&path));
    }
    let properties = read_properties(&fields, |key| properties::has_effect(key, path == "root", !is_parent), warnings)?;
    Ok(ConfiguredQueue {
        resources: resources(&fields, warnings)?,
        path,
        line,
        is_parent,
        properties,
        template,
        queues,
    })
}

/// Checks whether a part of a path is a valid queue name.
pub fn is_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_:#/@-".contains(c);
    !name.is_empty() && name.len() <= 64 && name.chars().all(allowed)
}

fn template(node: &YamlNode, path: &str, warnings: &mut Vec<ConfigProblem>) -> Result<ChildTemplate, ConfigProblem> {
    let place = format!("{path} childtemplate");
    let fields = YamlFields::of(node, &place, &["maxapplications", "properties", "resources"])?;
    applications(&fields, warnings)?;
    Ok(ChildTemplate {
        resources: resources(&fields, warnings)?,
        properties: read_properties(&fields, |_| true, warnings)?,
    })
}

fn resources(fields: &YamlFields<'_>, warnings: &mut Vec<ConfigProblem>) -> Result<QueueResources, ConfigProblem> {
    let Some(node) = fields.get("resources") else { return Ok(QueueResources::default()) };
    let inner = YamlFields::of(node, &format!("{} resources", fields.location), &["guaranteed", "max"])?;
    let mut amounts = |key: &str| {
        let place = format!("{} resources.{key}", fields.location);
        let mut amounts = Vec::new();
        let entries = inner.get(key).map(|node| map(node, &place)).transpose()?.unwrap_or_default();
        for YamlEntry { key: resource, line, node } in entries {
            let text = scalar(node, &place, resource)?;
            let place = format!("{place}.{resource}");
            let amount = quantity::read(resource, &text, *line).map_err(|mistake| mistake.at(&place))?;
            if resource == "cpu" {
                let message = "pods never request `cpu` here: YuniKorn's name is `vcore`";
                warnings.push(ConfigProblem::new(*line, message, "write `vcore`").at(&place));
            } else {
                amounts.push(amount);
            }
        }
        Ok(amounts)
    };
    Ok(QueueResources { guaranteed: amounts("guaranteed")?, max: amounts("max")? })
}

/// Reads the properties that have an effect, with warnings about invalid values. The others are not checked: about the delay of a queue that takes no
/// pods, and about the policy of the root, no message is logged (design, Queue Configuration).
fn read_properties(
    fields: &YamlFields<'_>,
    has_effect: impl Fn(&str) -> bool,
    warnings: &mut Vec<ConfigProblem>,
) -> Result<BTreeMap<String, String>, ConfigProblem> {
    let mut texts = fields.texts("properties")?;
    for entry in fields.get("properties").map(|node| map(node, &fields.location)).transpose()?.unwrap_or_default() {
        let value = texts.get(&entry.key).map(String::as_str).unwrap_or_default();
        let problem = properties::check(&entry.key, value);
        if let Some(problem) = problem.filter(|_| has_effect(&entry.key)) {
            let place = format!("{} properties.{}", fields.location, entry.key);
            warnings.push(ConfigProblem::new(entry.line, problem.message, problem.remedy).at(&place));
        }
    }
    texts.retain(|key, _| has_effect(key));
    Ok(texts)
}
