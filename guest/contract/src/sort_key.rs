//! Sort keys: bytes that compare as what they were made of.

use super::{PodId, SortKeys};

/// The bytes that are allocated at first: three numbers, a flag, and names of usual length.
const USUAL: usize = 96;

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
    /// Creates a key without parts.
    pub fn new() -> KeyBuilder {
        KeyBuilder(Vec::with_capacity(USUAL))
    }

    /// Appends a number or a time of which the smaller comes first.
    #[must_use]
    pub fn ascending(mut self, value: impl Into<i64>) -> KeyBuilder {
        // With the sign bit turned, the bytes of negative numbers come before those of positive ones.
        let bytes = (value.into() ^ i64::MIN).to_be_bytes();
        self.0.extend_from_slice(&bytes);
        self
    }

    /// Appends a number or a time of which the larger comes first.
    #[must_use]
    pub fn descending(self, value: impl Into<i64>) -> KeyBuilder {
        self.ascending(!value.into())
    }

    /// Appends a flag: false comes before true.
    #[must_use]
    pub fn flag(mut self, value: bool) -> KeyBuilder {
        self.0.push(value.into());
        self
    }

    /// Appends a text. Texts are in the order of their bytes.
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

    /// Returns the key.
    pub fn build(self) -> Vec<u8> {
        self.0
    }
}

impl SortKeys {
    /// Returns the pods of the request in the order of their keys. Pods with equal keys keep their order, so the request should list them by
    /// namespace and name.
    pub fn sort(self, pods: Vec<PodId>) -> Vec<PodId> {
        let mut queue: Vec<(Vec<u8>, PodId)> = self.keys.into_iter().zip(pods).collect();
        queue.sort_by(|(a, _), (b, _)| a.cmp(b));
        queue.into_iter().map(|(_, pod)| pod).collect()
    }
}

#[cfg(test)]
mod tests;
