//! The functions for JavaScript about a recording that is being written.

use wasm_bindgen::prelude::*;

use crate::{Lictor, answer};

#[wasm_bindgen]
impl Lictor {
    /// Adds to the open recording what was written to it since, from the byte `from` on: the end of the last whole step, as the last answer said.
    /// From then on the recording has no end: where `cycle` returns nothing, more may follow.
    ///
    /// # Errors
    /// An array of problems: no recording is open, it continues at another byte, or it is damaged.
    #[wasm_bindgen(unchecked_return_type = "Known")]
    pub fn append(&mut self, from: usize, more: &[u8]) -> Result<JsValue, JsValue> {
        answer(self.0.append(from as u64, more))
    }

    /// Repeats at most `most` moments of the recording, without drawing them. Returns the number of the last one.
    ///
    /// # Errors
    /// An array of problems: no recording is open, or it is damaged.
    #[wasm_bindgen(unchecked_return_type = "number")]
    pub fn skip(&mut self, most: u32) -> Result<JsValue, JsValue> {
        answer(self.0.skip(most))
    }
}
