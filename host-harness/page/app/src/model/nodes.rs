//! The layout of nodes: columns of equal cells, of which only those on the screen are drawn.

use std::cmp::Reverse;
use std::ops::Range;

use lictor_picture::{DrawnNode, Picture};

use super::quantity::{counted, ratio, short, shown};

#[cfg(test)]
mod tests;

/// The meaning of the bars' colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// The queue of the pods.
    Queue,
    /// Their priority.
    Priority,
}

/// The order of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeSortOrder {
    /// By name.
    Name,
    /// The fullest first.
    Fullest,
}

/// A part of a bar, from 0 to 1; more than 1 where pods hold more than the node has.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Its colour, as an index in the legend.
    pub colour: usize,
}

/// The meanings of the colours, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Legend {
    colour: Colour,
    /// The lowest priority of each band, the highest band first.
    bands: Vec<i32>,
    /// The names.
    pub names: Vec<String>,
}

/// The most bands of priorities.
const BANDS: usize = 6;

impl Legend {
    /// Makes the legend of a picture.
    pub fn of(picture: &Picture, colour: Colour) -> Legend {
        let mut found: Vec<i32> = picture.nodes.iter().flat_map(|node| &node.held).map(|held| held.priority).collect();
        found.sort_unstable_by(|one, other| other.cmp(one));
        found.dedup();
        let each = found.len().div_ceil(BANDS).max(1);
        let bands: Vec<i32> = found.chunks(each).filter_map(|band| band.last().copied()).collect();
        let names = match colour {
            Colour::Queue => picture.queues.clone(),
            Colour::Priority => found.chunks(each).map(band).collect(),
        };
        Legend { colour, bands, names }
    }

    fn index(&self, queue: usize, priority: i32) -> usize {
        match self.colour {
            Colour::Queue => queue,
            Colour::Priority => self.bands.iter().position(|least| priority >= *least).unwrap_or(0),
        }
    }
}

/// Returns the name of a band of priorities.
fn band(band: &[i32]) -> String {
    match band {
        [] => String::new(),
        [only] => format!("priority {only}"),
        [most, .., least] => format!("priority {least} to {most}"),
    }
}

/// Returns the bar of a resource of a node, in the order of the legend.
pub fn segments(node: &DrawnNode, resource: usize, legend: &Legend) -> Vec<Segment> {
    let whole = node.allocatable.get(resource).copied().unwrap_or(0);
    let mut held: Vec<(usize, i64)> = node
        .held
        .iter()
        .map(|held| (legend.index(held.queue, held.priority), held.amounts.get(resource).copied().unwrap_or(0)))
        .filter(|(_, amount)| *amount > 0)
        .collect();
    held.sort_unstable();
    let (mut segments, mut sum): (Vec<Segment>, i64) = (Vec::new(), 0);
    for (colour, amount) in held {
        let from = ratio(sum, whole);
        sum = sum.saturating_add(amount);
        let to = ratio(sum, whole);
        match segments.last_mut().filter(|last| last.colour == colour) {
            Some(last) => last.to = to,
            None => segments.push(Segment { from, to, colour }),
        }
    }
    segments
}

/// Returns a node in words: its name, the number of its pods, and their amounts of each resource.
pub fn sentence(picture: &Picture, node: &DrawnNode) -> String {
    let of = |((at, whole), name): ((usize, &i64), &String)| {
        (*whole > 0).then(|| format!("{} {} of {}", short(name), shown(name, node.usage_of(at)), shown(name, *whole)))
    };
    let held: Vec<String> = node.allocatable.iter().enumerate().zip(&picture.resources).filter_map(of).collect();
    format!("{}: {}; {}", node.name, counted(node.pods(), "pod"), held.join(", "))
}

/// Returns the nodes whose name contains `filter`, in this order, as indices of the picture.
pub fn listed(picture: &Picture, filter: &str, order: NodeSortOrder) -> Vec<usize> {
    let matching = picture.nodes.iter().enumerate().filter(|(_, node)| node.name.contains(filter));
    let mut listed: Vec<(usize, &DrawnNode)> = matching.collect();
    if order == NodeSortOrder::Fullest {
        // Stable: nodes that are equally full stay in the order of their names.
        listed.sort_by_cached_key(|(_, node)| Reverse(node.fullness()));
    }
    listed.into_iter().map(|(at, _)| at).collect()
}

/// Equal cells in columns, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// The number of cells.
    pub cells: usize,
    /// The number of columns.
    pub columns: usize,
    /// The width of a cell.
    pub width: f64,
    /// The height of a cell.
    pub height: f64,
}

impl Grid {
    /// Makes a grid with as many columns as fit, each at least `least` pixels wide.
    pub fn of(cells: usize, width: f64, least: f64, height: f64) -> Grid {
        let columns = ((width / least).floor() as usize).max(1);
        Grid { cells, columns, width: width / columns as f64, height }
    }

    /// Returns the height of all cells, in pixels.
    pub fn tall(&self) -> f64 {
        self.cells.div_ceil(self.columns) as f64 * self.height
    }

    /// Returns the cells that are at least partly visible, where the frame is `tall` pixels high and scrolled by `scrolled`.
    pub fn visible(&self, scrolled: f64, tall: f64) -> Range<usize> {
        let row = |at: f64| (at.max(0.0) / self.height) as usize;
        let cell = |row: usize| row.saturating_mul(self.columns).min(self.cells);
        cell(row(scrolled))..cell(row(scrolled + tall).saturating_add(1))
    }

    /// Returns the upper left corner of a cell, in pixels.
    pub fn place(&self, cell: usize) -> (f64, f64) {
        let column = cell.checked_rem(self.columns).unwrap_or(0);
        let row = cell.checked_div(self.columns).unwrap_or(0);
        (column as f64 * self.width, row as f64 * self.height)
    }

    /// Returns the cell at this place. `None`: there is no cell.
    pub fn at(&self, x: f64, y: f64) -> Option<usize> {
        if x < 0.0 || y < 0.0 {
            return None;
        }
        let column = ((x / self.width) as usize).min(self.columns.saturating_sub(1));
        let cell = ((y / self.height) as usize).saturating_mul(self.columns).saturating_add(column);
        (cell < self.cells).then_some(cell)
    }
}
