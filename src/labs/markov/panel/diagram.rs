//! Geometry of a chain's transition diagram: its nodes and arrows.

use std::f64::consts::{FRAC_PI_2, TAU};

/// Width of the transition diagram, and its height for four or more symbols, in SVG units; it is lower for fewer
/// symbols.
const SIDE: f64 = 240.0;
/// Radius of the circle that stands for a symbol in the transition diagram, in SVG units.
pub const NODE_RADIUS: f64 = 15.0;
/// Radius of the large circle on which the symbols of the transition diagram are arranged, in SVG units.
const RING_RADIUS: f64 = 73.0;
/// Distance from the middle of a curved arrow to the straight line between its ends, in SVG units, so that opposite
/// arrows do not overlap.
const ARROW_BEND: f64 = 15.0;
/// Position of an arrow's label along the arrow, as a fraction of the arrow's length from its start.
const LABEL_FRACTION: f64 = 0.36;
/// Distance between the end of an arrow's line and the circle of a symbol, in SVG units; the arrowhead fills it.
const ARROW_GAP: f64 = 7.0;
/// Distance by which an arrow from a symbol to itself extends from the symbol's circle, in SVG units.
const LOOP_HEIGHT: f64 = 44.0;
/// Line width of an arrow for a transition of probability one, in SVG units; the largest width.
const MAX_ARROW_WIDTH: f64 = 7.0;

/// Arrow of the transition diagram from one symbol to the next one in a sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrow {
    /// Symbol from which the arrow starts, from 0.
    pub from: usize,
    /// Symbol at which the arrow ends, from 0.
    pub to: usize,
    /// Line of the arrow, as the attribute `d` of an SVG path.
    pub path: String,
    /// Arrowhead, as the attribute `d` of an SVG path.
    pub head: String,
    /// Position (x, y), in SVG units, of the label with the probability.
    pub label_position: (f64, f64),
}

/// Centres (x, y) of the symbols' circles, in SVG units: two side by side, more on a circle clockwise from the top.
pub fn node_centres(symbols: usize) -> Vec<(f64, f64)> {
    let start = if symbols == 2 { 2.0 * FRAC_PI_2 } else { -FRAC_PI_2 };
    let place = |at: usize| {
        let angle = start + TAU * at as f64 / symbols as f64;
        (SIDE / 2.0 + RING_RADIUS * libm::cos(angle), SIDE / 2.0 + RING_RADIUS * libm::sin(angle))
    };
    (0..symbols).map(place).collect()
}

/// SVG attribute `viewBox` of the transition diagram; it is lower for two symbols, which are side by side.
pub fn view_box(symbols: usize) -> String {
    let (top, height) = match symbols {
        2 => (SIDE / 4.0, SIDE / 2.0),
        3 => (0.0, SIDE - 36.0),
        _ => (0.0, SIDE),
    };
    format!("0 {top:.0} {SIDE:.0} {height:.0}")
}

/// Line width of an arrow in SVG units, which grows linearly with the transition probability from 0.75 to
/// [`MAX_ARROW_WIDTH`]; 0 for probability 0.
pub fn arrow_width(probability: f64) -> f64 {
    if probability <= 0.0 { 0.0 } else { 0.75 + (MAX_ARROW_WIDTH - 0.75) * probability }
}

/// Arrows of the transition diagram between all pairs of symbols, and from each symbol to itself, row by row of the
/// transition matrix.
pub fn build_arrows(symbols: usize) -> Vec<Arrow> {
    let nodes = node_centres(symbols);
    let arrow = |from: usize, to: usize| match from == to {
        true => loop_arrow(from, nodes[from]),
        false => curved_arrow(from, to, nodes[from], nodes[to]),
    };
    (0..symbols).flat_map(|from| (0..symbols).map(move |to| (from, to))).map(|(a, b)| arrow(a, b)).collect()
}

/// Curved arrow between two different symbols, `from` and `to`, whose circles have the centres `a` and `b`.
fn curved_arrow(from: usize, to: usize, a: (f64, f64), b: (f64, f64)) -> Arrow {
    let middle = ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0);
    let along = normalize((b.0 - a.0, b.1 - a.1));
    // Bends to the left of its direction, away from the opposite arrow.
    let side = (along.1, -along.0);
    let control = (middle.0 + 2.0 * ARROW_BEND * side.0, middle.1 + 2.0 * ARROW_BEND * side.1);
    // The label is nearer to the start, because arrows cross in the middle of the drawing.
    let along = |a: f64, control: f64, b: f64| {
        let t = LABEL_FRACTION;
        (1.0 - t) * (1.0 - t) * a + 2.0 * t * (1.0 - t) * control + t * t * b
    };
    let on = (along(a.0, control.0, b.0), along(a.1, control.1, b.1));
    let label = (on.0 + 10.0 * side.0, on.1 + 10.0 * side.1);
    let leaves = normalize((control.0 - a.0, control.1 - a.1));
    let comes = normalize((b.0 - control.0, b.1 - control.1));
    let start = (a.0 + NODE_RADIUS * leaves.0, a.1 + NODE_RADIUS * leaves.1);
    let end = (b.0 - (NODE_RADIUS + ARROW_GAP) * comes.0, b.1 - (NODE_RADIUS + ARROW_GAP) * comes.1);
    let path =
        format!("M{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}", start.0, start.1, control.0, control.1, end.0, end.1);
    Arrow { from, to, path, head: arrowhead_path(end, comes), label_position: label }
}

/// Arrow from symbol `node` to itself, for a circle with its centre at `position`.
fn loop_arrow(node: usize, position: (f64, f64)) -> Arrow {
    let out = normalize((position.0 - SIDE / 2.0, position.1 - SIDE / 2.0));
    let side = (-out.1, out.0);
    let point = |away: f64, aside: f64| {
        (position.0 + away * out.0 + aside * side.0, position.1 + away * out.1 + aside * side.1)
    };
    let (start, end) = (point(12.0, -9.0), point(17.0, 13.0));
    let (first, second) = (point(LOOP_HEIGHT, -26.0), point(LOOP_HEIGHT, 26.0));
    let path = format!(
        "M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
        start.0, start.1, first.0, first.1, second.0, second.1, end.0, end.1
    );
    let comes = normalize((position.0 - end.0, position.1 - end.1));
    Arrow {
        from: node,
        to: node,
        path,
        head: arrowhead_path(end, comes),
        label_position: point(LOOP_HEIGHT - 1.0, 0.0),
    }
}

/// Triangle with its tip at `position` that points in `direction`, as an SVG path.
fn arrowhead_path(position: (f64, f64), direction: (f64, f64)) -> String {
    let (tip, side) = (
        (position.0 + ARROW_GAP * direction.0, position.1 + ARROW_GAP * direction.1),
        (-direction.1 * 4.5, direction.0 * 4.5),
    );
    format!(
        "M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z",
        tip.0,
        tip.1,
        position.0 + side.0,
        position.1 + side.1,
        position.0 - side.0,
        position.1 - side.1
    )
}

/// Vector of length 1 in the direction of the vector (x, y); the zero vector stays zero.
fn normalize((x, y): (f64, f64)) -> (f64, f64) {
    let length = libm::hypot(x, y).max(1e-9);
    (x / length, y / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_lies_inside_and_apart() {
        for symbols in 2..=8 {
            let (nodes, arrows) = (node_centres(symbols), build_arrows(symbols));
            assert_eq!((nodes.len(), arrows.len()), (symbols, symbols * symbols));
            let far = |a: &(f64, f64), b: &(f64, f64)| {
                libm::hypot(a.0 - b.0, a.1 - b.1) > 2.0 * NODE_RADIUS + 2.0 * ARROW_GAP
            };
            for (i, a) in nodes.iter().enumerate() {
                assert!(nodes[..i].iter().all(|b| far(a, b)), "{symbols}");
            }
            for (at, arrow) in arrows.iter().enumerate() {
                assert_eq!((arrow.from, arrow.to), (at / symbols, at % symbols));
                let inside = |x: f64| (0.0..=SIDE).contains(&x);
                assert!(
                    inside(arrow.label_position.0) && inside(arrow.label_position.1),
                    "{symbols}: {arrow:?}"
                );
                assert!(!arrow.path.contains("NaN") && !arrow.head.contains("NaN"));
            }
        }
    }

    #[test]
    fn arrows_there_and_back_have_two_sides() {
        let arrows = build_arrows(2);
        assert!((arrows[1].label_position.1 < SIDE / 2.0) != (arrows[2].label_position.1 < SIDE / 2.0));
        assert_eq!((view_box(2).as_str(), view_box(3).as_str()), ("0 60 240 120", "0 0 240 204"));
        assert_eq!(view_box(8), "0 0 240 240");
        assert!(arrows.iter().all(|arrow| (70.0..=170.0).contains(&arrow.label_position.1)));
    }

    #[test]
    fn widths_grow_with_the_probability() {
        assert!(
            arrow_width(0.0) == 0.0
                && arrow_width(0.01) < arrow_width(0.5)
                && arrow_width(0.5) < arrow_width(1.0)
        );
    }
}
