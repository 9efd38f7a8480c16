//! What there is to say under a code: which of its sentences it is, and the facts in it. Nothing is put into words here.

use super::Rule;
use crate::contract::{Amount, Fact, FactValue, Reason};
use crate::model::{JobKey, NodeIx, PodIx, ResourceIx};

/// Which of the sentences of a code it is, and the facts in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Detail {
    case: &'static str,
    facts: Vec<Fact>,
}

impl Detail {
    /// The case of this name.
    pub fn case(case: &'static str) -> Detail {
        Detail { case, facts: Vec::new() }
    }

    /// Returns whether a law says this in such a case.
    pub fn is_of(&self, case: &str) -> bool {
        self.case == case
    }

    /// The same as a reason under this code.
    pub fn reason(self, code: &str) -> Reason {
        Reason { code: code.to_owned(), case: self.case.to_owned(), facts: self.facts }
    }

    /// Under these circumstances: those of the engine's reason whose clause stands before the sentence.
    pub fn within(self, context: &Rule) -> Detail {
        self.text("context", context.code)
    }

    /// An amount of a resource; several under one name are one fact.
    pub fn amount(mut self, name: &str, resource: ResourceIx, value: i64) -> Detail {
        let amount = Amount { resource: resource.0, value };
        match self.facts.iter_mut().find(|fact| fact.name == name).map(|fact| &mut fact.value) {
            Some(FactValue::Amounts(amounts)) => amounts.push(amount),
            _ => return self.fact(name, FactValue::Amounts(vec![amount])),
        }
        self
    }

    /// A number of things, or a priority.
    pub fn count(self, name: &str, count: impl TryInto<i64>) -> Detail {
        self.fact(name, FactValue::Count(count.try_into().unwrap_or(i64::MAX)))
    }

    /// A length of time in nanoseconds.
    pub fn duration(self, name: &str, nanoseconds: i64) -> Detail {
        self.fact(name, FactValue::Duration(nanoseconds))
    }

    /// A pod.
    pub fn pod(self, name: &str, pod: PodIx) -> Detail {
        self.fact(name, FactValue::Pod(pod.0))
    }

    /// A node.
    pub fn node(self, name: &str, node: NodeIx) -> Detail {
        self.fact(name, FactValue::Node(node.0))
    }

    /// A queue.
    pub fn queue(self, name: &str, queue: &str) -> Detail {
        self.fact(name, FactValue::Queue(queue.to_owned()))
    }

    /// A job or gang.
    pub fn job(self, name: &str, (namespace, job): &JobKey) -> Detail {
        self.fact(name, FactValue::Job(format!("{namespace}/{job}")))
    }

    /// A name, or a list of names.
    pub fn text(self, name: &str, text: impl Into<String>) -> Detail {
        self.fact(name, FactValue::Text(text.into()))
    }

    fn fact(mut self, name: &str, value: FactValue) -> Detail {
        self.facts.push(Fact { name: name.to_owned(), value });
        self
    }
}
