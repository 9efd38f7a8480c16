//! What may be wished for: a component, its arguments, and on which terms it takes over.

use lictor_host::replace::{Period, Terms};
use serde::{Deserialize, Serialize};

/// A policy that somebody wants in force.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Wish {
    /// The component: a file of the machine of the process, or one of a registry, `oci://...`; `embedded` for that of the process.
    pub component: String,
    /// Its bytes, where they came with the wish. The component is what people call them, then.
    #[serde(skip)]
    pub bytes: Option<Vec<u8>>,
    /// Its arguments, a YAML or JSON mapping; none: those that are in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// On which terms.
    #[serde(default)]
    pub on: On,
}

/// On which terms, where they are others than those of the process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct On {
    /// For how many seconds it is compared before it takes over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow: Option<u32>,
    /// For how many seconds the old policy is kept afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<u32>,
    /// How many answers may decide otherwise, before and after the switch each; `u64::MAX` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow: Option<u64>,
    /// How many answers must have been compared before it takes over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<u64>,
    /// For how many seconds more they are waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<u32>,
}

/// A minute of shadow and of watch, no difference, one answer, and ten minutes more to wait for it.
const USUAL: (u32, u32, u64, u64, u32) = (60, 60, 0, 1, 600);

impl On {
    /// These terms, where they say something; else those.
    pub fn or(self, others: On) -> On {
        On {
            shadow: self.shadow.or(others.shadow),
            watch: self.watch.or(others.watch),
            allow: self.allow.or(others.allow),
            answers: self.answers.or(others.answers),
            patience: self.patience.or(others.patience),
        }
    }

    /// The terms. What is not said is as usual.
    pub fn terms(self) -> Terms {
        let (shadow, watch, allow, answers, patience) = USUAL;
        let seconds = |seconds: u32| i64::from(seconds).saturating_mul(1_000_000_000);
        let shadow = seconds(self.shadow.unwrap_or(shadow));
        let patience = seconds(self.patience.unwrap_or(patience));
        Terms {
            shadow: Period::Nanoseconds(shadow),
            watch: Period::Nanoseconds(seconds(self.watch.unwrap_or(watch))),
            allowed: self.allow.unwrap_or(allow),
            answers: self.answers.unwrap_or(answers),
            at_most: Period::Nanoseconds(shadow.saturating_add(patience)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_wish_does_not_say_is_as_the_process_was_told_and_the_rest_as_usual() {
        let own = On { shadow: Some(5), allow: Some(2), ..On::default() };
        let asked = On { shadow: Some(7), patience: Some(3), ..On::default() };
        let Terms { shadow, watch, allowed, answers, at_most } = asked.or(own).terms();
        let seconds = |seconds: i64| Period::Nanoseconds(seconds * 1_000_000_000);
        assert_eq!((shadow, watch, allowed, answers, at_most), (seconds(7), seconds(60), 2, 1, seconds(10)));
    }
}
