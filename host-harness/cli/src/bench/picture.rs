//! A chart of cost against size (SVG): both axes by powers of ten, and a line for each operation.

use std::collections::BTreeMap;

use super::figures::BenchmarkResults;
use super::report::{cost, time};

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 520.0;
/// The margins around the lines; the right one is for the names.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 250.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
/// Colours that remain distinguishable without red or without green (Okabe and Ito).
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

/// One operation of one system: pairs of nodes and nanoseconds.
type DataPoints = Vec<(usize, u64)>;

/// The axes of the chart.
struct Axes {
    /// The lowest and the highest power of ten of nodes, and of nanoseconds.
    nodes: (i32, i32),
    times: (i32, i32),
}

/// Draws the chart. `None`: no operation was measured at two sizes.
pub(super) fn picture(figures: &BenchmarkResults) -> Option<String> {
    let lines = lines(figures);
    let points = || lines.values().flatten();
    let axes = Axes {
        nodes: powers(points().map(|(nodes, _)| decimal(*nodes as u64)))?,
        times: powers(points().map(|(_, time)| decimal(*time)))?,
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"22\" font-size=\"15\">What a call costs, by the number of nodes</text>\n"
    );
    svg.push_str(&axes.grid());
    let mut names: Vec<(f64, &str, &str)> = Vec::new();
    for ((name, line), colour) in lines.iter().zip(COLOURS.iter().cycle()) {
        let points = line.iter().map(|(nodes, time)| format!("{:.1},{:.1}", axes.x(*nodes as u64), axes.y(*time)));
        let points: Vec<String> = points.collect();
        let drawn = points.join(" ");
        svg.push_str(&format!("<polyline points=\"{drawn}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n"));
        names.extend(line.last().map(|(_, time)| (axes.y(*time), name.as_str(), *colour)));
    }
    // Names that would overlap move down.
    names.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (mut lowest, left) = (TOP - 15.0, WIDTH - RIGHT + 8.0);
    for (at, name, colour) in names {
        lowest = (at + 4.0).max(lowest + 15.0);
        svg.push_str(&format!("<text x=\"{left:.1}\" y=\"{lowest:.1}\" fill=\"{colour}\">{name}</text>\n"));
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

impl Axes {
    fn x(&self, nodes: u64) -> f64 {
        LEFT + axis_position(self.nodes, nodes) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, time: u64) -> f64 {
        HEIGHT - BOTTOM - axis_position(self.times, time) * (HEIGHT - TOP - BOTTOM)
    }

    /// Draws a line at each power of ten, with its label.
    fn grid(&self) -> String {
        let power = |power: i32| 10_u64.saturating_pow(u32::try_from(power).unwrap_or(0));
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let mut grid = String::new();
        for nodes in (self.nodes.0..=self.nodes.1).map(power) {
            let (x, below) = (self.x(nodes), bottom + 18.0);
            grid.push_str(&format!(
                "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\" stroke=\"#ddd\"/>\n\
                 <text x=\"{x:.1}\" y=\"{below:.1}\" text-anchor=\"middle\">{nodes}</text>\n"
            ));
        }
        for of in (self.times.0..=self.times.1).map(power) {
            let (y, label, left) = (self.y(of), time(of), LEFT - 8.0);
            let below = y + 4.0;
            grid.push_str(&format!(
                "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>\n\
                 <text x=\"{left:.1}\" y=\"{below:.1}\" text-anchor=\"end\">{label}</text>\n"
            ));
        }
        grid
    }
}

/// Returns the position of an amount on an axis, from 0 to 1 between the powers of ten `from` and `to`.
fn axis_position((from, to): (i32, i32), amount: u64) -> f64 {
    (decimal(amount).log10() - f64::from(from)) / (f64::from(to) - f64::from(from))
}

/// Returns the operations that were measured at more than one size.
fn lines(figures: &BenchmarkResults) -> BTreeMap<String, DataPoints> {
    let mut lines: BTreeMap<String, DataPoints> = BTreeMap::new();
    for shape in &figures.shapes {
        let system = shape.shape.rsplit_once('-').map_or(shape.shape.as_str(), |(system, _)| system);
        for operation in shape.operations.iter().filter(|operation| !operation.name.ends_with("explained")) {
            let point = cost(operation).map(|cost| (shape.nodes, cost));
            lines.entry(format!("{system}: {}", operation.name)).or_default().extend(point);
        }
    }
    lines.values_mut().for_each(|line| line.sort_unstable());
    lines.retain(|_, line| line.len() > 1);
    lines
}

/// Returns the powers of ten around some amounts, at least one apart. `None`: there are no amounts.
fn powers(amounts: impl Iterator<Item = f64>) -> Option<(i32, i32)> {
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    amounts.for_each(|amount| (least, most) = (least.min(amount), most.max(amount)));
    if least > most {
        return None;
    }
    let (from, to) = (whole(least.log10().floor()), whole(most.log10().ceil()));
    Some((from, to.max(from.saturating_add(1))))
}

#[expect(clippy::cast_possible_truncation, reason = "a logarithm of an integer is small")]
fn whole(power: f64) -> i32 {
    power as i32
}

#[expect(clippy::cast_precision_loss, reason = "a place in a picture")]
fn decimal(amount: u64) -> f64 {
    amount.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::super::figures::{ClusterResults, Operation, Timing};
    use super::*;

    fn figures(sizes: &[(usize, u64)]) -> BenchmarkResults {
        let shape = |(nodes, p50): &(usize, u64)| ClusterResults {
            shape: format!("koordinator-{nodes}"),
            nodes: *nodes,
            pods: 1,
            queues: 1,
            gang: 1,
            seed: 1,
            component_bytes: None,
            operations: vec![Operation {
                name: "filter".to_owned(),
                native: Some(Timing { p50: *p50, p99: *p50, calls: 3 }),
                component: None,
                answer: String::new(),
            }],
        };
        let shapes = sizes.iter().map(shape).collect();
        BenchmarkResults { version: "1".to_owned(), optimised: true, component: None, shapes }
    }

    #[test]
    fn a_line_goes_through_what_was_measured() {
        let svg = picture(&figures(&[(100, 1_000), (10_000, 100_000)])).unwrap();
        // From 100 to 10,000 nodes and from 1 to 100 us: from one corner to the other.
        let (left, right) = (LEFT, WIDTH - RIGHT);
        let corners = format!("{left:.1},{:.1} {right:.1},{:.1}", HEIGHT - BOTTOM, TOP);
        assert!(svg.contains(&corners), "{svg}");
        assert!(svg.contains(">koordinator: filter<") && svg.contains(">10000<") && svg.contains(">1.00 us<"));
    }

    #[test]
    fn one_size_is_no_picture() {
        assert_eq!(picture(&figures(&[(100, 1_000)])), None);
    }
}
