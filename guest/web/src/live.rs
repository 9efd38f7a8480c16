//! What JavaScript asks of a recording that is being written.

use wasm_bindgen::prelude::*;

use crate::{Lictor, answer};

#[wasm_bindgen]
impl Lictor {
    /// Adds to the recording that is open what was written to it since, from this byte on: the end of the last whole step, as the answer
    /// before said. From then on the recording has no end: where `cycle` has nothing, more may come.
    ///
    /// # Errors
    /// An array of problems: no recording is open, it goes on elsewhere, or it is damaged.
    #[wasm_bindgen(unchecked_return_type = "Known")]
    pub fn append(&mut self, from: usize, more: &[u8]) -> Result<JsValue, JsValue> {
        answer(self.0.append(from as u64, more))
    }

    /// Repeats moments of the recording, at most so many, without drawing them; the number of the last one.
    ///
    /// # Errors
    /// An array of problems: no recording is open, or it is damaged.
    #[wasm_bindgen(unchecked_return_type = "number")]
    pub fn skip(&mut self, most: u32) -> Result<JsValue, JsValue> {
        answer(self.0.skip(most))
    }
}
