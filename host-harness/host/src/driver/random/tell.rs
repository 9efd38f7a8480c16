//! Sends inputs to the session, and takes the steps that result.

use super::play::SessionSimulation;
use crate::session::{CommandAction, FailureCause, SessionInput, StepOutput};

impl SessionSimulation {
    /// Serves an input with the session, and takes its step. Errors that the failures explain are counted.
    pub(super) fn serve(&mut self, input: SessionInput) {
        match self.session.handle(input) {
            Ok(step) => self.take(step),
            Err(error) => {
                let is_known = matches!(
                    error.cause,
                    FailureCause::NotPending { .. }
                        | FailureCause::NoSuchPod(_)
                        | FailureCause::CallError(_)
                        | FailureCause::BreakerOpen { .. }
                );
                assert!(is_known, "{error}");
                self.record.refused += 1;
            }
        }
    }

    fn take(&mut self, step: StepOutput) {
        if let Some(steps) = &mut self.record.steps {
            steps.push(step.clone());
        }
        if self.stored.is_some() {
            // The checkpoint must be stored before any command of the step is carried out.
            self.stored = Some(self.checkpoint());
        }
        self.nominations.observe(&step.happened, self.session.mirror());
        self.nominations.check(self.session.mirror());
        self.tried.extend(step.happened.attempts.iter().map(|attempt| attempt.pod.clone()));
        for command in step.commands {
            let what = match command.action {
                CommandAction::Bind { .. } => "bind",
                CommandAction::Nominate { node: Some(_) } => "nominate",
                CommandAction::Nominate { node: None } => "withdraw",
                CommandAction::Evict { .. } => "evict",
                CommandAction::Confirm => "confirm",
            };
            *self.record.requests.entry(what).or_default() += 1;
            self.messages.commands.entry(command.object.name.clone()).or_default().push_back(command);
        }
    }
}
