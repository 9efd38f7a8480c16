//! The names of the fields of logs: one place, so that a search finds one name for one thing. They are written as
//! `{ fields::POD } = ...`; names of objects are `namespace/name`, as in klog.

macro_rules! fields {
    ($($name:ident = $text:literal: $about:literal,)*) => {
        $(#[doc = $about] pub const $name: &str = $text;)*

        /// Every name, and what stands there.
        pub const ALL: &[(&str, &str)] = &[$(($text, $about)),*];
    };
}

fields! {
    POD = "pod": "A pod, `namespace/name`.",
    NODE = "node": "A node.",
    NAMESPACE = "namespace": "A namespace.",
    OBJECT = "object": "Another object, `Kind/namespace/name`.",
    PLAN = "plan": "The number of a plan.",
    PREEMPTOR = "preemptor": "The pod that a plan is for, or the queue that gives back.",
    VICTIMS = "victims": "How many pods a plan evicts.",
    LAW = "law": "The code of the law, or of the rule of the host, that decided.",
    REASON = "reason": "Why, as a sentence.",
    SYSTEM = "system": "The system whose laws are in force.",
    POLICY = "policy": "The name and version of the policy.",
    COMPONENT = "component": "The digest of the component.",
    COMMAND = "command": "The number of a command.",
    ACTION = "action": "What is to be done: `bind`, `nominate`, `evict` or `confirm`.",
    OUTCOME = "outcome": "What came of it.",
    KIND = "kind": "A kind of objects.",
    COUNT = "count": "How many.",
    VERB = "verb": "The verb of a request to the API server.",
    CODE = "code": "The status code that the API server answered.",
    DURATION = "duration_ms": "How long it took, in milliseconds.",
    LEASE = "lease": "The Lease of the election.",
    HOLDER = "holder": "Who holds it.",
    ADDRESS = "address": "The address or the path that is listened at.",
    ERROR = "error": "What went wrong.",
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn every_name_stands_for_one_thing() {
        for (at, (name, about)) in ALL.iter().enumerate() {
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '_') && about.ends_with('.'), "{name}");
            assert!(ALL.iter().skip(at + 1).all(|(other, _)| other != name), "{name} stands there twice");
        }
    }
}
