//! Decodes the partition: its keys and their values.

use super::fields::YamlFields;
use super::queue::queue;
use super::unsupported::{limits, node_order, placement};
use super::yaml::{YamlNode, YamlValue};
use super::{ConfigProblem, ConfiguredQueue, PartitionConfig, PlacementRule};

/// Reads a configuration.
pub fn config(node: &YamlNode, warnings: &mut Vec<ConfigProblem>) -> Result<PartitionConfig, ConfigProblem> {
    let fields = YamlFields::of(node, "", &["partitions", "checksum"])?;
    let mut default = None;
    let mut seen: Vec<String> = Vec::new();
    for node in fields.list("partitions")? {
        const KEYS: [&str; 7] =
            ["name", "queues", "placementrules", "limits", "preemption", "nodesortpolicy", "usergroupresolver"];
        let fields = YamlFields::of(node, "partition", &KEYS)?;
        let name = fields.text("name")?.unwrap_or("default").to_lowercase();
        if seen.contains(&name) {
            let message = format!("there are two partitions `{name}`");
            return Err(ConfigProblem::new(node.line, message, "give each partition a different name"));
        }
        let partition = partition(&fields, warnings)?;
        if name == "default" {
            default = Some(partition);
        } else {
            let message = format!("partition `{name}` is not used: all nodes and pods belong to partition `default`");
            warnings.push(ConfigProblem::new(node.line, message, "describe the queues of partition `default`"));
        }
        seen.push(name);
    }
    let missing = || ConfigProblem::new(node.line, "there is no partition `default`", "add it below `partitions`");
    default.ok_or_else(missing)
}

fn partition(fields: &YamlFields<'_>, warnings: &mut Vec<ConfigProblem>) -> Result<PartitionConfig, ConfigProblem> {
    let (preemption_disabled, quota_preemption) = match fields.get("preemption") {
        None => (false, false),
        Some(node) => {
            let fields = YamlFields::of(node, "partition preemption", &["enabled", "quotapreemptionenabled"])?;
            (fields.flag("enabled")? == Some(false), fields.flag("quotapreemptionenabled")? == Some(true))
        }
    };
    node_order(fields, warnings)?;
    limits(fields, warnings)?;
    let rules: Vec<PlacementRule> =
        fields.list("placementrules")?.iter().map(|node| rule(node, warnings)).collect::<Result<_, _>>()?;
    let provided = || PlacementRule { name: "provided".to_owned(), create: false, value: String::new(), parent: None };
    let rules = if rules.is_empty() { vec![provided()] } else { rules };
    Ok(PartitionConfig { preemption_disabled, quota_preemption, rules, root: root(fields, warnings)? })
}

fn rule(node: &YamlNode, warnings: &mut Vec<ConfigProblem>) -> Result<PlacementRule, ConfigProblem> {
    let fields = YamlFields::of(node, "placement rule", &["name", "create", "filter", "parent", "value"])?;
    let unnamed = || ConfigProblem::new(node.line, "a placement rule has no name", "add a name such as `provided`");
    let name = fields.text("name")?.ok_or_else(unnamed)?.to_lowercase();
    if !["provided", "fixed", "tag", "user", "recovery"].contains(&name.as_str()) {
        let message = format!("`{name}` is not a placement rule; known are provided, fixed, tag, user, recovery");
        return Err(ConfigProblem::new(node.line, message, "correct the name"));
    }
    let value = fields.text("value")?.unwrap_or_default().to_lowercase();
    if matches!(name.as_str(), "fixed" | "tag") && value.is_empty() {
        let message = format!("placement rule `{name}` has no value");
        return Err(ConfigProblem::new(node.line, message, "add `value:`"));
    }
    placement(&fields, (&name, &value), node.line, warnings)?;
    let parent = fields.get("parent").map(|node| rule(node, warnings)).transpose()?.map(Box::new);
    Ok(PlacementRule { name, create: fields.flag("create")?.unwrap_or(false), value, parent })
}

/// Decodes the root: the one queue of that name, or a new parent of all queues.
fn root(fields: &YamlFields<'_>, warnings: &mut Vec<ConfigProblem>) -> Result<ConfiguredQueue, ConfigProblem> {
    let list = fields.list("queues")?;
    let is_root = |node: &&YamlNode| match &node.value {
        YamlValue::Map(entries) => entries.iter().any(|entry| {
            entry.key == "name" && matches!(&entry.node.value, YamlValue::Scalar(name) if name.to_lowercase() == "root")
        }),
        _ => false,
    };
    let root = match (list, list.iter().find(is_root)) {
        ([only], Some(_)) => queue(only, "", warnings)?,
        (_, Some(root)) => {
            let remedy = "put the other queues below it, or remove `root`";
            return Err(ConfigProblem::new(root.line, "`root` is not the only top-level queue", remedy).at("root"));
        }
        (_, None) => {
            let queues = list.iter().map(|node| queue(node, "root", warnings)).collect::<Result<_, _>>()?;
            ConfiguredQueue { path: "root".to_owned(), line: 1, queues, ..ConfiguredQueue::default() }
        }
    };
    Ok(ConfiguredQueue { is_parent: true, ..root })
}
