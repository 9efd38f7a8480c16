//! Sort keys: bytes that compare as what they were made of.

use super::{PodId, SortKeys};

/// Builds a sort key out of parts, the weightiest first. Two keys of the same kinds of parts compare as their parts do, one after the
/// other.
///
/// ```
/// use lictor_contract::KeyBuilder;
///
/// let key = |priority: i32, created: i64, name: &str| {
///     KeyBuilder::new().descending(priority).ascending(created).text(name).build()
/// };
/// assert!(key(9, 5, "z") < key(-1, 0, "a"), "the higher priority comes first");
/// assert!(key(9, 4, "z") < key(9, 5, "a"), "then the older");
/// assert!(key(9, 5, "a") < key(9, 5, "ab"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct KeyBuilder(Vec<u8>);

impl KeyBuilder {
    /// A key without parts.
    pub fn new() -> KeyBuilder {
        KeyBuilder::default()
    }

    /// A number or a time of which the smaller comes first.
    #[must_use]
    pub fn ascending(mut self, value: impl Into<i64>) -> KeyBuilder {
        // With the sign bit turned, the bytes of negative numbers come before those of positive ones.
        let bytes = (value.into() ^ i64::MIN).to_be_bytes();
        self.0.extend(bytes);
        self
    }

    /// A number or a time of which the larger comes first.
    #[must_use]
    pub fn descending(self, value: impl Into<i64>) -> KeyBuilder {
        self.ascending(!value.into())
    }

    /// What is false comes before what is true.
    #[must_use]
    pub fn flag(mut self, value: bool) -> KeyBuilder {
        self.0.push(value.into());
        self
    }

    /// A text; the order is that of its bytes.
    #[must_use]
    pub fn text(mut self, text: &str) -> KeyBuilder {
        for byte in text.bytes() {
            self.0.push(byte);
            // A zero in the text is not its end, and comes after it.
            if byte == 0 {
                self.0.push(u8::MAX);
            }
        }
        self.0.extend([0, 0]);
        self
    }

    /// The key.
    pub fn build(self) -> Vec<u8> {
        self.0
    }
}

impl SortKeys {
    /// The pods that were asked about, in the order of their keys. Pods with equal keys stay as they were: ask about them by namespace and
    /// name.
    pub fn sort(self, pods: Vec<PodId>) -> Vec<PodId> {
        let mut queue: Vec<(Vec<u8>, PodId)> = self.keys.into_iter().zip(pods).collect();
        queue.sort_by(|(a, _), (b, _)| a.cmp(b));
        queue.into_iter().map(|(_, pod)| pod).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

    use proptest::prelude::*;

    use super::*;

    /// The parts of a key.
    type Parts = (bool, i32, i64, Vec<u8>, i64);

    /// Texts of few letters, a zero among them, so that one begins as the other.
    fn text(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| char::from(byte % 3)).collect()
    }

    fn key((flag, priority, time, name, last): &Parts) -> Vec<u8> {
        let key = KeyBuilder::new().flag(*flag).descending(*priority).ascending(*time);
        key.text(&text(name)).descending(*last).build()
    }

    proptest! {
        #[test]
        fn keys_compare_as_their_parts(a in any::<Parts>(), mut b in any::<Parts>(), alike in 0..4) {
            if alike > 0 {
                b.0 = a.0;
            }
            if alike > 1 {
                b.1 = a.1;
            }
            if alike > 2 {
                b.2 = a.2;
            }
            let parts = |(flag, priority, time, name, last): &Parts| {
                (*flag, Reverse(*priority), *time, text(name), Reverse(*last))
            };
            prop_assert_eq!(key(&a).cmp(&key(&b)), parts(&a).cmp(&parts(&b)));
        }
    }
}
