//! Disruption budgets: how many of some pods may be disrupted.

/// A budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// So many more of its pods may be disrupted now.
    pub allowed: i64,
}
