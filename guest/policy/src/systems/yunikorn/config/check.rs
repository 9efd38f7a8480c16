//! The rules of the tree: unique names, guarantees within maxima, children within their parents.

use std::collections::BTreeMap;

use super::{ConfigProblem, ConfiguredQueue, Quantity, QueueResources};
use crate::quantity::exact;

/// Amounts by resource.
type AmountsByName = BTreeMap<String, i64>;

/// Checks the whole tree.
pub fn tree(root: &ConfiguredQueue) -> Result<(), ConfigProblem> {
    if let Some(first) = root.resources.guaranteed.iter().chain(&root.resources.max).next() {
        let remedy = "remove them: the bounds of the root are the capacity of the nodes";
        return Err(ConfigProblem::new(first.line, "the root must not have resources set", remedy).at("root resources"));
    }
    queue(root, &AmountsByName::new()).map(|_| ())
}

/// Checks a queue under the maxima that it inherits. Returns its guarantee: its own amount, else the sum of its children.
fn queue(queue: &ConfiguredQueue, inherited: &AmountsByName) -> Result<AmountsByName, ConfigProblem> {
    let max = maxima(queue, inherited)?;
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut sum = AmountsByName::new();
    for child in &queue.queues {
        if let Some(first) = seen.insert(&child.path, child.line) {
            let message = format!("line {first} already has a queue of this name");
            let place = format!("{} name", child.path);
            return Err(
                ConfigProblem::new(child.line, message, "give each child of a parent a different name").at(&place)
            );
        }
        for (resource, guaranteed) in self::queue(child, &max)? {
            let entry = sum.entry(resource).or_default();
            *entry = entry.saturating_add(guaranteed);
        }
    }
    let own: AmountsByName = by_resource(&queue.resources.guaranteed);
    for (resource, sum) in &sum {
        let bounds = [
            ("guaranteed", "guarantee", own.get(resource), &queue.resources.guaranteed),
            ("max", "maximum", max.get(resource), &queue.resources.max),
        ];
        for (key, what, bound, written) in bounds {
            let Some(bound) = bound.filter(|bound| *bound < sum) else { continue };
            let (sum, bound) = (exact(resource, *sum), exact(resource, *bound));
            let line = written.iter().find(|quantity| quantity.resource == *resource).map_or(queue.line, |q| q.line);
            let message = format!("the guarantees of its children sum up to {sum}, more than its {what} {bound}");
            let remedy = "raise it, or lower the guarantees of its children";
            return Err(ConfigProblem::new(line, message, remedy).at(&location(&queue.path, key, resource)));
        }
    }
    if let Some(template) = &queue.template {
        let path = format!("{} childtemplate", queue.path);
        guaranteed_within_max(&template.resources, &by_resource(&template.resources.max), &path)?;
    }
    sum.extend(own);
    Ok(sum)
}

/// Returns the maxima in force for a queue: its own and the inherited ones. Its own must not exceed the inherited ones.
fn maxima(queue: &ConfiguredQueue, inherited: &AmountsByName) -> Result<AmountsByName, ConfigProblem> {
    for Quantity { resource, amount: own, line } in &queue.resources.max {
        if let Some(bound) = inherited.get(resource).filter(|bound| *bound < own) {
            let (own, bound) = (exact(resource, *own), exact(resource, *bound));
            let message = format!("{own} is more than the maximum {bound} of an ancestor");
            let place = location(&queue.path, "max", resource);
            return Err(ConfigProblem::new(*line, message, "lower it, or raise the maximum of the ancestor").at(&place));
        }
    }
    let mut max = inherited.clone();
    max.extend(by_resource(&queue.resources.max));
    guaranteed_within_max(&queue.resources, &max, &queue.path)?;
    Ok(max)
}

fn guaranteed_within_max(resources: &QueueResources, max: &AmountsByName, path: &str) -> Result<(), ConfigProblem> {
    for Quantity { resource, amount: guaranteed, line } in &resources.guaranteed {
        if let Some(max) = max.get(resource).filter(|max| *max < guaranteed) {
            let (guaranteed, max) = (exact(resource, *guaranteed), exact(resource, *max));
            let message = format!("{guaranteed} is more than the maximum {max}");
            let place = location(path, "guaranteed", resource);
            return Err(ConfigProblem::new(*line, message, "lower the guarantee, or raise the maximum").at(&place));
        }
    }
    Ok(())
}

/// Returns the queue and the key of an amount for a message, with YuniKorn's name of the resource.
fn location(path: &str, key: &str, resource: &str) -> String {
    format!("{path} resources.{key}.{}", if resource == "cpu" { "vcore" } else { resource })
}

fn by_resource(quantities: &[Quantity]) -> AmountsByName {
    quantities.iter().map(|quantity| (quantity.resource.clone(), quantity.amount)).collect()
}
