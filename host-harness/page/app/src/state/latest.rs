//! Questions of which only the last one counts.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

/// A request of which only one is under way. The request may change while the engine answers: only then is it sent anew, and an answer that is not
/// wanted any more is dropped. So a line of time that is dragged sends few requests.
#[derive(Clone, Copy)]
pub(crate) struct RequestCoalescer(StoredValue<bool>);

impl RequestCoalescer {
    /// Makes a value without a request.
    pub(crate) fn new() -> RequestCoalescer {
        RequestCoalescer(StoredValue::new(false))
    }

    /// Sends the wanted request until the answer is to the request that is still wanted, and passes that answer to `tell`. Does nothing where no
    /// request is wanted.
    pub(crate) fn send<Q: PartialEq, A, F: Future<Output = A>>(
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
