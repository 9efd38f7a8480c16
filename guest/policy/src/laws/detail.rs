//! The detail of a reason under its code: the case, which chooses the sentence, and the facts in that sentence. No sentence is made here.

use super::ActiveLaw;
use crate::contract::{Amount, Fact, FactValue, Reason};
use crate::model::{JobKey, NodeIx, PodIx, ResourceIx};

/// The case of a reason, which chooses one of the sentences of its code, and the facts in the sentence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReasonFacts {
    case: &'static str,
    facts: Vec<Fact>,
}

impl ReasonFacts {
    /// Creates a detail of this case, without facts.
    pub fn case(case: &'static str) -> ReasonFacts {
        ReasonFacts { case, facts: Vec::new() }
    }

    /// Returns whether this is the case of the detail.
    pub fn has_case(&self, case: &str) -> bool {
        self.case == case
    }

    /// Converts the detail into a reason with this code.
    pub fn reason(self, code: &str) -> Reason {
        Reason { code: code.to_owned(), case: self.case.to_owned(), facts: self.facts }
    }

    /// Adds a context: the code of an engine reason whose clause is shown before the sentence.
    pub fn with_context(self, context: &ActiveLaw) -> ReasonFacts {
        self.text("context", context.code)
    }

    /// Adds an amount of a resource. Amounts under one name form one fact.
    pub fn amount(mut self, name: &str, resource: ResourceIx, value: i64) -> ReasonFacts {
        let amount = Amount { resource: resource.0, value };
        match self.facts.iter_mut().find(|fact| fact.name == name).map(|fact| &mut fact.value) {
            Some(FactValue::Amounts(amounts)) => amounts.push(amount),
            _ => return self.fact(name, FactValue::Amounts(vec![amount])),
        }
        self
    }

    /// Adds a count, or a priority.
    pub fn count(self, name: &str, count: impl TryInto<i64>) -> ReasonFacts {
        self.fact(name, FactValue::Count(count.try_into().unwrap_or(i64::MAX)))
    }

    /// Adds a length of time, in nanoseconds.
    pub fn duration(self, name: &str, nanoseconds: i64) -> ReasonFacts {
        self.fact(name, FactValue::Duration(nanoseconds))
    }

    /// Adds a pod.
    pub fn pod(self, name: &str, pod: PodIx) -> ReasonFacts {
        self.fact(name, FactValue::Pod(pod.0))
    }

    /// Adds a node.
    pub fn node(self, name: &str, node: NodeIx) -> ReasonFacts {
        self.fact(name, FactValue::Node(node.0))
    }

    /// Adds a queue.
    pub fn queue(self, name: &str, queue: &str) -> ReasonFacts {
        self.fact(name, FactValue::Queue(queue.to_owned()))
    }

    /// Adds a job or gang.
    pub fn job(self, name: &str, (namespace, job): &JobKey) -> ReasonFacts {
        self.fact(name, FactValue::Job(format!("{namespace}/{job}")))
    }

    /// Adds a name, or a list of names.
    pub fn text(self, name: &str, text: impl Into<String>) -> ReasonFacts {
        self.fact(name, FactValue::Text(text.into()))
    }

    fn fact(mut self, name: &str, value: FactValue) -> ReasonFacts {
        self.facts.push(Fact { name: name.to_owned(), value });
        self
    }
}
