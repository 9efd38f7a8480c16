//! The built-in component: it is there, it loads, it answers.
#![expect(clippy::unwrap_used, reason = "tests")]

use lictor::policy::Policy;
use lictor::sandbox::{Limits, Sandbox, embedded};

#[test]
fn describes_itself() {
    let mut policy = Sandbox::new(Limits::default()).unwrap().load(embedded()).unwrap().start().unwrap();
    assert_eq!(policy.describe().unwrap().name, "lictor");
}
