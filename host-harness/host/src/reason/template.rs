//! Templates: how a sentence is made of facts. `wit/core.wit` describes them for authors of policies.
//!
//! `{name}` is a fact, `{~name}` a fact whose amounts are rounded to be read, `{name:pod|pods}` the first word where the fact is one thing, else the
//! second. `[...]` is shown only where every fact named in it is
//! there. `<...>` is shown for every resource of the amounts named in it, joined by `, `; `{resource}` is its name there. What is not
//! written so is shown as it is.

use super::fact::{NamedFact, NamedFactValue};

/// The name of the resource inside a repeated part.
const RESOURCE: &str = "resource";

/// A parsed template.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pattern(Vec<PatternSegment>);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum PatternSegment {
    Text(String),
    Fact {
        name: String,
        rounded: bool,
    },
    /// A word for one thing, and another one for any other number.
    Plural {
        name: String,
        one: String,
        many: String,
    },
    Optional(Pattern),
    Repeated(Pattern),
}

impl Pattern {
    /// Parses a template.
    pub(super) fn parse(text: &str) -> Pattern {
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some(at) = rest.find(['{', '[', '<']) {
            let (before, opened) = rest.split_at_checked(at).unwrap_or((rest, ""));
            let bracket = opened.chars().next().unwrap_or('{');
            let inner = opened.strip_prefix(bracket).unwrap_or("");
            let Some((inside, after)) = inner.split_once(closing(bracket)) else { break };
            if !before.is_empty() {
                parts.push(PatternSegment::Text(before.to_owned()));
            }
            parts.push(match bracket {
                '[' => PatternSegment::Optional(Pattern::parse(inside)),
                '<' => PatternSegment::Repeated(Pattern::parse(inside)),
                _ => fact_segment(inside),
            });
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(PatternSegment::Text(rest.to_owned()));
        }
        Pattern(parts)
    }

    /// Returns the sentence of these facts. A missing fact is shown as a question mark.
    pub(super) fn render(&self, facts: &[NamedFact]) -> String {
        self.part(facts, None)
    }

    fn part(&self, facts: &[NamedFact], resource: Option<&str>) -> String {
        let shown = |part: &PatternSegment| match part {
            PatternSegment::Text(text) => text.clone(),
            PatternSegment::Fact { name, .. } if name == RESOURCE && resource.is_some() => {
                display_name(resource.unwrap_or_default())
            }
            PatternSegment::Fact { name, rounded } => {
                value(facts, name).map_or_else(|| "?".to_owned(), |value| value.display(resource, *rounded))
            }
            PatternSegment::Plural { name, one, many } => {
                let is_one = matches!(value(facts, name), Some(NamedFactValue::Count(count)) if count.is_one());
                if is_one { one.clone() } else { many.clone() }
            }
            PatternSegment::Optional(pattern) if pattern.has_facts(facts, resource) => pattern.part(facts, resource),
            PatternSegment::Optional(_) => String::new(),
            PatternSegment::Repeated(pattern) => {
                let each = pattern.resources(facts).into_iter().map(|resource| pattern.part(facts, Some(resource)));
                each.collect::<Vec<_>>().join(", ")
            }
        };
        self.0.iter().map(shown).collect()
    }

    /// Returns the names of the facts in the pattern, without those in optional parts.
    fn names(&self) -> Vec<&str> {
        let mut all = Vec::new();
        for part in &self.0 {
            match part {
                PatternSegment::Fact { name, .. } if name != RESOURCE => all.push(name.as_str()),
                PatternSegment::Repeated(pattern) => all.extend(pattern.names()),
                PatternSegment::Plural { name, .. } => all.push(name.as_str()),
                PatternSegment::Fact { .. } | PatternSegment::Text(_) | PatternSegment::Optional(_) => {}
            }
        }
        all
    }

    /// Returns whether every named fact exists. With a resource, amounts must contain this resource.
    fn has_facts(&self, facts: &[NamedFact], resource: Option<&str>) -> bool {
        self.names().iter().all(|name| match (value(facts, name), resource) {
            (Some(NamedFactValue::Amounts(amounts)), Some(only)) => {
                amounts.iter().any(|(resource, _)| resource == only)
            }
            (value, _) => value.is_some(),
        })
    }

    /// Returns the resources of the named amounts, in the order of their first occurrence.
    fn resources<'f>(&self, facts: &'f [NamedFact]) -> Vec<&'f str> {
        let mut resources: Vec<&'f str> = Vec::new();
        for name in self.names() {
            if let Some(NamedFactValue::Amounts(amounts)) = value(facts, name) {
                let new = amounts.iter().map(|(resource, _)| resource.as_str());
                let new: Vec<&str> = new.filter(|resource| !resources.contains(resource)).collect();
                resources.extend(new);
            }
        }
        resources
    }
}

/// Parses what stands between `{` and `}`.
fn fact_segment(inside: &str) -> PatternSegment {
    if let Some((name, words)) = inside.split_once(':') {
        let (one, many) = words.split_once('|').unwrap_or((words, words));
        let [name, one, many] = [name, one, many].map(str::to_owned);
        return PatternSegment::Plural { name, one, many };
    }
    let name = inside.strip_prefix('~');
    PatternSegment::Fact { name: name.unwrap_or(inside).to_owned(), rounded: name.is_some() }
}

/// Lists all facts, for a reason without a template. A single fact `text` is shown as it is.
pub(super) fn list_facts(facts: &[NamedFact]) -> String {
    let shown = |fact: &NamedFact| match &fact.value {
        NamedFactValue::Amounts(_) => {
            format!("{} {}", fact.name, Pattern::parse(&format!("<{{resource}} {{{}}}>", fact.name)).render(facts))
        }
        value => format!("{} {}", fact.name, value.display(None, false)),
    };
    match facts {
        [NamedFact { name, value: NamedFactValue::Name(text) }] if name == "text" => text.clone(),
        facts => facts.iter().map(shown).collect::<Vec<_>>().join("; "),
    }
}

fn closing(bracket: char) -> char {
    match bracket {
        '[' => ']',
        '<' => '>',
        _ => '}',
    }
}

fn value<'f>(facts: &'f [NamedFact], name: &str) -> Option<&'f NamedFactValue> {
    facts.iter().find(|fact| fact.name == name).map(|fact| &fact.value)
}

/// Returns the usual name of a resource. Ports, attachments, disks and free volumes are resources only for the host.
fn display_name(resource: &str) -> String {
    let known = [
        ("hostport/", "host port "),
        ("volume/attachments/", "attachments of "),
        ("volume/disk/", "disk "),
        ("volume/free/", "free volumes of "),
    ];
    let named = known.iter().find_map(|(prefix, words)| Some(format!("{words}{}", resource.strip_prefix(prefix)?)));
    named.unwrap_or_else(|| resource.to_owned())
}
