//! The size of the frame in which the canvas scrolls.

use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::ResizeObserver;

/// Follows the width and the height of the frame, as long as the calling component exists.
pub(super) fn measure(frame: NodeRef<Div>, size: RwSignal<(f64, f64)>) {
    // The observer must not outlive the component: it would set signals that are gone.
    let observer = StoredValue::new_local(None::<(ResizeObserver, Closure<dyn Fn()>)>);
    Effect::new(move |_| {
        let Some(element) = frame.get() else { return };
        let seen = element.clone();
        let measured = move || {
            size.try_set((f64::from(seen.client_width()), f64::from(seen.client_height())));
        };
        measured();
        let measured = Closure::<dyn Fn()>::new(measured);
        if let Ok(started) = ResizeObserver::new(measured.as_ref().unchecked_ref()) {
            started.observe(&element);
            observer.set_value(Some((started, measured)));
        }
    });
    on_cleanup(move || {
        if let Some(Some((observer, _))) = observer.try_update_value(Option::take) {
            observer.disconnect();
        }
    });
}
