//! A cycle, and the cluster as it was when the cycle began.

use lictor_picture::Picture;
use serde::Deserialize;

use super::record::DecisionReportView;

/// A cycle, and the cluster as it was when the cycle began.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MomentView {
    /// The number of the cycle, from 1.
    pub number: usize,
    /// The objects that left the cluster before it, as `Kind/namespace/name`.
    pub left: Vec<String>,
    /// The cluster before the decisions.
    pub picture: Picture,
    /// The decisions.
    pub record: DecisionReportView,
}
