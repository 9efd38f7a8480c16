//! Policies that are not as the one that was recorded.

use lictor_contract::{Applied, ConfigError, Description, Enforced, Event, Interface};

use super::*;
use crate::policy::{CallError, Usage};

/// A policy like the recorded one that evicts nobody.
struct Gentle(Plain);

impl Policy for Gentle {
    fn restart(&mut self) -> Result<(), CallError> {
        self.0.restart()
    }
    fn has(&self, interface: Interface) -> bool {
        self.0.has(interface)
    }
    fn describe(&mut self) -> Result<Description, CallError> {
        self.0.describe()
    }
    fn configure(&mut self, system: &str, arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        self.0.configure(system, arguments)
    }
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        self.0.apply(events)
    }
    fn enforce(&mut self) -> Result<Enforced, CallError> {
        self.0.enforce()
    }
}

#[test]
fn the_first_answer_that_differs_is_named_with_its_pod() {
    let (alike, divergence) = replayed(&recorded(), Box::new(Gentle(Plain::default())));
    // The objects are told alike; the first cycle is not.
    assert_eq!(alike, 1);
    let Some(Divergence::Answer { about, then: Some(then), now: Some(now) }) = divergence else {
        panic!("{divergence:?}");
    };
    assert_eq!(then.call, now.call);
    assert!(then.said.starts_with('+') && now.said.contains("lacks"), "{then:?} {now:?}");
    assert_eq!((then.call.as_str(), about.as_slice()), ("post-filter", ["default/p".to_owned()].as_slice()));
}

/// A policy that holds more memory with every cycle, and forgets it when it is started anew.
struct Growing(Plain, u64);

impl Policy for Growing {
    fn restart(&mut self) -> Result<(), CallError> {
        self.1 = 0;
        self.0.restart()
    }
    fn usage(&self) -> Usage {
        Usage { memory_bytes: self.1, ..Usage::default() }
    }
    fn recycle_bytes(&self) -> Option<u64> {
        Some(MARK)
    }
    fn has(&self, interface: Interface) -> bool {
        self.0.has(interface)
    }
    fn describe(&mut self) -> Result<Description, CallError> {
        self.0.describe()
    }
    fn configure(&mut self, system: &str, arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        self.0.configure(system, arguments)
    }
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        self.0.apply(events)
    }
    fn enforce(&mut self) -> Result<Enforced, CallError> {
        self.1 = self.1.saturating_add(40);
        self.0.enforce()
    }
}

/// Where it is replaced.
const MARK: u64 = 100;

#[test]
fn an_instance_that_was_replaced_because_of_its_memory_is_replaced_where_none_is_measured() {
    let mut header = header();
    header.policy.native = false;
    header.limits.insert("recycleBytes".to_owned(), MARK);
    let bytes = Bytes::default();
    let recorder = Recorder::begin(Box::new(bytes.clone()));
    let policy = recorder.listen(Box::new(Growing(Plain::default(), 0)), &header);
    let mut driver = Virtual::open(policy, "plain", "").unwrap();
    driver.record(recorder.clone());
    driver.apply(vec![object(node("n1", 4))]).unwrap();
    (0..8).for_each(|_| driver.tell(Input::Cycle).unwrap());
    recorder.finish().unwrap();
    let restarts = |entry: &Entry| matches!(entry, Entry::Step(step) if step.answers.iter().any(|answer| answer.call == "restart"));
    // It holds 40, 80 and 120 after three cycles: the next input has a new instance, and so has the one three cycles later.
    assert_eq!(read(&bytes.all()).unwrap().0.iter().filter(|entry| restarts(entry)).count(), 2);
    assert_eq!(replayed(&bytes.all(), plain()).1, None);
}
