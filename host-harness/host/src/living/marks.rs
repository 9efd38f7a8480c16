//! Systems that only mark their victims, so that another controller must delete them.

use serde_json::Value;

/// What an operator does where victims are only marked.
pub const MARKS: &str =
    "set podShouldBeDeletedWhenPreempted: true (--args), or run the controller that deletes what is marked";

/// Returns whether a system with these arguments, as JSON, only marks its victims, so that another controller must delete them.
///
/// Koordinator does unless `podShouldBeDeletedWhenPreempted` is true (upstream: `pkg/scheduler/apis/config/v1/types.go`). All others delete.
pub fn only_marks(system: &str, arguments: &str) -> bool {
    fn deletes(arguments: &Value) -> bool {
        match arguments {
            Value::Object(fields) => fields.iter().any(|(key, value)| {
                key == "podShouldBeDeletedWhenPreempted" && *value == Value::Bool(true) || deletes(value)
            }),
            Value::Array(values) => values.iter().any(deletes),
            _ => false,
        }
    }
    system == "koordinator" && !serde_json::from_str(arguments).is_ok_and(|arguments| deletes(&arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn koordinator_only_marks_unless_its_arguments_say_otherwise() {
        for (system, arguments, expected) in [
            ("koordinator", "", true),
            ("koordinator", r#"{"podShouldBeDeletedWhenPreempted": false}"#, true),
            ("koordinator", r#"{"podShouldBeDeletedWhenPreempted": true}"#, false),
            ("koordinator", r#"{"args": {"podShouldBeDeletedWhenPreempted": true}}"#, false),
            ("kubernetes", "", false),
        ] {
            assert_eq!(only_marks(system, arguments), expected, "{system} {arguments}");
        }
    }
}
