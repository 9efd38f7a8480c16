//! The changes that would let a job in.

use serde::Deserialize;
use serde_json::Value;

/// The changes that would let a job in.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WhatIfView {
    /// The job.
    pub job: String,
    /// Whether it gets in without a change.
    pub is_in: bool,
    /// Why no change was tried: the job is gated, or left to another scheduler.
    pub not_tried: Option<String>,
    /// The changes, each of which is enough.
    pub changes: Vec<ChangeView>,
}

/// A change that is enough.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ChangeView {
    /// The change in words.
    pub sentence: String,
    /// The number of pods that are evicted for the job.
    pub victims: usize,
    /// The objects that are added, or replace those of the same kind and name.
    pub objects: Vec<Value>,
}
