//! The arrow keys choose a node.

use web_sys::HtmlDivElement;

use crate::model::nodes::Grid;

/// The cell that a key leads to from this one, in rows of so many; none where the key is no arrow, or leads before the first.
pub(super) fn next(key: &str, now: Option<usize>, columns: usize) -> Option<usize> {
    match (key, now) {
        ("ArrowRight" | "ArrowLeft" | "ArrowUp" | "ArrowDown", None) => Some(0),
        ("ArrowRight", Some(now)) => now.checked_add(1),
        ("ArrowLeft", Some(now)) => now.checked_sub(1),
        ("ArrowDown", Some(now)) => now.checked_add(columns),
        ("ArrowUp", Some(now)) => now.checked_sub(columns),
        _ => None,
    }
}

/// Scrolls to a cell that is not on the screen.
pub(super) fn show(frame: &HtmlDivElement, grid: Grid, cell: usize) {
    let (top, tall) = (f64::from(frame.scroll_top()), f64::from(frame.client_height()));
    let (_, y) = grid.place(cell);
    if y < top || y + grid.height > top + tall {
        frame.set_scroll_top(y as i32);
    }
}
