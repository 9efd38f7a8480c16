//! The nodes on a canvas: only those on the screen are drawn.

mod detail;
mod paint;

use std::sync::Arc;

use leptos::html::{Canvas, Div};
use leptos::prelude::*;
use lictor_picture::Picture;
use wasm_bindgen::prelude::*;
use web_sys::{KeyboardEvent, MouseEvent};

use self::detail::Detail;
use self::paint::{Moves, Paint, paint};
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
        let columns = grid.get_untracked().columns;
        let now =
            chosen.get_untracked().and_then(|node| shown.with_untracked(|it| it.iter().position(|at| *at == node)));
        let next = match (event.key().as_str(), now) {
            ("ArrowRight" | "ArrowLeft" | "ArrowUp" | "ArrowDown", None) => Some(0),
            ("ArrowRight", Some(now)) => now.checked_add(1),
            ("ArrowLeft", Some(now)) => now.checked_sub(1),
            ("ArrowDown", Some(now)) => now.checked_add(columns),
            ("ArrowUp", Some(now)) => now.checked_sub(columns),
            _ => return,
        };
        event.prevent_default();
        let Some((cell, node)) = next.and_then(|at| Some((at, shown.with_untracked(|shown| shown.get(at).copied())?)))
        else {
            return;
        };
        chosen.set(Some(node));
        if let Some(frame) = frame.get_untracked() {
            let (grid, top) = (grid.get_untracked(), f64::from(frame.scroll_top()));
            let (_, y) = grid.place(cell);
            let tall = f64::from(frame.client_height());
            if y < top || y + grid.height > top + tall {
                frame.set_scroll_top(y as i32);
            }
        }
    };
    let spacer = move || format!("height:{}px", grid.get().tall());
    let name = move || chosen.get().and_then(|at| picture.with(|it| it.nodes.get(at).map(|node| node.name.clone())));
    view! {
        <div class="tools">
            <label class="field">
                <span class="wide">"Colour "</span>
                <select id="colour" aria-label="Colour" on:change=move |event| {
                    colour.set(if event_target_value(&event) == "priority" { Colour::Priority } else { Colour::Queue });
                }>
                    <option value="queue">"by queue"</option>
                    <option value="priority">"by priority"</option>
                </select>
            </label>
            <label class="field">
                <span class="wide">"Order "</span>
                <select id="order" aria-label="Order" on:change=move |event| {
                    order.set(if event_target_value(&event) == "fullest" { Order::Fullest } else { Order::Name });
                }>
                    <option value="name">"by name"</option>
                    <option value="fullest">"fullest first"</option>
                </select>
            </label>
            <input
                type="search"
                id="find-node"
                placeholder="node"
                aria-label="Find a node"
                on:input=move |event| filter.set(event_target_value(&event))
            />
        </div>
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
    for (id, event) in [("theme", "change")] {
        let changed = Closure::<dyn Fn()>::new(again);
        if let Some(element) = document().get_element_by_id(id) {
            let _listens = element.add_event_listener_with_callback(event, changed.as_ref().unchecked_ref());
        }
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
