//! Facts in names, of one reason or of several that like it together.

use lictor_contract::quantity::{exact, readable};
use lictor_contract::{self as contract, FactValue};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::cluster::Mirror;

/// Something that is so, by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// Its name, unique in its reason.
    pub name: String,
    /// What it is.
    pub value: Value,
}

/// What is so.
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

/// A number; where a value stands for several reasons, the least and the most of theirs.
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

    /// The number, or the least and the most.
    pub(super) fn show(self, number: impl Fn(i64) -> String) -> String {
        if self.least == self.most {
            return number(self.least);
        }
        format!("{} to {}", number(self.least), number(self.most))
    }
}

impl Fact {
    /// A fact that is a name.
    pub fn name(name: &str, is: impl Into<String>) -> Fact {
        Fact { name: name.to_owned(), value: Value::Name(is.into()) }
    }

    /// A fact that is a number.
    pub fn count(name: &str, count: impl TryInto<i64>) -> Fact {
        Fact { name: name.to_owned(), value: Value::Count(count.try_into().unwrap_or(i64::MAX).into()) }
    }

    /// A fact that is an amount of one resource.
    pub fn amount(name: &str, resource: &str, amount: impl TryInto<i64>) -> Fact {
        let amount = amount.try_into().unwrap_or(i64::MAX).into();
        Fact { name: name.to_owned(), value: Value::Amounts(vec![(resource.to_owned(), amount)]) }
    }

    /// A fact as the policy gave it, in names.
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
    /// The name, where it is one.
    pub fn as_name(&self) -> Option<&str> {
        match self {
            Value::Name(name) => Some(name),
            _ => None,
        }
    }

    /// What must be the same in two values for them to be told as one: everything but the numbers.
    pub fn kind(&self) -> (u8, Vec<&str>) {
        match self {
            Value::Amounts(amounts) => (0, amounts.iter().map(|(resource, _)| resource.as_str()).collect()),
            Value::Count(_) => (1, Vec::new()),
            Value::Duration(_) => (2, Vec::new()),
            Value::Time(_) => (3, Vec::new()),
            Value::Name(name) => (4, vec![name]),
        }
    }

    /// The numbers of another value of the same kind count, too.
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

    /// The value in a sentence; of amounts, the one of this resource, rounded where it is to be.
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

/// A point in time, as it is shown.
pub(crate) fn time(nanoseconds: i64) -> String {
    jiff::Timestamp::from_nanosecond(nanoseconds.into())
        .map_or_else(|_| nanoseconds.to_string(), |time| time.to_string())
}

/// Facts as an object: amounts as an object of quantities, counts as numbers, lengths of time as `1m 30s`, the rest as names. What
/// differs between several reasons is an object of `least` and `most`.
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

/// A number as it is written, or the least and the most.
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
