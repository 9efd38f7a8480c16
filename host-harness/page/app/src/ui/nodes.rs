//! The nodes on a canvas: only those on the screen are drawn.

mod detail;
mod keys;
mod paint;
mod tools;

use std::sync::Arc;

use leptos::html::{Canvas, Div};
use leptos::prelude::*;
use lictor_picture::Picture;
use wasm_bindgen::prelude::*;
use web_sys::{KeyboardEvent, MouseEvent};

use self::detail::Detail;
use self::paint::{Moves, Paint, paint};
use self::tools::Tools;
use crate::model::nodes::{Colour, Grid, Legend, Order, listed};
use crate::state::page;

/// The least width of a cell in pixels.
const WIDTH: f64 = 168.0;

/// The height of a cell with so many bars.
fn height(bars: usize) -> f64 {
    26.0 + 9.0 * bars as f64
}

#[component]
pub(super) fn Nodes() -> impl IntoView {
    let page = page();
    let (colour, order) = (RwSignal::new(Colour::Queue), RwSignal::new(Order::Name));
    let (filter, chosen) = (RwSignal::new(String::new()), RwSignal::new(None::<usize>));
    let (width, scrolled, redraw) = (RwSignal::new(0.0), RwSignal::new(0.0), RwSignal::new(0u32));
    let (frame, canvas) = (NodeRef::<Div>::new(), NodeRef::<Canvas>::new());
    let picture = page.picture;
    let legend = Memo::new(move |_| picture.with(|picture| Legend::of(picture, colour.get())));
    let shown = Memo::new(move |_| Arc::new(picture.with(|picture| listed(picture, &filter.get(), order.get()))));
    let grid = Memo::new(move |_| {
        let bars = picture.with(|picture| picture.resources.len());
        Grid::of(shown.with(|shown| shown.len()), f64::max(width.get(), 1.0), WIDTH, height(bars))
    });
    let moves = Memo::new(move |_| page.cycle().map(|cycle| Moves::of(&cycle)).unwrap_or_default());
    measure(frame, width, redraw);
    Effect::new(move |_| {
        redraw.track();
        let (Some(frame), Some(canvas)) = (frame.get(), canvas.get()) else { return };
        let tall = f64::from(frame.client_height());
        let what = Paint { grid: grid.get(), scrolled: scrolled.get(), width: width.get(), tall, chosen: chosen.get() };
        picture.with(|picture| {
            shown.with(|shown| legend.with(|legend| moves.with(|it| paint(&canvas, what, picture, shown, legend, it))));
        });
    });
    let at = move |event: &MouseEvent| {
        let y = f64::from(event.offset_y()) + scrolled.get_untracked();
        let cell = grid.get_untracked().at(f64::from(event.offset_x()), y)?;
        shown.with_untracked(|shown| shown.get(cell).copied())
    };
    let key = move |event: KeyboardEvent| {
        let place = |node| shown.with_untracked(|it| it.iter().position(|at| *at == node));
        let grid = grid.get_untracked();
        let Some(next) = keys::next(&event.key(), chosen.get_untracked().and_then(place), grid.columns) else { return };
        event.prevent_default();
        let Some(node) = shown.with_untracked(|shown| shown.get(next).copied()) else { return };
        chosen.set(Some(node));
        frame.get_untracked().into_iter().for_each(|frame| keys::show(&frame, grid, next));
    };
    let spacer = move || format!("height:{}px", grid.get().tall());
    let name = move || chosen.get().and_then(|at| picture.with(|it| it.nodes.get(at).map(|node| node.name.clone())));
    view! {
        <Tools colour=colour order=order filter=filter/>
        <LegendLine legend=legend/>
        <div
            class="nodes-frame"
            node_ref=frame
            tabindex="0"
            role="listbox"
            aria-label=move || label(&picture.get(), shown.with(|shown| shown.len()))
            on:scroll=move |_| if let Some(frame) = frame.get_untracked() { scrolled.set(f64::from(frame.scroll_top())) }
            on:keydown=key
        >
            <div class="spacer" style=spacer></div>
            <canvas id="nodes" node_ref=canvas on:click=move |event| chosen.set(at(&event))></canvas>
        </div>
        <Detail name=Signal::derive(name)/>
    }
}

/// What the canvas shows, in words.
fn label(picture: &Picture, shown: usize) -> String {
    format!("{shown} nodes with what pods hold of {}; the arrow keys choose one", picture.resources.join(", "))
}

/// Follows the width of the frame, and draws again where the look of the page has changed.
fn measure(frame: NodeRef<Div>, width: RwSignal<f64>, redraw: RwSignal<u32>) {
    let again = move || redraw.update(|count| *count = count.wrapping_add(1));
    Effect::new(move |_| {
        let Some(element) = frame.get() else { return };
        width.set(f64::from(element.client_width()));
        let resized = Closure::<dyn Fn()>::new(move || {
            if let Some(frame) = frame.get_untracked() {
                width.set(f64::from(frame.client_width()));
                again();
            }
        });
        if let Ok(observer) = web_sys::ResizeObserver::new(resized.as_ref().unchecked_ref()) {
            observer.observe(&element);
        }
        // They are needed as long as the page is there.
        resized.forget();
    });
    if let Some(theme) = document().get_element_by_id("theme") {
        let changed = Closure::<dyn Fn()>::new(again);
        let _listens = theme.add_event_listener_with_callback("change", changed.as_ref().unchecked_ref());
        changed.forget();
    }
    if let Ok(Some(dark)) = window().match_media("(prefers-color-scheme: dark)") {
        let changed = Closure::<dyn Fn()>::new(again);
        dark.set_onchange(Some(changed.as_ref().unchecked_ref()));
        changed.forget();
    }
}

#[component]
fn LegendLine(legend: Memo<Legend>) -> impl IntoView {
    let entry = |(at, name): (usize, String)| {
        view! { <span><i style=format!("background:{}", paint::colour(at))></i>{name}</span> }
    };
    view! {
        <p class="legend">
            {move || legend.with(|legend| legend.names.clone()).into_iter().enumerate().map(entry).collect_view()}
        </p>
    }
}
