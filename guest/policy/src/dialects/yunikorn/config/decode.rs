//! Which keys there are and what they hold. Strict: a key that is not known is a mistake.

use std::collections::BTreeMap;

use super::yaml::{Entry, Node, Value};
use super::{Config, Mistake, Queue, Resources, Rule, Template, quantity};

/// A map that is read key by key.
struct Fields<'a> {
    place: String,
    entries: &'a [Entry],
}

impl<'a> Fields<'a> {
    /// The map, none of whose keys is unknown.
    fn of(node: &'a Node, place: &str, known: &[&str]) -> Result<Fields<'a>, Mistake> {
        let entries = map(node, place)?;
        if let Some(entry) = entries.iter().find(|entry| !known.contains(&entry.key.as_str())) {
            let message = format!("there is no key `{}` here, only {}", entry.key, known.join(", "));
            return Err(Mistake::new(entry.line, message, "correct or remove the key").at(place));
        }
        Ok(Fields { place: place.to_owned(), entries })
    }

    fn get(&self, key: &str) -> Option<&'a Node> {
        let entry = self.entries.iter().find(|entry| entry.key == key);
        entry.map(|entry| &entry.node).filter(|node| !matches!(node.value, Value::Null))
    }

    fn text(&self, key: &str) -> Result<Option<&'a str>, Mistake> {
        self.get(key).map(|node| text(node, &format!("{} {key}", self.place))).transpose()
    }

    fn flag(&self, key: &str) -> Result<Option<bool>, Mistake> {
        let Some(node) = self.get(key) else { return Ok(None) };
        match text(node, &self.place)? {
            "true" | "True" | "TRUE" => Ok(Some(true)),
            "false" | "False" | "FALSE" => Ok(Some(false)),
            other => {
                let message = format!("`{other}` of key `{key}` is neither true nor false");
                Err(Mistake::new(node.line, message, "write true or false").at(&self.place))
            }
        }
    }

    /// A whole number of which nothing but that it is one matters here.
    fn number(&self, key: &str) -> Result<(), Mistake> {
        match self.get(key).map(|node| Ok((node, text(node, &self.place)?))).transpose()? {
            Some((node, text)) if text.parse::<u64>().is_err() => {
                let message = format!("`{text}` of key `{key}` is no whole number of 0 or more");
                Err(Mistake::new(node.line, message, "write a whole number").at(&self.place))
            }
            _ => Ok(()),
        }
    }

    fn list(&self, key: &str) -> Result<&'a [Node], Mistake> {
        match self.get(key) {
            None => Ok(&[]),
            Some(Node { value: Value::List(list), .. }) => Ok(list),
            Some(node) => {
                let message = format!("key `{key}` is not a list");
                Err(Mistake::new(node.line, message, "write its entries as `- ...`").at(&self.place))
            }
        }
    }

    fn texts(&self, key: &str) -> Result<BTreeMap<String, String>, Mistake> {
        let Some(node) = self.get(key) else { return Ok(BTreeMap::new()) };
        let pair = |entry: &Entry| Ok((entry.key.clone(), scalar(&entry.node, &self.place, &entry.key)?));
        map(node, &self.place)?.iter().map(pair).collect()
    }
}

/// The entry before this one that has the same key.
fn twin(entries: &[Entry], at: usize) -> Option<&Entry> {
    let key = &entries.get(at)?.key;
    entries.iter().take(at).find(|entry| entry.key == *key)
}

fn map<'a>(node: &'a Node, place: &str) -> Result<&'a [Entry], Mistake> {
    match &node.value {
        Value::Map(entries) => {
            match entries.iter().enumerate().find_map(|(at, entry)| Some((twin(entries, at)?, entry))) {
                Some((first, entry)) => {
                    let message = format!("key `{}` stands there twice, first on line {}", entry.key, first.line);
                    Err(Mistake::new(entry.line, message, "remove one of them").at(place))
                }
                None => Ok(entries),
            }
        }
        _ => Err(Mistake::new(node.line, "these are not keys and values", "write `key: value` pairs").at(place)),
    }
}

fn text<'a>(node: &'a Node, place: &str) -> Result<&'a str, Mistake> {
    match &node.value {
        Value::Scalar(text) => Ok(text),
        _ => Err(Mistake::new(node.line, "this is not a single value", "write one value").at(place)),
    }
}

/// A value as a text; nothing is the empty text.
fn scalar(node: &Node, place: &str, key: &str) -> Result<String, Mistake> {
    match &node.value {
        Value::Null => Ok(String::new()),
        _ => text(node, &format!("{place} {key}")).map(str::to_owned),
    }
}

/// Reads a configuration.
pub fn config(node: &Node, warnings: &mut Vec<Mistake>) -> Result<Config, Mistake> {
    let fields = Fields::of(node, "", &["partitions", "checksum"])?;
    let mut default = None;
    let mut seen: Vec<String> = Vec::new();
    for node in fields.list("partitions")? {
        const KEYS: [&str; 7] =
            ["name", "queues", "placementrules", "limits", "preemption", "nodesortpolicy", "usergroupresolver"];
        let fields = Fields::of(node, "partition", &KEYS)?;
        let name = fields.text("name")?.unwrap_or("default").to_lowercase();
        if seen.contains(&name) {
            let message = format!("there is a partition `{name}` already");
            return Err(Mistake::new(node.line, message, "give each partition a name of its own"));
        }
        let partition = partition(&fields, warnings)?;
        if name == "default" {
            default = Some(partition);
        } else {
            let message = format!("partition `{name}` is not used: all nodes and pods are of partition `default`");
            warnings.push(Mistake::new(node.line, message, "describe the queues of partition `default`"));
        }
        seen.push(name);
    }
    let missing = || Mistake::new(node.line, "there is no partition `default`", "add it below `partitions`");
    default.ok_or_else(missing)
}

fn partition(fields: &Fields<'_>, warnings: &mut Vec<Mistake>) -> Result<Config, Mistake> {
    let frozen = match fields.get("preemption") {
        None => false,
        Some(node) => {
            let fields = Fields::of(node, "partition preemption", &["enabled", "quotapreemptionenabled"])?;
            fields.flag("quotapreemptionenabled")?;
            fields.flag("enabled")? == Some(false)
        }
    };
    if let Some(node) = fields.get("nodesortpolicy") {
        Fields::of(node, "partition nodesortpolicy", &["type", "resourceweights"])?;
    }
    limits(fields)?;
    let rules: Vec<Rule> =
        fields.list("placementrules")?.iter().map(|node| rule(node, warnings)).collect::<Result<_, _>>()?;
    let provided = || Rule { name: "provided".to_owned(), create: false, value: String::new(), parent: None };
    let rules = if rules.is_empty() { vec![provided()] } else { rules };
    Ok(Config { frozen, rules, root: root(fields, warnings)? })
}

fn rule(node: &Node, warnings: &mut Vec<Mistake>) -> Result<Rule, Mistake> {
    let fields = Fields::of(node, "placement rule", &["name", "create", "filter", "parent", "value"])?;
    if let Some(node) = fields.get("filter") {
        Fields::of(node, "placement rule filter", &["type", "users", "groups"])?;
    }
    let nameless = || Mistake::new(node.line, "a placement rule has no name", "name it, such as `provided`");
    let name = fields.text("name")?.ok_or_else(nameless)?.to_lowercase();
    match name.as_str() {
        "provided" | "fixed" | "tag" => {}
        "user" | "recovery" => {
            let message = format!("placement rule `{name}` finds no queue here: the user of a pod is not known");
            warnings.push(Mistake::new(node.line, message, "add rule `provided`, `fixed` or `tag`"));
        }
        _ => {
            let message = format!("there is no placement rule `{name}`, only provided, fixed, tag, user, recovery");
            return Err(Mistake::new(node.line, message, "correct its name"));
        }
    }
    let value = fields.text("value")?.unwrap_or_default().to_lowercase();
    if matches!(name.as_str(), "fixed" | "tag") && value.is_empty() {
        let message = format!("placement rule `{name}` has no value");
        return Err(Mistake::new(node.line, message, "add `value:`"));
    }
    let parent = fields.get("parent").map(|node| rule(node, warnings)).transpose()?.map(Box::new);
    Ok(Rule { name, create: fields.flag("create")?.unwrap_or(false), value, parent })
}

/// The root: the one queue of that name, or one above all that there are.
fn root(fields: &Fields<'_>, warnings: &mut Vec<Mistake>) -> Result<Queue, Mistake> {
    let list = fields.list("queues")?;
    let is_root = |node: &&Node| match &node.value {
        Value::Map(entries) => entries.iter().any(|entry| {
            entry.key == "name" && matches!(&entry.node.value, Value::Scalar(name) if name.to_lowercase() == "root")
        }),
        _ => false,
    };
    let root = match (list, list.iter().find(is_root)) {
        ([only], Some(_)) => queue(only, "", warnings)?,
        (_, Some(root)) => {
            let remedy = "put the other queues below it, or leave `root` out";
            return Err(Mistake::new(root.line, "`root` is not the only queue at the top", remedy).at("root"));
        }
        (_, None) => {
            let queues = list.iter().map(|node| queue(node, "root", warnings)).collect::<Result<_, _>>()?;
            Queue { path: "root".to_owned(), line: 1, queues, ..Queue::default() }
        }
    };
    Ok(Queue { is_parent: true, ..root })
}

fn queue(node: &Node, parent: &str, warnings: &mut Vec<Mistake>) -> Result<Queue, Mistake> {
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
    let (line, name) = (name.line, text(&name.node, parent)?.to_lowercase());
    let path = if parent.is_empty() { name.clone() } else { format!("{parent}.{name}") };
    if !is_name(&name) {
        let message = format!("`{name}` is no name of a queue");
        let remedy = "write 1 to 64 letters, digits or `_:#/@-`; levels are nested, not written with dots";
        return Err(Mistake::new(line, message, remedy).at(&path));
    }
    let fields = Fields::of(node, &path, &KEYS)?;
    fields.number("maxapplications")?;
    for key in ["adminacl", "submitacl"] {
        fields.text(key)?;
    }
    limits(&fields)?;
    let queues: Vec<Queue> =
        fields.list("queues")?.iter().map(|node| queue(node, &path, warnings)).collect::<Result<_, _>>()?;
    let is_parent = fields.flag("parent")?.unwrap_or(false) || !queues.is_empty();
    let template = fields.get("childtemplate").map(|node| template(node, &path, warnings)).transpose()?;
    if !is_parent && template.is_some() {
        let message = "the child template of a leaf is not used";
        warnings.push(Mistake::new(line, message, "add `parent: true`, or remove it").at(&path));
    }
    let properties = properties(&fields, warnings)?;
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
    fields.number("maxapplications")?;
    Ok(Template { resources: resources(&fields, warnings)?, properties: properties(&fields, warnings)? })
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

/// The properties; those that mean something here and do not say what they mean are told.
fn properties(fields: &Fields<'_>, warnings: &mut Vec<Mistake>) -> Result<BTreeMap<String, String>, Mistake> {
    let properties = fields.texts("properties")?;
    for entry in fields.get("properties").map(|node| map(node, &fields.place)).transpose()?.unwrap_or_default() {
        let value = properties.get(&entry.key).map(String::as_str).unwrap_or_default();
        if let Some((message, remedy)) = super::super::properties::complaint(&entry.key, value) {
            let place = format!("{} properties.{}", fields.place, entry.key);
            warnings.push(Mistake::new(entry.line, message, remedy).at(&place));
        }
    }
    Ok(properties)
}

fn limits(fields: &Fields<'_>) -> Result<(), Mistake> {
    for node in fields.list("limits")? {
        let place = format!("{} limits", fields.place);
        let limit = Fields::of(node, &place, &["limit", "users", "groups", "maxresources", "maxapplications"])?;
        limit.number("maxapplications")?;
        for (resource, text) in limit.texts("maxresources")? {
            quantity::read(&resource, &text, node.line).map_err(|mistake| mistake.at(&place))?;
        }
    }
    Ok(())
}
