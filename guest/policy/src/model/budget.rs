//! Disruption budgets: how many of some pods may be disrupted.

/// A disruption budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisruptionBudget {
    /// The number of its pods that may still be disrupted now.
    pub allowed: i64,
}
