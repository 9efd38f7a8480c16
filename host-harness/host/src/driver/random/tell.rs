//! Sends inputs to the session, and takes the steps that result.

use super::play::Simulation;
use crate::session::{Action, Cause, Input, Step};

impl Simulation {
    /// Serves an input with the session, and takes its step. Errors that the failures explain are counted.
    pub(super) fn tell(&mut self, input: Input) {
        match self.session.handle(input) {
            Ok(step) => self.take(step),
            Err(error) => {
                let is_known = matches!(
                    error.cause,
                    Cause::NotPending { .. } | Cause::NoSuchPod(_) | Cause::CallError(_) | Cause::BreakerOpen { .. }
                );
                assert!(is_known, "{error}");
                self.refused += 1;
            }
        }
    }

    fn take(&mut self, step: Step) {
        if let Some(steps) = &mut self.steps {
            steps.push(step.clone());
        }
        if self.stored.is_some() {
            // The checkpoint must be stored before any command of the step is carried out.
            self.stored = Some(self.checkpoint());
        }
        self.promises.follow(&step.happened, self.session.mirror());
        self.promises.check(self.session.mirror());
        self.tried.extend(step.happened.attempts.iter().map(|attempt| attempt.pod.clone()));
        for command in step.commands {
            let what = match command.action {
                Action::Bind { .. } => "bind",
                Action::Nominate { node: Some(_) } => "nominate",
                Action::Nominate { node: None } => "withdraw",
                Action::Evict { .. } => "evict",
                Action::Confirm => "confirm",
            };
            *self.asked.entry(what).or_default() += 1;
            self.commands.entry(command.object.name.clone()).or_default().push_back(command);
        }
    }
}
