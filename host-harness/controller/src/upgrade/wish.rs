//! Wishes for a policy: a component, its arguments, and the terms on which it takes over.

use lictor_host::replace::ReplacementTerms;
use serde::{Deserialize, Serialize};

/// A wish for a policy to be in force.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReplacementRequest {
    /// The component: a file of the machine of the process, or one of a registry, `oci://...`; `embedded` for that of the process.
    pub component: String,
    /// The bytes of the component, where they came with the wish. `component` is its name for people, then.
    #[serde(skip)]
    pub bytes: Option<Vec<u8>>,
    /// The arguments, a YAML or JSON mapping. `None`: those in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// The terms of the replacement.
    #[serde(default)]
    pub on: TermOverrides,
}

/// The terms of a replacement, where they differ from those of the process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TermOverrides {
    /// Seconds for which the policy is compared before it takes over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow: Option<u32>,
    /// Seconds for which the old policy is kept afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<u32>,
    /// The number of answers that may differ, before and after the switch each; `u64::MAX` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow: Option<u64>,
    /// The number of answers that must have been compared before the policy takes over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<u64>,
    /// Seconds for which missing answers are waited for beyond `shadow`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<u32>,
}

impl TermOverrides {
    /// Returns the terms, with those of the process for what is not set.
    pub fn terms(self, own: DefaultTerms) -> ReplacementTerms {
        ReplacementTerms::in_seconds(
            self.shadow.unwrap_or(own.shadow),
            self.watch.unwrap_or(own.watch),
            self.allow.unwrap_or(own.allow),
            self.answers.unwrap_or(own.answers),
            self.patience.unwrap_or(own.patience),
        )
    }
}

/// The terms of the process.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "as in `On`")]
pub struct DefaultTerms {
    pub shadow: u32,
    pub watch: u32,
    pub allow: u64,
    pub answers: u64,
    pub patience: u32,
}

#[cfg(test)]
mod tests {
    use lictor_host::replace::Period;

    use super::*;

    #[test]
    fn what_a_wish_does_not_say_is_as_the_process_was_told() {
        let own = DefaultTerms { shadow: 5, watch: 60, allow: 2, answers: 1, patience: 600 };
        let asked = TermOverrides { shadow: Some(7), patience: Some(3), ..TermOverrides::default() };
        let ReplacementTerms { shadow, watch, allowed, answers, at_most } = asked.terms(own);
        let seconds = |seconds: i64| Period::Nanoseconds(seconds * 1_000_000_000);
        assert_eq!((shadow, watch, allowed, answers, at_most), (seconds(7), seconds(60), 2, 1, seconds(10)));
    }
}
