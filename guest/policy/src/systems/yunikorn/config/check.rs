//! The rules of the tree: names once, guarantees within maxima, children within their parents.

use std::collections::BTreeMap;

use super::{Mistake, Quantity, Queue, Resources};
use crate::quantity::exact;

/// What a queue guarantees to those above it, by resource.
type Amounts = BTreeMap<String, i64>;

/// Checks the whole tree.
pub fn tree(root: &Queue) -> Result<(), Mistake> {
    if let Some(first) = root.resources.guaranteed.iter().chain(&root.resources.max).next() {
        let remedy = "remove them: the root has what the nodes have";
        return Err(Mistake::new(first.line, "the root must not have resources set", remedy).at("root resources"));
    }
    queue(root, &Amounts::new()).map(|_| ())
}

/// Checks a queue under the maxima it inherits. What it guarantees: its own amount, else what its children are guaranteed in sum.
fn queue(queue: &Queue, inherited: &Amounts) -> Result<Amounts, Mistake> {
    let max = maxima(queue, inherited)?;
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut sum = Amounts::new();
    for child in &queue.queues {
        if let Some(first) = seen.insert(&child.path, child.line) {
            let message = format!("there is a queue of this name already, on line {first}");
            let place = format!("{} name", child.path);
            return Err(
                Mistake::new(child.line, message, "give each queue below a parent a name of its own").at(&place)
            );
        }
        for (resource, guaranteed) in self::queue(child, &max)? {
            let entry = sum.entry(resource).or_default();
            *entry = entry.saturating_add(guaranteed);
        }
    }
    let own: Amounts = by_resource(&queue.resources.guaranteed);
    for (resource, sum) in &sum {
        let bounds = [
            ("guaranteed", "is guaranteed", own.get(resource), &queue.resources.guaranteed),
            ("max", "may have at most", max.get(resource), &queue.resources.max),
        ];
        for (key, what, bound, written) in bounds {
            let Some(bound) = bound.filter(|bound| *bound < sum) else { continue };
            let (sum, bound) = (exact(resource, *sum), exact(resource, *bound));
            let line = written.iter().find(|quantity| quantity.resource == *resource).map_or(queue.line, |q| q.line);
            let message = format!("its children are guaranteed {sum} in sum, it {what} {bound}");
            let remedy = "raise it, or lower those of its children";
            return Err(Mistake::new(line, message, remedy).at(&place(&queue.path, key, resource)));
        }
    }
    if let Some(template) = &queue.template {
        let path = format!("{} childtemplate", queue.path);
        guaranteed_within_max(&template.resources, &by_resource(&template.resources.max), &path)?;
    }
    sum.extend(own);
    Ok(sum)
}

/// The maxima in force for a queue: its own, which must not exceed the inherited ones, and those.
fn maxima(queue: &Queue, inherited: &Amounts) -> Result<Amounts, Mistake> {
    for Quantity { resource, amount: own, line } in &queue.resources.max {
        if let Some(bound) = inherited.get(resource).filter(|bound| *bound < own) {
            let (own, bound) = (exact(resource, *own), exact(resource, *bound));
            let message = format!("{own} is more than the {bound} of a queue above it");
            let place = place(&queue.path, "max", resource);
            return Err(Mistake::new(*line, message, "lower it, or raise the maximum above").at(&place));
        }
    }
    let mut max = inherited.clone();
    max.extend(by_resource(&queue.resources.max));
    guaranteed_within_max(&queue.resources, &max, &queue.path)?;
    Ok(max)
}

fn guaranteed_within_max(resources: &Resources, max: &Amounts, path: &str) -> Result<(), Mistake> {
    for Quantity { resource, amount: guaranteed, line } in &resources.guaranteed {
        if let Some(max) = max.get(resource).filter(|max| *max < guaranteed) {
            let (guaranteed, max) = (exact(resource, *guaranteed), exact(resource, *max));
            let message = format!("{guaranteed} is more than the maximum {max}");
            let place = place(path, "guaranteed", resource);
            return Err(Mistake::new(*line, message, "lower the guarantee, or raise the maximum").at(&place));
        }
    }
    Ok(())
}

/// Queue and key of an amount, under the name YuniKorn has for the resource.
fn place(path: &str, key: &str, resource: &str) -> String {
    format!("{path} resources.{key}.{}", if resource == "cpu" { "vcore" } else { resource })
}

fn by_resource(quantities: &[Quantity]) -> Amounts {
    quantities.iter().map(|quantity| (quantity.resource.clone(), quantity.amount)).collect()
}
