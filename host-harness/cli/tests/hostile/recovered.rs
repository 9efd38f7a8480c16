//! A session continues after its policy has trapped.

use lictor_host::policy::CallError;
use lictor_host::sandbox::{PolicyFault, Sandbox, SandboxLimits};
use lictor_host::session::{FailureCause, Session, SessionInput};
use lictor_host::verify::testing::{node, object, pod};

use crate::assemble::policy;

#[test]
fn a_session_whose_policy_traps_for_one_pod_serves_the_others() {
    let sandbox = Sandbox::new(SandboxLimits::default()).unwrap();
    let component = sandbox.load(&policy(include_str!("traps-for-one-pod.wat"))).unwrap();
    let mut session = Session::open(Box::new(component.start().unwrap()), "", "").unwrap();
    let objects = [node("n1", 4), pod("a", 1, 0), pod("b", 1, 0), pod("c", 1, 0)];
    session.handle(SessionInput::Objects(objects.map(object).to_vec())).unwrap();
    let attempt = |name: &str| SessionInput::Attempt(format!("default/{name}"));
    let bound = |session: &Session| -> Vec<String> {
        let on_node = session.mirror().pods().filter(|pod| pod.node.is_some());
        on_node.map(|pod| pod.name.clone()).collect()
    };
    assert_eq!(session.handle(attempt("a")).unwrap().commands.len(), 1);
    for _ in 0..2 {
        let error = session.handle(attempt("b")).unwrap_err();
        let FailureCause::CallError(CallError::Broke { call: "reserve", cause }) = error.cause else {
            panic!("{error}")
        };
        assert!(matches!(cause.downcast_ref(), Some(PolicyFault::Trapped { .. })), "{cause}");
        assert_eq!(bound(&session), ["a"], "what was bound stays, and `b` has no node");
    }
    // A cycle tries `b`, too: nothing of it stands. The next input has a new instance again.
    session.handle(SessionInput::Cycle).unwrap_err();
    assert_eq!(session.handle(attempt("c")).unwrap().commands.len(), 1);
    assert_eq!(bound(&session), ["a", "c"]);
    assert_eq!(session.queue().unwrap(), ["default/b"]);
}
