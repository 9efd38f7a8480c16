//! The reasons that a policy gives.

use lictor_contract::Reason;

use super::{FailureCause, ProtocolError, Session};
use crate::reason::NamedReason;

/// The prefix of the codes of the host's reasons.
const HOST_CODE_PREFIX: &str = "host/";

impl Session {
    /// Checks that a reason names a law of the policy, or has neither code nor facts.
    pub(super) fn check_reason(reason: &Reason) -> Result<(), ProtocolError> {
        match reason.code.as_str() {
            "" if !reason.facts.is_empty() => Err(ProtocolError::FactsWithoutCode(reason.facts.len())),
            code if code.starts_with(HOST_CODE_PREFIX) => Err(ProtocolError::ReservedCode(code.to_owned())),
            _ => Ok(()),
        }
    }

    /// Checks a reason of the policy, and converts it to names with a sentence.
    pub(super) fn checked_reason(&self, call: &'static str, reason: Reason) -> Result<NamedReason, FailureCause> {
        Session::check_reason(&reason).map_err(|error| error.into_cause(call))?;
        Ok(self.named_reason(reason))
    }

    /// Converts a reason to names with a sentence.
    pub(super) fn named_reason(&self, reason: Reason) -> NamedReason {
        self.configuration.templates.name(reason, &self.mirror)
    }
}

#[cfg(test)]
mod tests {
    use lictor_contract::{Fact, FactValue};

    use super::*;

    fn checked(code: &str, facts: usize) -> Result<(), ProtocolError> {
        let fact = Fact { name: "used".to_owned(), value: FactValue::Count(1) };
        Session::check_reason(&Reason { code: code.to_owned(), case: String::new(), facts: vec![fact; facts] })
    }

    #[test]
    fn a_reason_names_a_law_or_says_nothing() {
        assert_eq!(checked("test/law", 2), Ok(()));
        assert_eq!(checked("", 0), Ok(()));
        assert_eq!(checked("", 2), Err(ProtocolError::FactsWithoutCode(2)));
        assert_eq!(checked("host/fits", 0), Err(ProtocolError::ReservedCode("host/fits".to_owned())));
    }
}
