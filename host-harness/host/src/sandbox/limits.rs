//! What a policy may use.

use std::time::Duration;

use lictor_contract::duration;
use lictor_contract::quantity::{self, Unit};

/// The bounds of one policy. The defaults are far above what a sound policy needs for 5,000 nodes and 50,000 pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxLimits {
    /// Bytes of memory of an instance: linear memories and tables together. 512 MiB by default: 50,000 pods take about 30,
    /// and ten times as many about 260.
    pub memory_bytes: usize,
    /// Bytes of memory above which an instance is replaced between two decisions and receives the cluster again. Memory of an instance never shrinks,
    /// so that a leak, however slow, would end in a fault. 384 MiB by default. Where a new instance holds as much, the threshold is twice what that
    /// instance holds.
    pub recycle_bytes: usize,
    /// The maximum time of one call. 10 s by default. The longest call, a preemption that scans all nodes for a large job, takes milliseconds, and
    /// events are sent in chunks. A call is never stopped early, and at most a hundredth of a second late.
    pub call_deadline: Duration,
    /// Units of fuel for one call, about one per instruction of WebAssembly. None by default: fuel is not counted. With fuel, an answer depends on no
    /// clock: the same calls use the same fuel and end alike on every machine, unless the deadline, which stays in force, comes first. Calls are
    /// slower by about a twentieth.
    pub call_fuel: Option<u64>,
    /// Bytes of the answer to one call. 64 MiB by default: the verdicts on 5,000 nodes are 5 KB.
    pub result_bytes: usize,
    /// Bytes of a component. 32 MiB by default: the built-in one has about 3.
    pub component_bytes: usize,
    /// How long a component may take to compile. 60 s by default: the built-in one takes about 2, unoptimised.
    pub compile_deadline: Duration,
}

impl Default for SandboxLimits {
    fn default() -> SandboxLimits {
        SandboxLimits {
            memory_bytes: 512 << 20,
            recycle_bytes: 384 << 20,
            call_deadline: Duration::from_secs(10),
            call_fuel: None,
            result_bytes: 64 << 20,
            component_bytes: 32 << 20,
            compile_deadline: Duration::from_secs(60),
        }
    }
}

/// A limit as operators name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitInfo {
    /// The name, such as `memory`.
    pub name: &'static str,
    /// The kind of the value: `bytes` (a Kubernetes quantity, such as `256Mi`), `time` (as Go writes it, such as `1m30s`) or `fuel` (a quantity, such
    /// as `2G`).
    pub kind: &'static str,
    /// The default value.
    pub default: &'static str,
    /// What the limit bounds.
    pub about: &'static str,
}

const fn limit(name: &'static str, kind: &'static str, default: &'static str, about: &'static str) -> LimitInfo {
    LimitInfo { name, kind, default, about }
}

/// All limits.
pub const LIMITS: [LimitInfo; 7] = [
    limit("memory", "bytes", "512Mi", "memory of the instance"),
    limit("recycle", "bytes", "384Mi", "memory past which the instance is replaced"),
    limit("call-time", "time", "10s", "time of one call"),
    limit("call-fuel", "fuel", "none", "fuel of one call; alike on every machine"),
    limit("result", "bytes", "64Mi", "size of the answer to one call"),
    limit("component", "bytes", "32Mi", "size of the component"),
    limit("compile-time", "time", "60s", "time to compile the component"),
];

/// The reason why a limit cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// The text has no value.
    #[error("`{0}` has no value: write `name=value`, such as `memory=256Mi`")]
    NoValue(String),
    /// No limit has the name.
    #[error("there is no limit `{0}`; the limits are {known}", known = names())]
    Unknown(String),
    /// The value is not of the limit's kind, or is 0.
    #[error("limit `{name}`: expected {expected}, found `{found}`")]
    BadValue {
        /// The limit.
        name: &'static str,
        /// The expected form of a value.
        expected: &'static str,
        /// The value found.
        found: String,
    },
}

fn names() -> String {
    LIMITS.map(|limit| limit.name).join(", ")
}

impl SandboxLimits {
    /// Sets one limit, written as `name=value`. [`LIMITS`] has the names.
    ///
    /// # Errors
    /// The name is unknown, or the value is not of the limit's kind. A limit of 0 is an error, because it would refuse everything.
    pub fn set(&mut self, text: &str) -> Result<(), LimitError> {
        let (name, value) = text.split_once('=').ok_or_else(|| LimitError::NoValue(text.to_owned()))?;
        let known = LIMITS.iter().find(|limit| limit.name == name);
        let info = known.ok_or_else(|| LimitError::Unknown(name.to_owned()))?;
        let bytes =
            || read(info, "a size in bytes, such as `256Mi`", value, |text| quantity::parse(text, Unit::One).ok());
        let time = || read(info, "a length of time, such as `10s`", value, |text| duration::parse(text).ok());
        let size = || Ok(usize::try_from(bytes()?).unwrap_or(usize::MAX));
        let length = || Ok(Duration::from_nanos(time()?));
        match name {
            "memory" => self.memory_bytes = size()?,
            "recycle" => self.recycle_bytes = size()?,
            "call-time" => self.call_deadline = length()?,
            "call-fuel" if value == "none" => self.call_fuel = None,
            "call-fuel" => {
                let fuel = |text: &str| quantity::parse(text, Unit::One).ok();
                self.call_fuel = Some(read(info, "units of fuel, such as `2G`, or `none`", value, fuel)?);
            }
            "result" => self.result_bytes = size()?,
            "component" => self.component_bytes = size()?,
            _ => self.compile_deadline = length()?,
        }
        Ok(())
    }
}

/// Reads a value. A value of 0 is an error.
fn read(
    info: &'static LimitInfo,
    expected: &'static str,
    value: &str,
    parse: impl Fn(&str) -> Option<i64>,
) -> Result<u64, LimitError> {
    let read = parse(value).and_then(|number| u64::try_from(number).ok()).filter(|number| *number > 0);
    read.ok_or_else(|| LimitError::BadValue { name: info.name, expected, found: value.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> Result<SandboxLimits, LimitError> {
        let mut limits = SandboxLimits::default();
        limits.set(text).map(|()| limits)
    }

    #[test]
    fn every_limit_is_set_by_its_name_and_its_default_is_as_documented() {
        for limit in LIMITS {
            assert_eq!(
                set(&format!("{}={}", limit.name, limit.default)),
                Ok(SandboxLimits::default()),
                "{}",
                limit.name
            );
            let other = if limit.kind == "time" { "7ms" } else { "7Ki" };
            assert_ne!(set(&format!("{}={other}", limit.name)), Ok(SandboxLimits::default()), "{}", limit.name);
        }
        assert_eq!(set("memory=1Mi").unwrap().memory_bytes, 1 << 20);
        assert_eq!(set("recycle=1k").unwrap().recycle_bytes, 1000);
        assert_eq!(set("call-time=1m30s").unwrap().call_deadline, Duration::from_secs(90));
        assert_eq!(set("call-fuel=2G").unwrap().call_fuel, Some(2_000_000_000));
        assert_eq!(set("result=3").unwrap().result_bytes, 3);
        assert_eq!(set("component=4").unwrap().component_bytes, 4);
        assert_eq!(set("compile-time=5ms").unwrap().compile_deadline, Duration::from_millis(5));
    }

    #[test]
    fn what_is_no_limit_is_refused_with_what_to_write() {
        let refused = |text| set(text).unwrap_err().to_string();
        assert_eq!(refused("memory"), "`memory` has no value: write `name=value`, such as `memory=256Mi`");
        assert!(refused("disk=1").starts_with("there is no limit `disk`; the limits are memory, recycle, call-time"));
        assert_eq!(refused("memory=lots"), "limit `memory`: expected a size in bytes, such as `256Mi`, found `lots`");
        assert_eq!(refused("call-time=0s"), "limit `call-time`: expected a length of time, such as `10s`, found `0s`");
        assert!(refused("call-fuel=-1").contains("units of fuel"));
    }
}
