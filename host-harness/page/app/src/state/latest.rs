//! Questions of which only the last one counts.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

/// One question at a time. What is wanted may change while the engine answers: only then is it asked anew, and an answer that nobody wants
/// any more is dropped. So a line of time that is dragged asks few questions.
#[derive(Clone, Copy)]
pub(crate) struct Latest(StoredValue<bool>);

impl Latest {
    /// Nothing is asked yet.
    pub(crate) fn new() -> Latest {
        Latest(StoredValue::new(false))
    }

    /// Asks what is wanted until the answer is to what is still wanted, and tells that. Where nothing is wanted, nothing is asked.
    pub(crate) fn ask<Q: PartialEq, A, F: Future<Output = A>>(
        self,
        wanted: impl Fn() -> Option<Q> + 'static,
        ask: impl Fn(&Q) -> F + 'static,
        tell: impl Fn(A) + 'static,
    ) {
        if self.0.try_get_value() != Some(false) {
            return;
        }
        self.0.set_value(true);
        spawn_local(async move {
            while let Some(question) = wanted() {
                let answer = ask(&question).await;
                if wanted().is_some_and(|now| now == question) {
                    tell(answer);
                    break;
                }
            }
            self.0.try_update_value(|asks| *asks = false);
        });
    }
}
