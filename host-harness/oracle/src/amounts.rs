//! Amounts of resources, in thousandths of the unit of each: cpu in milli, memory in thousandths of a byte.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::ModelInputError;

/// Amounts by resource. An absent resource counts as 0.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MilliAmounts(pub(crate) BTreeMap<String, i64>);

impl MilliAmounts {
    /// Reads a resource list; empty where it is absent.
    pub(crate) fn read(value: Option<&Value>) -> Result<MilliAmounts, ModelInputError> {
        let Some(Value::Object(named)) = value else { return Ok(MilliAmounts::default()) };
        let read = |(name, value): (&String, &Value)| Ok((name.clone(), quantity(value)?));
        Ok(MilliAmounts(named.iter().map(read).collect::<Result<_, ModelInputError>>()?))
    }

    /// Returns the amount of a resource in thousandths of its unit; 0 for an absent resource.
    pub(crate) fn get(&self, resource: &str) -> i64 {
        self.0.get(resource).copied().unwrap_or(0)
    }

    /// Returns whether the amounts name a resource, even with an amount of 0.
    pub(crate) fn names(&self, resource: &str) -> bool {
        self.0.contains_key(resource)
    }

    /// Adds amounts.
    pub(crate) fn add(&mut self, other: &MilliAmounts) {
        for (resource, amount) in &other.0 {
            *self.0.entry(resource.clone()).or_insert(0) += amount;
        }
    }

    /// Subtracts amounts.
    pub(crate) fn take(&mut self, other: &MilliAmounts) {
        for (resource, amount) in &other.0 {
            *self.0.entry(resource.clone()).or_insert(0) -= amount;
        }
    }

    /// Adds several amounts up, resource by resource.
    pub(crate) fn sum<'a>(these: impl IntoIterator<Item = &'a MilliAmounts>) -> MilliAmounts {
        let mut sum = MilliAmounts::default();
        these.into_iter().for_each(|amounts| sum.add(amounts));
        sum
    }

    /// Returns what exceeds the other amounts.
    pub(crate) fn beyond(&self, other: &MilliAmounts) -> MilliAmounts {
        let over = self.0.iter().map(|(resource, amount)| (resource.clone(), amount - other.get(resource)));
        MilliAmounts(over.filter(|(_, amount)| *amount > 0).collect())
    }

    /// Returns whether this request fits into `free`, in every requested resource.
    pub(crate) fn fits(&self, free: &MilliAmounts) -> bool {
        self.0.iter().all(|(resource, requested)| *requested <= 0 || *requested <= free.get(resource))
    }

    /// Returns whether no requested resource exceeds the limit. A resource that the limit does not name is unlimited.
    pub(crate) fn within_for(&self, limit: &MilliAmounts, requested: &MilliAmounts) -> bool {
        let mut named = limit.0.iter().filter(|(resource, _)| requested.get(resource) > 0);
        named.all(|(resource, most)| self.get(resource) <= *most)
    }

    /// Returns whether no resource that the limit names exceeds it.
    pub(crate) fn within(&self, limit: &MilliAmounts) -> bool {
        limit.0.iter().all(|(resource, most)| self.get(resource) <= *most)
    }
}

/// Reads a quantity: a whole number, or one with `m`, `k`, `M`, `G`, `Ki`, `Mi`, `Gi`, `Ti` or `Pi`.
fn quantity(value: &Value) -> Result<i64, ModelInputError> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let refused = || ModelInputError(format!("`{text}` is not a quantity that the model reads"));
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let factor = match text.trim_start_matches(digits) {
        "" => 1000,
        "m" => 1,
        "k" => 1_000_000,
        "M" => 1_000_000_000,
        "G" => 1_000_000_000_000,
        "Ki" => 1000 << 10,
        "Mi" => 1000 << 20,
        "Gi" => 1000 << 30,
        "Ti" => 1000 << 40,
        "Pi" => 1000 << 50,
        _ => return Err(refused()),
    };
    digits.parse::<i64>().ok().and_then(|number| number.checked_mul(factor)).ok_or_else(refused)
}
