//! Where the nodes and arrows of a chain's transition diagram lie.

use std::f64::consts::{FRAC_PI_2, TAU};

/// Width and height of the diagram, in its own units.
const SIDE: f64 = 240.0;
/// Radius of a node.
pub const NODE: f64 = 15.0;
/// Radius of the circle that the nodes lie on.
const RING: f64 = 73.0;
/// How far the middle of an arrow bends to its side, so that there and back do not cover each other.
const BEND: f64 = 15.0;
/// How far along an arrow its number stands, as a share of the way.
const NUMBER_AT: f64 = 0.36;
/// Room between the end of an arrow and the node, for the arrow's head.
const GAP: f64 = 7.0;
/// How far a loop reaches away from its node.
const LOOP: f64 = 44.0;
/// Width of an arrow of probability one.
const THICK: f64 = 7.0;

/// An arrow from a symbol to the next one.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrow {
    /// Symbol before, from 0.
    pub from: usize,
    /// Symbol after, from 0.
    pub to: usize,
    /// The line, as the `d` of an SVG path.
    pub path: String,
    /// The head, likewise.
    pub head: String,
    /// Where its number stands.
    pub label: (f64, f64),
}

/// Middles of the nodes of so many symbols: two lie side by side, more on a circle from the top, clockwise.
pub fn nodes(symbols: usize) -> Vec<(f64, f64)> {
    let start = if symbols == 2 { 2.0 * FRAC_PI_2 } else { -FRAC_PI_2 };
    let place = |at: usize| {
        let angle = start + TAU * at as f64 / symbols as f64;
        (SIDE / 2.0 + RING * libm::cos(angle), SIDE / 2.0 + RING * libm::sin(angle))
    };
    (0..symbols).map(place).collect()
}

/// The part of the drawing that so many symbols take, as the `viewBox` of an SVG: two lie side by side, and below three
/// there is room.
pub fn frame(symbols: usize) -> String {
    let (top, height) = match symbols {
        2 => (SIDE / 4.0, SIDE / 2.0),
        3 => (0.0, SIDE - 36.0),
        _ => (0.0, SIDE),
    };
    format!("0 {top:.0} {SIDE:.0} {height:.0}")
}

/// Width of an arrow: it grows with the probability, and nothing is drawn of an impossible step.
pub fn width(probability: f64) -> f64 {
    if probability <= 0.0 { 0.0 } else { 0.75 + (THICK - 0.75) * probability }
}

/// All arrows between so many symbols, row by row of the transition matrix.
pub fn arrows(symbols: usize) -> Vec<Arrow> {
    let nodes = nodes(symbols);
    let arrow = |from: usize, to: usize| match from == to {
        true => looped(from, nodes[from]),
        false => bent(from, to, nodes[from], nodes[to]),
    };
    (0..symbols).flat_map(|from| (0..symbols).map(move |to| (from, to))).map(|(a, b)| arrow(a, b)).collect()
}

fn bent(from: usize, to: usize, a: (f64, f64), b: (f64, f64)) -> Arrow {
    let middle = ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0);
    let along = unit((b.0 - a.0, b.1 - a.1));
    // To the left of its own direction, where the arrow back does not pass.
    let side = (along.1, -along.0);
    let control = (middle.0 + 2.0 * BEND * side.0, middle.1 + 2.0 * BEND * side.1);
    // Nearer to where it leaves: in the middle of the drawing all arrows meet.
    let along = |a: f64, control: f64, b: f64| {
        let t = NUMBER_AT;
        (1.0 - t) * (1.0 - t) * a + 2.0 * t * (1.0 - t) * control + t * t * b
    };
    let on = (along(a.0, control.0, b.0), along(a.1, control.1, b.1));
    let label = (on.0 + 10.0 * side.0, on.1 + 10.0 * side.1);
    let leaves = unit((control.0 - a.0, control.1 - a.1));
    let comes = unit((b.0 - control.0, b.1 - control.1));
    let start = (a.0 + NODE * leaves.0, a.1 + NODE * leaves.1);
    let end = (b.0 - (NODE + GAP) * comes.0, b.1 - (NODE + GAP) * comes.1);
    let path =
        format!("M{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}", start.0, start.1, control.0, control.1, end.0, end.1);
    Arrow { from, to, path, head: head(end, comes), label }
}

fn looped(node: usize, at: (f64, f64)) -> Arrow {
    let out = unit((at.0 - SIDE / 2.0, at.1 - SIDE / 2.0));
    let side = (-out.1, out.0);
    let point =
        |away: f64, aside: f64| (at.0 + away * out.0 + aside * side.0, at.1 + away * out.1 + aside * side.1);
    let (start, end) = (point(12.0, -9.0), point(17.0, 13.0));
    let (first, second) = (point(LOOP, -26.0), point(LOOP, 26.0));
    let path = format!(
        "M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
        start.0, start.1, first.0, first.1, second.0, second.1, end.0, end.1
    );
    let comes = unit((at.0 - end.0, at.1 - end.1));
    Arrow { from: node, to: node, path, head: head(end, comes), label: point(LOOP - 1.0, 0.0) }
}

/// A triangle from `at` in this direction.
fn head(at: (f64, f64), along: (f64, f64)) -> String {
    let (tip, side) = ((at.0 + GAP * along.0, at.1 + GAP * along.1), (-along.1 * 4.5, along.0 * 4.5));
    format!(
        "M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z",
        tip.0,
        tip.1,
        at.0 + side.0,
        at.1 + side.1,
        at.0 - side.0,
        at.1 - side.1
    )
}

fn unit((x, y): (f64, f64)) -> (f64, f64) {
    let length = libm::hypot(x, y).max(1e-9);
    (x / length, y / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_lies_inside_and_apart() {
        for symbols in 2..=8 {
            let (nodes, arrows) = (nodes(symbols), arrows(symbols));
            assert_eq!((nodes.len(), arrows.len()), (symbols, symbols * symbols));
            let far =
                |a: &(f64, f64), b: &(f64, f64)| libm::hypot(a.0 - b.0, a.1 - b.1) > 2.0 * NODE + 2.0 * GAP;
            for (i, a) in nodes.iter().enumerate() {
                assert!(nodes[..i].iter().all(|b| far(a, b)), "{symbols}");
            }
            for (at, arrow) in arrows.iter().enumerate() {
                assert_eq!((arrow.from, arrow.to), (at / symbols, at % symbols));
                let inside = |x: f64| (0.0..=SIDE).contains(&x);
                assert!(inside(arrow.label.0) && inside(arrow.label.1), "{symbols}: {arrow:?}");
                assert!(!arrow.path.contains("NaN") && !arrow.head.contains("NaN"));
            }
        }
    }

    #[test]
    fn arrows_there_and_back_have_two_sides() {
        let arrows = arrows(2);
        assert!((arrows[1].label.1 < SIDE / 2.0) != (arrows[2].label.1 < SIDE / 2.0));
        assert_eq!((frame(2).as_str(), frame(3).as_str()), ("0 60 240 120", "0 0 240 204"));
        assert_eq!(frame(8), "0 0 240 240");
        assert!(arrows.iter().all(|arrow| (70.0..=170.0).contains(&arrow.label.1)));
    }

    #[test]
    fn widths_grow_with_the_probability() {
        assert!(width(0.0) == 0.0 && width(0.01) < width(0.5) && width(0.5) < width(1.0));
    }
}
