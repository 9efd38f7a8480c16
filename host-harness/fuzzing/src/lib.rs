//! Fuzz targets, which take random bytes. `host-harness/fuzz` calls each target from libFuzzer; `tests/smoke.rs` calls them with the corpus and
//! with some hundred mutations of it, on any compiler.
//!
//! A target reports by panicking: where a reader or the engine panics or overflows, and where an assertion of the target fails. Reading the
//! same bytes twice gives the same result. What was read can be sent on to a policy. The same events have the same answers.

mod bytes;
mod checkpoints;
mod clusters;
mod engine;
mod events;
mod readers;
mod session;

/// A target: it takes any bytes.
pub type Target = fn(&[u8]);

/// The targets, by the names of their corpora.
pub const TARGETS: [(&str, Target); 12] = [
    ("arguments", readers::arguments),
    ("durations", readers::durations),
    ("engine-events", engine::events),
    ("objects", readers::objects),
    ("policy-checkpoints", checkpoints::policy),
    ("quantities", readers::quantities),
    ("queues", readers::queues),
    ("recordings", readers::recordings),
    ("references", readers::references),
    ("scenarios", readers::scenarios),
    ("session-checkpoints", checkpoints::session),
    ("session-inputs", session::inputs),
];

/// Runs the target of this name.
pub fn run(name: &str, data: &[u8]) {
    let known = TARGETS.iter().find(|(known, _)| *known == name);
    assert!(known.is_some(), "there is no target `{name}`");
    if let Some((_, target)) = known {
        target(data);
    }
}

/// The systems that a policy is configured for.
const SYSTEMS: [&str; 5] = ["koordinator", "volcano", "coscheduling", "yunikorn", "kubernetes"];
