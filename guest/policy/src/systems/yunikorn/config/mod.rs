//! `queues.yaml`: the partition, its placement rules and its tree of queues.
//!
//! Read in three steps: [`yaml`] knows lines and no meaning, [`decode`] knows the keys, [`check`] the rules of the tree. The first mistake
//! makes the whole configuration unusable, as it does upstream (`pkg/common/configs`, `configvalidator.go`): the last good one stays in
//! force. What is known to upstream and not built here is told.
//!
//! A `preemption.delay` that is no duration of more than 0s is a mistake with a way out: the design has the default of 30s in its place
//! (Queue Configuration). So it is where there is nothing better, when the configuration is the first one; an update with such a delay
//! is as bad as any other, and the last good configuration stays in force.

pub mod check;
pub mod decode;
mod fields;
pub mod quantity;
pub mod queue;
mod unbuilt;
pub mod yaml;

use std::collections::BTreeMap;

/// What is wrong in a configuration, or is read in another way than its author may think.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The queue, or the part of the partition.
    pub place: String,
    /// The line within the text, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: &'static str,
    /// What counts in the place of what is wrong, where there is no good configuration to keep.
    pub instead: Option<&'static str>,
}

impl Mistake {
    /// A mistake of which only the line is known.
    pub fn new(line: usize, message: impl Into<String>, remedy: &'static str) -> Mistake {
        Mistake { place: String::new(), line, message: message.into(), remedy, instead: None }
    }

    /// The mistake with the place it stands at.
    pub fn at(self, place: &str) -> Mistake {
        Mistake { place: place.to_owned(), ..self }
    }

    /// The sentence: line, place, what.
    pub fn sentence(&self) -> String {
        match self.place.as_str() {
            "" => format!("line {}: {}", self.line, self.message),
            place => format!("line {}: `{place}`: {}", self.line, self.message),
        }
    }
}

/// An amount of a resource under the name Kubernetes has for it, and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    /// The resource.
    pub resource: String,
    /// How much, in the unit of the contract.
    pub amount: i64,
    /// The line.
    pub line: usize,
}

/// The bounds of a queue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resources {
    /// What it is guaranteed.
    pub guaranteed: Vec<Quantity>,
    /// What it never exceeds.
    pub max: Vec<Quantity>,
}

/// What queues that are made on demand get from the parent they are made under.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Template {
    /// Their bounds.
    pub resources: Resources,
    /// Their properties.
    pub properties: BTreeMap<String, String>,
}

/// A queue as it is configured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Queue {
    /// Its path from the root, in lower case.
    pub path: String,
    /// The line of its name.
    pub line: usize,
    /// It may have queues below it, and takes no pods itself.
    pub is_parent: bool,
    /// Its bounds.
    pub resources: Resources,
    /// Its properties.
    pub properties: BTreeMap<String, String>,
    /// What queues made below it get.
    pub template: Option<Template>,
    /// The queues below it.
    pub queues: Vec<Queue>,
}

/// A rule that finds the queue of an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its name: `provided`, `fixed`, `tag`, `user`.
    pub name: String,
    /// A queue that is not there is made.
    pub create: bool,
    /// What it goes by: the queue of `fixed`, the tag of `tag`.
    pub value: String,
    /// The rule that finds the parent.
    pub parent: Option<Box<Rule>>,
}

/// The default partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Nobody makes way but for a pod of a DaemonSet.
    pub frozen: bool,
    /// The placement rules, in order.
    pub rules: Vec<Rule>,
    /// The root queue.
    pub root: Queue,
}

impl Default for Config {
    /// The configuration upstream has built in: a queue for every namespace.
    fn default() -> Config {
        let rule = Rule { name: "tag".to_owned(), create: true, value: "namespace".to_owned(), parent: None };
        let root = Queue { path: "root".to_owned(), is_parent: true, ..Queue::default() };
        Config { frozen: false, rules: vec![rule], root }
    }
}

/// Reads a configuration. What is usable but may surprise its author is told, too.
pub fn read(text: &str) -> Result<(Config, Vec<Mistake>), Mistake> {
    let nothing = || Mistake::new(1, "there is nothing in it", "describe the partition `default` and its queues");
    let node = yaml::read(text)?.ok_or_else(nothing)?;
    let mut warnings = Vec::new();
    let config = decode::config(&node, &mut warnings)?;
    check::tree(&config.root)?;
    Ok((config, warnings))
}
