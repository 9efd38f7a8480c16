//! Draws the cells of nodes that are on the screen.

use std::collections::BTreeMap;

use leptos::prelude::*;
use lictor_picture::{DrawnNode, Picture};
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use crate::data::CycleView;
use crate::model::nodes::{Grid, Legend, segments};

/// The colours of queues and priorities: most eyes can distinguish them, on light and on dark.
const COLOURS: [&str; 10] =
    ["#4c78a8", "#e08a2e", "#54a078", "#b279a2", "#c9a227", "#6fa8b8", "#d1605e", "#8c6d55", "#8b86c9", "#7a8a5a"];

/// Returns the colour with this index.
pub(super) fn colour(index: usize) -> &'static str {
    index.checked_rem(COLOURS.len()).and_then(|at| COLOURS.get(at)).copied().unwrap_or("#888")
}

/// The layout of the drawing, in pixels: the grid, the scrolled part, the size of the frame, and the chosen node.
#[derive(Clone, Copy)]
pub(super) struct Paint {
    pub(super) grid: Grid,
    pub(super) scrolled: f64,
    pub(super) width: f64,
    pub(super) tall: f64,
    pub(super) chosen: Option<usize>,
}

/// The number of pods that are placed on and evicted from each node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct NodeMoves(BTreeMap<String, (usize, usize)>);

impl NodeMoves {
    /// Counts the moves of a cycle.
    pub(super) fn of(cycle: &CycleView) -> NodeMoves {
        let mut moves = NodeMoves::default();
        for node in cycle.bound.values().chain(cycle.nominated.values()).chain(cycle.waiting.values()) {
            let (come, _) = moves.0.entry(node.clone()).or_default();
            *come = come.saturating_add(1);
        }
        for node in cycle.victims.values().filter_map(|victim| victim.node.as_ref()) {
            let (_, leave) = moves.0.entry(node.clone()).or_default();
            *leave = leave.saturating_add(1);
        }
        moves
    }
}

/// The colours of the page itself.
struct PageColors {
    text: String,
    track: String,
    accent: String,
    good: String,
    bad: String,
}

impl PageColors {
    fn of(canvas: &HtmlCanvasElement) -> PageColors {
        let style = window().get_computed_style(canvas).ok().flatten();
        let value = |name: &str| style.as_ref().and_then(|it| it.get_property_value(name).ok()).unwrap_or_default();
        PageColors {
            text: value("--text"),
            track: value("--track"),
            accent: value("--accent"),
            good: value("--good"),
            bad: value("--bad"),
        }
    }
}

/// Draws the nodes on the screen.
pub(super) fn paint(
    canvas: &HtmlCanvasElement,
    what: Paint,
    picture: &Picture,
    shown: &[usize],
    legend: &Legend,
    moves: &NodeMoves,
) {
    let Some(context) = canvas.get_context("2d").ok().flatten() else { return };
    let Ok(context) = context.dyn_into::<CanvasRenderingContext2d>() else { return };
    let ratio = window().device_pixel_ratio();
    canvas.set_width((what.width * ratio) as u32);
    canvas.set_height((what.tall * ratio) as u32);
    let style = web_sys::HtmlElement::style(canvas);
    let _width = style.set_property("width", &format!("{}px", what.width));
    let _height = style.set_property("height", &format!("{}px", what.tall));
    let _scaled = context.scale(ratio, ratio);
    context.clear_rect(0.0, 0.0, what.width, what.tall);
    let ink = PageColors::of(canvas);
    for cell in what.grid.visible(what.scrolled, what.tall) {
        let Some((at, node)) = shown.get(cell).and_then(|at| Some((*at, picture.nodes.get(*at)?))) else { continue };
        let (x, y) = what.grid.place(cell);
        let place = Cell { x, y: y - what.scrolled, width: what.grid.width, height: what.grid.height };
        if what.chosen == Some(at) {
            place.mark(&context, &ink);
        }
        place.title(&context, &ink, node, moves);
        place.bars(&context, &ink, node, legend);
    }
}

/// The place of a node in the drawing.
struct Cell {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Cell {
    fn mark(&self, context: &CanvasRenderingContext2d, ink: &PageColors) {
        context.set_stroke_style_str(&ink.accent);
        context.set_line_width(2.0);
        context.stroke_rect(self.x + 2.0, self.y + 1.0, self.width - 4.0, self.height - 3.0);
    }

    fn title(&self, context: &CanvasRenderingContext2d, ink: &PageColors, node: &DrawnNode, moves: &NodeMoves) {
        let (left, line, right) = (self.x + 8.0, self.y + 16.0, self.x + self.width - 8.0);
        context.set_font("12px system-ui, sans-serif");
        context.set_fill_style_str(&ink.text);
        let _named = context.fill_text_with_max_width(&node.name, left, line, self.width - 60.0);
        let (come, leave) = moves.0.get(&node.name).copied().unwrap_or_default();
        let mut end = right;
        for (count, sign, colour) in [(leave, "−", &ink.bad), (come, "+", &ink.good)] {
            if count > 0 {
                let text = format!("{sign}{count}");
                context.set_fill_style_str(colour);
                let width = context.measure_text(&text).map_or(16.0, |measured| measured.width());
                let _written = context.fill_text(&text, end - width, line);
                end -= width + 6.0;
            }
        }
    }

    fn bars(&self, context: &CanvasRenderingContext2d, ink: &PageColors, node: &DrawnNode, legend: &Legend) {
        let (left, whole) = (self.x + 8.0, self.width - 16.0);
        let mut top = self.y + 21.0;
        for (resource, there) in node.allocatable.iter().enumerate() {
            if *there > 0 {
                context.set_fill_style_str(&ink.track);
                context.fill_rect(left, top, whole, 6.0);
                for segment in segments(node, resource, legend) {
                    let (from, to) = (segment.from.min(1.0), segment.to.min(1.0));
                    context.set_fill_style_str(colour(segment.colour));
                    context.fill_rect(left + from * whole, top, ((to - from) * whole - 0.5).max(0.5), 6.0);
                }
            }
            top += 9.0;
        }
    }
}
