//! Facts in names, of one reason or of several that like it together.

use lictor_contract::quantity::{exact, readable};
use lictor_contract::{self as contract, FactValue};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::cluster::Mirror;

/// A fact of a reason, with its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedFact {
    /// The name, unique in its reason.
    pub name: String,
    /// The value.
    pub value: NamedFactValue,
}

/// The value of a fact.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Fact"))]
#[cfg_attr(
    feature = "typescript",
    ts(
        type = "string | number | { least: string, most: string } | { least: number, most: number } | { [resource: string]: string | { least: string, most: string } }"
    )
)]
pub enum NamedFactValue {
    /// Amounts, by the names of their resources.
    Amounts(Vec<(String, NumberRange)>),
    /// A number of things, or a priority.
    Count(NumberRange),
    /// A length of time in nanoseconds.
    Duration(NumberRange),
    /// A point in time in nanoseconds.
    Time(NumberRange),
    /// The name of a pod, node, queue or job, or a list of names.
    Name(String),
}

/// A number, or the range of the numbers where a value stands for several reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NumberRange {
    /// The least.
    pub least: i64,
    /// The most.
    pub most: i64,
}

impl From<i64> for NumberRange {
    fn from(number: i64) -> NumberRange {
        NumberRange { least: number, most: number }
    }
}

impl NumberRange {
    fn widen(&mut self, other: NumberRange) {
        *self = NumberRange { least: self.least.min(other.least), most: self.most.max(other.most) };
    }

    /// Returns whether this is exactly one.
    pub(super) fn is_one(self) -> bool {
        (self.least, self.most) == (1, 1)
    }

    /// Returns the number as text, or the least and the most as `least to most`.
    pub(super) fn display(self, number: impl Fn(i64) -> String) -> String {
        if self.least == self.most {
            return number(self.least);
        }
        format!("{} to {}", number(self.least), number(self.most))
    }
}

impl NamedFact {
    /// Creates a fact whose value is a name.
    pub fn name(name: &str, is: impl Into<String>) -> NamedFact {
        NamedFact { name: name.to_owned(), value: NamedFactValue::Name(is.into()) }
    }

    /// Creates a fact whose value is a number. A number beyond 64 bits becomes the largest one.
    pub fn count(name: &str, count: impl TryInto<i64>) -> NamedFact {
        NamedFact { name: name.to_owned(), value: NamedFactValue::Count(count.try_into().unwrap_or(i64::MAX).into()) }
    }

    /// Creates a fact whose value is a length of time in nanoseconds.
    pub fn duration(name: &str, nanoseconds: i64) -> NamedFact {
        NamedFact { name: name.to_owned(), value: NamedFactValue::Duration(nanoseconds.into()) }
    }

    /// Creates a fact whose value is an amount of one resource. An amount beyond 64 bits becomes the largest one.
    pub fn amount(name: &str, resource: &str, amount: impl TryInto<i64>) -> NamedFact {
        let amount = amount.try_into().unwrap_or(i64::MAX).into();
        NamedFact { name: name.to_owned(), value: NamedFactValue::Amounts(vec![(resource.to_owned(), amount)]) }
    }

    /// Converts a fact of the policy: numbers of pods, nodes and resources become names.
    pub(super) fn named(fact: contract::Fact, mirror: &Mirror) -> NamedFact {
        let value = match fact.value {
            FactValue::Amounts(amounts) => {
                let resource = |number: u32| {
                    let known = usize::try_from(number).ok().and_then(|at| mirror.resources().get(at));
                    known.map_or_else(|| format!("resource number {number}"), |known| known.name.clone())
                };
                NamedFactValue::Amounts(
                    amounts.into_iter().map(|it| (resource(it.resource), it.value.into())).collect(),
                )
            }
            FactValue::Count(count) => NamedFactValue::Count(count.into()),
            FactValue::Duration(nanoseconds) => NamedFactValue::Duration(nanoseconds.into()),
            FactValue::Time(nanoseconds) => NamedFactValue::Time(nanoseconds.into()),
            FactValue::Pod(pod) => {
                NamedFactValue::Name(mirror.pod_name(pod).map_or_else(|| format!("pod number {pod}"), str::to_owned))
            }
            FactValue::Node(node) => {
                let known = mirror.node(node).map(|node| node.name.clone());
                NamedFactValue::Name(known.unwrap_or_else(|| format!("node number {node}")))
            }
            FactValue::Queue(name) | FactValue::Job(name) | FactValue::Text(name) => NamedFactValue::Name(name),
        };
        NamedFact { name: fact.name, value }
    }
}

impl NamedFactValue {
    /// Returns the name. `None`: the value is not a name.
    pub fn as_name(&self) -> Option<&str> {
        match self {
            NamedFactValue::Name(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the parts of a value that must be equal for two values to be folded into one: everything but the numbers.
    pub fn kind(&self) -> (u8, Vec<&str>) {
        match self {
            NamedFactValue::Amounts(amounts) => (0, amounts.iter().map(|(resource, _)| resource.as_str()).collect()),
            NamedFactValue::Count(_) => (1, Vec::new()),
            NamedFactValue::Duration(_) => (2, Vec::new()),
            NamedFactValue::Time(_) => (3, Vec::new()),
            NamedFactValue::Name(name) => (4, vec![name]),
        }
    }

    /// Widens the numbers to include those of another value of the same kind. Does nothing for values of different kinds.
    pub fn widen(&mut self, other: &NamedFactValue) {
        match (self, other) {
            (NamedFactValue::Amounts(mine), NamedFactValue::Amounts(theirs)) => {
                mine.iter_mut().zip(theirs).for_each(|((_, mine), (_, theirs))| mine.widen(*theirs));
            }
            (NamedFactValue::Count(mine), NamedFactValue::Count(theirs))
            | (NamedFactValue::Duration(mine), NamedFactValue::Duration(theirs))
            | (NamedFactValue::Time(mine), NamedFactValue::Time(theirs)) => mine.widen(*theirs),
            _ => {}
        }
    }

    /// Returns the value as text for a sentence. With a resource, shows only the amount of this resource. `rounded`: amounts are rounded for
    /// readability.
    pub(super) fn display(&self, resource: Option<&str>, rounded: bool) -> String {
        match self {
            NamedFactValue::Amounts(amounts) => {
                let wanted = |name: &str| resource.is_none_or(|only| only == name);
                let shown = |(name, span): &(String, NumberRange)| span.display(|n| quantity(name, n, rounded));
                let shown = amounts.iter().filter(|(name, _)| wanted(name)).map(shown);
                shown.collect::<Vec<_>>().join(", ")
            }
            NamedFactValue::Count(span) => span.display(|count| count.to_string()),
            NamedFactValue::Duration(span) => span.display(duration),
            NamedFactValue::Time(span) => span.display(time),
            NamedFactValue::Name(name) => name.clone(),
        }
    }
}

fn quantity(resource: &str, amount: i64, rounded: bool) -> String {
    if rounded { readable(resource, amount) } else { exact(resource, amount) }
}

fn duration(nanoseconds: i64) -> String {
    format!("{:#}", jiff::SignedDuration::from_nanos(nanoseconds))
}

/// Returns a point in time as text, from nanoseconds since 1970.
pub(crate) fn time(nanoseconds: i64) -> String {
    jiff::Timestamp::from_nanosecond(nanoseconds.into())
        .map_or_else(|_| nanoseconds.to_string(), |time| time.to_string())
}

/// Facts as an object: amounts as an object of quantities, counts as numbers, durations as `1m 30s`, the rest as names. A range is an object of
/// `least` and `most`.
pub(super) struct FactsByName<'a>(pub(super) &'a [NamedFact]);

impl Serialize for FactsByName<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|fact| (&fact.name, &fact.value)))
    }
}

impl Serialize for NamedFactValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            NamedFactValue::Amounts(amounts) => {
                let mut map = serializer.serialize_map(Some(amounts.len()))?;
                for (resource, span) in amounts {
                    map.serialize_entry(resource, &RangeForm(*span, |n| exact(resource, n)))?;
                }
                map.end()
            }
            NamedFactValue::Count(span) => RangeForm(*span, |count| count).serialize(serializer),
            NamedFactValue::Duration(span) => RangeForm(*span, duration).serialize(serializer),
            NamedFactValue::Time(span) => RangeForm(*span, time).serialize(serializer),
            NamedFactValue::Name(name) => serializer.serialize_str(name),
        }
    }
}

/// A number in its written form, or the least and the most of a range.
struct RangeForm<F>(NumberRange, F);

impl<T: Serialize, F: Fn(i64) -> T> Serialize for RangeForm<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let RangeForm(NumberRange { least, most }, written) = self;
        if least == most {
            return written(*least).serialize(serializer);
        }
        serializer.collect_map([("least", written(*least)), ("most", written(*most))])
    }
}
