//! Facts in names, of one reason or of several that like it together.

use lictor_contract::quantity::{exact, readable};
use lictor_contract::{self as contract, FactValue};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::cluster::Mirror;

/// A fact of a reason, with its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// The name, unique in its reason.
    pub name: String,
    /// The value.
    pub value: Value,
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
pub enum Value {
    /// Amounts, by the names of their resources.
    Amounts(Vec<(String, Span)>),
    /// A number of things, or a priority.
    Count(Span),
    /// A length of time in nanoseconds.
    Duration(Span),
    /// A point in time in nanoseconds.
    Time(Span),
    /// The name of a pod, node, queue or job, or a list of names.
    Name(String),
}

/// A number, or the range of the numbers where a value stands for several reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The least.
    pub least: i64,
    /// The most.
    pub most: i64,
}

impl From<i64> for Span {
    fn from(number: i64) -> Span {
        Span { least: number, most: number }
    }
}

impl Span {
    fn widen(&mut self, other: Span) {
        *self = Span { least: self.least.min(other.least), most: self.most.max(other.most) };
    }

    /// Returns the number as text, or the least and the most as `least to most`.
    pub(super) fn show(self, number: impl Fn(i64) -> String) -> String {
        if self.least == self.most {
            return number(self.least);
        }
        format!("{} to {}", number(self.least), number(self.most))
    }
}

impl Fact {
    /// Creates a fact whose value is a name.
    pub fn name(name: &str, is: impl Into<String>) -> Fact {
        Fact { name: name.to_owned(), value: Value::Name(is.into()) }
    }

    /// Creates a fact whose value is a number. A number beyond 64 bits becomes the largest one.
    pub fn count(name: &str, count: impl TryInto<i64>) -> Fact {
        Fact { name: name.to_owned(), value: Value::Count(count.try_into().unwrap_or(i64::MAX).into()) }
    }

    /// Creates a fact whose value is an amount of one resource. An amount beyond 64 bits becomes the largest one.
    pub fn amount(name: &str, resource: &str, amount: impl TryInto<i64>) -> Fact {
        let amount = amount.try_into().unwrap_or(i64::MAX).into();
        Fact { name: name.to_owned(), value: Value::Amounts(vec![(resource.to_owned(), amount)]) }
    }

    /// Converts a fact of the policy: numbers of pods, nodes and resources become names.
    pub(super) fn named(fact: contract::Fact, mirror: &Mirror) -> Fact {
        let value = match fact.value {
            FactValue::Amounts(amounts) => {
                let resource = |number: u32| {
                    let known = usize::try_from(number).ok().and_then(|at| mirror.resources().get(at));
                    known.map_or_else(|| format!("resource number {number}"), |known| known.name.clone())
                };
                Value::Amounts(amounts.into_iter().map(|it| (resource(it.resource), it.value.into())).collect())
            }
            FactValue::Count(count) => Value::Count(count.into()),
            FactValue::Duration(nanoseconds) => Value::Duration(nanoseconds.into()),
            FactValue::Time(nanoseconds) => Value::Time(nanoseconds.into()),
            FactValue::Pod(pod) => {
                Value::Name(mirror.pod_name(pod).map_or_else(|| format!("pod number {pod}"), str::to_owned))
            }
            FactValue::Node(node) => {
                let known = mirror.node(node).map(|node| node.name.clone());
                Value::Name(known.unwrap_or_else(|| format!("node number {node}")))
            }
            FactValue::Queue(name) | FactValue::Job(name) | FactValue::Text(name) => Value::Name(name),
        };
        Fact { name: fact.name, value }
    }
}

impl Value {
    /// Returns the name. `None`: the value is not a name.
    pub fn as_name(&self) -> Option<&str> {
        match self {
            Value::Name(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the parts of a value that must be equal for two values to be folded into one: everything but the numbers.
    pub fn kind(&self) -> (u8, Vec<&str>) {
        match self {
            Value::Amounts(amounts) => (0, amounts.iter().map(|(resource, _)| resource.as_str()).collect()),
            Value::Count(_) => (1, Vec::new()),
            Value::Duration(_) => (2, Vec::new()),
            Value::Time(_) => (3, Vec::new()),
            Value::Name(name) => (4, vec![name]),
        }
    }

    /// Widens the numbers to include those of another value of the same kind. Does nothing for values of different kinds.
    pub fn widen(&mut self, other: &Value) {
        match (self, other) {
            (Value::Amounts(mine), Value::Amounts(theirs)) => {
                mine.iter_mut().zip(theirs).for_each(|((_, mine), (_, theirs))| mine.widen(*theirs));
            }
            (Value::Count(mine), Value::Count(theirs))
            | (Value::Duration(mine), Value::Duration(theirs))
            | (Value::Time(mine), Value::Time(theirs)) => mine.widen(*theirs),
            _ => {}
        }
    }

    /// Returns the value as text for a sentence. With a resource, shows only the amount of this resource. `rounded`: amounts are rounded for
    /// readability.
    pub(super) fn shown(&self, resource: Option<&str>, rounded: bool) -> String {
        match self {
            Value::Amounts(amounts) => {
                let wanted = |name: &str| resource.is_none_or(|only| only == name);
                let shown = |(name, span): &(String, Span)| span.show(|n| quantity(name, n, rounded));
                let shown = amounts.iter().filter(|(name, _)| wanted(name)).map(shown);
                shown.collect::<Vec<_>>().join(", ")
            }
            Value::Count(span) => span.show(|count| count.to_string()),
            Value::Duration(span) => span.show(duration),
            Value::Time(span) => span.show(time),
            Value::Name(name) => name.clone(),
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
pub(super) struct ByName<'a>(pub(super) &'a [Fact]);

impl Serialize for ByName<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|fact| (&fact.name, &fact.value)))
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Amounts(amounts) => {
                let mut map = serializer.serialize_map(Some(amounts.len()))?;
                for (resource, span) in amounts {
                    map.serialize_entry(resource, &LeastMost(*span, |n| exact(resource, n)))?;
                }
                map.end()
            }
            Value::Count(span) => LeastMost(*span, |count| count).serialize(serializer),
            Value::Duration(span) => LeastMost(*span, duration).serialize(serializer),
            Value::Time(span) => LeastMost(*span, time).serialize(serializer),
            Value::Name(name) => serializer.serialize_str(name),
        }
    }
}

/// A number in its written form, or the least and the most of a range.
struct LeastMost<F>(Span, F);

impl<T: Serialize, F: Fn(i64) -> T> Serialize for LeastMost<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let LeastMost(Span { least, most }, written) = self;
        if least == most {
            return written(*least).serialize(serializer);
        }
        serializer.collect_map([("least", written(*least)), ("most", written(*most))])
    }
}
