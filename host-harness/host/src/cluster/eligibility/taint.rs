//! Taints of nodes and tolerations of pods.

use std::fmt;

/// The effect of a taint on pods that do not tolerate it. `PreferNoSchedule` excludes no pod and is not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    /// Excludes new pods.
    NoSchedule,
    /// Excludes all pods.
    NoExecute,
}

impl Effect {
    /// Returns the name as a Node has it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Effect::NoSchedule => "NoSchedule",
            Effect::NoExecute => "NoExecute",
        }
    }
}

/// A taint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodeTaint {
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) effect: Effect,
}

impl fmt::Display for NodeTaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NodeTaint { key, value, effect } = self;
        let equals = if value.is_empty() { "" } else { "=" };
        write!(f, "{key}{equals}{value}:{}", effect.name())
    }
}

/// The condition of a toleration on the value of a taint.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ValueTest {
    /// Any value.
    Exists,
    /// Equal to this.
    Equal(String),
    /// A number less than this.
    Less(i64),
    /// A number greater than this.
    Greater(i64),
}

/// A toleration.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PodToleration {
    /// The key; none matches every key.
    pub(crate) key: Option<String>,
    pub(crate) test: ValueTest,
    /// The effect; none matches every effect.
    pub(crate) effect: Option<Effect>,
}

impl PodToleration {
    /// Returns whether the toleration covers a taint.
    pub(super) fn covers(&self, taint: &NodeTaint) -> bool {
        let number = || taint.value.parse::<i64>().ok();
        self.effect.is_none_or(|effect| effect == taint.effect)
            && self.key.as_ref().is_none_or(|key| *key == taint.key)
            && match &self.test {
                ValueTest::Exists => true,
                ValueTest::Equal(value) => *value == taint.value,
                ValueTest::Less(bound) => number().is_some_and(|value| value < *bound),
                ValueTest::Greater(bound) => number().is_some_and(|value| value > *bound),
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taint(key: &str, value: &str, effect: Effect) -> NodeTaint {
        NodeTaint { key: key.to_owned(), value: value.to_owned(), effect }
    }

    fn toleration(key: Option<&str>, test: ValueTest, effect: Option<Effect>) -> PodToleration {
        PodToleration { key: key.map(str::to_owned), test, effect }
    }

    #[test]
    fn key_value_and_effect_must_all_match() {
        let equal = |value: &str| ValueTest::Equal(value.to_owned());
        let taint = taint("gpu", "a100", Effect::NoSchedule);
        for (key, test, effect, expected) in [
            (Some("gpu"), equal("a100"), Some(Effect::NoSchedule), true),
            (Some("gpu"), equal("a100"), None, true),
            (Some("gpu"), equal("a100"), Some(Effect::NoExecute), false),
            (Some("gpu"), equal("h100"), None, false),
            (Some("cpu"), equal("a100"), None, false),
            (Some("gpu"), ValueTest::Exists, None, true),
            (Some("cpu"), ValueTest::Exists, None, false),
            (None, ValueTest::Exists, None, true),
            (None, ValueTest::Exists, Some(Effect::NoExecute), false),
            (None, equal("a100"), None, true),
            (None, equal("h100"), None, false),
        ] {
            let toleration = toleration(key, test, effect);
            assert_eq!(toleration.covers(&taint), expected, "{toleration:?}");
        }
    }

    #[test]
    fn numbers_are_compared_strictly_and_only_with_numbers() {
        for (value, test, expected) in [
            ("5", ValueTest::Less(6), true),
            ("5", ValueTest::Less(5), false),
            ("5", ValueTest::Greater(4), true),
            ("5", ValueTest::Greater(5), false),
            ("five", ValueTest::Less(6), false),
            ("", ValueTest::Greater(-1), false),
        ] {
            let toleration = toleration(Some("sla"), test, None);
            assert_eq!(toleration.covers(&taint("sla", value, Effect::NoExecute)), expected, "{toleration:?}");
        }
    }
}
