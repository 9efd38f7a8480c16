//! What would let a job in.

use serde::Deserialize;
use serde_json::Value;

/// What would let a job in.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WhatIf {
    /// The job.
    pub job: String,
    /// It gets in as it is.
    pub is_in: bool,
    /// Why no change was tried: it is gated, or left to another scheduler.
    pub not_tried: Option<String>,
    /// The changes, each of which is enough.
    pub changes: Vec<Change>,
}

/// A change that is enough.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Change {
    /// The change in words.
    pub sentence: String,
    /// How many pods are evicted for the job.
    pub victims: usize,
    /// The objects that are added, or stand instead of those of the same kind and name.
    pub objects: Vec<Value>,
}
