//! Rails as an operator writes them: `name=value`.

use std::time::Duration;

use lictor_contract::duration;

use super::{EvictionRate, HigherPriorityVictims, Rails};

/// A rail as operators name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RailInfo {
    /// The name, such as `namespaces`.
    pub name: &'static str,
    /// The form of the value.
    pub kind: &'static str,
    /// The default value in a command that decides for a cluster.
    pub default: &'static str,
    /// What the rail refuses.
    pub about: &'static str,
}

const fn rail(name: &'static str, kind: &'static str, default: &'static str, about: &'static str) -> RailInfo {
    RailInfo { name, kind, default, about }
}

const SWITCH: &str = "on or off";
const RATE: &str = "N/TIME or none";

/// All rails.
pub const RAILS: [RailInfo; 8] = [
    rail("system-priority", SWITCH, "on", "no victim of priority 2000000000 or above"),
    rail("namespaces", "names or none", "kube-system", "no victim in these namespaces"),
    rail("never-evict", SWITCH, "on", "no victim with the label lictor.dev/never-evict=true"),
    rail("budgets", SWITCH, "on", "no victims beyond what their PodDisruptionBudgets allow"),
    rail("higher-priority", "declared or refused", "declared", "victims above the preemptor's priority"),
    rail("victims-per-plan", "N or none", "1000", "victims of one plan"),
    rail("victims-per-window", RATE, "5000/10m", "victims of all plans"),
    rail("victims-per-namespace", RATE, "2500/10m", "victims in one namespace"),
];

/// The reason why a rail cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RailError {
    /// The text has no value.
    #[error("`{0}` has no value: write `name=value`, such as `namespaces=kube-system,monitoring`")]
    NoValue(String),
    /// No rail has the name.
    #[error("there is no rail `{0}`; the rails are {known}", known = RAILS.map(|rail| rail.name).join(", "))]
    Unknown(String),
    /// The value has another form.
    #[error("rail `{name}`: expected {expected}, found `{found}`")]
    BadValue {
        /// The rail.
        name: &'static str,
        /// The expected form of a value.
        expected: &'static str,
        /// The value found.
        found: String,
    },
}

impl Rails {
    /// Sets one rail, written as `name=value`. [`RAILS`] has the names.
    ///
    /// # Errors
    /// The name is unknown, or the value has another form. A maximum of 0 is an error, because it would refuse every eviction.
    pub fn set(&mut self, text: &str) -> Result<(), RailError> {
        let (name, value) = text.split_once('=').ok_or_else(|| RailError::NoValue(text.to_owned()))?;
        let known = RAILS.iter().find(|rail| rail.name == name);
        let info = known.ok_or_else(|| RailError::Unknown(name.to_owned()))?;
        let bad = || RailError::BadValue { name: info.name, expected: info.kind, found: value.to_owned() };
        match name {
            "system-priority" => self.protects_system_priority = switch(value).ok_or_else(bad)?,
            "namespaces" => {
                let names = value.split(',').filter(|_| value != "none").map(str::trim);
                self.protected_namespaces = names.map(str::to_owned).collect();
                if self.protected_namespaces.contains("") {
                    return Err(bad());
                }
            }
            "never-evict" => self.protects_labelled = switch(value).ok_or_else(bad)?,
            "budgets" => self.budgets = switch(value).ok_or_else(bad)?,
            "higher-priority" => {
                self.higher_priority = match value {
                    "declared" => HigherPriorityVictims::Declared,
                    "refused" => HigherPriorityVictims::Refused,
                    _ => return Err(bad()),
                }
            }
            "victims-per-plan" => self.victims_per_plan = or_none(value, number).ok_or_else(bad)?,
            "victims-per-window" => self.victims_per_window = or_none(value, rate).ok_or_else(bad)?,
            _ => self.victims_per_namespace = or_none(value, rate).ok_or_else(bad)?,
        }
        Ok(())
    }

    /// Returns the rails that are not at their defaults, each as `name=value`.
    pub fn changed(&self) -> Vec<String> {
        let default = Rails::default().values();
        let changed = self.values().into_iter().zip(default).filter(|(value, default)| value != default);
        changed.map(|((name, value), _)| format!("{name}={value}")).collect()
    }

    /// Returns whether all rails are at their defaults.
    pub fn are_default(&self) -> bool {
        *self == Rails::default()
    }

    /// Returns the name and the value of each rail.
    fn values(&self) -> Vec<(&'static str, String)> {
        let switch = |on: bool| if on { "on" } else { "off" }.to_owned();
        let none = || "none".to_owned();
        let rate = |rate: Option<EvictionRate>| {
            rate.map_or_else(none, |rate| format!("{}/{}ns", rate.victims, rate.window.as_nanos()))
        };
        let names: Vec<&str> = self.protected_namespaces.iter().map(String::as_str).collect();
        let higher = match self.higher_priority {
            HigherPriorityVictims::Declared => "declared",
            HigherPriorityVictims::Refused => "refused",
        };
        let values = [
            switch(self.protects_system_priority),
            if names.is_empty() { none() } else { names.join(",") },
            switch(self.protects_labelled),
            switch(self.budgets),
            higher.to_owned(),
            self.victims_per_plan.map_or_else(none, |victims| victims.to_string()),
            rate(self.victims_per_window),
            rate(self.victims_per_namespace),
        ];
        RAILS.into_iter().map(|rail| rail.name).zip(values).collect()
    }
}

impl From<Rails> for Vec<String> {
    fn from(rails: Rails) -> Vec<String> {
        rails.changed()
    }
}

impl TryFrom<Vec<String>> for Rails {
    type Error = RailError;

    fn try_from(texts: Vec<String>) -> Result<Rails, RailError> {
        let mut rails = Rails::default();
        texts.iter().try_for_each(|text| rails.set(text))?;
        Ok(rails)
    }
}

fn switch(value: &str) -> Option<bool> {
    match value {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

/// Reads a value that may be `none`. The outer `None`: the value has another form.
fn or_none<T>(value: &str, read: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
    if value == "none" { Some(None) } else { read(value).map(Some) }
}

fn number(value: &str) -> Option<u32> {
    value.parse().ok().filter(|number| *number > 0)
}

/// Reads a rate, such as `100/10m`.
fn rate(value: &str) -> Option<EvictionRate> {
    let (victims, window) = value.split_once('/')?;
    let window = duration::parse(window).ok().and_then(|time| u64::try_from(time).ok()).filter(|time| *time > 0)?;
    Some(EvictionRate { victims: number(victims)?, window: Duration::from_nanos(window) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> Result<Rails, RailError> {
        let mut rails = Rails::default();
        rails.set(text).map(|()| rails)
    }

    #[test]
    fn every_rail_is_set_by_its_name_and_its_default_is_as_documented() {
        for RailInfo { name, default, .. } in RAILS {
            let mut rails = Rails::of_command();
            assert_eq!(rails.set(&format!("{name}={default}")), Ok(()), "{name}");
            assert_eq!(rails, Rails::of_command(), "{name}");
        }
        assert_eq!(set("namespaces=a, b").unwrap().protected_namespaces, ["a", "b"].map(str::to_owned).into());
        assert!(set("namespaces=none").unwrap().protected_namespaces.is_empty());
        assert_eq!(set("victims-per-plan=3").unwrap().victims_per_plan, Some(3));
        assert_eq!(set("victims-per-plan=none").unwrap().victims_per_plan, None);
        let rate = EvictionRate { victims: 4, window: Duration::from_secs(90) };
        assert_eq!(set("victims-per-window=4/1m30s").unwrap().victims_per_window, Some(rate));
        assert_eq!(set("victims-per-namespace=4/1m30s").unwrap().victims_per_namespace, Some(rate));
    }

    #[test]
    fn what_was_changed_sets_the_same_rails() {
        let texts = [
            "system-priority=off",
            "namespaces=a,b",
            "never-evict=off",
            "budgets=on",
            "higher-priority=refused",
            "victims-per-plan=none",
            "victims-per-window=4/1m30s",
            "victims-per-namespace=none",
        ];
        let mut rails = Rails::default();
        texts.iter().for_each(|text| rails.set(text).unwrap());
        assert_eq!(rails.changed().len(), RAILS.len());
        assert!(Rails::default().changed().is_empty() && Rails::default().are_default() && !rails.are_default());
        assert_eq!(Rails::try_from(rails.changed()), Ok(rails));
    }

    #[test]
    fn what_is_no_rail_is_refused_with_what_to_write() {
        let refused = |text| set(text).unwrap_err().to_string();
        assert!(refused("namespaces").starts_with("`namespaces` has no value: write `name=value`"));
        assert!(refused("speed=1").starts_with("there is no rail `speed`; the rails are system-priority, namespaces"));
        assert_eq!(refused("never-evict=no"), "rail `never-evict`: expected on or off, found `no`");
        assert_eq!(refused("victims-per-plan=0"), "rail `victims-per-plan`: expected N or none, found `0`");
        assert_eq!(refused("victims-per-window=5"), "rail `victims-per-window`: expected N/TIME or none, found `5`");
        assert_eq!(refused("namespaces=a,,b"), "rail `namespaces`: expected names or none, found `a,,b`");
    }
}
