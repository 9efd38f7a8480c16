//! The arrow keys choose a node.

use web_sys::HtmlDivElement;

use crate::model::nodes::Grid;

/// Returns the cell that a key leads to from this one. `None`: the key chooses none, or leads beyond the first or the last.
pub(super) fn next(key: &str, now: Option<usize>, grid: Grid) -> Option<usize> {
    let next = match (key, now) {
        ("ArrowRight" | "ArrowLeft" | "ArrowUp" | "ArrowDown", None) | ("Home", _) => Some(0),
        ("End", _) => grid.cells.checked_sub(1),
        ("ArrowRight", Some(now)) => now.checked_add(1),
        ("ArrowLeft", Some(now)) => now.checked_sub(1),
        ("ArrowDown", Some(now)) => now.checked_add(grid.columns),
        ("ArrowUp", Some(now)) => now.checked_sub(grid.columns),
        _ => None,
    };
    next.filter(|next| *next < grid.cells)
}

/// Scrolls to a cell that is not on the screen.
pub(super) fn show(frame: &HtmlDivElement, grid: Grid, cell: usize) {
    let (top, tall) = (f64::from(frame.scroll_top()), f64::from(frame.client_height()));
    let (_, y) = grid.place(cell);
    if y < top {
        frame.set_scroll_top(y as i32);
    } else if y + grid.height > top + tall {
        frame.set_scroll_top((y + grid.height - tall).ceil() as i32);
    }
}
