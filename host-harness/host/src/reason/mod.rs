//! Reasons with names and sentences. This is the only place where a sentence is made.
//!
//! A policy gives reasons as data, and a template for each kind of reason. The numbers of a reason become names when the reason is received, because
//! the same number may name another pod later. The data stay next to the sentence.

mod fact;
mod fold;
mod host;
mod template;
#[cfg(test)]
mod tests;
#[cfg(feature = "typescript")]
mod typescript;

use std::sync::Arc;

use lictor_contract::{Reason, Template};
use serde::{Serialize, Serializer};

use crate::cluster::Mirror;
pub(crate) use fact::time;
pub use fact::{NamedFact, NamedFactValue, NumberRange};
pub use fold::{FoldKey, fold};
pub use host::{HostRule, host_rules, host_templates, render};
use template::Pattern;

/// The fact that names the template of a clause before the sentence.
const CONTEXT: &str = "context";

/// The reason of a decision, with names in place of numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedReason {
    /// The code of the law, or of the rule of the policy's engine or of the host.
    pub code: String,
    /// The case: which sentence of the code applies. Empty where there is only one.
    pub case: String,
    /// The facts.
    pub facts: Vec<NamedFact>,
    /// The sentence.
    pub message: String,
    /// The templates of the sentence: that of the clause before it, where there is one, and its own.
    patterns: Vec<Arc<Pattern>>,
}

impl NamedReason {
    /// Returns whether the sentence is made by a template.
    pub fn has_template(&self) -> bool {
        !self.patterns.is_empty()
    }

    /// Puts a clause before the sentence, and adds the facts of the clause.
    pub fn with_context(mut self, clause: NamedReason) -> NamedReason {
        self.message = format!("{}: {}", clause.message, self.message);
        self.patterns.splice(0..0, clause.patterns);
        self.facts.extend(clause.facts);
        self
    }
}

/// A reason in its JSON form.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Reason"))]
struct ReasonJson<'a> {
    /// The code, under the older name of the field.
    law: &'a str,
    /// The sentence.
    message: &'a str,
    /// The code of the law, or of the rule of the policy's engine or of the host.
    code: &'a str,
    /// The case: which sentence of the code applies, where there are several.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    case: &'a str,
    /// The facts, by name.
    #[cfg_attr(feature = "typescript", ts(as = "std::collections::BTreeMap<String, NamedFactValue>"))]
    facts: fact::FactsByName<'a>,
}

impl Serialize for NamedReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let NamedReason { code, case, facts, message, .. } = self;
        ReasonJson { law: code, message, code, case, facts: fact::FactsByName(facts) }.serialize(serializer)
    }
}

/// The sentence templates of a system, or those of the host.
#[derive(Debug, Clone, Default)]
pub struct MessageTemplates(Vec<(String, String, Arc<Pattern>)>);

impl MessageTemplates {
    /// Parses the templates of a system.
    pub fn new(templates: impl IntoIterator<Item = Template>) -> MessageTemplates {
        let parsed = |template: Template| (template.code, template.case, Arc::new(Pattern::parse(&template.text)));
        MessageTemplates(templates.into_iter().map(parsed).collect())
    }

    /// Returns whether a template exists for this code and case.
    pub fn has(&self, code: &str, case: &str) -> bool {
        self.of(code, case).is_some()
    }

    fn of(&self, code: &str, case: &str) -> Option<&Arc<Pattern>> {
        self.0.iter().find(|(of_code, of_case, _)| of_code == code && of_case == case).map(|(_, _, pattern)| pattern)
    }

    /// Converts a reason of the policy: numbers become names, and the sentence is added.
    pub fn name(&self, reason: Reason, mirror: &Mirror) -> NamedReason {
        let Reason { code, case, facts } = reason;
        self.render(code, case, facts.into_iter().map(|fact| NamedFact::named(fact, mirror)).collect())
    }

    /// Returns a reason of these facts, with its sentence.
    pub fn render(&self, code: impl Into<String>, case: impl Into<String>, facts: Vec<NamedFact>) -> NamedReason {
        let (code, case) = (code.into(), case.into());
        let clause = facts.iter().find(|fact| fact.name == CONTEXT).and_then(|fact| self.of(fact.value.as_name()?, ""));
        let own = self.of(&code, &case);
        let wording: Vec<Arc<Pattern>> = clause.filter(|_| own.is_some()).into_iter().chain(own).cloned().collect();
        let message = sentence(&wording, &case, &facts);
        NamedReason { code, case, facts, message, patterns: wording }
    }
}

/// Returns the sentence of facts. Without a template, lists the facts; without facts, returns the case.
fn sentence(wording: &[Arc<Pattern>], case: &str, facts: &[NamedFact]) -> String {
    match (wording, facts) {
        ([], []) => case.to_owned(),
        ([], facts) => template::list_facts(facts),
        (wording, facts) => wording.iter().map(|part| part.render(facts)).collect::<Vec<_>>().join(": "),
    }
}
