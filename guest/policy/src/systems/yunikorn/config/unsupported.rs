//! Upstream features that are not supported here. They are parsed strictly, and a warning says that they have no effect.

use super::fields::{YamlFields, map, scalar};
use super::yaml::YamlNode;
use super::{ConfigProblem, quantity};

/// The reason why settings about users have no effect.
const USERS: &str = "the user of a pod is not known";

/// Reads the limits of users and groups, and warns that each has no effect.
pub fn limits(fields: &YamlFields<'_>, warnings: &mut Vec<ConfigProblem>) -> Result<(), ConfigProblem> {
    for node in fields.list("limits")? {
        let place = format!("{} limits", fields.location);
        let limit = YamlFields::of(node, &place, &["limit", "users", "groups", "maxresources", "maxapplications"])?;
        limit.number("maxapplications")?;
        let place = format!("{place}.maxresources");
        for entry in limit.get("maxresources").map(|node| map(node, &place)).transpose()?.unwrap_or_default() {
            let text = scalar(&entry.node, &place, &entry.key)?;
            let place = format!("{place}.{}", entry.key);
            quantity::read(&entry.key, &text, entry.line).map_err(|mistake| mistake.at(&place))?;
        }
        let message = format!("this limit is not supported: {USERS}");
        warnings.push(ConfigProblem::new(node.line, message, "bound the queue by `resources.max`").at(&limit.location));
    }
    Ok(())
}

/// Reads how many applications may run, and which users may submit them. Warns about each setting without an effect.
pub fn access(fields: &YamlFields<'_>, warnings: &mut Vec<ConfigProblem>) -> Result<(), ConfigProblem> {
    applications(fields, warnings)?;
    for key in ["adminacl", "submitacl"] {
        if let (Some(text), Some(node)) = (fields.text(key)?, fields.get(key))
            && text.trim() != "*"
        {
            let message = format!("`{text}` is not supported: {USERS}, so everyone has access");
            let place = format!("{} {key}", fields.location);
            warnings.push(ConfigProblem::new(node.line, message, "remove it, or write `*`").at(&place));
        }
    }
    Ok(())
}

/// Reads how many applications may run, and warns that the bound has no effect.
pub fn applications(fields: &YamlFields<'_>, warnings: &mut Vec<ConfigProblem>) -> Result<(), ConfigProblem> {
    const KEY: &str = "maxapplications";
    if let (1.., Some(node)) = (fields.number(KEY)?, fields.get(KEY)) {
        let message = "this bound is not supported: any number of applications may run";
        let place = format!("{} {KEY}", fields.location);
        warnings.push(ConfigProblem::new(node.line, message, "bound the queue by `resources.max`").at(&place));
    }
    Ok(())
}

/// Reads the order of nodes, and warns where it has no effect.
pub fn node_order(fields: &YamlFields<'_>, warnings: &mut Vec<ConfigProblem>) -> Result<(), ConfigProblem> {
    let Some(node) = fields.get("nodesortpolicy") else { return Ok(()) };
    let policy = YamlFields::of(node, "partition nodesortpolicy", &["type", "resourceweights"])?;
    let unsupported = |line, text: &str| {
        let message = format!("{text} is not supported: the host chooses among the nodes that fit a pod");
        ConfigProblem::new(line, message, "remove it, or write `type: fair`").at(&policy.location)
    };
    match policy.text("type")?.map(str::to_lowercase).as_deref() {
        None | Some("" | "fair") => {}
        Some("binpacking") => warnings.push(unsupported(node.line, "`binpacking`")),
        Some(other) => {
            let message = format!("`{other}` of key `type` is not a node order");
            return Err(ConfigProblem::new(node.line, message, "write fair or binpacking").at(&policy.location));
        }
    }
    if let Some(node) = policy.get("resourceweights") {
        warnings.push(unsupported(node.line, "key `resourceweights`"));
    }
    Ok(())
}

/// Warns about placement rules and filters that need data which pods do not have.
pub fn placement(
    fields: &YamlFields<'_>,
    (name, value): (&str, &str),
    line: usize,
    warnings: &mut Vec<ConfigProblem>,
) -> Result<(), ConfigProblem> {
    let ineffective = match name {
        "user" => Some(format!("placement rule `user` finds no queue: {USERS}")),
        "recovery" => Some("placement rule `recovery` finds no queue: there is no forced recovery".to_owned()),
        "tag" if value != "namespace" => {
            Some(format!("placement rule `tag` finds no queue: pods have no tag `{value}`"))
        }
        _ => None,
    };
    if let Some(message) = ineffective {
        let remedy = "use rule `provided`, `fixed`, or `tag` with value `namespace`";
        warnings.push(ConfigProblem::new(line, message, remedy).at(&fields.location));
    }
    let filter = |node: &YamlNode| {
        let place = format!("{} filter", fields.location);
        YamlFields::of(node, &place, &["type", "users", "groups"]).map(|_| ())?;
        let message =
            format!("the filter of placement rule `{name}` is not supported: {USERS}, so the rule applies to everyone");
        Ok(ConfigProblem::new(node.line, message, "remove it").at(&place))
    };
    warnings.extend(fields.get("filter").map(filter).transpose()?);
    Ok(())
}
