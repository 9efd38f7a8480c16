//! Attempts that fail because the policy does.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// A report that counts attempts that have failed.
#[derive(Default)]
struct Failed(AtomicUsize);

impl ConnectionObserver for Failed {
    fn step(&self, _: &StepOutput, _: &Session) {}
    fn error(&self, _: &SessionError) {}
    fn attempt_failed(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
    fn object_invalid(&self, _: &InputError) {}
    fn write_line(&self, _: &str) {}
}

#[test]
fn an_attempt_fails_with_the_policy_and_not_with_a_question_about_a_pod_that_is_gone() {
    // The text is no answer to this question. A session asks once more.
    let fault = || ScriptedReply::Codes(Vec::new(), 0);
    let policy = Scripted::deciding(ALL).reply("pre-filter default/a", fault()).reply("pre-filter default/a", fault());
    let described = policy.clone().describe().unwrap();
    let session = Session::open(Box::new(policy.clone()), "", "").unwrap();
    let welcome = say::welcome(&described, &described.systems[0]);
    let opened =
        ConnectionSetup { session, recorder: None, checkpoint: None, right: None, points: ALL.to_vec(), welcome };
    let failed = Arc::new(Failed::default());
    let conversation = SchedulerConnection::begin(opened, failed.clone());
    let mut talk = Talk::told(conversation, [node("n1", 4), pod("a", 1, 0)]);
    for (name, expected) in [("gone", 0), ("a", 1)] {
        let question = ProtocolFrame {
            kind: kind::PRE_FILTER_AND_FILTER,
            number: 1,
            payload: serde_json::to_vec(&of(name)).unwrap(),
        };
        let came = talk.0.take(NOW, vec![question]).unwrap();
        assert!(came.iter().any(|frame| frame.kind == kind::ERROR), "{name}: {came:?}");
        assert_eq!(failed.0.load(Ordering::Relaxed), expected, "{name}");
    }
}
