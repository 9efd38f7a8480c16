//! Reads priority classes.

use k8s_openapi::api::scheduling::v1::PriorityClass;
use serde_json::Value;

use super::subject::ObjectContext;
use crate::cluster::InputError;

/// The properties of a priority class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClassFacts {
    pub(crate) value: i32,
    pub(crate) global_default: bool,
    pub(crate) never_preempts: bool,
}

impl ClassFacts {
    /// Reads a priority class.
    pub(super) fn read(value: &Value, subject: &ObjectContext<'_>) -> Result<ClassFacts, InputError> {
        let class: PriorityClass = subject.typed(value, "")?;
        if value.get("value").is_none_or(Value::is_null) {
            return Err(subject.mistake("/value", "is missing", "write the priority of the class"));
        }
        Ok(ClassFacts {
            value: class.value,
            global_default: class.global_default == Some(true),
            never_preempts: never_preempts(class.preemption_policy.as_deref(), "/preemptionPolicy", subject)?
                .unwrap_or_default(),
        })
    }
}

/// Reads a preemption policy. `None`: no policy is written.
pub(super) fn never_preempts(
    policy: Option<&str>,
    pointer: &str,
    subject: &ObjectContext<'_>,
) -> Result<Option<bool>, InputError> {
    match policy.unwrap_or_default() {
        "" => Ok(None),
        "Never" => Ok(Some(true)),
        "PreemptLowerPriority" => Ok(Some(false)),
        other => {
            let what = format_args!("`{other}` is not a preemption policy").to_string();
            Err(subject.mistake(pointer, what, "write Never or PreemptLowerPriority"))
        }
    }
}
