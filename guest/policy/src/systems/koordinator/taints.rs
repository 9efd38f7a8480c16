//! Taints of reservations, and the pods that tolerate them.
//!
//! Upstream apis/scheduling/v1alpha1 reservation_types.go: `spec.taints` work like the taints of nodes, and a pod allocates from the
//! reservation only if it tolerates them. Upstream apis/extension/reservation.go: the tolerations stand in the annotation
//! `scheduling.koordinator.sh/reservation-affinity`. Those of the pod's own spec are about nodes.

use serde_json::Value;

use crate::systems::ParsedObject;

/// A taint that keeps pods out: effect `NoSchedule` or `NoExecute`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReservationTaint {
    key: String,
    value: String,
    effect: String,
}

/// Reads the taints of a reservation that keep pods out. A taint of effect `PreferNoSchedule` does not.
pub fn read(object: &ParsedObject) -> Vec<ReservationTaint> {
    let taints = object.at("/spec/taints").and_then(Value::as_array).into_iter().flatten();
    let taints = taints.map(|taint| ReservationTaint {
        key: text(taint, "key").to_owned(),
        value: text(taint, "value").to_owned(),
        effect: text(taint, "effect").to_owned(),
    });
    taints.filter(|taint| taint.effect != "PreferNoSchedule").collect()
}

/// A toleration of a pod. An empty effect tolerates each effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReservationToleration {
    key: String,
    /// `None`: any value, operator `Exists`.
    value: Option<String>,
    effect: String,
}

/// Reads the tolerations of an annotation; an absent or an unusable one has none.
pub fn tolerations(annotation: Option<&str>) -> Vec<ReservationToleration> {
    let value: Value = annotation.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let tolerations = value.get("tolerations").and_then(Value::as_array).into_iter().flatten();
    let tolerations = tolerations.filter_map(|toleration| {
        let value = match text(toleration, "operator") {
            "Exists" => None,
            "" | "Equal" => Some(text(toleration, "value").to_owned()),
            _ => return None,
        };
        let key = text(toleration, "key").to_owned();
        Some(ReservationToleration { key, value, effect: text(toleration, "effect").to_owned() })
    });
    tolerations.collect()
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

impl ReservationTaint {
    /// Returns whether one of these tolerations tolerates the taint. An empty key with the operator `Exists` tolerates each taint.
    pub fn is_tolerated(&self, tolerations: &[ReservationToleration]) -> bool {
        tolerations.iter().any(|toleration| {
            let matches_key = toleration.key == self.key || (toleration.key.is_empty() && toleration.value.is_none());
            let matches_value = toleration.value.as_ref().is_none_or(|value| *value == self.value);
            let matches_effect = toleration.effect.is_empty() || toleration.effect == self.effect;
            matches_key && matches_value && matches_effect
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taint_is_tolerated_by_key_value_and_effect() {
        let taint = ReservationTaint { key: "k".to_owned(), value: "v".to_owned(), effect: "NoSchedule".to_owned() };
        for (toleration, expected) in [
            (r#"{"operator":"Exists"}"#, true),
            (r#"{"key":"k","operator":"Exists"}"#, true),
            (r#"{"key":"k","value":"v"}"#, true),
            (r#"{"key":"k","operator":"Equal","value":"v","effect":"NoSchedule"}"#, true),
            (r#"{"key":"k","value":"w"}"#, false),
            (r#"{"key":"l","operator":"Exists"}"#, false),
            (r#"{"key":"k","operator":"Exists","effect":"NoExecute"}"#, false),
            (r#"{"value":"v"}"#, false),
            (r#"{"key":"k","operator":"Lt","value":"v"}"#, false),
        ] {
            let text = format!(r#"{{"tolerations":[{toleration}]}}"#);
            assert_eq!(taint.is_tolerated(&tolerations(Some(&text))), expected, "{toleration}");
        }
        assert!(!taint.is_tolerated(&tolerations(None)) && !taint.is_tolerated(&tolerations(Some("{"))));
    }
}
