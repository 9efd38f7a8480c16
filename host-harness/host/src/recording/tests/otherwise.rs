//! Policies that are not as the one that was recorded.

use lictor_contract::{Applied, ConfigError, Description, Enforced, Event, Interface};

use super::*;
use crate::policy::{CallError, PolicyUsage};

/// A policy like the recorded one, except that it evicts no pod. Its memory grows with every cycle, and is reset by a restart.
#[derive(Default)]
struct Gentle {
    plain: Plain,
    held: u64,
    growth: u64,
}

impl Policy for Gentle {
    fn restart(&mut self) -> Result<(), CallError> {
        self.held = 0;
        self.plain.restart()
    }
    fn usage(&self) -> PolicyUsage {
        PolicyUsage { memory_bytes: self.held, ..PolicyUsage::default() }
    }
    fn recycle_bytes(&self) -> Option<u64> {
        Some(MARK)
    }
    fn has(&self, interface: Interface) -> bool {
        self.plain.has(interface)
    }
    fn describe(&mut self) -> Result<Description, CallError> {
        self.plain.describe()
    }
    fn configure(&mut self, system: &str, arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        self.plain.configure(system, arguments)
    }
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        self.plain.apply(events)
    }
    fn enforce(&mut self) -> Result<Enforced, CallError> {
        self.held = self.held.saturating_add(self.growth);
        self.plain.enforce()
    }
}

/// The bytes of memory above which an instance is replaced.
const MARK: u64 = 100;

#[test]
fn the_first_answer_that_differs_is_named_with_its_pod() {
    let (alike, divergence) = replayed(&recorded(), Box::new(Gentle::default()));
    // The objects are received alike. The first cycle differs.
    assert_eq!(alike, 1);
    let Some(Divergence::Answer { about, then: Some(then), now: Some(now) }) = divergence else {
        panic!("{divergence:?}");
    };
    assert_eq!(then.call, now.call);
    assert!(then.reply.starts_with('+') && now.reply.contains("lacks"), "{then:?} {now:?}");
    assert_eq!((then.call.as_str(), about.as_slice()), ("post-filter", ["default/p".to_owned()].as_slice()));
}

#[test]
fn an_instance_that_was_replaced_because_of_its_memory_is_replaced_where_none_is_measured() {
    let mut header = header();
    header.policy.native = false;
    header.limits.insert("recycleBytes".to_owned(), MARK);
    let (recorder, memory) = Recorder::in_memory();
    let policy = recorder.observe(Box::new(Gentle { growth: 40, ..Gentle::default() }), &header);
    let mut driver = VirtualDriver::open(policy, "plain", "").unwrap();
    driver.record(recorder.clone());
    driver.apply(vec![object(node("n1", 4))]).unwrap();
    (0..8).for_each(|_| driver.serve(SessionInput::Cycle).unwrap());
    recorder.finish().unwrap();
    let bytes = memory.take();
    let restarts = |entry: &RecordingEntry| matches!(entry, RecordingEntry::Step(step) if step.replies.iter().any(|answer| answer.call == "restart"));
    // The instance holds 40, 80 and 120 bytes after three cycles. So the next input has a new instance, and again three cycles later.
    assert_eq!(read(&bytes).unwrap().0.iter().filter(|entry| restarts(entry)).count(), 2);
    assert_eq!(replayed(&bytes, plain()).1, None);
}
