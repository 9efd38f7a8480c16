//! The nodes on a canvas: only those on the screen are drawn.

mod detail;
mod frame;
mod keys;
mod paint;
mod tools;

use std::sync::Arc;

use leptos::html::{Canvas, Div};
use leptos::prelude::*;
use lictor_picture::{DrawnNode, Picture};
use web_sys::{KeyboardEvent, MouseEvent};

use self::detail::Detail;
use self::paint::{NodeMoves, Paint, paint};
use self::tools::Tools;
use crate::model::nodes::{Colour, Grid, Legend, NodeSortOrder, listed, sentence};
use crate::model::quantity::short;
use crate::state::{PageState, page};

/// The least width of a cell in pixels.
const WIDTH: f64 = 168.0;

/// Returns the height of a cell with this number of bars, in pixels.
fn height(bars: usize) -> f64 {
    26.0 + 9.0 * bars as f64
}

#[component]
pub(super) fn Nodes() -> impl IntoView {
    let page = page();
    let (colour, order) = (RwSignal::new(Colour::Queue), RwSignal::new(NodeSortOrder::Name));
    let filter = RwSignal::new(String::new());
    let (size, scrolled) = (RwSignal::new((0.0, 0.0)), RwSignal::new(0.0));
    let (frame, canvas) = (NodeRef::<Div>::new(), NodeRef::<Canvas>::new());
    let picture = page.shown.picture;
    let legend = Memo::new(move |_| picture.with(|picture| Legend::of(picture, colour.get())));
    let shown = Memo::new(move |_| Arc::new(picture.with(|picture| listed(picture, &filter.get(), order.get()))));
    let chosen = Memo::new(move |_| {
        let name = page.selection.node.get()?;
        picture.with(|picture| picture.nodes.iter().position(|node| node.name == name))
    });
    let grid = Memo::new(move |_| {
        let bars = picture.with(|picture| picture.resources.len());
        Grid::of(shown.with(|shown| shown.len()), f64::max(size.get().0, 1.0), WIDTH, height(bars))
    });
    let moves = Memo::new(move |_| {
        page.shown.cycle.with(|it| it.as_ref().map(|cycle| NodeMoves::of(cycle)).unwrap_or_default())
    });
    frame::measure(frame, size);
    Effect::new(move |_| {
        page.settings.look.track();
        let (Some(canvas), (width, tall)) = (canvas.get(), size.get()) else { return };
        let what = Paint { grid: grid.get(), scrolled: scrolled.get(), width, tall, chosen: chosen.get() };
        picture.with(|picture| {
            shown.with(|shown| legend.with(|legend| moves.with(|it| paint(&canvas, what, picture, shown, legend, it))));
        });
    });
    let cells = Cells { page, shown, grid, chosen, scrolled };
    let hover = move |event: MouseEvent| {
        let title = cells.at(&event).and_then(|cell| cells.sentence(cell)).unwrap_or_default();
        canvas.get_untracked().into_iter().for_each(|canvas| canvas.set_title(&title));
    };
    let node = Signal::derive(move || chosen.get().and_then(|at| picture.with(|it| it.nodes.get(at).cloned())));
    view! {
        <Tools colour=colour order=order filter=filter/>
        <LegendLine legend=legend/>
        <div
            class="nodes-frame"
            node_ref=frame
            tabindex="0"
            role="listbox"
            aria-label=move || label(&picture.get(), shown.with(|shown| shown.len()))
            aria-activedescendant=move || chosen.get().map(option_id)
            on:scroll=move |_| if let Some(frame) = frame.get_untracked() { scrolled.set(f64::from(frame.scroll_top())) }
            on:keydown=move |event| cells.key(&event, frame)
        >
            <div class="spacer" style=move || format!("height:{}px", grid.get().tall())></div>
            <canvas
                id="nodes"
                node_ref=canvas
                aria-hidden="true"
                on:click=move |event| page.choose_node(cells.at(&event).and_then(|cell| cells.name(cell)))
                on:mousemove=hover
            ></canvas>
            {move || chosen.get().map(|at| chosen_option(&picture.get(), at))}
        </div>
        <Detail node=node/>
    }
}

/// The cells of the canvas, and the nodes in them.
#[derive(Clone, Copy)]
struct Cells {
    page: PageState,
    /// The nodes that pass the filter, as indices of the picture.
    shown: Memo<Arc<Vec<usize>>>,
    grid: Memo<Grid>,
    /// The chosen node, as an index of the picture.
    chosen: Memo<Option<usize>>,
    scrolled: RwSignal<f64>,
}

impl Cells {
    /// Returns the cell under the pointer.
    fn at(self, event: &MouseEvent) -> Option<usize> {
        let y = f64::from(event.offset_y()) + self.scrolled.get_untracked();
        self.grid.get_untracked().at(f64::from(event.offset_x()), y)
    }

    /// Returns the name of the node in a cell.
    fn name(self, cell: usize) -> Option<String> {
        let at = self.shown.with_untracked(|shown| shown.get(cell).copied())?;
        self.page.shown.picture.with_untracked(|picture| picture.nodes.get(at).map(|node| node.name.clone()))
    }

    /// Returns the node in a cell, in words.
    fn sentence(self, cell: usize) -> Option<String> {
        let at = self.shown.with_untracked(|shown| shown.get(cell).copied())?;
        self.page.shown.picture.with_untracked(|picture| Some(sentence(picture, picture.nodes.get(at)?)))
    }

    /// Chooses the node that a key leads to.
    fn key(self, event: &KeyboardEvent, frame: NodeRef<Div>) {
        let place = |node| self.shown.with_untracked(|it| it.iter().position(|at| *at == node));
        let (grid, now) = (self.grid.get_untracked(), self.chosen.get_untracked().and_then(place));
        let Some(next) = keys::next(&event.key(), now, grid) else { return };
        event.prevent_default();
        let Some(name) = self.name(next) else { return };
        self.page.choose_node(Some(name));
        frame.get_untracked().into_iter().for_each(|frame| keys::show(&frame, grid, next));
    }
}

/// Returns the content of the canvas, in words.
fn label(picture: &Picture, shown: usize) -> String {
    format!("{shown} nodes with what pods hold of {}; the arrow keys choose one", picture.resources.join(", "))
}

fn option_id(at: usize) -> String {
    format!("node-{at}")
}

/// Returns the chosen node as an option, for users that do not see the canvas.
fn chosen_option(picture: &Picture, at: usize) -> impl IntoView + use<> {
    let said = picture.nodes.get(at).map(|node: &DrawnNode| sentence(picture, node));
    view! { <div class="unseen" role="option" aria-selected="true" id=option_id(at)>{said}</div> }
}

#[component]
fn LegendLine(legend: Memo<Legend>) -> impl IntoView {
    let entry = |(at, name): (usize, String)| {
        view! { <span><i style=format!("background:{}", paint::colour(at))></i>{name}</span> }
    };
    let bars = move || {
        let resources = page().shown.picture.with(|picture| picture.resources.clone());
        resources.iter().map(|name| short(name).to_owned()).collect::<Vec<_>>().join(", ")
    };
    view! {
        <p class="legend">
            {move || legend.with(|legend| legend.names.clone()).into_iter().enumerate().map(entry).collect_view()}
        </p>
        <p class="legend">"Bars of a node: " {bars}</p>
    }
}
