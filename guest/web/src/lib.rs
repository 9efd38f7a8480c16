//! The policy and its host for a browser, as one module without a server: nothing leaves the page.
//!
//! [`PageEngine`] is the interface for Rust; [`Lictor`] is the same for JavaScript. Inputs are plain objects. Answers are those that the `lictor` command
//! prints as JSON, parsed: what `lictor decide --output json` prints is what [`Lictor::decide`] returns. Both hold one cluster, and block while they
//! decide: a page keeps them in a worker.

mod engine;
mod live;
mod told;
#[cfg(feature = "typescript")]
mod typescript;

use lictor_decide::CycleInterval;
use lictor_decide::edit::Edit;
use serde::Serialize;
use wasm_bindgen::prelude::*;

pub use engine::{CycleSnapshot, InputSummary, PageEngine};
pub use told::{InputKind, OpenInput};
#[cfg(feature = "typescript")]
pub use typescript::declarations;

/// The engine, for JavaScript.
#[wasm_bindgen]
#[derive(Default)]
pub struct Lictor(PageEngine);

#[wasm_bindgen]
impl Lictor {
    /// Makes an engine without a cluster.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Lictor {
        Lictor::default()
    }

    /// Returns the systems of the policy with their arguments.
    ///
    /// # Errors
    /// The browser has no memory left.
    #[wasm_bindgen(unchecked_return_type = "System[]")]
    pub fn systems(&self) -> Result<JsValue, JsValue> {
        js(&PageEngine::systems())
    }

    /// Returns every law, with its manual page.
    ///
    /// # Errors
    /// The browser has no memory left.
    #[wasm_bindgen(unchecked_return_type = "Law[]")]
    pub fn laws(&self) -> Result<JsValue, JsValue> {
        js(&PageEngine::laws())
    }

    /// Opens a cluster or a scenario. Returns a summary.
    ///
    /// # Errors
    /// An array of problems, each with file, line and remedy. The input before it stays open.
    #[wasm_bindgen(unchecked_return_type = "Summary")]
    pub fn open(&mut self, #[wasm_bindgen(unchecked_param_type = "Told")] told: JsValue) -> Result<JsValue, JsValue> {
        let told: OpenInput = serde_wasm_bindgen::from_value(told)?;
        answer(self.0.open(told))
    }

    /// Decides `cycles` cycles; with explanations, if `explained` is set.
    ///
    /// # Errors
    /// An array of problems: nothing is open, or the policy failed.
    #[wasm_bindgen(unchecked_return_type = "Decisions")]
    pub fn decide(&mut self, cycles: u32, explained: bool) -> Result<JsValue, JsValue> {
        answer(self.0.decide(cycles, explained))
    }

    /// Decides the next cycle, after the events of `between`; with the cluster as it was when the cycle began. In a recording, this is the next
    /// moment with a decision; null at its end.
    ///
    /// # Errors
    /// An array of problems: nothing is open, or the policy failed.
    #[wasm_bindgen(unchecked_return_type = "Moment | null")]
    pub fn cycle(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Between")] between: JsValue,
    ) -> Result<JsValue, JsValue> {
        let between: CycleInterval = serde_wasm_bindgen::from_value(between)?;
        answer(self.0.cycle(between))
    }

    /// Returns the reasons for the state of a pod or job, in the cycle with this number from 1; in the last one, where it is left out.
    ///
    /// # Errors
    /// An array of problems: the pod, job or cycle does not exist, or nothing was decided.
    #[wasm_bindgen(unchecked_return_type = "Explanation")]
    pub fn explain(&mut self, name: &str, cycle: Option<usize>) -> Result<JsValue, JsValue> {
        self.0.explain(name, cycle, |why| js(&why)).map_err(|problems| problems_of(&problems))?
    }

    /// Returns the changes that would let a pod or job in, in the cluster as it was opened. The cluster is decided about many times: this takes a
    /// while.
    ///
    /// # Errors
    /// An array of problems: the pod or job does not exist, or nothing is open.
    #[wasm_bindgen(js_name = whatIf, unchecked_return_type = "WhatIf")]
    pub fn what_if(&self, name: &str) -> Result<JsValue, JsValue> {
        answer(self.0.what_if(name))
    }

    /// Returns the opened cluster, with its changes, as a file: its name and its text.
    ///
    /// # Errors
    /// An array of problems: nothing is open.
    #[wasm_bindgen(unchecked_return_type = "Written")]
    pub fn snapshot(&self) -> Result<JsValue, JsValue> {
        answer(self.0.snapshot())
    }

    /// Returns the decisions as a scenario that `lictor test` runs and that passes: the name of its file and its text.
    ///
    /// # Errors
    /// An array of problems: nothing was decided, or the scenario does not end as it was decided.
    #[wasm_bindgen(unchecked_return_type = "Written")]
    pub fn scenario(&self) -> Result<JsValue, JsValue> {
        answer(self.0.scenario())
    }

    /// Returns the open input, with its changes, under invented names, as [`Lictor::open`] takes it. The decisions about it are the same, up to the
    /// names.
    ///
    /// # Errors
    /// An array of problems: nothing is open, or a decision depends on a name.
    #[wasm_bindgen(unchecked_return_type = "Told")]
    pub fn masked(&self) -> Result<JsValue, JsValue> {
        answer(self.0.masked())
    }

    /// Returns the decisions as a scenario under invented names.
    ///
    /// # Errors
    /// Those of [`Lictor::masked`] and [`Lictor::scenario`].
    #[wasm_bindgen(js_name = maskedScenario, unchecked_return_type = "Written")]
    pub fn masked_scenario(&self) -> Result<JsValue, JsValue> {
        answer(self.0.masked_scenario())
    }

    /// Returns the cluster as it is drawn now: nodes, queues and jobs in few numbers.
    ///
    /// # Errors
    /// An array of problems: nothing is open, or the policy failed.
    #[wasm_bindgen(unchecked_return_type = "Picture")]
    pub fn picture(&mut self) -> Result<JsValue, JsValue> {
        answer(self.0.picture())
    }

    /// Returns a text of changes, as [`Lictor::open`] takes it, with one more change appended. The change applies to the cluster as it was opened
    /// with this text, whatever was decided last.
    ///
    /// # Errors
    /// An array of problems: nothing is open, the text has mistakes, or the change is not possible.
    #[wasm_bindgen(unchecked_return_type = "string")]
    pub fn edit(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Edit")] asked: JsValue,
        changes: &str,
    ) -> Result<JsValue, JsValue> {
        let asked: Edit = serde_wasm_bindgen::from_value(asked)?;
        answer(self.0.edit(&asked, changes))
    }

    /// Returns the bounds of quotas and queues, which can be changed.
    ///
    /// # Errors
    /// An array of problems: nothing is open.
    #[wasm_bindgen(unchecked_return_type = "Bound[]")]
    pub fn bounds(&self) -> Result<JsValue, JsValue> {
        answer(self.0.bounds())
    }

    /// Returns the pods of a node after the cycle with this number, the highest priority first; now, where the number is left out.
    ///
    /// # Errors
    /// An array of problems: nothing is open, or the cycle does not exist.
    #[wasm_bindgen(js_name = podsOn, unchecked_return_type = "Placed[]")]
    pub fn pods_on(&mut self, node: &str, cycle: Option<usize>) -> Result<JsValue, JsValue> {
        answer(self.0.pods_on(node, cycle))
    }

    /// Plays the open scenario, from its beginning. Returns the result of each step.
    ///
    /// # Errors
    /// An array of problems: no scenario is open.
    #[wasm_bindgen(unchecked_return_type = "Report")]
    pub fn play(&self, explained: bool) -> Result<JsValue, JsValue> {
        answer(self.0.play(explained))
    }
}

/// Converts a value to an object as JSON has it. serde-wasm-bindgen would refuse numbers that JavaScript cannot represent exactly, such as a quota
/// without a limit.
fn js<T: Serialize>(value: &T) -> Result<JsValue, JsValue> {
    let text = serde_json::to_string(value).map_err(|error| JsValue::from_str(&error.to_string()))?;
    js_sys::JSON::parse(&text)
}

fn answer<T: Serialize>(answer: Result<T, Vec<lictor_decide::Problem>>) -> Result<JsValue, JsValue> {
    match answer {
        Ok(value) => js(&value),
        Err(problems) => Err(problems_of(&problems)),
    }
}

fn problems_of(problems: &[lictor_decide::Problem]) -> JsValue {
    js(&problems).unwrap_or_else(|error| error)
}
