//! What upstream has and these laws do not: it is read strictly, and its author is told that it has no effect.

use super::fields::{Fields, map, scalar};
use super::yaml::Node;
use super::{Mistake, quantity};

/// Who a pod's user is, and what that would decide.
const USERS: &str = "the user of a pod is not known here";

/// The limits of users and groups.
pub fn limits(fields: &Fields<'_>, warnings: &mut Vec<Mistake>) -> Result<(), Mistake> {
    for node in fields.list("limits")? {
        let place = format!("{} limits", fields.place);
        let limit = Fields::of(node, &place, &["limit", "users", "groups", "maxresources", "maxapplications"])?;
        limit.number("maxapplications")?;
        let place = format!("{place}.maxresources");
        for entry in limit.get("maxresources").map(|node| map(node, &place)).transpose()?.unwrap_or_default() {
            let text = scalar(&entry.node, &place, &entry.key)?;
            let place = format!("{place}.{}", entry.key);
            quantity::read(&entry.key, &text, entry.line).map_err(|mistake| mistake.at(&place))?;
        }
        let message = format!("this limit is not built: {USERS}");
        warnings.push(Mistake::new(node.line, message, "bound the queue by `resources.max`").at(&limit.place));
    }
    Ok(())
}

/// How many applications may run, and who may submit them.
pub fn access(fields: &Fields<'_>, warnings: &mut Vec<Mistake>) -> Result<(), Mistake> {
    applications(fields, warnings)?;
    for key in ["adminacl", "submitacl"] {
        if let (Some(text), Some(node)) = (fields.text(key)?, fields.get(key))
            && text.trim() != "*"
        {
            let message = format!("`{text}` is not built: {USERS}, and everybody has access");
            let place = format!("{} {key}", fields.place);
            warnings.push(Mistake::new(node.line, message, "remove it, or write `*`").at(&place));
        }
    }
    Ok(())
}

/// How many applications may run.
pub fn applications(fields: &Fields<'_>, warnings: &mut Vec<Mistake>) -> Result<(), Mistake> {
    const KEY: &str = "maxapplications";
    if let (1.., Some(node)) = (fields.number(KEY)?, fields.get(KEY)) {
        let message = "this bound is not built: any number of applications may run";
        let place = format!("{} {KEY}", fields.place);
        warnings.push(Mistake::new(node.line, message, "bound the queue by `resources.max`").at(&place));
    }
    Ok(())
}

/// In which order nodes are tried.
pub fn node_order(fields: &Fields<'_>, warnings: &mut Vec<Mistake>) -> Result<(), Mistake> {
    let Some(node) = fields.get("nodesortpolicy") else { return Ok(()) };
    let policy = Fields::of(node, "partition nodesortpolicy", &["type", "resourceweights"])?;
    let told = |line, text: &str| {
        let message = format!("{text} is not built: the host chooses among the nodes that take a pod");
        Mistake::new(line, message, "remove it, or write `type: fair`").at(&policy.place)
    };
    match policy.text("type")?.map(str::to_lowercase).as_deref() {
        None | Some("" | "fair") => {}
        Some("binpacking") => warnings.push(told(node.line, "`binpacking`")),
        Some(other) => {
            let message = format!("`{other}` of key `type` is no order of nodes");
            return Err(Mistake::new(node.line, message, "write fair or binpacking").at(&policy.place));
        }
    }
    if let Some(node) = policy.get("resourceweights") {
        warnings.push(told(node.line, "key `resourceweights`"));
    }
    Ok(())
}

/// Whether a maximum that is lowered evicts.
pub fn quota_preemption(fields: &Fields<'_>, warnings: &mut Vec<Mistake>) -> Result<(), Mistake> {
    const KEY: &str = "quotapreemptionenabled";
    if let (Some(true), Some(node)) = (fields.flag(KEY)?, fields.get(KEY)) {
        let message = format!("key `{KEY}` is not built: nobody is evicted because a maximum was lowered");
        warnings.push(Mistake::new(node.line, message, "remove it").at(&fields.place));
    }
    Ok(())
}

/// What a placement rule goes by that no pod says.
pub fn placement(
    fields: &Fields<'_>,
    (name, value): (&str, &str),
    line: usize,
    warnings: &mut Vec<Mistake>,
) -> Result<(), Mistake> {
    let nothing = match name {
        "user" => Some(format!("placement rule `user` finds no queue: {USERS}")),
        "recovery" => Some("placement rule `recovery` finds no queue: nothing is recovered by force here".to_owned()),
        "tag" if value != "namespace" => {
            Some(format!("placement rule `tag` finds no queue: no pod has a tag `{value}`"))
        }
        _ => None,
    };
    if let Some(message) = nothing {
        let remedy = "write rule `provided`, `fixed`, or `tag` with value `namespace`";
        warnings.push(Mistake::new(line, message, remedy).at(&fields.place));
    }
    let filter = |node: &Node| {
        let place = format!("{} filter", fields.place);
        Fields::of(node, &place, &["type", "users", "groups"]).map(|_| ())?;
        let message = format!("the filter of placement rule `{name}` is not built: {USERS}, and the rule is for all");
        Ok(Mistake::new(node.line, message, "remove it").at(&place))
    };
    warnings.extend(fields.get("filter").map(filter).transpose()?);
    Ok(())
}
